// SPDX-License-Identifier: Apache-2.0

import CObservable

/// Observes an object of a class that cannot be changed: another library's, of a framework. What
/// happens to the object its proxy is told.
///
///     let proxy = ObservableProxy.of(progress)               // Foundation's Progress
///     proxy.tell(self, when: \.fractionCompleted) { view, proxy in view.show(proxy.object) }
///
///     proxy.changing(\.fractionCompleted) { progress.completedUnitCount += 1 }
///     progress.completedUnitCount += 1
///     proxy.didChange(\.fractionCompleted)                   // the same past it
///
/// Typed paths lead through the proxy to any property of the object, computed ones too. By text
/// those are found that the object's class stores, by their names, where its module was compiled
/// with reflection metadata, and what ``list(_:_:)`` names. A path rooted elsewhere leads through a property that holds the proxy;
/// one that holds the object itself ends there: replacing the object is seen, changes inside it are
/// not.
///
/// There is one proxy of an object (and of the static type that it is asked for by), as long as
/// somebody holds it: its observations end with it. It keeps the object by a weak reference. When
/// the object has gone, what is read through the proxy is nil; another object at the same address
/// has another proxy. Two proxies are equal if their object is the same.
///
/// Threads: as a model; the object is read where the proxy's properties are.
///
/// Cost: an observed property is that of a model; a change costs a look-up of the key path, and
/// reads the property before and after.
@dynamicMemberLookup
nonisolated public final class ObservableProxy<Object: AnyObject>: ObservableModel {
    /// The object; nil once it has gone.
    public private(set) weak var object: Object?
    private let identity: ProxyIdentity

    private init(_ object: Object, _ identity: ProxyIdentity) {
        self.object = object
        self.identity = identity
    }

    deinit {
        Proxies.forget(identity)
    }

    /// The proxy of an object: the one there is, or a new one. Cost: a lock and a look-up.
    public static func of(_ object: Object) -> ObservableProxy<Object> {
        Proxies.find(object, as: Object.self) { ObservableProxy(object, $0) }
    }

    /// Names a property, so that text finds it, and that text and key path are one property: of a
    /// stored property of a class that is not final the key path does not tell the name. Comes
    /// before the first proxy of the class is observed, and before other uses of the key path.
    ///
    ///     ObservableProxy<Progress>.list("fractionCompleted", \.fractionCompleted)
    ///
    /// What comes too late is told to ``ObservationDiagnostics``.
    public static func list<Value>(_ name: String, _ keyPath: KeyPath<Object, Value>) {
        listed(
            proxied.list(name, keyPath) {
                ProxiedAccess<Object, Value>(slot: $0) { $0[keyPath: keyPath] }
            }, name)
    }

    /// The same of an optional property.
    public static func list<Value>(_ name: String, _ keyPath: KeyPath<Object, Value?>) {
        listed(
            proxied.list(name, keyPath) {
                ProxiedAccess<Object, Value>(slot: $0) { $0[keyPath: keyPath] }
            }, name)
    }

    /// A property of the object; nil if the object has gone.
    public subscript<Value>(dynamicMember keyPath: KeyPath<Object, Value>) -> Value? {
        if obv_detail_is_reading(), isAdopted {
            tellRead(Self.slot(of: keyPath), Value.self)
        }
        return object?[keyPath: keyPath]
    }

    /// The same of an optional property: nil also if that is nil.
    public subscript<Value>(dynamicMember keyPath: KeyPath<Object, Value?>) -> Value? {
        if obv_detail_is_reading(), isAdopted {
            tellRead(Self.slot(of: keyPath), Value.self)
        }
        return object?[keyPath: keyPath]
    }

    /// Sets a property of the object, and tells. Nothing if the object has gone.
    public func set<Value>(_ keyPath: ReferenceWritableKeyPath<Object, Value>, to value: Value) {
        guard let object else { return }
        changing(keyPath) { object[keyPath: keyPath] = value }
    }

    /// Runs what changes a property of the object, and tells if it is another afterwards.
    public func changing<Value, Result, Failure: Error>(
        _ keyPath: KeyPath<Object, Value>, _ change: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard isObserved else { return try change() }
        let old = object?[keyPath: keyPath]
        defer { tell(Self.slot(of: keyPath), old) }
        return try change()
    }

    /// The same of an optional property.
    public func changing<Value, Result, Failure: Error>(
        _ keyPath: KeyPath<Object, Value?>, _ change: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard isObserved else { return try change() }
        let old = object?[keyPath: keyPath]
        defer { tell(Self.slot(of: keyPath), old) }
        return try change()
    }

    /// Tells that a property of the object was changed. What it was is not known, so this is a
    /// change; who is handed old and new value, or a record, gets none.
    public func didChange<Value>(_ keyPath: KeyPath<Object, Value>) {
        if isObserved { tellChanged(Self.slot(of: keyPath)) }
    }

    /// The same of an optional property.
    public func didChange<Value>(_ keyPath: KeyPath<Object, Value?>) {
        if isObserved { tellChanged(Self.slot(of: keyPath)) }
    }

    /// The same with the value before: one that equals the present one is no change.
    public func didChange<Value>(_ keyPath: KeyPath<Object, Value>, old: Value) {
        if isObserved { tell(Self.slot(of: keyPath), .some(old)) }
    }

    /// The same of an optional property.
    public func didChange<Value>(_ keyPath: KeyPath<Object, Value?>, old: Value?) {
        if isObserved { tell(Self.slot(of: keyPath), old) }
    }

    /// Tells that anything of the object may have changed: every observed property counts as
    /// changed.
    public func didChange() {
        guard isObserved else { return }
        for index in 0..<Self.proxied.slotCount {
            tellChanged(index)
        }
    }
}

