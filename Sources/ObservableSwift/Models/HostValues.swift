// SPDX-License-Identifier: Apache-2.0

import CObservable

/// Finds observable objects in values of any type. A collection of the language counts as one: as
/// the container that stands for it.
enum HostValues {
    /// Whether a value of this type may be an observable object: a class, a collection, an
    /// existential, or an optional of one.
    static func mayHold(_ type: Any.Type) -> Bool {
        if let optional = type as? any _OptionalValue.Type {
            return mayHold(optional._wrappedType)
        }
        return type is AnyObject.Type || _isExistential(type) || isCollection(type)
    }

    /// Whether values of this type are collections of the language, or nil.
    static func isCollection(_ type: Any.Type) -> Bool {
        let wrapped = (type as? any _OptionalValue.Type)?._wrappedType ?? type
        return wrapped is any ConstantCollection.Type
    }

    /// The way to find the observable object in values of a type. It is determined once for each
    /// type.
    enum Form {
        /// Values of the type hold no observable object.
        case none
        /// The value is a reference to an ``ObservableModel``, or nil: one word either way.
        case model
        /// Only a cast of each value tells.
        case any

        init(_ type: Any.Type) {
            let wrapped = (type as? any _OptionalValue.Type)?._wrappedType ?? type
            self = wrapped is ObservableModel.Type ? .model : mayHold(type) ? .any : .none
        }
    }

    /// The object in a value, given a class and retained for the caller; nil: the value is nil, or
    /// nothing that can be observed, which is reported to the core.
    static func take<Value>(_ value: UnsafePointer<Value>, _ form: Form) -> HeaderPointer? {
        switch form {
        case .none:
            return nil
        case .model:
            return takeModel(UnsafeRawPointer(value))
        case .any:
            if let host = value.pointee as? any ObservableHost {
                return take(host)
            }
            if let collection = value.pointee as? any ConstantCollection {
                return collection.container().flatMap(take)
            }
            if _unwrapped(value) != nil {
                obv_detail_report_value()
            }
            return nil
        }
    }

    static func take(_ host: any ObservableHost) -> HeaderPointer? {
        guard let header = host.adoptedAsChild else { return nil }
        _ = Unmanaged.passRetained(host as AnyObject)
        return header
    }

    private static func takeModel(_ value: UnsafeRawPointer) -> HeaderPointer? {
        guard let address = value.load(as: UnsafeRawPointer?.self) else { return nil }
        let model = Unmanaged<ObservableModel>.fromOpaque(address)
        guard let header = model._withUnsafeGuaranteedRef({ $0.adoptedAsChild }) else {
            return nil
        }
        _ = model.retain()
        return header
    }

    /// The class that a value is declared to hold, if it is one of observable objects.
    static func declaredClass(_ type: Any.Type) -> (any ObservableHost.Type)? {
        if let optional = type as? any _OptionalValue.Type {
            return declaredClass(optional._wrappedType)
        }
        let collection = type as? any ConstantCollection.Type
        return collection?.containerType ?? type as? any ObservableHost.Type
    }
}
