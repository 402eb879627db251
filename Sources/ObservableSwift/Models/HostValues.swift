// SPDX-License-Identifier: Apache-2.0

import CObservable

/// Observable objects inside values of any type.
enum HostValues {
    /// Whether a value of this type may be an observable object: a class, an existential, or an
    /// optional of one.
    static func mayHold(_ type: Any.Type) -> Bool {
        if let optional = type as? any _OptionalValue.Type {
            return mayHold(optional._wrappedType)
        }
        return type is AnyObject.Type || _isExistential(type)
    }

    /// The object in a value, with a class and a reference; nil: there is none, or it is not
    /// observable.
    static func take<Value>(_ value: UnsafePointer<Value>) -> HeaderPointer? {
        if isModel(Value.self) {
            return takeModel(value)
        }
        guard let host = value.pointee as? any ObservableHost else { return nil }
        return take(host)
    }

    private static func isModel(_ type: Any.Type) -> Bool {
        let wrapped = (type as? any _OptionalValue.Type)?._wrappedType ?? type
        return wrapped is ObservableModel.Type
    }

    static func take(_ host: any ObservableHost) -> HeaderPointer {
        let header = host.adopted
        _ = Unmanaged.passRetained(host as AnyObject)
        return header
    }

    /// The value is a reference or nothing, one word either way.
    private static func takeModel<Value>(_ value: UnsafePointer<Value>) -> HeaderPointer? {
        UnsafeRawPointer(value).load(as: UnsafeRawPointer?.self).map { address in
            let model = Unmanaged<ObservableModel>.fromOpaque(address).retain()
            return model._withUnsafeGuaranteedRef { $0.adopted }
        }
    }

    /// The class that a value is declared to hold, if it is one of observable objects.
    static func declaredClass(_ type: Any.Type) -> (any ObservableHost.Type)? {
        if let optional = type as? any _OptionalValue.Type {
            return declaredClass(optional._wrappedType)
        }
        return type as? any ObservableHost.Type
    }
}
