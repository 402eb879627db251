// SPDX-License-Identifier: Apache-2.0

import CObservable
public import Dispatch
import Synchronization

/// Where delayed blocks wait and run. A loop is a queue, not a thread:
///
/// - ``main``, the default: the main dispatch queue, which is also the main run loop and the main
///   actor.
/// - ``init(queue:)``: any other dispatch queue.
/// - ``init(actor:)``: an actor; blocks that are isolated to one run on its loop by themselves.
/// - ``init(executor:)``: a serial executor, or a task executor.
/// - ``init(wake:)``: manual, for event loops of the program's own and for tests:
///   ``drain(limit:)`` calls what is scheduled.
///
/// Changes come from any thread. However many there are, an observation is scheduled once, and
/// called at most once a cycle: an outermost drain with those that are nested in it.
///
/// A loop lives as long as somebody keeps it; then it ends as with ``invalidate()``. An observation
/// keeps the loop that it names, but not a manual one: that is its program's to keep and to drain.
/// A loop that is made without memory is one nevertheless: until there is some, what names it is
/// refused with an error of kind `memory`.
///
/// Threads: everything here may be called on any thread, but for ``pendingCount``.
public final class DeliveryLoop: Sendable {
    private let turner: any LoopTurner
    /// The address of the core's loop, which this object retains; 0: there was no memory for the
    /// core's loop yet.
    private let address = Atomic<UInt>(0)
    private let making = Locked<Void>(())
    private let isOver = Atomic<Bool>(false)
    /// Whether anybody has drained the loop. Set under `making`, the lock that `tellUndelivered()`
    /// counts under.
    private let hasTurned = Atomic<Bool>(false)
    /// The drains under way, nested ones included, and the number of outermost drains that have
    /// begun so far.
    private let turns = Atomic<Int>(0)
    private let begunTurns = Atomic<Int>(0)

    /// The main queue's loop. Blocks without an isolation of their own run here, and those of the
    /// main actor.
    ///
    /// A program that ends with calls scheduled here, and nobody having drained it, says so on
    /// standard error in a debug build.
    public static let main: DeliveryLoop = {
        let main = DeliveryLoop(turnedBy: QueueTurner(.main))
        // The main loop delivers sets by any thread if no observation names a loop for them.
        if let loop = main.made { obv_detail_inbound_loop(loop) }
        #if DEBUG
            callAtExit { DeliveryLoop.main.tellUndelivered() }
        #endif
        return main
    }()

    /// A loop whose blocks run on a dispatch queue. A concurrent queue runs them one at a time.
    public convenience init(queue: DispatchQueue) {
        self.init(turnedBy: QueueTurner(queue))
    }

    /// A loop whose blocks run on an actor, which it does not keep alive. What is scheduled after
    /// the actor's end ends the loop: it is dropped and counted.
    public convenience init(actor: any Actor) {
        self.init(turnedBy: ActorTurner(actor))
    }

    /// A loop whose blocks run on an executor, one at a time, also where a task executor runs several
    /// tasks at once.
    ///
    ///     let loop = DeliveryLoop(executor: eventLoop.executor)
    ///
    /// An executor that has stopped calls nothing, and nobody can ask it: what is scheduled waits until it
    /// goes on, or until ``invalidate()`` drops and counts it.
    ///
    /// - Parameter executor: a `SerialExecutor` or a `TaskExecutor`, of one that is both the serial one; any
    ///   other stops the program. Kept as long as the loop is.
    public convenience init(executor: any Executor) {
        self.init(turnedBy: ActorTurner(executor))
    }

    /// A loop that `turner` drains, which may be of another product.
    package init(turnedBy turner: some LoopTurner) {
        self.turner = turner
        _ = try? pointer()
        turner.begin(self)
    }

    /// The core's loop.
    ///
    /// - Throws: ``ObservationError`` of kind `memory`.
    func pointer() throws(ObservationError) -> OpaquePointer {
        if let made { return made }
        let status = making.withLock { _ in made == nil ? make() : OBV_OK }
        guard let made else { throw ObservationError(status, obv_error(), path: "") }
        return made
    }

