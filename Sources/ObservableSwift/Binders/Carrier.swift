// SPDX-License-Identifier: Apache-2.0

import CObservable

// What carries the values of a binder from one end to the other: the core says when.

/// One end: an object, and the path from it, apart into what leads to its last object and what is
/// read and set there.
struct BinderEnd<Root: ObservableHost, Value> {
    let root: Root
    let path: ObservedPath<Root, Value>

    init(_ root: Root, _ path: ValuePath<Root, Value>) {
        // The builder's optional is never nil.
        self.init(root, path(ObservedPath<Root, Root>())!)
    }

    /// - Parameter path: of a type that the root is of, a protocol's perhaps.
    init<Start>(_ root: Root, _ path: ObservedPath<Start, Value>) {
        self.root = root
        self.path = ObservedPath(_done: path._done, _last: path._last)
    }
}

/// An end as it is set, without the object, which nobody keeps.
private struct Place<Value> {
    private let leading: [ComponentReader]
    private let last: TypedReader<Value>
    private let rootOffset: Int

    init<Root>(
        _ end: BinderEnd<Root, Value>, _ path: CompiledPath
    ) throws(ObservationError) {
        let leading = ComponentReader.list(end.path._done)
        guard let leading, let last = end.path._last, last.canBeSet else {
            throw ObservationError(
                .kind, path: path.text,
                "a binder sets a property: its path ends at one that can be set")
        }
        self.leading = leading
        self.last = last
        rootOffset = end.root.headerOffset
    }

    private func object(from header: HeaderPointer) -> AnyObject? {
        let root = Unmanaged<AnyObject>.fromOpaque(UnsafeMutableRawPointer(header) - rootOffset)
            .takeUnretainedValue()
        return ComponentReader.object(behind: leading[...], from: root)
    }

    func set(_ value: PathValue<Value>, from header: HeaderPointer) {
        guard case .reached(let value) = value, let object = object(from: header) else { return }
        last.set(value, in: object)
    }

    /// Whether it holds a value, or holds none that could be compared.
    func holds(_ value: PathValue<Value>, from header: HeaderPointer) -> Bool {
        guard case .reached(let value) = value, let object = object(from: header) else {
            return true
        }
        switch (value, last.value(in: object)) {
        case (nil, nil): return true
        case (let a?, let b?): return ByDeclaredType<Value>.areEqual(a, b)
        default: return false
        }
    }
}

/// The `struct obv_carrier`, and what it needs; kept by the core until the binder is over.
private class AnyCarrier {
    /// The carrier stands first, so that the core's pointer to it is one to the record.
    struct Record {
        var carrier: obv_carrier
        unowned(unsafe) let owner: AnyCarrier
    }

    let record: UnsafeMutablePointer<Record>

    init(isTwoWay: Bool, beginsOnLoop: Bool, _ label: StaticString?, _ source: SourceLocation) {
        record = .allocate(capacity: 1)
        let carrier = obv_carrier(
            carry: { carrier, isReverse, value, root, isSettled in
                AnyCarrier.of(carrier).carry(isReverse, value, root, isSettled)
                    ? OBV_OK : OBV_E_KIND
            },
            dispose: { carrier, _ in
                Unmanaged.passUnretained(AnyCarrier.of(carrier)).release()
            },
            is_two_way: isTwoWay,
            begins_on_loop: beginsOnLoop,
            label: label.map(constant),
            file: source.file.hasPointerRepresentation ? constant(source.file) : nil,
            line: UInt32(clamping: source.line))
        record.initialize(to: Record(carrier: carrier, owner: self))
    }

    deinit {
        record.deinitialize(count: 1)
        record.deallocate()
    }

    private static func of(_ carrier: UnsafeMutablePointer<obv_carrier>) -> AnyCarrier {
        UnsafeMutableRawPointer(carrier).assumingMemoryBound(to: Record.self).pointee.owner
    }

    /// For the core, which gives it back by `dispose`.
    func give() -> UnsafeMutablePointer<obv_carrier> {
        _ = Unmanaged.passRetained(self)
        return UnsafeMutableRawPointer(record).assumingMemoryBound(to: obv_carrier.self)
    }

    func carry(
        _ isReverse: Bool, _ value: UnsafePointer<obv_value>?, _ root: HeaderPointer,
        _ isSettled: Bool
    ) -> Bool {
        fatalError("abstract")
    }
}

