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
    /// another thread has set in between; so it does nothing but compute. Once more where somebody
    /// wants to know before the store (``ObservationOptions/prior``).
    ///
    /// - Returns: the value that was stored.
    @discardableResult
    public func update(_ change: (inout Value) -> Void) -> Value {
        meetFirstAtomic(object, cell) { false }
        var prior = obv_detail_prior_calls()
        if wantsToKnowBefore(object, cell) {
            var offered = cell.load()
            change(&offered)
            prior = atomicChanges(object, cell, offered)
        }
        let (old, new) = cell.update(change)
        atomicChanged(object, cell, old, new, prior)
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
    meetFirstAtomic(object, cell) { ByDeclaredType<Value>.areEqual(cell.load(), value) }
    var prior = obv_detail_prior_calls()
    if wantsToKnowBefore(object, cell) {
        prior = atomicChanges(object, cell, value)
    }
    let old = cell.exchange(value)
    atomicChanged(object, cell, old, value, prior)
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

/// Whether somebody wants to know before a store. Who begins to meanwhile is told after it.
private func wantsToKnowBefore<Value: Sendable>(
    _ object: any ObservableHost, _ cell: AtomicCell<Value>
) -> Bool {
    guard obv_detail_may_observe(object._observationWord), object.isAdopted else { return false }
    var property: UInt32 = 0
    let header = object._observationObject
    let look = obv_detail_look_first(header, cell.offset(in: header), &property)
    return look & OBV_DETAIL_LOOK_PRIOR.rawValue != 0
}

/// A value is about to be stored.
private func atomicChanges<Value: Sendable>(
    _ object: any ObservableHost, _ cell: AtomicCell<Value>, _ offered: Value
) -> obv_detail_prior_calls {
    let header = object._observationObject
    var property: UInt32 = 0
    let look = obv_detail_look_first(header, cell.offset(in: header), &property)
    return tellBefore(header, property, look, offered) {
        ByDeclaredType<Value>.areEqual(cell.load(), offered)
    }
}

/// The value is stored: tells who observes the property. The header is looked at after the store.
/// Another thread may have stored over it by then: what is told is this change (IM-1).
func atomicChanged<Value: Sendable>(
    _ object: any ObservableHost, _ cell: AtomicCell<Value>, _ old: Value, _ new: Value,
    _ prior: obv_detail_prior_calls
) {
    guard obv_detail_may_observe_after_store(object._observationWordAfterStore),
        let header = object.adoptedInChange
    else { return }
    var property: UInt32 = 0
    let look = obv_detail_look_first(header, cell.offset(in: header), &property)
    let isFirst = look & OBV_DETAIL_LOOK_FIRST.rawValue != 0
    if look & OBV_DETAIL_LOOK_WATCHED.rawValue == 0, !isFirst { return }
    let isSame = ByDeclaredType<Value>.areEqual(old, new)
    let isIdentical = isSame && AtomicCell.haveOneStamp(old, new)
    withUnsafePointer(to: old) { old in
        withUnsafePointer(to: new) { new in
            var set = obv_detail_set(
                old: old, now: new, is_same: isSame, is_identical: isIdentical, prior: prior)
            if isFirst {
                // Not followed yet: another thread is at it, or memory was short.
                obv_detail_attach_stored(header, property, &set)
            } else {
                // Also of an equal value, since the stamp may be another (``AtomicCell/stamp``).
                obv_detail_was_set(header, property, &set)
            }
        }
    }
}