    /// The core's loop; nil: there was no memory for it yet.
    private var made: OpaquePointer? {
        OpaquePointer(bitPattern: address.load(ordering: .acquiring))
    }

    private func make() -> obv_status {
        var options = obv_loop_options()
        options.size = MemoryLayout<obv_loop_options>.size
        let bell = Unmanaged.passRetained(Bell(turner))
        options.wake_context = bell.toOpaque()
        options.wake = { Unmanaged<Bell>.fromOpaque($0!).takeUnretainedValue().ring() }
        options.wake_dispose = { Unmanaged<Bell>.fromOpaque($0!).release() }
        var made: OpaquePointer?
        let status = obv_loop_create(Context.shared, &options, &made)
        if status == OBV_OK {
            // Retained until `deinit`: another thread may drain the core's loop while it is
            // destroyed.
            address.store(UInt(bitPattern: obv_loop_retain(made)), ordering: .releasing)
        } else {
            bell.release()
        }
        return status
    }

    deinit {
        if made == nil {
            turner.end()
        } else {
            _ = end()
        }
        obv_loop_release(made)
    }

    /// Calls what is scheduled, in that order, and what these blocks schedule, each observation at
    /// most once. Inside a block it belongs to the cycle under way.
    ///
    /// Loops of queues, actors and executors drain themselves. Elsewhere than there this
    /// calls nothing and is told to ``ObservationDiagnostics``; a queue that targets another is on
    /// that one too, and inside `sync` of another queue it is that other one.
    ///
    /// - Parameter limit: so many blocks at most; what is left comes first in the next drain.
    /// - Returns: how many blocks were called, without those of drains nested in this one; 0 also
    ///   while another thread drains the loop.
    @discardableResult
    public func drain(limit: Int = .max) -> Int {
        guard isCurrent else {
            ObservationDiagnostics.tell(
                .refused,
                "the delivery loop of \(turner.place) was drained elsewhere; nothing was called")
            return 0
        }
        return turn(limit)
    }

    /// Drains the loop, without a check of the place: for its turner, which is in the right one.
    @discardableResult
    package func turn(_ limit: Int = .max) -> Int {
        if !hasTurned.load(ordering: .relaxed) {
            // Under the lock, since `tellUndelivered()` may be counting on another thread at the
            // program's exit.
            making.withLock { _ in hasTurned.store(true, ordering: .relaxed) }
        }
        if turns.add(1, ordering: .relaxed).oldValue == 0 { begunTurns.add(1, ordering: .relaxed) }
        defer { turns.subtract(1, ordering: .relaxed) }
        return made.map { max(0, obv_loop_drain_some($0, limit)) } ?? 0
    }

    /// Reports scheduled calls at the program's exit, if the main loop was never drained.
    private func tellUndelivered() {
        let count = making.withLock { _ in hasTurned.load(ordering: .relaxed) ? 0 : pendingCount }
        guard count > 0 else { return }
        ObservationDiagnostics.printToStandardError(
            ObservationDiagnostics.Report(
                kind: .waiting,
                text:
                    "the program ends with \(count) of its calls scheduled and never made: nobody "
                    + "drained the main loop, neither a run loop, `dispatchMain()` nor an `await`, nor "
                    + "`DeliveryLoop.main.drain()`", path: nil, label: nil, file: nil, line: nil,
                error: nil))
    }

    /// Observations that are scheduled here. Exact while no other thread changes anything.
    ///
    /// Threads: where the loop is drained (of a queue, on it; of an actor, in it), or any while
    /// nobody drains it.
    public var pendingCount: Int {
        made.map(obv_loop_pending) ?? 0
    }

    /// Ends the loop. What is scheduled is dropped and counted; its observations stay until they
    /// are stopped, and what would schedule them is dropped and counted. Immediate ones go on.
    ///
    /// - Returns: false while another thread drains it, and for ``main``, which does not end.
    @discardableResult
    public func invalidate() -> Bool {
        self === DeliveryLoop.main ? false : end()
    }

