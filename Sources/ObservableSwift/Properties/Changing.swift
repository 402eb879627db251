// SPDX-License-Identifier: Apache-2.0

public import CObservable
import ObservableRuntime

// What the wrappers' accessors do when a property may be observed: compare, store, tell the core.
//
// The accessors themselves are tiny and inlined into the program; these functions are specialised
// there but stay out of line. None of them is handed a key path: one that survives costs more
// than the set.

/// Sets a stored property that somebody may observe.
///
/// The old value lives until immediate blocks have returned; the caller keeps the object alive.
@inlinable @inline(never)
func _set<Policy: ObservationPolicy>(
    _ header: UnsafeMutablePointer<obv_object>,
    _ offset: UInt32,
    _ field: UnsafeMutablePointer<Policy.Value>,
    _ newValue: consuming Policy.Value,
    _ policy: Policy.Type
) {
    // A value of no bytes has no place of its own, by which its property could be found.
    if MemoryLayout<Policy.Value>.size == 0 {
        return
    }
    var property: UInt32 = 0
    let look = obv_detail_look(header, offset, &property)
    if look & OBV_DETAIL_LOOK_WATCHED.rawValue == 0 {
        _ = _exchange(field, newValue)
        return
    }
    if look & (OBV_DETAIL_LOOK_SAME.rawValue | OBV_DETAIL_LOOK_PRIOR.rawValue) != 0 {
        _setAsked(header, property, look, field, newValue, policy)
        return
    }
    // What is equal is stored all the same: it may be told apart (-0.0, the forms of a text).
    let isSame = policy.areEqual(field.pointee, newValue)
    let old = _exchange(field, newValue)
    if isSame {
        return
    }
    withUnsafePointer(to: old) { old in
        obv_detail_changed_from(header, property, old)
    }
}

/// The same while somebody observes every instance of a class. Takes no more than it must, so that
/// the other ways do not pay for its arguments.
@inlinable @inline(never)
func _setFirst<Policy: ObservationPolicy>(
    _ object: AnyObject,
    _ offset: UInt32,
    _ newValue: consuming Policy.Value,
    _ policy: Policy.Type
) {
    if MemoryLayout<Policy.Value>.size == 0 {
        return
    }
    var property: UInt32 = 0
    let header = _meet(object)
    let field = (Unmanaged.passUnretained(object).toOpaque() + Int(offset))
        .assumingMemoryBound(to: Policy.Value.self)
    let look = obv_detail_look_first(header, offset, &property)
    if look & (OBV_DETAIL_LOOK_WATCHED.rawValue | OBV_DETAIL_LOOK_FIRST.rawValue) == 0 {
        _ = _exchange(field, newValue)
        return
    }
    _setAsked(header, property, look, field, newValue, policy)
}

/// The same where somebody asks for more: for sets of equal values, for a call before the store, or
/// to begin to follow the object with its first change.
@usableFromInline
func _setAsked<Policy: ObservationPolicy>(
    _ header: UnsafeMutablePointer<obv_object>,
    _ property: UInt32,
    _ look: UInt32,
    _ field: UnsafeMutablePointer<Policy.Value>,
    _ newValue: Policy.Value,
    _ policy: Policy.Type
) {
    let look = meetFirst(header, property, look) { policy.areEqual(field.pointee, newValue) }
    let prior = tellBefore(header, property, look, newValue) {
        policy.areEqual(field.pointee, newValue)
    }
    let isSame = policy.areEqual(field.pointee, newValue)
    let old = _exchange(field, newValue)
    withUnsafePointer(to: old) { old in
        tell(header, property, look, obv_detail_set(old: old, isSame: isSame, prior: prior))
    }
}

/// The object for the core, of a property that somebody may observe. One without a class gets it
/// where every instance of a class may be observed: else nobody looks.
@inlinable @inline(__always)
func _met<Host: ObservableHost>(_ object: Host, _ word: UInt) -> UnsafeMutablePointer<obv_object> {
    word & 1 != 0 ? _meet(object) : object._observationObject
}

@usableFromInline
func _meet(_ object: AnyObject) -> UnsafeMutablePointer<obv_object> {
    (object as! any ObservableHost).adoptedInChange ?? Context.standIn
}

