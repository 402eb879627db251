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
/// has another proxy.
///
/// Threads: as a model; the object is read where the proxy's properties are.
///
/// Cost: an observed property is that of a model; a change costs a look-up of the key path, a block
/// of memory, and reads the property before and after. A key path of several components is taken
/// apart each time.
@dynamicMemberLookup
nonisolated public final class ObservableProxy<Object: AnyObject>: ObservableModel {
    /// The object; nil once it has gone.
    public private(set) weak var object: Object?
    private let place: Representatives.Place

    private init(_ object: Object, _ place: Representatives.Place) {
        self.object = object
        self.place = place
    }

    deinit {
        Representatives.forget(place)
    }

    /// The proxy of an object: the one there is, or a new one. Cost: a lock and a look-up.
    public static func of(_ object: Object) -> ObservableProxy<Object> {
        Representatives.ensure(
            Object.self, UInt(bitPattern: ObjectIdentifier(object)),
            isUsable: { $0.object === object }, make: { ObservableProxy(object, $0) })!
    }

    /// Names a property, so that text finds it, and that text and key path are one property: the key
    /// path does not tell the name of a stored property of a class that is not final, nor of one
    /// that is `weak`, has `willSet` or `didSet`, or holds a function. Comes before the first proxy
    /// of the class is observed, and before other uses of the key path.
    ///
    ///     ObservableProxy<Progress>.list("fractionCompleted", \.fractionCompleted)
    ///
    /// What comes too late is told to ``ObservationDiagnostics``, as is a name that is another
    /// property's and a key path that leads into a property's value.
    public static func list<Value>(_ name: String, _ keyPath: KeyPath<Object, Value>) {
        if let refusal = proxied.list(name, keyPath) {
            ObservationDiagnostics.tell(.refused, refusal, path: name)
        }
    }

    /// A property of the object; nil if the object has gone. It is set by ``set(_:to:)``.
    public subscript<Value>(dynamicMember keyPath: KeyPath<Object, Value>) -> Value? {
        get { read(keyPath, Value.self) { object?[keyPath: keyPath] } }
        @available(*, unavailable, message: "a proxy sets by `set(\\.title, to: value)`")
        set { fatalError("unavailable") }
    }

    /// The same of an optional property: nil also if that is nil.
    public subscript<Value>(dynamicMember keyPath: KeyPath<Object, Value?>) -> Value? {
        get { read(keyPath, Value.self) { object?[keyPath: keyPath] } }
        @available(*, unavailable, message: "a proxy sets by `set(\\.title, to: value)`")
        set { fatalError("unavailable") }
    }

    /// Sets a property of the object, and tells. Nothing if the object has gone.
    ///
    /// A key path may lead on into the property's value, here and in the calls below:
    ///
    ///     proxy.set(\.frame.width, to: 5)
    ///
    /// tells of `frame`, if the key path names that: if it is a stored property of a final class.
    /// Else the value is stored, nobody is called, and ``ObservationDiagnostics`` is told, once:
    /// then this does it.
    ///
    ///     proxy.changing(\.frame) { object.frame.width = 5 }
    public func set<Value>(_ keyPath: ReferenceWritableKeyPath<Object, Value>, to value: Value) {
        guard let object else { return }
        changing(keyPath) { object[keyPath: keyPath] = value }
    }

    /// Runs what changes a property of the object, and tells if it is another afterwards.
    public func changing<Value, Result, Failure: Error>(
        _ keyPath: KeyPath<Object, Value>, _ change: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let before = before(keyPath)
        defer { changed(keyPath, before) }
        return try change()
    }

    /// Tells that a property of the object was changed. What it was is not known, so this is a
    /// change; who is handed old and new value gets the new one alone, and a record is truncated.
    public func didChange<Value>(_ keyPath: KeyPath<Object, Value>) {
        if let place = place(of: keyPath) { tellChanged(place) }
    }

    /// The same with the value before: one that equals the present one is no change. Where the key
    /// path leads into the value of a property, what that was is not known.
    public func didChange<Value>(_ keyPath: KeyPath<Object, Value>, old: Value) {
        guard let place = place(of: keyPath) else { return }
        ProxiedRead.withAddress(of: old) { old in
            if !place.isPart {
                tell(place, old)
            } else if !holds(keyPath, old, place) {
                tellChanged(place)
            }
        }
    }

    /// Tells that anything of the object may have changed: every observed property counts as
    /// changed.
    public func didChange() {
        guard let header = headerIfObserved else { return }
        for slot in 0..<Self.proxied.slotCount {
            tellChanged(ProxiedPlace(header: header, slot: slot, isPart: false))
        }
    }
}

// MARK: - How

extension ObservableProxy {
    nonisolated static var proxied: ProxiedClass { ProxiedClass.of(Object.self) }

    /// Reads a property, and reports the read to the recorder of this thread's reads.
    private nonisolated func read<Value>(
        _ keyPath: AnyKeyPath, _ type: Value.Type, _ value: () -> Value?
    ) -> Value? {
        guard obv_detail_is_reading(), isAdopted else { return value() }
        tellRead(keyPath, type)
        return Reads.ignored(value)
    }

    /// Reports the read of a property. A key path that has no slot with this value type is reported
    /// as a read that no path can follow.
    private nonisolated func tellRead<Value>(_ keyPath: AnyKeyPath, _ type: Value.Type) {
        let storage = unsafeBitCast(
            ProxiedStorage<Value>.self as Any.Type, to: UnsafeRawPointer.self)
        if let slot = Self.slot(of: keyPath, type) {
            obv_detail_read(
                _observationObject, UInt32(ProxiedClass.offset(of: slot)), storage)
            return
        }
        // Two reads, since a component that has read several properties is taken for none of them.
        obv_detail_read(_observationObject, 0, storage)
        obv_detail_read(_observationObject, 0, storage)
    }

    /// The slot of a key path that leads to a whole property with values of a type; else nil. The
    /// proxy has its class already, so no further property gets a name.
    private nonisolated static func slot<Value>(
        of keyPath: AnyKeyPath, _ type: Value.Type
    ) -> Int? {
        let target: ProxiedClass.Target?
        if let plain = keyPath as? KeyPath<Object, Value> {
            target = proxied.target(of: plain)
        } else {
            target = proxied.target(of: keyPath as! KeyPath<Object, Value?>)
        }
        guard let target, !target.isPart,
            proxied.access(of: target.slot)?.valueType == Value?.self
        else { return nil }
        return target.slot
    }
}

/// A class whose properties are not described by its own metadata.
protocol DescribedHost {
    static var describedFields: [Field] { get }
}

extension ObservableProxy: DescribedHost {
    nonisolated static var describedFields: [Field] { proxied.describe() }
}
