// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

/// The properties of a class that cannot be changed, as its proxies have them.
///
/// The core's class of the proxies is made once, before anybody has named a property by a key path.
/// So it has a slot for each field that the metadata names and for each property that was listed
/// before, and spare ones, which are given to key paths as they come.
///
/// A slot is only ever used for key paths to values of its type.
final class ProxiedClass: @unchecked Sendable {
    /// The number of spare slots, for properties that neither the metadata nor a list names.
    private static let spareSlots = 48
    private static let slotLimit = 60_000
    /// The offset of the first slot, for the core. No memory lies there: accesses read the object
    /// instead.
    private static let firstOffset = 64

    private struct State {
        var names: [String]
        /// The accesses of the slots: first the named ones, then the spare ones once the class is
        /// made.
        var accesses: [PropertyAccess?]
        /// The known key paths by their hash. They are compared with no lock held.
        var known: [Int: [Known]] = [:]
        /// The spare slot that is given next; nil: the class is not made yet.
        var nextSpare: Int?
        /// The fields of the core's class, described once.
        var described: [Field] = []
        /// The key paths whose changes cannot be told, as reported; nil: it was reported that there
        /// are too many.
        var reported: Set<String?> = []
    }

    private struct Known {
        let keyPath: AnyKeyPath
        let slot: Int
    }

    /// The slot to which a key path of the object leads in its proxies.
    struct Target: Sendable {
        let slot: Int
        /// Whether the key path leads on into the value of the slot's property.
        var isPart = false
    }

    private let type: AnyClass
    /// The slots, by name, of those properties whose key paths tell the name.
    private let told: [String: Int]
    private let state: Locked<State>
    private let makeSlot: @Sendable (Int) -> SlotAccess

    static func offset(of slot: Int) -> Int { firstOffset + slot }

    var slotCount: Int { state.withLock { $0.accesses.count } }

    // MARK: - Classes

    private static let classes = Locked<[ObjectIdentifier: ProxiedClass]>([:])

    static func of<Object: AnyObject>(_ type: Object.Type) -> ProxiedClass {
        let key = ObjectIdentifier(type)
        if let known = classes.withLock({ $0[key] }) {
            return known
        }
        let made = ProxiedClass(type)
        return classes.withLock { classes in
            if let other = classes[key] { return other }
            classes[key] = made
            return made
        }
    }

    private init<Object: AnyObject>(_ type: Object.Type) {
        let stored = ProxiedFields.of(type)
        self.type = type
        told = Dictionary(
            uniqueKeysWithValues: stored.indices.filter { stored[$0].isOnly }.map {
                (stored[$0].name, $0)
            })
        state = Locked(State(names: stored.map(\.name), accesses: stored.map(\.access)))
        makeSlot = { SlotAccess($0) { Self.of(type).access(of: $0) } }
    }

    /// The properties of the core's class. Once they are described, no further property gets a
    /// name. They are made once, even if several threads ask, since they are kept for the process.
    func describe() -> [Field] {
        state.withLock { state in
            if state.nextSpare == nil {
                state.nextSpare = state.names.count
                state.accesses += [PropertyAccess?](repeating: nil, count: Self.spareSlots)
                state.described = describe(state)
            }
            return state.described
        }
    }

    private func describe(_ state: State) -> [Field] {
        let names = state.names
        return state.accesses.indices.map { slot in
            Field(
                name: slot < names.count ? names[slot] : "(property \(slot - names.count + 1))",
                offset: Self.offset(of: slot), kind: ValueKinds.ownKind(makeSlot(slot)))
        }
    }

    // MARK: - Slots

    func access(of slot: Int) -> PropertyAccess? {
        state.withLock { $0.accesses[slot] }
    }

