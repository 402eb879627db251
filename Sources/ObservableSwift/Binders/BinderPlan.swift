// SPDX-License-Identifier: Apache-2.0

import CObservable
import Synchronization

// What carries the values of a binder from one end to the other: the core says when.

/// An object and a path from it, which is followed, whatever its values are of.
struct FollowedEnd {
    let root: any ObservableHost
    let path: [PathComponent]

    /// The path as the core takes it.
    fileprivate func compiled() throws(ObservationError) -> CompiledPath {
        try CompiledPath(path, from: try root.adopt())
    }
}

/// The values that are carried: of the other end, or of each source. They are read before code of the
/// program runs, which may have others kept.
struct CarriedValues {
    let first: UnsafePointer<obv_value>

    /// Whether the first source leads anywhere.
    var isReachable: Bool { ChangeValue(first[0]).isReachable }

    fileprivate func value<Value>() -> PathValue<Value> { PathValue(ChangeValue(first[0])) }
}

/// Does with an end, whose object is given, what the core decides once there is a value and a place for
/// it: sets it to what values become, or leaves it.
typealias EndSetter = (CarriedValues, HeaderPointer, _ carrying: OpaquePointer) throws -> Void

/// An end that is set.
struct BinderEnd<Value> {
    let followed: FollowedEnd
    private let path: ObservedPath<Value>

    init<Root: ObservableHost>(_ root: Root, _ path: ValuePath<Root, Value>) {
        // The builder's optional is never nil.
        self.init(root, path(ObservedPath<Root>())!)
    }

    /// - Parameter path: of a type that the root is of, a protocol's perhaps.
    init(_ root: any ObservableHost, _ path: ObservedPath<Value>) {
        followed = FollowedEnd(root: root, path: path._components)
        self.path = path
    }

    /// Sets it, without the object, which nobody keeps.
    ///
    /// - Parameters:
    ///   - make: what the values become; nil: nothing is set.
    ///   - then: called with the root once something has been set.
    func setter(
        then: @escaping (AnyObject) throws -> Void = { _ in },
        _ make: @escaping (CarriedValues) throws -> PathValue<Value>?
    ) throws(ObservationError) -> EndSetter {
        guard let leading = ComponentReader.list(path._done), let last = path._last, last.canBeSet
        else {
            throw ObservationError(
                .unsupportedElement, path: try followed.compiled().text,
                "a binder sets a property: its path ends at one that can be set")
        }
        let rootOffset = followed.root.headerOffset
        return { values, header, carrying in
            let root = Unmanaged<AnyObject>.fromOpaque(
                UnsafeMutableRawPointer(header) - rootOffset
            ).takeUnretainedValue()
            guard case .reached(let value) = try make(values), value != nil || last.takesNil,
                let object = ComponentReader.object(behind: leading[...], from: root),
                obv_carry_decide(carrying), last.set(value, in: object)
            else { return }
            // What differs from itself, or has no `==`, says nothing of a correction.
            if !last.areSame(value, last.value(in: object)), last.areSame(value, value) {
                obv_carry_corrected(carrying)
            }
            try then(root)
        }
    }
}

/// The loops of a binder's ends, and what diagnostics are told of it.
struct BinderForm {
    let configuration: ObservationConfiguration
    let target, source: DeliveryLoop
    /// The isolations that its functions need, where a loop of it may be drained elsewhere.
    private(set) var homes: [DeliveryLoop] = []

    init(_ configuration: ObservationConfiguration, target: DeliveryLoop) {
        self.configuration = configuration
        self.target = target
        source = target
    }

    /// Of two ends: `loop` is the first's, and the second's where that has no other.
    init(
        _ loop: DeliveryLoop?, _ secondLoop: DeliveryLoop?, _ label: StaticString?,
        _ file: StaticString, _ line: UInt
    ) {
        configuration = .init(loop, [], .declared, label, file, line)
        target = secondLoop ?? loop ?? .main
        source = loop ?? .main
    }