/// Before a store: what observes every instance of the class begins to follow this one.
///
/// - Returns: who looks at the property now.
func meetFirst(
    _ header: UnsafeMutablePointer<obv_object>, _ property: UInt32, _ look: UInt32,
    isSame: () -> Bool
) -> UInt32 {
    look & OBV_DETAIL_LOOK_FIRST.rawValue == 0
        ? look : obv_detail_attach(header, property, isSame())
}

/// Calls who wants to know before a store, unless the value is equal and nobody asks for that.
///
/// - Returns: when they were called: who began to observe meanwhile is not for the store (RE-1).
func tellBefore<Value>(
    _ header: UnsafeMutablePointer<obv_object>, _ property: UInt32, _ look: UInt32,
    _ offered: Value, isSame: () -> Bool
) -> obv_detail_prior_calls {
    if look & OBV_DETAIL_LOOK_PRIOR.rawValue == 0 { return obv_detail_prior_calls() }
    let isSame = isSame()
    if isSame, look & OBV_DETAIL_LOOK_SAME.rawValue == 0 { return obv_detail_prior_calls() }
    return withUnsafePointer(to: offered) { obv_detail_prior(header, property, $0, isSame) }
}

/// Tells of a set that is done.
func tell(
    _ header: UnsafeMutablePointer<obv_object>, _ property: UInt32, _ look: UInt32,
    _ set: obv_detail_set
) {
    if !set.is_same || look & OBV_DETAIL_LOOK_SAME.rawValue != 0 {
        withUnsafePointer(to: set) { obv_detail_was_set(header, property, $0) }
    }
}

extension obv_detail_set {
    /// Of a property with an owner: what it has stored is read where it stands.
    init(
        old: UnsafeRawPointer?, isSame: Bool,
        prior: obv_detail_prior_calls = obv_detail_prior_calls()
    ) {
        self.init(old: old, is_same: isSame, prior: prior)
    }
}

/// Stores as an assignment does, an overlapping access being an error of the program.
@inlinable @inline(__always)
func _exchange<Value>(
    _ field: UnsafeMutablePointer<Value>, _ newValue: consuming Value
) -> Value {
    // Of trivial values an overlapping access breaks nothing.
    if _isPOD(Value.self) {
        let old = field.pointee
        field.pointee = newValue
        return old
    }
    var access: _AccessWords = (0, 0, 0)
    let words = withUnsafeMutablePointer(to: &access) { $0 }
    _beginModification(words, field)
    let old = field.move()
    field.initialize(to: newValue)
    _endModification(words)
    withExtendedLifetime(access) {}
    return old
}

/// Before a mutation in place: `before` receives the value, where it will be compared or handed over.
/// Holding it makes a copy-on-write value copy, so that is done for trivial types, for references,
/// and where a path leads on from the property; else a mutation counts as a change.
///
/// - Returns: the registration epoch at which everybody who watches is pending, so that nobody has to
///   be told while it stands; 0: there is none.
@inlinable @inline(never)
func _beforeMutation<Value>(
    _ header: UnsafeMutablePointer<obv_object>,
    _ offset: UInt32,
    _ field: UnsafeMutablePointer<Value>,
    _ before: inout Value?
) -> UInt64 {
    let epoch = obv_detail_registration_epoch_now()
    var property: UInt32 = 0
    var look = obv_detail_look_first(header, offset, &property)
    if look == OBV_DETAIL_LOOK_ALL_PENDING.rawValue {
        return epoch
    }
    if look & OBV_DETAIL_LOOK_FIRST.rawValue != 0 {
        // What the mutation will leave behind is not known yet.
        look = obv_detail_attach(header, property, false)
    }
    if look & OBV_DETAIL_LOOK_WATCHED.rawValue == 0 {
        return 0
    }
    if _isPOD(Value.self) || look & OBV_DETAIL_LOOK_SLOW_PATH.rawValue != 0
        || _isObjectReference(Value.self)
    {
        before = field.pointee
    }
    return 0
}