    /// The slot of a key path, given to the key path if it has none; nil: no slot is left, or the
    /// key path leads into the value of a property that nothing names. Called once the core's class
    /// is made.
    func target<Object: AnyObject, Value>(of keyPath: KeyPath<Object, Value>) -> Target? {
        let type = ProxiedRead.type(of: Value.self)
        var slot = known(keyPath).slot
        if slot == nil {
            var named: Int?
            switch KeyPathShape(keyPath) {
            case .stored(let name): named = told[name].flatMap { isOfType($0, type) ? $0 : nil }
            case .unnamed: break
            case .part(let name): return told[name].map { Target(slot: $0, isPart: true) }
            case .unnamedPart: return nil
            }
            slot = give(to: keyPath) { state in
                named ?? state.nextSpare.flatMap { $0 < state.accesses.count ? $0 : nil }
            }
        }
        guard let slot else {
            reportOnce(
                .unresolvedPath,
                "more than \(Self.spareSlots) unnamed properties of \(self.type) are observed through "
                    + "proxies: a further one is not")
            return nil
        }
        return isOfType(slot, type) ? Target(slot: slot) : nil
    }

    /// Gives the slot of a name to a key path; answers the reason if it cannot.
    func list<Object: AnyObject, Value>(
        _ name: String, _ keyPath: KeyPath<Object, Value>
    ) -> String? {
        let type = ProxiedRead.type(of: Value.self)
        let ofAnother = "a property of \(Object.self) is listed by the name of another one"
        switch KeyPathShape(keyPath) {
        case .part, .unnamedPart:
            return "a key path of several components is no property of \(Object.self) to be "
                + "listed: it leads into the value of one"
        case .stored(let other):
            if other != name, told[other] != nil, told[name] != nil { return ofAnother }
        case .unnamed: break
        }
        var isAnother = false
        let slot = give(to: keyPath) { state in
            guard let there = state.names.firstIndex(of: name) else {
                if state.nextSpare != nil || state.names.count >= Self.slotLimit { return nil }
                state.names.append(name)
                state.accesses.append(nil)
                return state.names.count - 1
            }
            isAnother = state.accesses[there].map { $0.valueType != type } ?? false
            return isAnother ? nil : there
        }
        if isAnother { return ofAnother }
        if let slot, state.withLock({ slot < $0.names.count && $0.names[slot] == name }) {
            return nil
        }
        return "a property of \(Object.self) is listed too late: a proxy of the class was "
            + "observed before, or the key path was used"
    }

    private func isOfType(_ slot: Int, _ type: Any.Type) -> Bool {
        access(of: slot)?.valueType == type
    }

    /// The slot of a key path, if it has one, and the number of known key paths with the same hash.
    /// Key paths are compared with no lock held.
    private func known(_ keyPath: AnyKeyPath) -> (slot: Int?, count: Int) {
        let hash = keyPath.hashValue
        let known = state.withLock { $0.known[hash] ?? [] }
        return (known.first { $0.keyPath == keyPath }?.slot, known.count)
    }

    /// The slot of a key path, or else the one that `choose` finds, which is given to the key path
    /// under the same lock, so that threads cannot give one slot to two key paths; nil: there is no
    /// slot.
    private func give<Object: AnyObject, Value>(
        to keyPath: KeyPath<Object, Value>, _ choose: (inout State) -> Int?
    ) -> Int? {
        let hash = keyPath.hashValue
        while true {
            let (known, count) = known(keyPath)
            if let known { return known }
            let given: Int?? = state.withLock { state in
                // Another thread has added a key path of this hash since the comparison, so compare
                // again.
                guard state.known[hash]?.count ?? 0 == count else { return nil }
                guard let slot = choose(&state) else { return .some(nil) }
                if state.accesses[slot] == nil {
                    state.accesses[slot] = ProxiedRead.access(keyPath, slot: slot)
                }
                if slot == state.nextSpare { state.nextSpare = slot + 1 }
                state.known[hash, default: []].append(Known(keyPath: keyPath, slot: slot))
                return slot
            }
            if let given { return given }
        }
    }

    // MARK: - Reports

    private func reportOnce(
        _ kind: ObservationDiagnostics.Report.Kind, _ text: String, path: String? = nil
    ) {
        guard state.withLock({ $0.reported.insert(path).inserted }) else { return }
        ObservationDiagnostics.tell(kind, text, path: path)
    }

