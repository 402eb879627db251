// SPDX-License-Identifier: Apache-2.0

import CObservable

// A block that is called again when something that it has read changes. What it reads are the
// dependencies of a hidden computed property; that this has become invalid schedules the block.
// From the root a path leads to it through a constant, so that the observation is the root's.

/// The object with that property: one for each observation, kept by its handler.
final class Tracker: ObservableModel, Unseen {
    @Computed(Tracker.call) private var reads: Int
    private var block: (() -> Void)?

    override class var listedProperties: [ListedProperty] {
        [ListedProperty("reads", \Tracker.reads)]
    }

    /// Runs a block, and finds what it reads; not if what has become invalid has the same values again.
    ///
    /// - Returns: whether something else than the block itself has changed that meanwhile.
    func run(_ block: () -> Void) -> Bool {
        withoutActuallyEscaping(block) { block in
            self.block = block
            defer { self.block = nil }
            guard let header = adoptedInChange else {
                block()
                return false
            }
            var property: UInt32 = 0
            _ = obv_class_property(obv_object_class(header), "reads", &property)
            if obv_is_valid(header, property) {
                // By hand.
                obv_detail_forget(header, property)
            }
            _ = reads
            guard !obv_is_valid(header, property) else { return false }
            // What the block has set itself does not call it: it waits for the next change.
            if obv_detail_stand(header, property) { return true }
            if !obv_is_valid(header, property) {
                reads = 0  // What it has read could not be computed.
            }
            return false
        }
    }

    private func call() -> Int {
        block?()
        return 0
    }
}

/// Reads the tracker, as a constant of whatever object.
private final class TrackerReader: ComponentReader, @unchecked Sendable {
    private let tracker: Tracker

    init(_ tracker: Tracker) {
        self.tracker = tracker
        super.init([\Tracker.self])
    }

    override var isWritable: Bool { false }
    override var valueType: Any.Type { Tracker.self }
    override func mayRead(_ object: AnyObject) -> Bool { true }
    override func touch(_ object: AnyObject) {}
    override func any(in object: AnyObject) -> Any? { tracker }
    override func takeHost(_ object: AnyObject) -> HeaderPointer? { HostValues.take(tracker) }
    override func areEqual(_ a: AnyObject, _ b: AnyObject) -> Bool { true }
    override func reaches(_ object: AnyObject) -> Bool { true }
}

/// The way from a root to a tracker. To the core all of them are the same, so their components serve
/// one observation after the other.
private final class TrackerPath: @unchecked Sendable {
    private static let spare = Locked<[Component]>([])
    private static let text: StaticString = "(tracked)"

    let pointer: OpaquePointer
    private let component: Component

    init(to tracker: Tracker) throws(ObservationError) {
        component =
            Self.spare.withLock { $0.popLast() }
            ?? Component(Component.Likeness(property: nil, hash: 0, text: constant(Self.text)))
        _ = component.begin(TrackerReader(tracker))
        let elements = [
            obv_component_element(component.pointer),
            obv_element(kind: OBV_ELEMENT_ANY.rawValue, name: 0, number: 0),
        ]
        var path: OpaquePointer?
        var error = obv_error()
        let status = obv_path_make(Context.names, elements, elements.count, &path, &error)
        guard status == OBV_OK, let path else {
            Self.end(component)
            throw ObservationError(status, error, path: "")
        }
        pointer = path
    }

    deinit {
        obv_path_destroy(pointer)
        Self.end(component)
    }

    private static func end(_ component: Component) {
        component.leave()
        _ = component.end()
        spare.withLock { $0.append(component) }
    }
}

/// A block whose reads are tracked.
final class TrackingHandler<Observer: AnyObject, Root: AnyObject>: CallbackHandler,
    @unchecked Sendable
{
    private let block: (Observer?, Root) -> Void
    private let rootOffset: Int
    private let tracker = Tracker()
    private var path: TrackerPath?

    init(
        isolation: (any Actor)?, rootOffset: Int, _ configuration: ObservationConfiguration,
        _ form: ObserverForm, _ block: @escaping (Observer?, Root) -> Void
    ) {
        self.block = block
        self.rootOffset = rootOffset
        super.init(isolation: isolation, configuration, form)
    }

    /// The path by which the root's observation is called.
    func begin() throws(ObservationError) -> OpaquePointer {
        let path = try TrackerPath(to: tracker)
        self.path = path
        return path.pointer
    }

    override func enter(
        _ observer: UnsafeMutableRawPointer?, _ root: HeaderPointer?,
        _ call: UnsafePointer<obv_call>
    ) {
        let told: Observer? = observer.map {
            ObserverReference.object(at: $0, headerOffset: form.headerOffset).takeUnretainedValue()
        }
        let root = Unmanaged<Root>.fromOpaque(
            UnsafeMutableRawPointer(root.unsafelyUnwrapped) - rootOffset
        ).takeUnretainedValue()
        if tracker.run({ block(told, root) }) {
            obv_schedule(call.pointee.observation)
        }
    }
}

extension ObservationHandle {
    fileprivate convenience init<Observer: AnyObject, Root: ObservableHost>(
        tracking root: Root, _ handler: TrackingHandler<Observer, Root>, _ observer: AnyObject?
    ) {
        self.init(Root.self, rootOffset: root.headerOffset, handler, observer) {
            registration throws(ObservationError) in
            try registration.observe(root, compiled: handler.begin())
        }
        if failure == nil, !execute() { schedule() }
    }
}

// MARK: - The calls

extension ObservableHost {
    /// Calls a block now, and again when something that it has read has changed:
    ///
    ///     user.tell(self, tracking: { cell, user in cell.show(user.name, user.address?.zipCode) })
    ///
    /// What it reads is found anew at each call: observed and computed properties of any object, and
    /// the content of observable collections. No path is named, and nothing is kept alive. A call
    /// comes with the next drain, however many changes there were; not if the computed properties
    /// that it has read have the same values as before. What it sets itself does not call it
    /// again.
    ///
    /// It ends with its observer or with this object, by `stopTelling(observer)`, or by its handle.
    ///
    /// - Parameters:
    ///   - observer: as that of `tell(_:when:)`, and so are the other parameters.
    ///   - perform: is called at once where that is possible, else by the next drain of its loop.
    ///
    /// Threads: as `tell(_:when:)`. Cost: about 100 bytes for each property that it reads.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        tracking perform: @escaping @isolated(any) (Observer, Self) -> Void,
        on loop: DeliveryLoop? = nil,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> KeyValueObservation {
        let isolation = perform.isolation
        let block = uncheckedIsolation(perform, as: ((Observer, Self) -> Void).self)
        let handler = TrackingHandler<Observer, Self>(
            isolation: isolation, rootOffset: headerOffset,
            .init(loop, [], .declared, label, file, line), ObserverForm(observer)
        ) { observer, root in block(observer!, root) }
        return KeyValueObservation(tracking: self, handler, observer)
    }

    /// The same as long as a token is kept:
    ///
    ///     token = user.onChange(tracking: { user in show(user.name, user.address?.zipCode) })
    public func onChange(
        tracking perform: @escaping @isolated(any) (Self) -> Void,
        on loop: DeliveryLoop? = nil,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> ObservationToken {
        let isolation = perform.isolation
        let block = uncheckedIsolation(perform, as: ((Self) -> Void).self)
        let handler = TrackingHandler<AnyObject, Self>(
            isolation: isolation, rootOffset: headerOffset,
            .init(loop, [], .declared, label, file, line), .none
        ) { _, root in block(root) }
        return ObservationToken(tracking: self, handler, nil)
    }
}