    private func end() -> Bool {
        guard let made = try? pointer() else {
            turner.end()
            return true
        }
        let status = obv_loop_destroy(made)
        if status == OBV_OK {
            isOver.store(true, ordering: .relaxed)
            turner.end()
        }
        return status != OBV_E_BUSY
    }

    /// The number of the outermost drain under way, which nested drains share; nil: no drain is
    /// under way.
    package var turnUnderWay: Int? {
        turns.load(ordering: .relaxed) == 0 ? nil : begunTurns.load(ordering: .relaxed)
    }

    /// The loop of a block: the named one, else that of the block's isolation, else the main loop.
    package static func place(_ loop: DeliveryLoop?, _ isolation: (any Actor)?) -> DeliveryLoop {
        loop ?? isolation.map(ActorLoops.loop) ?? .main
    }

    /// Whether the loop was ended, so that nothing is scheduled here any more.
    package var hasEnded: Bool { isOver.load(ordering: .relaxed) }

    /// Whether the caller runs in the isolation that this loop's blocks run in; a manual loop has
    /// none.
    package var isCurrent: Bool { turner.isCurrent }

    /// Runs `body` soon, in the isolation of this loop's blocks.
    ///
    /// - Returns: false: `body` is dropped, since nothing runs there any more, as in an actor that
    ///   is gone.
    @discardableResult
    package func perform(_ body: @escaping @Sendable () -> Void) -> Bool { turner.perform(body) }

    /// Whether the program drains the loop by hand, so that ``perform(_:)`` has nowhere to run a
    /// closure.
    package var isManual: Bool { turner is ManualTurner }

    /// The weak reference to a manual loop; nil: the loop is not manual.
    var manualName: LoopName? { (turner as? ManualTurner)?.name }

    /// The place where the loop drains, as a message names it.
    var place: String { turner.place }

    /// The actor of an actor's own loop, as a message names it.
    var isolation: String { self === DeliveryLoop.main ? "the main actor" : place }

    /// Whether this loop certainly never drains in the isolation of the actor whose loop is `own`.
    /// Two cases are uncertain: the program may drain a manual loop there, and an actor's own
    /// executor may use the loop's queue.
    func isApart(from own: DeliveryLoop) -> Bool {
        switch (turner, own.turner) {
        case (let a as QueueTurner, let b as QueueTurner): !a.isSameQueue(as: b)
        case (let a as ActorTurner, let b as ActorTurner): !a.mayShareExecutor(with: b)
        case (let actor as ActorTurner, is QueueTurner): actor.hasDefaultExecutor
        case (is ManualTurner, _): false
        case (_, let actor as ActorTurner): actor.hasDefaultExecutor
        default: own === DeliveryLoop.main && turner.isApartFromMain
        }
    }
}

/// The context of the core's wake function. The bell outlives the loop until no thread can ring it
/// any more.
private final class Bell: Sendable {
    private let turner: any LoopTurner

    init(_ turner: any LoopTurner) {
        self.turner = turner
    }

    func ring() {
        turner.wake()
    }
}

/// Turns a loop: when woken, arranges a drain on the turner's thread or executor.
package protocol LoopTurner: AnyObject, Sendable {
    /// Called once the loop is made.
    func begin(_ loop: DeliveryLoop)
    /// Called on any thread when something is pending.
    func wake()
    /// Runs `body` on the turner's thread or executor; false: nothing runs there any more.
    func perform(_ body: @escaping @Sendable () -> Void) -> Bool
    /// Called once the loop has ended.
    func end()
    var isCurrent: Bool { get }
    /// The turner's place, as a message names it.
    var place: String { get }
    /// Whether a turner of another product's kind certainly never runs on the main loop.
    var isApartFromMain: Bool { get }
}

extension LoopTurner {
    package var isApartFromMain: Bool { false }
}
