// SPDX-License-Identifier: Apache-2.0

import CObservable

// A tracked block is called again when something that it has read changes. Its reads are the
// dependencies of a hidden computed property. When that property becomes invalid, the block is
// scheduled. A path leads from the root to the property through a constant, so that the observation
// ends with the root.

/// The object with the hidden property: one for each observation, kept by the observation's
/// handler.
final class Tracker: ObservableModel, Unseen {
    @Computed(Tracker.call) private var reads: Int
    private var block: (() -> Void)?

    override class var namedProperties: [NamedProperty] {
        [NamedProperty("reads", \Tracker.reads)]
    }

    /// Runs a block and records its reads, unless every computed property that had become invalid
    /// has its old value again.
    ///
    /// - Returns: whether something else than the block itself has changed a dependency meanwhile.
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
                // The run was asked for by hand, and nothing has changed: forget the value, so that
                // the block runs.
                obv_detail_forget(header, property)
            }
            _ = reads
            guard !obv_is_valid(header, property) else { return false }
            // A dependency that the block has set itself does not call it: the property counts as
            // valid again.
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

/// Reads the tracker, as if it were a constant of the object, whatever the object is.
private final class TrackerReader: TypedReader<Tracker>, @unchecked Sendable {
    private let tracker: Tracker

    init(_ tracker: Tracker) {
        self.tracker = tracker
        super.init([\Tracker.self])
    }

    override var isWritable: Bool { false }
    override func mayRead(_ object: AnyObject) -> Bool { true }
    override func value(of source: ComponentSource) -> Tracker? { tracker }
}

/// The path from a root to a tracker. The core need not tell such paths apart, so their components
/// are used again by one observation after the other.
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

extension ObservableHost {
    /// The value of an expression, now and when something that it has read has changed:
    ///
    ///     user.tracking { user in (user.name, user.address?.zipCode) }.tell(cell) { $0.show($1.0, $1.1) }
    ///     token = user.tracking { user in show(user.name) }.onChange { }
    ///
    /// Its reads are found anew each time: observed and computed properties of any object, and
    /// the content of observable collections. No path is named, and nothing is kept alive. A call
    /// comes with the next drain, however many changes there were; not if the computed properties
    /// that it has read have the same values as before. What it sets itself does not call it again.
    /// The reads of the block that is handed the value are not tracked.
    ///
    /// It is first asked when it begins to be used, if that is where it belongs, else by the next drain
    /// of its loop. ``ObservationSequence/options(_:)`` change nothing.
    ///
    /// - Parameters:
    ///   - file: of the caller; leave it out.
    ///   - line: likewise.
    ///   - isolation: likewise.
    ///   - read: is handed this object, which it need not capture.
    ///
    /// Threads: as `tell(_:when:)`. Cost: about 100 bytes for each property that it reads.
    public func tracking<Value>(
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        _ read: @escaping @isolated(any) (Self) -> Value
    ) -> ObservationSequence<Value> {
        let block = uncheckedIsolation(read, as: ((Self) -> Value).self)
        var source = Source<Value>(.init(file, line, isolation), .newest) {
            [weak self] () throws(ObservationError) in
            guard let self else { throw .objectIsGone }
            let tracker = Tracker()
            let path = try TrackerPath(to: tracker)
            return PreparedObservation(
                origin: ObservationOrigin(self, compiled: path.pointer), handed: .nothing,
                hasPresent: true, isCalledAtOnce: true
            ) { [weak self] moment in
                _ = path
                guard let self else { return nil }
                var value: Value?
                let mustRepeat = tracker.run { value = block(self) }
                if mustRepeat, case .call(_, let call) = moment { obv_schedule(call.observation) }
                return value
            }
        }
        source.note(read.isolation)
        return ObservationSequence(source: source)
    }
}
