// SPDX-License-Identifier: Apache-2.0

import CObservable
import Synchronization

// A binder's carrier takes values from one end to the other when the core calls it.

/// An object and a followed path from it, whose value type is erased.
struct FollowedEnd {
    let root: any ObservableHost
    let path: [PathComponent]

    /// The path as the core takes it.
    fileprivate func compiled() throws(ObservationError) -> CompiledPath {
        try CompiledPath(path, from: try root.adopt())
    }
}

/// The values that are carried: of the other end, or of each source. A setter reads them before it
/// runs code of the program, since that code may make the binder carry others in their place.
struct CarriedValues {
    let first: UnsafePointer<obv_value>

    /// Whether the first source leads anywhere.
    var isReachable: Bool { ChangeValue(first[0]).isReachable }

    fileprivate func value<Value>() -> PathValue<Value> { PathValue(ChangeValue(first[0])) }
}

/// Sets an end, whose root is given, to what the values become. Once there are a value and an
/// object to set, the setter asks the core (`obv_carry_decide()`), which may refuse.
typealias EndSetter = (CarriedValues, HeaderPointer, _ carrying: OpaquePointer) throws -> Void

/// An end that is set.
struct BinderEnd<Value> {
    let followed: FollowedEnd
    private let path: ObservedPath<Value>

    init<Root: ObservableHost>(_ root: Root, _ path: ValuePath<Root, Value>) {
        // The builder's optional is never nil.
        self.init(root, path(ObservedPath<Root>())!)
    }

    /// - Parameter path: begins at a type that the root has, perhaps a protocol.
    init(_ root: any ObservableHost, _ path: ObservedPath<Value>) {
        followed = FollowedEnd(root: root, path: path._components)
        self.path = path
    }

    /// The function that sets this end. The function captures no object, so a binder does not keep
    /// its roots alive.
    ///
    /// - Parameters:
    ///   - make: what the values become; nil: nothing is set. It is told whether what is to be set is another
    ///     object than the one that was set last, or nothing.
    ///   - then: called with the root once something has been set.
    func setter(
        then: @escaping (AnyObject) throws -> Void = { _ in },
        _ make: @escaping (CarriedValues, _ isElsewhere: Bool) throws -> PathValue<Value>?
    ) throws(ObservationError) -> EndSetter {
        guard let leading = ComponentReader.list(path._done), let last = path._last, last.canBeSet
        else {
            throw ObservationError(
                .unsupportedElement, path: try followed.compiled().text,
                "a binder sets a property: its path ends at one that can be set")
        }
        let rootOffset = followed.root.headerOffset
        let isMoving = !leading.isEmpty
        weak var wasSet: AnyObject?
        return { values, header, carrying in
            let root = Unmanaged<AnyObject>.fromOpaque(
                UnsafeMutableRawPointer(header) - rootOffset
            ).takeUnretainedValue()
            let isElsewhere =
                isMoving
                && (wasSet == nil
                    || ComponentReader.object(behind: leading[...], from: root) !== wasSet)
            guard case .reached(let value) = try make(values, isElsewhere),
                value != nil || last.takesNil,
                let object = ComponentReader.object(behind: leading[...], from: root),
                obv_carry_decide(carrying), last.set(value, in: object)
            else { return }
            if isMoving { wasSet = object }
            // A value that differs from itself, or has no `==`, cannot show that the end's code
            // corrected it.
            if !last.areSame(value, last.value(in: object)), last.areSame(value, value) {
                obv_carry_corrected(carrying)
            }
            // Sets by `then` are later than the value that is carried.
            var ownStamp = obv_stamp()
            try withUnsafeMutablePointer(to: &ownStamp) { ownStamp in
                obv_stamp_begin(ownStamp, 0)
                defer { obv_stamp_end(ownStamp) }
                try then(root)
            }
        }
    }
}

/// The loops of a binder's ends, and what diagnostics are told of it.
struct BinderForm {
    let configuration: ObservationConfiguration
    let target, source: DeliveryLoop
    /// The isolations that the binder's functions need. Each call checks them, since a loop of the
    /// binder may be drained elsewhere.
    private(set) var homes: [DeliveryLoop] = []

    init(_ configuration: ObservationConfiguration, target: DeliveryLoop) {
        self.configuration = configuration
        self.target = target
        source = target
    }

    /// The form of a binder between two ends: `loop` is the first end's, and the second's too if
    /// `secondLoop` is nil.
    init(
        _ loop: DeliveryLoop?, _ secondLoop: DeliveryLoop?, _ label: StaticString?,
        _ file: StaticString, _ line: UInt
    ) {
        configuration = .init(loop, [], .declared, label, file, line)
        target = secondLoop ?? loop ?? .main
        source = loop ?? .main
    }

    /// Notes the isolation that a function of the binder needs; refuses a loop that never drains in
    /// that isolation.
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

/// Hands the errors of a converter to a block: each error as it is thrown, and nil at the first
/// success after one.
final class ConverterFailures {
    private let block: ((any Error)?) -> Void
    /// Whether the block was handed an error last.
    private let stands = Atomic<Bool>(false)

    init(_ block: @escaping ((any Error)?) -> Void) {
        self.block = block
    }

    /// The value that `make` returns; nil: `make` threw an error, and the block was handed it.
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

/// Owns the `struct obv_carrier` and what its functions need. The core keeps the carrier until the
/// binder is over.
private final class Carrier {
    /// `carrier` is the first field, so that the core's pointer to it is a pointer to the record.
    struct Record {
        var carrier: obv_carrier
        unowned(unsafe) let owner: Carrier
    }

    private let record: UnsafeMutablePointer<Record>
    private let forth: EndSetter
    private let back: EndSetter?
    private let homes: [DeliveryLoop]
    private let configuration: ObservationConfiguration
    /// The loops of the ends. A manual loop is not kept, since the program owns it.
    private let loops: [NamedLoop]
    /// The paths of all ends. The core uses their components as long as the binder lives.
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

    /// The carrier for the core, retained. The core releases it by `dispose`.
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
    /// Paths, roots and loops of the ends, kept alive until the binder has begun.
    private let kept: [AnyObject]

    /// - Parameters:
    ///   - sources: one; a one-way binder may have several.
    ///   - back: sets the source; nil: the binder is one-way.
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

    /// The same for two ends, each of which is made of the other. Nil becomes nil, and a path that
    /// leads nowhere sets nothing.
    ///
    /// - Parameters:
    ///   - back: sets the first end; nil: the binder is one-way.
    ///   - failures: told of the errors that `forth` and `back` throw; nil: diagnostics are told
    ///     instead.
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
            backSetter = try first.setter { values, _ in
                try telling { try values.value().mapped(back) }
            }
        }
        try self.init(
            [first.followed], second.followed, form,
            forth: try second.setter { values, _ in
                try telling { try values.value().mapped(forth) }
            }, back: backSetter)
    }

    /// Throws what would keep the binder from beginning, except a lack of memory. ``begin()`` needs
    /// no check before.
    func check() throws(ObservationError) {
        var error = obv_error()
        let status = obv_bind_check_compiled(ends, ends.count - 1, carrier.core, &error)
        withExtendedLifetime(kept) {}
        if status != OBV_OK { throw ObservationError(status, error, path: "") }
    }

    /// Begins the binder. To be called once.
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
