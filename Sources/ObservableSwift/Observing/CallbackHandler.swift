// SPDX-License-Identifier: Apache-2.0

import CObservable
import Synchronization

/// A handler that calls a block of the program in the block's isolation.
///
/// A block that is isolated to an actor is called on the actor's own loop, or if the caller turns
/// out to be in that isolation. A change that is made elsewhere schedules an immediate block on the
/// actor's loop.
class CallbackHandler: Handler, @unchecked Sendable {
    /// The loop that delivers it.
    let loop: NamedLoop
    /// The loop of the block's isolation; nil: it has none.
    private let own: DeliveryLoop?
    /// Whether an observation of this handler is immediate.
    private let isImmediate: Atomic<Bool>
    /// Whether diagnostics have been told that the block waits.
    private let hasWaited = Atomic<Bool>(false)

    /// - Parameter isolation: of the block.
    init(
        isolation: (any Actor)?, _ configuration: ObservationConfiguration, _ form: ObserverForm
    ) {
        let isImmediate = configuration.options.contains(.immediate)
        let own = isolation.map(ActorLoops.loop)
        let noticePlace =
            form.isDeallocationAware ? own.map { NoticePlace($0, configuration.source) } : nil
        self.own = own
        loop =
            isImmediate && own != nil
            ? NamedLoop(own!) : configuration.loop ?? NamedLoop(own ?? .main)
        self.isImmediate = Atomic(isImmediate)
        super.init(configuration, form, noticePlace: noticePlace)
    }

    /// The loop whose isolation is checked before each call; nil: the caller is always in it.
    var home: DeliveryLoop? {
        guard let own else { return nil }
        return loop === own && !isImmediate.load(ordering: .relaxed) ? nil : own
    }

    /// Whether an observation needs the handler after it has begun: to add paths, or to become
    /// immediate.
    var isNeededLater: Bool {
        configuration.options.contains(.allowsMorePaths) || loop === own
    }

    /// Notes that an observation of this handler is called inside changes from now on.
    func becomeImmediate() {
        isImmediate.store(true, ordering: .relaxed)
    }

    final override func call(
        _ observer: UnsafeMutableRawPointer?, _ root: HeaderPointer?,
        _ call: UnsafePointer<obv_call>
    ) {
        if let home, !home.isCurrent {
            leave()
        } else {
            enter(observer, root, call)
        }
    }

    /// Calls the block. The caller is in the block's isolation.
    func enter(
        _ observer: UnsafeMutableRawPointer?, _ root: HeaderPointer?,
        _ call: UnsafePointer<obv_call>
    ) {
        fatalError("abstract")
    }

    private func leave() {
        // Its own loop calls it in its isolation, so this is an immediate call from elsewhere.
        if loop === own {
            obv_detail_schedule_called()
            tellWaiting()
            return
        }
        stopTheProgram(
            "a block that is isolated to an actor was called by a drain outside of it (observed at "
                + "\(configuration.source)): drain the loop there, or leave `on:` out")
    }
}

// MARK: - Where it belongs

extension CallbackHandler {
    /// Refuses an observation if it is certain already that its block would be called outside of
    /// its isolation.
    func checkPlace() throws(ObservationError) {
        guard !isImmediate.load(ordering: .relaxed) else { return }
        if let own {
            guard let named = configuration.loop?.living, named.isApart(from: own) else { return }
            throw ObservationError(
                .isolation,
                "a block that is isolated to \(own.isolation) cannot be called on \(named.place): "
                    + "leave `on:` out")
        }
        if let refusal = refusalOfLoop { throw refusal }
    }

    /// The reason why the main loop must not call it: it is begun on another thread, and neither an
    /// isolation nor `on:` says where it belongs.
    var refusalOfLoop: ObservationError? {
        guard own == nil, configuration.loop == nil, !DeliveryLoop.main.isCurrent else {
            return nil
        }
        return .withoutLoop("a block", begun: "begun", whose: "its objects belong")
    }

