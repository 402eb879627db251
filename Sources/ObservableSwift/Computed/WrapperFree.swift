// SPDX-License-Identifier: Apache-2.0

import CObservable

extension ObservableHost {
    /// What the getter of a computed property returns, kept until something that it has read changes:
    ///
    ///     final class Order: ObservableModel {
    ///         @Observed var net = 0.0
    ///         @Observed var rate = 0.2
    ///         var gross: Double { computed { net * (1 + rate) } }
    ///     }
    ///
    /// As ``Computed``, but that it takes no room in the object and cannot be set; that it belongs to
    /// the place in the source where it stands, so an override may call `super`; and that text paths
    /// find it only where the class lists it (``NamedProperty``). Typed paths reach it: it can be
    /// observed, stand in the middle of a path, and be invalidated. Taking the call away leaves the
    /// same values.
    ///
    /// It belongs into a getter: in a function with parameters, whose arguments nobody compares, it
    /// keeps nothing, and ``ObservationDiagnostics`` is told. The same where a class has more than 504
    /// of such properties, those of its superclasses and the getters named in typed paths among them.
    ///
    /// - Parameters:
    ///   - function: of the caller; leave it out.
    ///   - file: likewise.
    ///   - line: likewise.
    ///   - column: likewise.
    ///   - body: computes the value. Called on the thread that reads it, or which computes it for a typed
    ///     path or a listed name that is observed.
    ///
    /// Cost: once it was read, 190 bytes, a box of 32 with the value, and 56 for each dependency; a read
    /// of a valid one looks it up by its place in the source, among those of its class.
    public func computed<Value>(
        function: StaticString = #function, file: StaticString = #fileID, line: UInt = #line,
        column: UInt = #column, _ body: () -> Value
    ) -> Value {
        let place = SourcePlace(function: function, file: file, line: line, column: column)
        return keptValue(of: self, at: place, flags: 0, body)
    }

    /// What the getter of a computed property returns, kept from its first read on:
    ///
    ///     var index: Index { lazily { makeIndex() } }
    ///
    /// As ``computed(function:file:line:column:_:)``, but nothing that it reads is a dependency: only
    /// ``ComputedProperties/invalidate(_:)`` makes it invalid, and the next read computes it again.
    public func lazily<Value>(
        function: StaticString = #function, file: StaticString = #fileID, line: UInt = #line,
        column: UInt = #column, _ body: () -> Value
    ) -> Value {
        let place = SourcePlace(function: function, file: file, line: line, column: column)
        return keptValue(of: self, at: place, flags: OBV_LAZY.rawValue, body)
    }
}

/// Where `computed` stands in the program.
struct SourcePlace {
    let function: StaticString
    let file: StaticString
    let line: UInt
    let column: UInt

    var key: obv_late_key {
        obv_late_key(
            text: constant(file), detail: constant(function),
            number: UInt64(line) << 32 | UInt64(column))
    }

    /// Whether the function is a getter: neither a subscript nor a function with parameters.
    var isGetter: Bool {
        var text = function.withUTF8Buffer { $0[...] }
        if text.last != UInt8(ascii: ")") { return true }
        text = text.dropLast()
        return text.last == UInt8(ascii: "(")
    }
}

/// The value that `computed` returns, kept for each place of the call and each class.
private func keptValue<Value>(
    of object: any ObservableHost, at place: SourcePlace, flags: UInt32, _ body: () -> Value
) -> Value {
    guard object.isAdopted || !isAskedFor(object), let header = object.adoptedInChange,
        let property = LateProperties.find(place, of: object, header, flags, Value.self)
    else { return body() }
    if let request = LateOffer.request(header, property) {
        return LateOffer.answer(request, body)
    }
    if obv_detail_is_reading(), Reads.areRecorded,
        let last: Value = exactValue(obv_detail_last(header, property))
    {
        obv_detail_read_property(header, property)
        return last
    }
    return current(header, property, body)
}

/// Whether the getter runs only to show which property it reads, while the class is being made.
/// Then a read of no field is recorded, since a `computed` has no field.
private func isAskedFor(_ object: any ObservableHost) -> Bool {
    guard obv_detail_is_reading(), Reads.areRecorded else { return false }
    obv_detail_read(
        object._observationObject, .max, unsafeBitCast(Never.self, to: UnsafeRawPointer.self))
    return true
}

/// The value, brought up to date by `body`. An evaluation under way becomes dependent on it.
private func current<Value>(
    _ header: HeaderPointer, _ property: UInt32, _ body: () -> Value
) -> Value {
    var status = OBV_OK
    var kept: UnsafeRawPointer?
    if obv_is_valid(header, property) {
        // A valid value is had without an offer of `body`, unless it becomes invalid at this
        // moment.
        kept = obv_detail_kept_value(header, property, &status)
    }
    if kept == nil {
        kept = LateOffer.offering(body, header, property) {
            obv_detail_kept_value(header, property, &status)
        }
    }
    if let value: Value = exactValue(kept) {
        return value
    }
    if status == OBV_E_CYCLE {
        guard let last: Value = exactValue(obv_detail_last(header, property)) else {
            let names = Cycles.last
            fatalError("computed properties need each other, and have no value yet: \(names)")
        }
        return last
    }
    // The value cannot be kept: memory is short, the object is at its end, or a value of another
    // type is kept.
    return body()
}

/// The value in a kept box; nil: no box is kept, or its value has another type, as a generic
/// function may have made it.
private func exactValue<Value>(_ kept: UnsafeRawPointer?) -> Value? {
    guard let box = kept?.load(as: BoxPointer.self) else { return nil }
    let content = contentType(of: box)
    guard content.valueType == Value.self else { return nil }
    return content.address(of: box).assumingMemoryBound(to: Value.self).pointee
}