    /// Notes an isolation that one of its functions needs.
    mutating func note(
        _ isolation: any Actor, of function: String, mend: String
    ) throws(ObservationError) {
        let home = ActorLoops.loop(of: isolation)
        for loop in [target, source] where loop.isApart(from: home) {
            throw ObservationError(
                .isolation,
                "\(function) that is isolated to \(home.isolation) cannot be called on "
                    + "\(loop.place): \(mend)")
        }
        if home !== target || home !== source { homes.append(home) }
    }
}

/// The errors of a converter, as a block is told of them: each, and nil once
/// there is none any more.
final class ConverterFailures {
    private let block: ((any Error)?) -> Void
    /// Whether the block was handed an error last.
    private let stands = Atomic<Bool>(false)

    init(_ block: @escaping ((any Error)?) -> Void) {
        self.block = block
    }

    /// The value that a function makes; nil: an error, of which the block was told.
    fileprivate func telling<Made>(_ make: () throws -> Made) -> Made? {
        do {
            let made = try make()
            if stands.exchange(false, ordering: .relaxed) { block(nil) }
            return made
        } catch {
            stands.store(true, ordering: .relaxed)
            block(error)
            return nil
        }
    }
}

/// The `struct obv_carrier`, and what it needs; kept by the core until the binder is over.
private final class Carrier {
    /// The carrier stands first, so that the core's pointer to it is one to the record.
    struct Record {
        var carrier: obv_carrier
        unowned(unsafe) let owner: Carrier
    }

    private let record: UnsafeMutablePointer<Record>
    private let forth: EndSetter
    private let back: EndSetter?
    private let homes: [DeliveryLoop]
    private let configuration: ObservationConfiguration
    /// One that is its program's is not kept.
    private let loops: [NamedLoop]
    /// Of all ends: the components in them are the core's as long as the binder is.
    private let paths: [CompiledPath]

    init(
        _ form: BinderForm, _ paths: [CompiledPath], forth: @escaping EndSetter, back: EndSetter?
    ) {
        self.forth = forth
        self.back = back
        loops = [NamedLoop(form.target), NamedLoop(form.source)]
        homes = form.homes
        configuration = form.configuration
        self.paths = paths
        let source = configuration.source
        record = .allocate(capacity: 1)
        let carrier = obv_carrier(
            carry: { carrier, carrying, isReverse, values, root in
                Carrier.of(carrier).carry(isReverse, CarriedValues(first: values), root, carrying)
                return OBV_OK
            },
            dispose: { carrier, _ in
                Unmanaged.passUnretained(Carrier.of(carrier)).release()
            },
            is_two_way: back != nil,
            begins_on_loop: !(form.target.isCurrent && form.homes.allSatisfy(\.isCurrent)),
            label: configuration.label.map(constant),
            file: ObservableSwift.path(source.file),
            line: UInt32(clamping: source.line))
        record.initialize(to: Record(carrier: carrier, owner: self))
    }

    deinit {
        record.deinitialize(count: 1)
        record.deallocate()
    }

    private static func of(_ carrier: UnsafeMutablePointer<obv_carrier>) -> Carrier {
        UnsafeMutableRawPointer(carrier).assumingMemoryBound(to: Record.self).pointee.owner
    }

    var core: UnsafeMutablePointer<obv_carrier> {
        UnsafeMutableRawPointer(record).assumingMemoryBound(to: obv_carrier.self)
    }

    /// For the core, which gives it back by `dispose`.
    func give() -> UnsafeMutablePointer<obv_carrier> {
        _ = Unmanaged.passRetained(self)
        return core
    }

    private func carry(
        _ isReverse: Bool, _ values: CarriedValues, _ root: HeaderPointer, _ carrying: OpaquePointer
    ) {
        checkPlace()
        do {
            if let set = isReverse ? back : forth { try set(values, root, carrying) }
        } catch {
            configuration.tell(error, of: "what makes the values of a binder")
        }
    }