    private func tellWaiting() {
        guard !hasWaited.exchange(true, ordering: .relaxed) else { return }
        ObservationDiagnostics.tell(
            ObservationDiagnostics.Report(
                kind: .waiting,
                text:
                    "an immediate block of \(own!.isolation) waits for it, since a change was made "
                    + "elsewhere (told once)",
                path: nil, label: configuration.label.map { "\($0)" },
                file: "\(configuration.source.file)", line: Int(configuration.source.line)))
    }
}

// MARK: - The blocks

/// A block with an observer, which is handed no values.
final class ObserverHandler<Observer: AnyObject, Root: AnyObject>: CallbackHandler,
    @unchecked Sendable
{
    private let block: (Observer, Root) -> Void
    private let observerOffset: Int
    private let rootOffset: Int

    init(
        _ block: @escaping @isolated(any) (Observer, Root) -> Void, rootOffset: Int,
        _ configuration: ObservationConfiguration, _ form: ObserverForm
    ) {
        let isolation = block.isolation
        self.block = uncheckedIsolation(block, as: ((Observer, Root) -> Void).self)
        self.rootOffset = rootOffset
        observerOffset = form.headerOffset
        super.init(isolation: isolation, configuration, form)
    }

    override func enter(
        _ observer: UnsafeMutableRawPointer?, _ root: HeaderPointer?,
        _ call: UnsafePointer<obv_call>
    ) {
        let observer: Unmanaged<Observer> = ObserverReference.object(
            at: observer!, headerOffset: observerOffset)
        let root = Unmanaged<Root>.fromOpaque(
            UnsafeMutableRawPointer(root.unsafelyUnwrapped) - rootOffset)
        observer._withUnsafeGuaranteedRef { observer in
            root._withUnsafeGuaranteedRef { root in block(observer, root) }
        }
    }
}

/// A block of a token, which is handed no values.
final class TokenHandler<Root: AnyObject>: CallbackHandler, @unchecked Sendable {
    private let block: (Root) -> Void
    private let rootOffset: Int

    init(
        _ block: @escaping @isolated(any) (Root) -> Void, rootOffset: Int,
        _ configuration: ObservationConfiguration
    ) {
        let isolation = block.isolation
        self.block = uncheckedIsolation(block, as: ((Root) -> Void).self)
        self.rootOffset = rootOffset
        super.init(isolation: isolation, configuration, .none)
    }

    override func enter(
        _ observer: UnsafeMutableRawPointer?, _ root: HeaderPointer?,
        _ call: UnsafePointer<obv_call>
    ) {
        let root = Unmanaged<Root>.fromOpaque(
            UnsafeMutableRawPointer(root.unsafelyUnwrapped) - rootOffset)
        root._withUnsafeGuaranteedRef { root in block(root) }
    }
}

/// A block that is handed what has changed, or that observes every instance of a class.
final class ChangeHandler: CallbackHandler, @unchecked Sendable {
    private let block: Callback.Call
    private let observerOffset: Int
    private let rootOffset: Int?

    /// - Parameter rootOffset: nil: the roots may differ in it.
    init(
        _ callback: Callback, rootOffset: Int?, _ configuration: ObservationConfiguration,
        _ form: ObserverForm
    ) {
        block = callback.call
        self.rootOffset = rootOffset
        observerOffset = form.headerOffset
        super.init(
            isolation: callback.isolation, configuration.handing(callback.handed), form)
    }

    override func enter(
        _ observer: UnsafeMutableRawPointer?, _ root: HeaderPointer?,
        _ call: UnsafePointer<obv_call>
    ) {
        // Not by `map`, which the compiler does not inline here.
        var told: AnyObject?
        if let observer {
            let observer: Unmanaged<AnyObject> = ObserverReference.object(
                at: observer, headerOffset: observerOffset)
            told = observer.takeUnretainedValue()
        }
        var object: AnyObject?
        if let root {
            let offset = rootOffset ?? headerOffset(of: root)
            object = Unmanaged.fromOpaque(UnsafeMutableRawPointer(root) - offset)
                .takeUnretainedValue()
        }
        block(told, object, call.pointee)
    }
}