    /// Reports once that nobody can be told of changes by a key path, if the key path has several
    /// components.
    func reportIfPart(_ keyPath: AnyKeyPath) {
        switch KeyPathShape(keyPath) {
        case .stored, .unnamed: return
        case .part, .unnamedPart: break
        }
        reportOnce(
            .refused,
            "nobody is told of a change by a key path of several components that does not say "
                + "which property of \(type) it begins with: name that property alone",
            path: "\(keyPath)")
    }
}

/// The access to a slot of proxies. It looks up the property to which the slot was given.
final class SlotAccess: PropertyAccess, @unchecked Sendable {
    private let slot: Int
    private let find: @Sendable (Int) -> PropertyAccess?

    init(_ slot: Int, _ find: @escaping @Sendable (Int) -> PropertyAccess?) {
        self.slot = slot
        self.find = find
    }

    private var access: PropertyAccess? { find(slot) }

    override var valueType: Any.Type { access?.valueType ?? Never.self }
    override var size: Int { 1 }
    /// True, since the type is not known before the slot is given to a property.
    override var holdsHosts: Bool { true }
    override var holdsCollections: Bool { true }

    override func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        access?.areEqual(a, b) ?? true
    }

    override func holds(_ value: UnsafeRawPointer, at field: UnsafeRawPointer) -> Bool {
        access?.holds(value, at: field) ?? true
    }

    override func takeHost(at field: UnsafeRawPointer) -> HeaderPointer? {
        access?.takeHost(at: field)
    }

    override func box(at field: UnsafeRawPointer) -> BoxPointer {
        access?.box(at: field) ?? Boxed<_ByDeclaredType<Never?>>.make(nil)
    }

    override func box(of value: UnsafeRawPointer) -> BoxPointer {
        access?.box(of: value) ?? Boxed<_ByDeclaredType<Never?>>.make(nil)
    }
}

/// The access to a property of another library's object, through its proxy. The value is nil once
/// the object has gone.
final class ProxiedAccess<Object: AnyObject, Value>: PropertyAccess, @unchecked Sendable {
    private let offset: Int
    private let read: (Object) -> Value?

    init(slot: Int, _ read: @escaping (Object) -> Value?) {
        offset = ProxiedClass.offset(of: slot)
        self.read = read
    }

    override var valueType: Any.Type { Value?.self }
    override var size: Int { 1 }

    override func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        _ByDeclaredType<Value?>.areEqual(value(at: a), value(at: b))
    }

    override func holds(_ value: UnsafeRawPointer, at field: UnsafeRawPointer) -> Bool {
        _ByDeclaredType<Value?>.areEqual(
            value.assumingMemoryBound(to: Value?.self).pointee, self.value(at: field))
    }

    override func takeHost(at field: UnsafeRawPointer) -> HeaderPointer? {
        withUnsafePointer(to: value(at: field)) { HostValues.take($0, .any) }
    }

    override func box(at field: UnsafeRawPointer) -> BoxPointer {
        Boxed<_ByDeclaredType<Value?>>.make(value(at: field))
    }

    override func box(of value: UnsafeRawPointer) -> BoxPointer {
        Boxed<_ByDeclaredType<Value?>>.make(value.assumingMemoryBound(to: Value?.self).pointee)
    }

    private func value(at field: UnsafeRawPointer) -> Value? {
        let proxy = Unmanaged<ObservableProxy<Object>>.fromOpaque(field - offset)
        return proxy._withUnsafeGuaranteedRef { $0.object }.flatMap(read)
    }
}

/// The type that a read through a proxy reports, in place of a wrapper's type.
enum ProxiedStorage<Value>: ObservedStorage {
    static func makeAccess() -> PropertyAccess { TypeAccess<Value>() }
}

private final class TypeAccess<Value>: PropertyAccess, @unchecked Sendable {
    override var valueType: Any.Type { Value?.self }
    override var size: Int { 1 }
}
