// SPDX-License-Identifier: Apache-2.0

public import CObservable
import ObservableRuntime

// What the wrappers' accessors do when a property may be observed: compare, store, tell the core.
//
// The accessors themselves are tiny and inlined into the program; these functions are specialised
// there but stay out of line. None of them takes a key path: a key path that the optimiser does not
// remove costs more than the set.

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
    // An equal value is stored too, since it may be distinguishable: -0.0, or another encoding of a
    // text.
    let isSame = policy.areEqual(field.pointee, newValue)
    let old = _exchange(field, newValue)
    if isSame {
        return
    }
    withUnsafePointer(to: old) { old in
        obv_detail_changed_from(header, property, old)
    }
}

/// The same while class-level observations exist, or a trace is on. The function has few
/// parameters, so that the other branches of its callers do not pay for passing more.
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

/// The same where an observation asks for more: to be told of sets of equal values, to be called
/// before the store, or to begin to follow the object at its first change.
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

/// The object as the core knows it. An object without a class is given one: its setters come here
/// only while every instance of some class may be observed.
@inlinable @inline(__always)
func _met<Host: ObservableHost>(_ object: Host, _ word: UInt) -> UnsafeMutablePointer<obv_object> {
    word & 1 != 0 ? _meet(object) : object._observationObject
}

@usableFromInline
func _meet(_ object: AnyObject) -> UnsafeMutablePointer<obv_object> {
    (object as! any ObservableHost).adoptedInChange ?? Context.standIn
}

/// Lets class-level observations begin to follow an object before its first change.
///
/// - Returns: the answer of `obv_detail_look()` that holds from now on.
func meetFirst(
    _ header: UnsafeMutablePointer<obv_object>, _ property: UInt32, _ look: UInt32,
    isSame: () -> Bool
) -> UInt32 {
    look & OBV_DETAIL_LOOK_FIRST.rawValue == 0
        ? look : obv_detail_attach(header, property, isSame())
}

/// Calls the immediate blocks that want to be called before a store. An equal value calls them only
/// if an observation asks for sets of equal values.
///
/// - Returns: the moment of the calls. An observation that began during them is not called for the
///   store (RE-1).
func tellBefore<Value>(
    _ header: UnsafeMutablePointer<obv_object>, _ property: UInt32, _ look: UInt32,
    _ offered: Value, isSame: () -> Bool
) -> obv_detail_prior_calls {
    if look & OBV_DETAIL_LOOK_PRIOR.rawValue == 0 { return obv_detail_prior_calls() }
    let isSame = isSame()
    if isSame, look & OBV_DETAIL_LOOK_SAME.rawValue == 0 { return obv_detail_prior_calls() }
    return withUnsafePointer(to: offered) { obv_detail_prior(header, property, $0, isSame) }
}

/// Tells the core of a finished set, unless the value is equal and no observation asks for that.
func tell(
    _ header: UnsafeMutablePointer<obv_object>, _ property: UInt32, _ look: UInt32,
    _ set: obv_detail_set
) {
    if !set.is_same || look & OBV_DETAIL_LOOK_SAME.rawValue != 0 {
        withUnsafePointer(to: set) { obv_detail_was_set(header, property, $0) }
    }
}

extension obv_detail_set {
    /// A set by which no block was called before the store, if `prior` is left out.
    init(
        old: UnsafeRawPointer?, isSame: Bool,
        prior: obv_detail_prior_calls = obv_detail_prior_calls()
    ) {
        self.init(old: old, is_same: isSame, prior: prior)
    }
}

/// Stores as an assignment does: the runtime checks exclusivity, and an overlapping access stops
/// the program.
@inlinable @inline(__always)
func _exchange<Value>(
    _ field: UnsafeMutablePointer<Value>, _ newValue: consuming Value
) -> Value {
    // Trivial values need no check, since an overlapping access corrupts nothing.
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

/// Prepares a mutation in place. `before` receives the old value if it is to be compared or handed
/// over. Holding an old value makes a copy-on-write type copy its buffer, so only trivial values,
/// references, and values that the core asks for are held. Without an old value the mutation counts
/// as a change.
///
/// - Returns: the registration epoch, if all watching observations are pending: while the epoch
///   stands, nobody has to be told. 0: some observation is not pending.
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
        // The mutation may leave an equal value behind; nobody knows yet, so `isSame` is false.
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

/// Tells the core of a mutation in place that is over, or of a write past the setter. `before` is
/// the old value; nil: the old value is not known.
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
        // The mutation becomes a set: the old value is put back, for blocks that are called before
        // the store.
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

/// Tells the core of a set of an equal value, for observations that ask for such sets.
@usableFromInline
func _tellSame(
    _ header: UnsafeMutablePointer<obv_object>, _ property: UInt32, _ old: UnsafeRawPointer
) {
    var set = obv_detail_set(old: old, isSame: true)
    obv_detail_was_set(header, property, &set)
}

/// The same at what may be the object's first change for class-level observations.
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

/// Reports a read to the recorder of this thread's reads, such as a computed property's evaluation.
@inlinable @inline(never)
func _noteRead<Storage>(
    _ object: AnyObject, _ header: UnsafeMutablePointer<obv_object>, _ offset: UInt32,
    _ storage: Storage.Type
) {
    if obv_detail_read_next(header, offset) { return }
    _prepareForRead(object, header)
    obv_detail_read(header, offset, unsafeBitCast(storage as Any.Type, to: UnsafeRawPointer.self))
}

/// Reports that the content of a collection was read with the property: an evaluation may depend on
/// it.
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

/// Gives a class to an object that is read during an evaluation, which can depend only on an object
/// with a class.
@usableFromInline
func _prepareForRead(_ object: AnyObject, _ header: UnsafeMutablePointer<obv_object>) {
    if !obv_swift_has_class(header), Reads.areRecordedByClass {
        _ = (object as! any ObservableHost).adoptedInChange
    }
}

/// The runtime's record of an access in progress.
@usableFromInline typealias _AccessWords = (UInt, UInt, UInt)

/// Begins a modification through a property's address, and registers it with the runtime's
/// exclusivity checks.
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
