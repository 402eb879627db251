// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime
import Synchronization

/// A block as the core calls it, and what its observations share. Each observation has one, or all
/// observations that share an ``ObservationBlock``; the core keeps it until it disposes of them.
///
/// A block that is isolated to an actor is called on the actor's own loop, or if the caller turns
/// out to be in that isolation. A change that is made elsewhere schedules an immediate block on the
/// actor's loop.
final class Handler: @unchecked Sendable {
    /// The record lies inside this object, so that ``of(_:)`` finds the handler from the core's
    /// pointer. The record's address is the block's identity.
    private let record: Record
    private let block: Callback.Call
    let handed: HandedValues
    /// The bytes from a root to its header; nil: the number may differ from root to root.
    let rootOffset: Int?
    let configuration: ObservationConfiguration
    /// The way in which the core names and holds the observers.
    let form: ObserverForm
    private let noticePlace: NoticePlace?
    private let used = Locked<Used>(Used())
    /// The loop that delivers the block's calls.
    let loop: NamedLoop
    /// The loop of the block's isolation; nil: the block has no isolation.
    private let own: DeliveryLoop?
    /// Whether an observation of this handler is immediate.
    private let isImmediate: Atomic<Bool>
    /// Whether diagnostics have been told that the block waits.
    private let hasWaited = Atomic<Bool>(false)

    /// Noncopyable with an atomic inside, so that the value stays at one address in its object.
    private struct Record: ~Copyable {
        let kind: obv_handler_kind
        private let word = Atomic<UInt>(0)

        init(_ kind: obv_handler_kind) {
            self.kind = kind
        }
    }

    /// Resources that the observations of this handler share.
    private struct Used {
        var observations = 0
        /// The components of the observations' paths, each once and with one use. The end of the
        /// last observation gives the components back.
        var components: [ObjectIdentifier: Component] = [:]
    }