/// A mutation in place is over, or a write past the setter, of which `before` is the value before.
@inlinable @inline(never)
func _mutated<Policy: ObservationPolicy>(
    _ header: UnsafeMutablePointer<obv_object>,
    _ offset: UInt32,
    _ field: UnsafeMutablePointer<Policy.Value>,
    _ before: consuming Policy.Value?,
    _ policy: Policy.Type,
    isInPlace: Bool
) {
    if MemoryLayout<Policy.Value>.size == 0 {
        return
    }
    var property: UInt32 = 0
    let look = obv_detail_look_first(header, offset, &property)
    if look & OBV_DETAIL_LOOK_FIRST.rawValue != 0 {
        _mutatedFirst(header, property, field, before, policy)
        return
    }
    if look & OBV_DETAIL_LOOK_WATCHED.rawValue == 0 {
        return
    }
    guard let old = before else {
        obv_detail_changed_from(header, property, nil)
        return
    }
    if isInPlace, look & OBV_DETAIL_LOOK_PRIOR.rawValue != 0 {
        // It becomes a set, so that the value before is there for who wants to know before.
        let newValue = _exchange(field, old)
        _setAsked(header, property, look, field, newValue, policy)
        return
    }
    if !policy.areEqual(old, field.pointee) {
        withUnsafePointer(to: old) { old in
            obv_detail_changed_from(header, property, old)
        }
    } else if look & OBV_DETAIL_LOOK_SAME.rawValue != 0 {
        withUnsafePointer(to: old) { old in
            _tellSame(header, property, old)
        }
    }
}

/// A value has been replaced by an equal one, and somebody wants to know of that.
@usableFromInline
func _tellSame(
    _ header: UnsafeMutablePointer<obv_object>, _ property: UInt32, _ old: UnsafeRawPointer
) {
    var set = obv_detail_set(old: old, isSame: true)
    obv_detail_was_set(header, property, &set)
}

/// The same of what nobody has begun to follow before.
@usableFromInline
func _mutatedFirst<Policy: ObservationPolicy>(
    _ header: UnsafeMutablePointer<obv_object>,
    _ property: UInt32,
    _ field: UnsafeMutablePointer<Policy.Value>,
    _ before: Policy.Value?,
    _ policy: Policy.Type
) {
    guard let before else {
        var set = obv_detail_set(old: nil, isSame: false)
        obv_detail_was_set(header, property, &set)
        return
    }
    let isSame = policy.areEqual(before, field.pointee)
    withUnsafePointer(to: before) { before in
        var set = obv_detail_set(old: before, isSame: isSame)
        obv_detail_was_set(header, property, &set)
    }
}

/// Tells who records the reads of this thread.
@inlinable @inline(never)
func _noteRead<Storage>(
    _ object: AnyObject, _ header: UnsafeMutablePointer<obv_object>, _ offset: UInt32,
    _ storage: Storage.Type
) {
    if obv_detail_read_next(header, offset) { return }
    _prepareForRead(object, header)
    obv_detail_read(header, offset, unsafeBitCast(storage as Any.Type, to: UnsafeRawPointer.self))
}

/// What is computed may depend on the content of the array that it has read.
@inlinable @inline(__always)
func _noteContent<Value>(of field: UnsafeMutablePointer<Value>) {
    if _isPOD(Value.self) { return }
    if _isObjectReference(Value.self) {
        _noteContent(UnsafeRawPointer(field).load(as: UnsafeRawPointer?.self))
    }
}

@usableFromInline
func _noteContent(_ object: UnsafeRawPointer?) {
    guard let object, Reads.areRecordedByClass else { return }
    let reference = Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue()
    if let container = reference as? ObservableContainer, type(of: container).isReadUntold {
        container._noteContentRead()
    }
}

/// Gives a class to what is read while something is computed, which depends on it by that.
@usableFromInline
func _prepareForRead(_ object: AnyObject, _ header: UnsafeMutablePointer<obv_object>) {
    if !obv_swift_has_class(header), Reads.areRecordedByClass {
        _ = (object as! any ObservableHost).adoptedInChange
    }
}

/// What the runtime keeps of an access while it goes on; three words.
@usableFromInline typealias _AccessWords = (UInt, UInt, UInt)

/// A modification through a property's address that the runtime knows of.
@usableFromInline
func _beginModification(
    _ access: UnsafeMutablePointer<_AccessWords>, _ field: UnsafeMutableRawPointer
) {
    access.withMemoryRebound(to: obv_swift_access.self, capacity: 1) { access in
        obv_swift_begin_access(access, field, true)
    }
}

@usableFromInline
func _endModification(_ access: UnsafeMutablePointer<_AccessWords>) {
    access.withMemoryRebound(to: obv_swift_access.self, capacity: 1) { access in
        obv_swift_end_access(access)
    }
}
