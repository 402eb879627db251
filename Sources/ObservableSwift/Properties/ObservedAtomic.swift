// SPDX-License-Identifier: Apache-2.0

public import CObservable

/// An observed property that any thread may read and set at any time:
///
///     final class Progress: ObservableHost, @unchecked Sendable {
///         let observation = ObservationHeader()
///         @ObservedAtomic var fraction = 0.0
///         @ObservedAtomic var title = ""
///     }
///
/// (The protocol's form, since the compiler accepts no wrapped property in a `Sendable` class
/// below a nonisolated one. A subclass without properties of its own may say it below a model.)
///
/// Each get and each set is one step; a get sees a whole value. `progress.count += 1` is a get and
/// a set, between which another thread may set: use `$count`:
///
///     progress.$count.update { $0 += 1 }
///
/// A set stores, then looks for observers, so that whoever begins to observe on another thread
/// sees the value or is called for it.
///
/// Compared as ``Observed``. Values of up to 8 bytes without references are exchanged by the
/// processor, others under a lock that is held for the exchange alone. The value lies in a small
/// object of its own.
@propertyWrapper
public struct ObservedAtomic<Value: Sendable>: Sendable {
    @usableFromInline let cell: AtomicCell<Value>

    /// The property's first value; nobody is told of it.
    @inlinable
    public init(wrappedValue: Value) {
        cell = AtomicCell(wrappedValue)
    }

    @available(*, unavailable, message: "@ObservedAtomic works in classes only")
    public var wrappedValue: Value {
        get { fatalError() }
        set { fatalError() }
    }

    /// The value, past the setter: see ``Observed/unobserved``. Any thread may read and write it at
    /// any time, as the property itself.
    public var unobserved: Value {
        get { cell.load() }
        nonmutating set { _ = cell.exchange(newValue) }
    }

    @available(*, unavailable, message: "@ObservedAtomic works in classes only")
    public var projectedValue: AtomicProperty<Value> {
        fatalError()
    }

    @inlinable
    public static subscript<Host: ObservableHost>(
        _enclosingInstance object: Host,
        wrapped wrapped: KeyPath<Host, Value>,
        storage storage: ReferenceWritableKeyPath<Host, ObservedAtomic<Value>>
    ) -> Value {
        get {
            let cell = object[keyPath: storage].cell
            if obv_detail_is_reading() {
                if _isUnmetByReaders(object) {
                    // The class may be being made, by the reads of listed properties, so the object
                    // cannot be adopted here.
                    let field = withUnsafeMutablePointer(to: &object[keyPath: storage]) { $0 }
                    _noteRead(
                        object, object._observationObject, _offset(of: field, in: object),
                        ObservedAtomic<Value>.self)
                } else {
                    _noteAtomicRead(object, cell)
                }
            }
            return cell.load()
        }
        set {
            _atomicSet(object, object[keyPath: storage].cell, newValue)
        }
    }

    @inlinable
    public static subscript<Host: ObservableHost>(
        _enclosingInstance object: Host,
        projected projected: KeyPath<Host, AtomicProperty<Value>>,
        storage storage: ReferenceWritableKeyPath<Host, ObservedAtomic<Value>>
    ) -> AtomicProperty<Value> {
        AtomicProperty(object, object[keyPath: storage].cell)
    }
}

extension ObservedAtomic: ObservedStorage {
    static func makeAccess() -> PropertyAccess { AtomicAccess<Value>() }
}

@usableFromInline
func _atomicSet<Value: Sendable>(
    _ object: any ObservableHost, _ cell: AtomicCell<Value>, _ newValue: Value
) {
    _ = set(object, cell, newValue)
}

/// Whether the object has no class yet, by which a cell finds its offset, and no recorder needs
/// the class.
@usableFromInline
func _isUnmetByReaders(_ object: any ObservableHost) -> Bool {
    !object.isAdopted && !Reads.areRecordedByClass
}

@usableFromInline
func _noteAtomicRead<Value: Sendable>(_ object: any ObservableHost, _ cell: AtomicCell<Value>) {
    guard let header = try? object.adopt() else { return }
    _noteRead(object, header, cell.offset(in: header), ObservedAtomic<Value>.self)
}
