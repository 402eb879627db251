// SPDX-License-Identifier: Apache-2.0

import CObservable

/// What `$property` gives of an ``ObservedAtomic`` property: changes that other threads cannot
/// come between.
public struct AtomicProperty<Value: Sendable> {
    let object: any ObservableHost
    let cell: AtomicCell<Value>

    @usableFromInline
    init(_ object: any ObservableHost, _ cell: AtomicCell<Value>) {
        self.object = object
        self.cell = cell
    }

    /// The value now.
    public var value: Value { cell.load() }

    /// Stores what `change` makes of the value. It is called again, with the newer value, where
    /// another thread has set in between; so it does nothing but compute.
    ///
    /// - Returns: the value that was stored.
    @discardableResult
    public func update(_ change: (inout Value) -> Void) -> Value {
        let (old, new) = cell.update(change)
        atomicChanged(object, cell, old, new)
        return new
    }

    /// Stores a value and answers the one before.
    @discardableResult
    public func exchange(_ value: Value) -> Value {
        let old = cell.exchange(value)
        atomicChanged(object, cell, old, value)
        return old
    }
}

/// The value is stored: tells who observes the property. The header is looked at after the store.
func atomicChanged<Value: Sendable>(
    _ object: any ObservableHost, _ cell: AtomicCell<Value>, _ old: Value, _ new: Value
) {
    guard obv_detail_may_observe(object._observationWordAfterStore) else { return }
    let header = object._observationObject
    var property: UInt32 = 0
    let look = obv_detail_look(header, cell.offset(in: header), &property)
    guard look & OBV_DETAIL_LOOK_WATCHED.rawValue != 0,
        !ByDeclaredType<Value>.areEqual(old, new)
    else { return }
    withUnsafePointer(to: old) { old in
        obv_detail_changed_from(header, property, old)
    }
}