    private func checkPlace() {
        if homes.allSatisfy(\.isCurrent) { return }
        stopTheProgram(
            "a step that is isolated to an actor was called by a drain outside of it (of the binder at "
                + "\(configuration.source)): drain the loop there, or leave `on:` out")
    }
}

// MARK: - Beginning

/// A binder that has not begun.
struct BinderPlan {
    /// The sources, then the target.
    private let ends: [obv_compiled_end]
    private let carrier: Carrier
    /// What the ends need until it has begun.
    private let kept: [AnyObject]

    /// - Parameters:
    ///   - sources: one, or of a binder that goes one way several.
    ///   - back: nil: the target alone is set.
    init(
        _ sources: [FollowedEnd], _ target: FollowedEnd, _ form: BinderForm,
        forth: @escaping EndSetter, back: EndSetter? = nil
    ) throws(ObservationError) {
        var compiled: [CompiledPath] = []
        var ends: [obv_compiled_end] = []
        for end in sources + [target] {
            let path = try end.compiled()
            compiled.append(path)
            ends.append(
                obv_compiled_end(
                    object: try end.root.adopt(), path: path.pointer,
                    loop: try form.source.pointer()))
        }
        ends[sources.count].loop = try form.target.pointer()
        for i in sources.indices where ends[i].object == ends[sources.count].object {
            if obv_path_equal(compiled[i].pointer, compiled[sources.count].pointer) {
                throw ObservationError(
                    .argument, path: compiled[i].text, "both ends of a binder are one property")
            }
        }
        self.ends = ends
        carrier = Carrier(form, compiled, forth: forth, back: back)
        kept =
            compiled + (sources + [target]).map(\.root) + [form.source, form.target]
    }

    /// The same of two ends that are made of each other. Nil becomes nil, and what cannot be reached
    /// sets nothing.
    ///
    /// - Parameters:
    ///   - back: nil: the second alone is set.
    ///   - failures: told of what the functions throw; nil: diagnostics are.
    init<A, B>(
        _ first: BinderEnd<A>, _ second: BinderEnd<B>, _ form: BinderForm,
        forth: @escaping (A) throws -> B, back: ((B) throws -> A)?,
        _ failures: ConverterFailures? = nil
    ) throws(ObservationError) {
        func telling<Made>(_ make: () throws -> Made) throws -> Made? {
            if let failures { failures.telling(make) } else { try make() }
        }
        var backSetter: EndSetter?
        if let back {
            backSetter = try first.setter { values in
                try telling { try values.value().mapped(back) }
            }
        }
        try self.init(
            [first.followed], second.followed, form,
            forth: try second.setter { values in
                try telling { try values.value().mapped(forth) }
            }, back: backSetter)
    }

    /// Whether it can begin, but for want of memory. Beginning looks for itself.
    func check() throws(ObservationError) {
        var error = obv_error()
        let status = obv_bind_check_compiled(ends, ends.count - 1, carrier.core, &error)
        withExtendedLifetime(kept) {}
        if status != OBV_OK { throw ObservationError(status, error, path: "") }
    }

    /// Begins it. Once.
    func begin() throws(ObservationError) -> OpaquePointer {
        var made: OpaquePointer?
        var error = obv_error()
        let status = obv_bind_compiled(ends, ends.count - 1, carrier.give(), &made, &error)
        withExtendedLifetime(kept) {}
        guard status == OBV_OK, let made else {
            throw ObservationError(status, error, path: "")
        }
        return made
    }
}

extension PathValue {
    fileprivate func mapped<Made>(_ transform: (Value) throws -> Made) rethrows -> PathValue<Made> {
        guard case .reached(let value) = self else { return .unreachable }
        return .reached(try value.map(transform))
    }
}
