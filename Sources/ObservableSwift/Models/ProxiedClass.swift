// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

/// The properties of a class that cannot be changed, as its proxies have them.
///
/// The core's class of the proxies is made once, before anybody has named a property by a key path.
/// So it has a slot for each field that the metadata names and for each property that was listed
/// before, and spare ones, which are given to key paths as they come.
final class ProxiedClass: @unchecked Sendable {
    /// Slots for properties that nothing names.
    private static let spareSlots = 48
    private static let slotLimit = 60_000
    /// Where slots lie in a proxy, as far as the core is concerned: nothing is there.
    private static let firstOffset = 64

    private struct State: @unchecked Sendable {
        var names: [String]
        /// Of the slots: of the names', then of the spare ones once the class is made.
        var accesses: [PropertyAccess?]
        /// By the hash of their key paths, which are compared with no lock held.
        var known: [Int: [(keyPath: AnyKeyPath, slot: Int)]] = [:]
        /// The spare slot that is given next; nil: the class is not made yet.
        var nextSpare: Int?
        var isFull = false
    }

    private let type: AnyClass
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
        state = Locked(State(names: stored.map(\.name), accesses: stored.map(\.access)))
        makeSlot = { SlotAccess($0) { Self.of(type).access(of: $0) } }
    }

    /// The properties of the core's class, which is made of them: no further one gets a name.
    func describe() -> [Field] {
        let (names, count) = state.withLock { state in
            if state.nextSpare == nil {
                state.nextSpare = state.names.count
                state.accesses += [PropertyAccess?](repeating: nil, count: Self.spareSlots)
            }
            return (state.names, state.accesses.count)
        }
        return (0..<count).map { slot in
            Field(
                name: slot < names.count ? names[slot] : "(property \(slot - names.count + 1))",
                offset: Self.offset(of: slot), kind: ValueKinds.ownKind(makeSlot(slot)))
        }
    }

    // MARK: - Slots

    func access(of slot: Int) -> PropertyAccess? {
        state.withLock { Kept(access: $0.accesses[slot]) }.access
    }

    private struct Kept: @unchecked Sendable {
        let access: PropertyAccess?
    }

    private struct Candidates: @unchecked Sendable {
        let list: [(keyPath: AnyKeyPath, slot: Int)]
    }

    /// The slot of a key path, given to it if it has none; nil: none is left. The core's class is
    /// made.
    func slot(of keyPath: AnyKeyPath, _ makeAccess: (Int) -> PropertyAccess) -> Int? {
        let named = name(of: keyPath)
        let slot = slot(of: keyPath, makeAccess) { state in
            named.flatMap(state.names.firstIndex) ?? state.nextSpare
        }
        if slot == nil { reportFull() }
        return slot
    }

    /// Gives a name's slot to a key path; false: it has another, or the name comes too late.
    func list(
        _ name: String, _ keyPath: AnyKeyPath, _ makeAccess: (Int) -> PropertyAccess
    ) -> Bool {
        let slot = slot(of: keyPath, makeAccess) { state in
            state.names.firstIndex(of: name) ?? (state.nextSpare == nil ? state.names.count : nil)
        }
        guard let slot else { return false }
        return state.withLock { state in
            if slot == state.names.count, state.nextSpare == nil {
                state.names.append(name)
            }
            return slot < state.names.count && state.names[slot] == name
        }
    }

    private func slot(
        of keyPath: AnyKeyPath, _ makeAccess: (Int) -> PropertyAccess,
        _ choose: @Sendable (State) -> Int?
    ) -> Int? {
        let hash = keyPath.hashValue
        while true {
            let known = state.withLock { Candidates(list: $0.known[hash] ?? []) }.list
            if let same = known.first(where: { $0.keyPath == keyPath }) {
                return same.slot
            }
            guard let slot = state.withLock({ choose($0) }), slot < Self.slotLimit else {
                return nil
            }
            let made = Addition(keyPath: keyPath, access: makeAccess(slot))
            let isAdded = state.withLock { state in
                let count = state.known[hash]?.count ?? 0
                guard count == known.count, choose(state) == slot else { return false }
                guard slot <= state.accesses.count else { return false }
                if slot == state.accesses.count {
                    // Listed before the class is made.
                    if state.nextSpare != nil { return false }
                    state.accesses.append(made.access)
                } else if state.accesses[slot] == nil {
                    state.accesses[slot] = made.access
                }
                if slot == state.nextSpare { state.nextSpare = slot + 1 }
                state.known[hash, default: []].append((made.keyPath, slot))
                return true
            }
            if isAdded { return slot }
            if isFull { return nil }
        }
    }

    /// Whether every slot is given away.
    private var isFull: Bool {
        state.withLock { $0.nextSpare.map { [count = $0.accesses.count] in $0 >= count } ?? false }
    }

    private struct Addition: @unchecked Sendable {
        let keyPath: AnyKeyPath
        let access: PropertyAccess
    }

    /// The name of a stored property, as far as its key path tells it.
    private func name(of keyPath: AnyKeyPath) -> String? {
        let description = "\(keyPath)"
        guard !description.contains("<"), let dot = description.lastIndex(of: ".") else {
            return nil
        }
        return String(description[description.index(after: dot)...])
    }

    private func reportFull() {
        let isFirst = state.withLock { state in
            defer { state.isFull = true }
            return !state.isFull
        }
        guard isFirst else { return }
        ObservationDiagnostics.tell(
            ObservationDiagnostics.Report(
                kind: .unresolvedPath,
                text: "more than \(Self.spareSlots) unnamed properties of \(type) are observed "
                    + "through proxies: a further one is not",
                path: nil, label: nil))
    }
}

/// A slot of proxies, whatever property it was given to.
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
    /// Not known before the slot is given to a property.
    override var holdsHosts: Bool { true }

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
        access?.box(at: field) ?? Boxed<ByDeclaredType<Never?>>.make(nil)
    }

    override func box(of value: UnsafeRawPointer) -> BoxPointer {
        access?.box(of: value) ?? Boxed<ByDeclaredType<Never?>>.make(nil)
    }
}

/// A property of an object that cannot be changed, read through its proxy: nil where the object has
/// gone.
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
        ByDeclaredType<Value?>.areEqual(value(at: a), value(at: b))
    }

    override func holds(_ value: UnsafeRawPointer, at field: UnsafeRawPointer) -> Bool {
        ByDeclaredType<Value?>.areEqual(
            value.assumingMemoryBound(to: Value?.self).pointee, self.value(at: field))
    }

    override func takeHost(at field: UnsafeRawPointer) -> HeaderPointer? {
        withUnsafePointer(to: value(at: field)) { HostValues.take($0, .any) }
    }

    override func box(at field: UnsafeRawPointer) -> BoxPointer {
        Boxed<ByDeclaredType<Value?>>.make(value(at: field))
    }

    override func box(of value: UnsafeRawPointer) -> BoxPointer {
        Boxed<ByDeclaredType<Value?>>.make(value.assumingMemoryBound(to: Value?.self).pointee)
    }

    private func value(at field: UnsafeRawPointer) -> Value? {
        let proxy = Unmanaged<ObservableProxy<Object>>.fromOpaque(field - offset)
        return proxy._withUnsafeGuaranteedRef { $0.object }.flatMap(read)
    }
}

/// What a read through a proxy says of the property's type.
enum ProxiedStorage<Value>: ObservedStorage {
    static func makeAccess() -> PropertyAccess { TypeAccess<Value>() }
}

private final class TypeAccess<Value>: PropertyAccess, @unchecked Sendable {
    override var valueType: Any.Type { Value?.self }
    override var size: Int { 1 }
}
