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
        meetFirstAtomic(object, cell) { false }
        let (old, new) = cell.update(change)
        atomicChanged(object, cell, old, new)
        return new
    }

    /// Stores a value and answers the one before.
    @discardableResult
    public func exchange(_ value: Value) -> Value {
        set(object, cell, value)
    }
}

func set<Value: Sendable>(
    _ object: any ObservableHost, _ cell: AtomicCell<Value>, _ value: Value
) -> Value {
    meetFirstAtomic(object, cell) { _ByDeclaredType<Value>.areEqual(cell.load(), value) }
    let old = cell.exchange(value)
    atomicChanged(object, cell, old, value)
    return old
}

/// Before a store: what observes every instance of the class begins to follow this one.
private func meetFirstAtomic<Value: Sendable>(
    _ object: any ObservableHost, _ cell: AtomicCell<Value>, isSame: () -> Bool
) {
    guard obv_detail_may_observe(object._observationWord),
        let header = object.adoptedInChange
    else { return }
    var property: UInt32 = 0
    let look = obv_detail_look_first(header, cell.offset(in: header), &property)
    _ = meetFirst(header, property, look, isSame: isSame)
}

/// The value is stored: tells who observes the property. The header is looked at after the store.
/// Who asks for more than the call is told by the drain of a loop, whatever is stored by then.
func atomicChanged<Value: Sendable>(
    _ object: any ObservableHost, _ cell: AtomicCell<Value>, _ old: Value, _ new: Value
) {
    guard obv_detail_may_observe_after_store(object._observationWordAfterStore),
        let header = object.adoptedInChange
    else { return }
    var property: UInt32 = 0
    let look = obv_detail_look_first(header, cell.offset(in: header), &property)
    let isFirst = look & OBV_DETAIL_LOOK_FIRST.rawValue != 0
    let isWatched = look & OBV_DETAIL_LOOK_WATCHED.rawValue != 0
    if !isWatched, !isFirst { return }
    let isSame = _ByDeclaredType<Value>.areEqual(old, new)
    if isSame, !isFirst, look & OBV_DETAIL_LOOK_SAME.rawValue == 0 { return }
    withUnsafePointer(to: old) { old in
        var set = obv_detail_set(old: old, isSame: isSame)
        obv_detail_was_set(header, property, &set)
    }
}