    /// - Parameter rootOffset: see ``rootOffset``.
    init(
        _ callback: Callback, rootOffset: Int?, _ configuration: ObservationConfiguration,
        _ form: ObserverForm
    ) {
        let isImmediate = configuration.options.contains(.immediate)
        let own = callback.isolation.map(ActorLoops.loop)
        // A place is needed only if the observer is told of deaths, and only in an isolation.
        let noticePlace =
            form.isDeallocationAware ? own.map { NoticePlace($0, configuration.source) } : nil
        block = callback.call
        handed = callback.handed
        self.rootOffset = rootOffset
        self.configuration = configuration
        self.form = form
        self.noticePlace = noticePlace
        self.own = own
        loop =
            isImmediate && own != nil
            ? NamedLoop(own!)
            : configuration.loop
                ?? NamedLoop(own ?? configuration.home ?? .main)
        self.isImmediate = Atomic(isImmediate)
        var kind = obv_handler_kind(
            changed: { observer, root, call in
                Handler.of(call.pointee.kind)._withUnsafeGuaranteedRef {
                    $0.call(observer, root, call)
                }
            },
            retain: nil, release: nil, gone: nil, dispose: nil,
            label: configuration.label.map(constant),
            flags: OBV_KIND_IS_OF_CALL.rawValue,
            line: UInt32(clamping: configuration.source.line),
            file: path(configuration.source.file),
            root_did_deallocate: nil, notice_context: nil, forget: nil)
        form.describe(&kind)
        kind.notice_context = noticePlace.map { Unmanaged.passUnretained($0).toOpaque() }
        record = Record(kind)
        assert(Handler.of(self.kind).toOpaque() == Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        used.withLock { $0.components }.values.leave()
    }

    var kind: UnsafePointer<obv_handler_kind> {
        withUnsafePointer(to: record) {
            UnsafeRawPointer($0).assumingMemoryBound(to: obv_handler_kind.self)
        }
    }

    /// The record is the first field, behind the two words of the object's header.
    private static let recordOffset = 2 * MemoryLayout<UInt>.size

    static func of(_ kind: UnsafePointer<obv_handler_kind>) -> Unmanaged<Handler> {
        .fromOpaque(UnsafeRawPointer(kind) - recordOffset)
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

    /// Calls the block. The core keeps observer and root alive during the call; `root` may be nil
    /// in a class-level observation.
    private func call(
        _ observer: UnsafeMutableRawPointer?, _ root: HeaderPointer?,
        _ call: UnsafePointer<obv_call>
    ) {
        if let home, !home.isCurrent { return leave() }
        let observer: Unmanaged<AnyObject>? = observer.map {
            ObserverReference.object(at: $0, headerOffset: form.headerOffset)
        }
        let root: Unmanaged<AnyObject>? = root.map {
            .fromOpaque(UnsafeMutableRawPointer($0) - (rootOffset ?? headerOffset(of: $0)))
        }
        held(observer) { observer in
            held(root) { root in block(observer, root, call) }
        }
    }

    /// Passes an object to `body` without retaining it, since the caller holds it.
    @inline(__always)
    private func held(_ object: Unmanaged<AnyObject>?, _ body: (AnyObject?) -> Void) {
        if let object {
            object._withUnsafeGuaranteedRef { body($0) }
        } else {
            body(nil)
        }
    }

    private func leave() {
        // The block's own loop always calls in the block's isolation, so this is an immediate call
        // from elsewhere.
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

extension Handler {
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

    /// The error of a block that would go to the main loop for want of a better place: the
    /// observation begins off that loop, and nothing names a loop (the block's isolation, that of
    /// the beginning code, or `on:`).
    var refusalOfLoop: ObservationError? {
        guard own == nil, configuration.loop == nil, configuration.home == nil,
            !DeliveryLoop.main.isCurrent
        else { return nil }
        return .withoutLoop("a block", begun: "begun", whose: "its objects belong")
    }

    private func tellWaiting() {
        guard !hasWaited.exchange(true, ordering: .relaxed) else { return }
        configuration.tell(
            .waiting,
            "an immediate block of \(own!.isolation) waits for it, since a change was made "
                + "elsewhere (told once)")
    }
}

/// The path of a source file as the compiler writes it; nil if it is a single character.
func path(_ file: StaticString) -> UnsafePointer<CChar>? {
    file.hasPointerRepresentation ? constant(file) : nil
}

/// A static text as a C string. The core keeps only the address, which stays valid for ever.
func constant(_ text: StaticString) -> UnsafePointer<CChar> {
    precondition(text.hasPointerRepresentation, "a label is a text, not one character")
    return UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// The place in the program that made an observation.
struct SourceLocation: Sendable, CustomStringConvertible {
    let file: StaticString
    let line: UInt

    var description: String { "\(file):\(line)" }
}

/// The kind of observer, which decides how the core names and holds it.
enum ObserverForm: Equatable {
    /// There is no observer: a token's observation.
    case none
    /// An observable object, which the core knows by its header. Its observations end with it.
    case host(headerOffset: Int, isDeallocationAware: Bool)
    /// Any other object (``ObserverReference``).
    case object(isDeallocationAware: Bool)

    /// - Parameter begins: false: the observer is only looked for, so its class need not be known.
    init(_ observer: AnyObject?, begins: Bool = true) {
        guard let observer else {
            self = .none
            return
        }
        func host(_ host: some ObservableHost) -> ObserverForm {
            .host(
                headerOffset: host.headerOffset,
                isDeallocationAware: begins && ModelClasses.adoptObserver(host))
        }
        if let model = observer as? ObservableModel {
            self = host(model)
        } else if let isDeallocationAware = ObserverTypeCache.isDeallocationAware(
            type(of: observer))
        {
            self = .object(isDeallocationAware: isDeallocationAware)
        } else if let other = observer as? any ObservableHost {
            self = host(other)
        } else {
            self = .object(isDeallocationAware: ObserverTypeCache.insert(type(of: observer)))
        }
    }

    /// Whether the observer is told of the deaths of roots.
    var isDeallocationAware: Bool {
        switch self {
        case .none: return false
        case .host(_, let isAware), .object(let isAware): return isAware
        }
    }

    fileprivate func describe(_ kind: inout obv_handler_kind) {
        kind.dispose = { kind, _ in Handler.release(kind) }
        switch self {
        case .none: break
        case .host(_, let isDeallocationAware):
            kind.flags |= OBV_OBSERVER_IS_OBJECT.rawValue
            kind.retain = obv_swift_try_retain_observer
            kind.release = obv_swift_release_observer
            guard isDeallocationAware else { return }
            kind.root_did_deallocate = { header, notice in
                tellDeallocated(
                    ObservableSwift.object(of: header!.assumingMemoryBound(to: obv_object.self)),
                    notice)
            }
            kind.forget = { _, place in NoticePlace.release(place) }
        case .object(let isDeallocationAware):
            ObserverReference.describe(&kind)
            guard isDeallocationAware else {
                kind.dispose = { kind, observer in
                    Handler.release(kind)
                    ObserverReference.forget(observer!)
                }
                return
            }
            // `dispose`, at the observation's end, releases the block. `forget`, after the last
            // notice, releases the reference to the observer.
            kind.root_did_deallocate = { observer, notice in
                let observer: Unmanaged<AnyObject> = ObserverReference.object(
                    at: observer!, headerOffset: 0)
                observer._withUnsafeGuaranteedRef { tellDeallocated($0, notice) }
            }
            kind.forget = { observer, place in
                NoticePlace.release(place)
                ObserverReference.forget(observer!)
            }
        }
    }

    /// The address by which the core names the observer.
    func address(of observer: AnyObject) -> UnsafeMutableRawPointer {
        if case .host(let headerOffset, _) = self {
            return Unmanaged.passUnretained(observer).toOpaque() + headerOffset
        }
        return ObserverReference.address(of: observer)
    }

    /// The bytes from an observer to its header, by which the core names it; 0: the observer is no
    /// observable object.
    var headerOffset: Int {
        if case .host(let headerOffset, _) = self { return headerOffset }
        return 0
    }
}

extension Handler {
    /// Counts an observation that begins, and retains what the core will release at its end.
    func retain(for observer: AnyObject?) {
        _ = Unmanaged.passRetained(self)
        used.withLock { $0.observations += 1 }
        _ = noticePlace.map(Unmanaged.passRetained)
        if case .object = form, let observer {
            ObserverReference.keep(observer)
        }
    }

    /// Keeps components that stand in the path of an observation that has begun.
    func keep(_ components: [Component]) {
        if components.isEmpty { return }
        let spare = used.withLock { used in
            // All observations have ended meanwhile, so nobody would give the components back.
            if used.observations == 0 { return components }
            return components.compactMap {
                used.components.updateValue($0, forKey: ObjectIdentifier($0))
            }
        }
        spare.leave()
    }

    /// Undoes ``retain(for:)``: the core refused the observation.
    func release(for observer: AnyObject?) {
        endOne()
        noticePlace.map(Unmanaged.passUnretained)?.release()
        if case .object = form, let observer {
            ObserverReference.forget(ObserverReference.address(of: observer))
        }
    }

    /// Called by the core once an observation has ended and nothing of it runs any more.
    fileprivate static func release(_ kind: UnsafePointer<obv_handler_kind>) {
        of(kind)._withUnsafeGuaranteedRef { $0.endOne() }
    }

    private func endOne() {
        let components = used.withLock { used -> [ObjectIdentifier: Component] in
            used.observations -= 1
            if used.observations > 0 || used.components.isEmpty { return [:] }
            defer { used.components = [:] }
            return used.components
        }
        components.values.leave()
        Unmanaged.passUnretained(self).release()
    }
}
