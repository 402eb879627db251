// SPDX-License-Identifier: Apache-2.0

public import CObservable

// The work of the accessors of computed properties. The core keeps the values, and asks
// ``ComputedAccess`` to evaluate a property that has no valid one.

/// The value that the core keeps at an address.
@inlinable @inline(__always)
func _value<Value>(_ kept: UnsafeRawPointer, as type: Value.Type) -> Value {
    _areWords(type) ? kept.load(as: type) : _boxedValue(kept)
}

/// The value that the core keeps in a box.
@usableFromInline
func _boxedValue<Value>(_ kept: UnsafeRawPointer) -> Value {
    boxedAddress(kept.load(as: BoxPointer.self)).assumingMemoryBound(to: Value.self).pointee
}

/// The value of a computed property, brought up to date. An evaluation under way becomes dependent
/// on it.
///
/// - Parameter status: the reason why the core had no valid value; OK: nobody has asked the core
///   yet.
@usableFromInline
func _computedValue<Value>(
    _ object: any ObservableHost, _ offset: UInt32, _ form: UnsafePointer<ComputedForm>,
    _ storage: Any.Type, _ status: obv_status
) -> Value {
    let header = object._observationObject
    if status == OBV_OK, obv_detail_is_reading(), Reads.areRecorded {
        // The getter runs only to show which property it reads, perhaps while the class is made. So
        // an outdated value will do.
        let what = unsafeBitCast(storage, to: UnsafeRawPointer.self)
        if !object.isAdopted {
            obv_detail_read(header, offset, what)
            return Reads.ignored { form.pointee.value(of: object, named: nil) }
        }
        if let last: Value = lastValue(of: object, offset) {
            obv_detail_read(header, offset, what)
            return last
        }
    }
    guard let property = computedProperty(of: object, offset) else {
        // The class could not be made, or does not know the property's name, so the value is not
        // kept.
        return form.pointee.value(of: object, named: nil)
    }
    var status = status
    if status == OBV_OK, let kept = obv_detail_kept_value(header, property, &status) {
        return _value(kept, as: Value.self)
    }
    if status == OBV_E_CYCLE {
        return lastValue(of: object, offset) ?? fallback(of: object, form)
    }
    // The value cannot be kept: memory is short, or the object is being deinitialized.
    return form.pointee.value(
        of: object, named: obv_class_property_name(obv_object_class(header), property))
}

/// Sets a computed property, which has the new value until it becomes invalid.
@usableFromInline
func _setComputed<Value>(_ object: any ObservableHost, _ offset: UInt32, _ newValue: Value) {
    guard let property = computedProperty(of: object, offset) else { return }
    let header = object._observationObject
    if _areWords(Value.self) {
        var word: UInt64 = 0
        withUnsafeMutableBytes(of: &word) { $0.storeBytes(of: newValue, as: Value.self) }
        obv_detail_set_kept(header, property, &word)
    } else {
        var box = Boxed<_ByDeclaredType<Value>>.make(newValue)
        obv_detail_set_kept(header, property, &box)
    }
}

/// The index of the property at an offset; nil: there is none, and the reason is reported.
private func computedProperty(of object: any ObservableHost, _ offset: UInt32) -> UInt32? {
    var property: UInt32 = 0
    guard let header = object.adoptedInChange else { return nil }
    let cls = obv_object_class(header)
    if obv_class_property_at(cls, offset, &property) != OBV_OK {
        if cls == (try? ModelClasses.of(object)) {
            MissingNames.report(type(of: object))
        }
        return nil
    }
    return property
}

/// The last valid value of a property, even if it is outdated; nil: there is none.
private func lastValue<Value>(of object: any ObservableHost, _ offset: UInt32) -> Value? {
    guard object.isAdopted, let property = computedProperty(of: object, offset),
        let kept = obv_detail_last(object._observationObject, property)
    else { return nil }
    return _value(kept, as: Value.self)
}

/// The declaration's value, for a property that needs itself and has no last value.
private func fallback<Value>(
    of object: any ObservableHost, _ form: UnsafePointer<ComputedForm>
) -> Value {
    guard form.pointee.hasFallback else {
        let names = Cycles.last
        fatalError("computed properties need each other, and have no value yet: \(names)")
    }
    return form.pointee.value(of: object, named: nil)
}

/// The names in the dependency cycle that was found last, for the message that stops the program.
enum Cycles {
    private static let names = Locked("")

    static func note(_ names: String) {
        self.names.withLock { $0 = names }
    }

    static var last: String { names.withLock { $0 } }
}