extension ObservableProxy: Hashable {
    public nonisolated static func == (a: ObservableProxy, b: ObservableProxy) -> Bool {
        a.identity == b.identity
    }

    public nonisolated func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}

// MARK: - How

extension ObservableProxy {
    private nonisolated static var proxied: ProxiedClass { ProxiedClass.of(Object.self) }

    private nonisolated static func listed(_ isListed: Bool, _ name: String) {
        if isListed { return }
        ObservationDiagnostics.tell(
            ObservationDiagnostics.Report(
                kind: .refused,
                text: "a property of \(Object.self) is listed too late: a proxy of the class was "
                    + "observed before, or the key path was used", path: name, label: nil))
    }

    private nonisolated var isObserved: Bool { _observationWord & 1 == 0 }

    /// The proxy has its class: no further property gets a name.
    private nonisolated static func slot<Value>(of keyPath: KeyPath<Object, Value>) -> Int? {
        proxied.slot(of: keyPath) {
            ProxiedAccess<Object, Value>(slot: $0) { $0[keyPath: keyPath] }
        }
    }

    private nonisolated static func slot<Value>(of keyPath: KeyPath<Object, Value?>) -> Int? {
        proxied.slot(of: keyPath) {
            ProxiedAccess<Object, Value>(slot: $0) { $0[keyPath: keyPath] }
        }
    }

    private nonisolated func tellRead<Value>(_ slot: Int?, _ type: Value.Type) {
        guard let slot else { return }
        obv_detail_read(
            _observationObject, UInt32(ProxiedClass.offset(of: slot)),
            unsafeBitCast(ProxiedStorage<Value>.self as Any.Type, to: UnsafeRawPointer.self))
    }

    private nonisolated func tell<Value>(_ slot: Int?, _ old: Value?) {
        guard isObserved, let index = index(of: slot) else { return }
        withUnsafePointer(to: old) { old in
            _ = obv_trigger(_observationObject, index, old, nil)
        }
    }

    private nonisolated func tellChanged(_ slot: Int?) {
        guard isObserved, let index = index(of: slot) else { return }
        obv_detail_changed(_observationObject, index)
    }

    private nonisolated func index(of slot: Int?) -> UInt32? {
        var index: UInt32 = 0
        guard let slot,
            obv_class_property_at(
                obv_object_class(_observationObject), UInt32(ProxiedClass.offset(of: slot)), &index)
                == OBV_OK
        else { return nil }
        return index
    }
}

/// What a class whose properties are described otherwise than by its own metadata says.
protocol DescribedHost {
    static var describedFields: [Field] { get }
}

extension ObservableProxy: DescribedHost {
    nonisolated static var describedFields: [Field] { proxied.describe() }
}
