// SPDX-License-Identifier: Apache-2.0

import CObservable

/// What a path led to at one moment, as the core hands it over.
struct ChangeValue {
    private let value: obv_value?

    /// - Parameter value: nil: unknown, which counts as unreachable.
    init(_ value: UnsafePointer<obv_value>?) {
        self.value = value?.pointee
    }

    init(_ value: obv_value) {
        self.value = value
    }

    var isReachable: Bool {
        value.map { $0.kind != OBV_KIND_unreachable } ?? false
    }

    /// A copy of the value; nil: the value is nil, unreachable, or of another type.
    func value<Value>(as type: Value.Type = Value.self) -> Value? {
        guard let value else { return nil }
        // The core's own values are counts of collections; every other value is boxed.
        if value.kind == OBV_KIND_size {
            return value.as.size as? Value
        }
        guard value.kind == OBV_KIND_custom, let box = value.as.custom else { return nil }
        return boxedValue(box)
    }
}

extension obv_call {
    /// The value before the change, or nil as ``ChangeValue/value(as:)`` has it.
    func oldValue<Value>() -> Value? { ChangeValue(old).value() }
    /// The same after the change.
    func newValue<Value>() -> Value? { ChangeValue(now).value() }
}
