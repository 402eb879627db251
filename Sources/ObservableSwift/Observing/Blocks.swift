// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A handler with a block of the program.
///
/// A block that is isolated to an actor is entered there only: on the actor's own loop, or where a
/// look says that the caller is in its isolation. An immediate one is scheduled on the actor's loop
/// by a change that is made elsewhere.
class BlockHandler: Handler, @unchecked Sendable {
    /// Where it is delivered.
    let loop: DeliveryLoop
    /// The loop of its isolation, where that has to be looked at before each call.
    let home: DeliveryLoop?
    private let isImmediate: Bool

    init(
        isolation: (any Actor)?, on loop: DeliveryLoop?, options: ObservationOptions,
        observer: ObserverForm, label: StaticString?, source: SourceLocation
    ) {
        let own = isolation.map(ActorLoops.loop)
        isImmediate = options.contains(.immediate)
        self.loop = (isImmediate ? own : nil) ?? loop ?? own ?? .main
        home = own === self.loop && !isImmediate ? nil : own
        super.init(observer: observer, label: label, source: source)
    }

    final override func call(
        _ observer: UnsafeMutableRawPointer?, _ root: HeaderPointer, _ handle: OpaquePointer?
    ) {
        if let home, !home.isCurrent {
            leave(handle)
        } else {
            enter(observer, root)
        }
    }

    /// Calls the block, in its isolation.
    func enter(_ observer: UnsafeMutableRawPointer?, _ root: HeaderPointer) {
        fatalError("abstract")
    }

    private func leave(_ handle: OpaquePointer?) {
        if isImmediate {
            obv_schedule(handle)
            return
        }
        // Says so in an optimised build too, where a precondition is silent.
        fatalError(
            "a block that is isolated to an actor was called by a drain outside of it (observed at "
                + "\(source.file):\(source.line)): drain the loop there, or leave `on:` out")
    }
}

/// A block with an observer.
final class ObserverHandler<Observer: AnyObject, Root: AnyObject>: BlockHandler, @unchecked Sendable
{
    typealias Block = (Observer, Root) -> Void

    private let block: Block
    private let observerOffset: Int
    private let rootOffset: Int

    init(
        _ block: @escaping @isolated(any) (Observer, Root) -> Void, rootOffset: Int,
        on loop: DeliveryLoop?, options: ObservationOptions, observer: ObserverForm,
        label: StaticString?, source: SourceLocation
    ) {
        let isolation = block.isolation
        // The same function, called where its isolation is known to be.
        self.block = unsafeBitCast(block, to: Block.self)
        self.rootOffset = rootOffset
        observerOffset = observer.offset
        super.init(
            isolation: isolation, on: loop, options: options, observer: observer, label: label,
            source: source)
    }

    override func enter(_ observer: UnsafeMutableRawPointer?, _ root: HeaderPointer) {
        let observer = Unmanaged<Observer>.fromOpaque(observer! - observerOffset)
        let root = Unmanaged<Root>.fromOpaque(UnsafeMutableRawPointer(root) - rootOffset)
        observer._withUnsafeGuaranteedRef { observer in
            root._withUnsafeGuaranteedRef { root in block(observer, root) }
        }
    }
}

/// A block without an observer.
final class TokenHandler<Root: AnyObject>: BlockHandler, @unchecked Sendable {
    typealias Block = (Root) -> Void

    private let block: Block
    private let rootOffset: Int

    init(
        _ block: @escaping @isolated(any) (Root) -> Void, rootOffset: Int, on loop: DeliveryLoop?,
        options: ObservationOptions, label: StaticString?, source: SourceLocation
    ) {
        let isolation = block.isolation
        self.block = unsafeBitCast(block, to: Block.self)
        self.rootOffset = rootOffset
        super.init(
            isolation: isolation, on: loop, options: options, observer: .none, label: label,
            source: source)
    }

    override func enter(_ observer: UnsafeMutableRawPointer?, _ root: HeaderPointer) {
        let root = Unmanaged<Root>.fromOpaque(UnsafeMutableRawPointer(root) - rootOffset)
        root._withUnsafeGuaranteedRef { root in block(root) }
    }
}
