// SPDX-License-Identifier: Apache-2.0

import CObservable

// What the accessors of computed properties do: the core has the values, and asks for a new one
// where there is none that is valid (``ComputedAccess``).

/// The value of a computed property, brought up to date. Whoever computes is told that it is read.
@usableFromInline
func _computedValue<Model: ObservableHost, Value>(
    _ object: any ObservableHost, _ offset: UInt32,
    _ form: UnsafePointer<ComputedForm<Model, Value>>, _ storage: Any.Type
) -> Value {
    let header = object._observationObject
    if obv_detail_is_reading(), Reads.areRecorded {
        // Somebody asks which property this is, perhaps while the class is made; the last value will
        // do.
        let what = unsafeBitCast(storage, to: UnsafeRawPointer.self)
        if !object.isAdopted {
            obv_detail_read(header, offset, what)
            return Reads.ignored { form.pointee.value(of: object, named: nil) }
        }
        if let box = copyLast(of: object, offset) {
            defer { box.pointee.release(box) }
            obv_detail_read(header, offset, what)
            return value(in: box)
        }
    }
    guard let property = computedProperty(of: object, offset) else {
        // Its class could not be made, or does not know its name: it is not kept.
        return form.pointee.value(of: object, named: nil)
    }
    var isOwn = false
    var status = OBV_OK
    if let box = obv_detail_boxed_value(header, property, &isOwn, &status) {
        defer { if isOwn { box.pointee.release(box) } }
        return value(in: box)
    }
    if status == OBV_E_CYCLE {
        return lastValue(of: object, offset, or: form)
    }
    // Without memory to keep it, or at the end of its object.
    return form.pointee.value(of: object, named: propertyName(header, property))
}

/// Sets a computed property: it has this value until it becomes invalid.
@usableFromInline
func _setComputed<Value>(_ object: any ObservableHost, _ offset: UInt32, _ newValue: Value) {
    guard let property = computedProperty(of: object, offset) else { return }
    obv_detail_set_boxed(
        object._observationObject, property, Boxed<_ByDeclaredType<Value>>.make(newValue))
}

/// The property at an offset; nil: there is none, and why is told.
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

private func propertyName(_ header: HeaderPointer, _ property: UInt32) -> String? {
    obv_class_property_name(obv_object_class(header), property).map { String(cString: $0) }
}

/// A box with the last valid value of a property, whatever has become of it; nil: there is none.
private func copyLast(of object: any ObservableHost, _ offset: UInt32) -> BoxPointer? {
    guard object.isAdopted, let property = computedProperty(of: object, offset) else { return nil }
    return obv_detail_copy_last(object._observationObject, property)
}

/// That value, for who needs itself. Apart: the types that this needs would be looked up for every
/// value.
@inline(never)
private func lastValue<Model: ObservableHost, Value>(
    of object: any ObservableHost, _ offset: UInt32,
    or form: UnsafePointer<ComputedForm<Model, Value>>
) -> Value {
    if let box = copyLast(of: object, offset) {
        defer { box.pointee.release(box) }
        return value(in: box)
    }
    guard let fallback = form.pointee.fallback else {
        let names = Cycles.last
        fatalError("computed properties need each other, and have no value yet: \(names)")
    }
    return fallback
}

private func value<Value>(in box: BoxPointer) -> Value {
    boxedAddress(box).assumingMemoryBound(to: Value.self).pointee
}

/// The names in the cycle that was found last, for who cannot go on.
enum Cycles {
    private static let names = Locked("")

    static func note(_ names: String) {
        self.names.withLock { $0 = names }
    }

    static var last: String { names.withLock { $0 } }
}