private final class Carrier<First, Second>: AnyCarrier {
    private let first: Place<First>?
    private let second: Place<Second>
    private let forth: (PathValue<First>) throws -> PathValue<Second>
    private let back: ((PathValue<Second>) throws -> PathValue<First>)?
    private let source: SourceLocation
    private let label: StaticString?
    /// Of both ends: the components in them are the core's as long as the binder is.
    private let paths: [CompiledPath]
    /// What was carried to the target; only its loop looks.
    private var last: PathValue<First> = .unreachable

    init(
        _ first: Place<First>?, _ second: Place<Second>, _ paths: [CompiledPath],
        beginsOnLoop: Bool, _ label: StaticString?, _ source: SourceLocation,
        forth: @escaping (PathValue<First>) throws -> PathValue<Second>,
        back: ((PathValue<Second>) throws -> PathValue<First>)?
    ) {
        self.first = first
        self.second = second
        self.forth = forth
        self.back = back
        self.source = source
        self.label = label
        self.paths = paths
        super.init(isTwoWay: back != nil, beginsOnLoop: beginsOnLoop, label, source)
    }

    override func carry(
        _ isReverse: Bool, _ value: UnsafePointer<obv_value>?, _ root: HeaderPointer,
        _ isSettled: Bool
    ) -> Bool {
        do {
            guard isReverse else {
                last = value.map { PathValue(ChangeValue($0)) } ?? last
                return put(try forth(last), in: second, from: root, isSettled)
            }
            guard let first, let back else { return true }
            return put(try back(PathValue(ChangeValue(value))), in: first, from: root, isSettled)
        } catch {
            tell(error)
            return true
        }
    }

    private func put<Value>(
        _ value: PathValue<Value>, in place: Place<Value>, from root: HeaderPointer,
        _ isSettled: Bool
    ) -> Bool {
        if isSettled { return place.holds(value, from: root) }
        place.set(value, from: root)
        return true
    }

    private func tell(_ error: any Error) {
        ObservationDiagnostics.tell(
            ObservationDiagnostics.Report(
                kind: .binder, text: "what makes the values of a binder has failed: \(error)",
                path: nil, label: label.map { "\($0)" }, file: "\(source.file)",
                line: Int(source.line)))
    }
}

// MARK: - Beginning

/// A binder that has not begun: whatever can be found wrong about its ends has been looked for.
struct BinderPlan {
    private let ends: [obv_compiled_end]
    private let carrier: AnyCarrier
    /// What the ends need until it has begun.
    private let kept: [AnyObject]

    /// - Parameters:
    ///   - loop: the target's.
    ///   - sourceLoop: that of the source, which is asked for where it is set as well.
    ///   - back: nil: the target alone is set.
    init<First: ObservableHost, A, Second: ObservableHost, B>(
        _ source: BinderEnd<First, A>, _ target: BinderEnd<Second, B>, _ loop: DeliveryLoop?,
        _ sourceLoop: DeliveryLoop?, _ label: StaticString?, _ file: StaticString, _ line: UInt,
        forth: @escaping (PathValue<A>) throws -> PathValue<B>,
        back: ((PathValue<B>) throws -> PathValue<A>)?
    ) throws(ObservationError) {
        let loop = loop ?? .main
        let sourceLoop = sourceLoop ?? .main
        let compiled = [
            try CompiledPath(source.path._components, from: try source.root.adopt()),
            try CompiledPath(target.path._components, from: try target.root.adopt()),
        ]
        ends = [
            obv_compiled_end(
                object: try source.root.adopt(), path: compiled[0].pointer,
                loop: try sourceLoop.pointer()),
            obv_compiled_end(
                object: try target.root.adopt(), path: compiled[1].pointer,
                loop: try loop.pointer()),
        ]
        if ends[0].object == ends[1].object,
            obv_path_equal(compiled[0].pointer, compiled[1].pointer)
        {
            throw ObservationError(
                .argument, path: compiled[0].text, "both ends of a binder are one property")
        }
        carrier = Carrier(
            back == nil ? nil : try Place(source, compiled[0]), try Place(target, compiled[1]),
            compiled,
            beginsOnLoop: !loop.isCurrent, label, SourceLocation(file: file, line: line),
            forth: forth, back: back)
        kept = compiled + [source.root, target.root, loop, sourceLoop]
    }

    /// Begins it. Once.
    func begin() throws(ObservationError) -> OpaquePointer {
        var ends = ends
        var made: OpaquePointer?
        var error = obv_error()
        let status = obv_bind_compiled(&ends[0], &ends[1], carrier.give(), &made, &error)
        withExtendedLifetime(kept) {}
        guard status == OBV_OK, let made else {
            throw ObservationError(status, error, path: "")
        }
        return made
    }
}
