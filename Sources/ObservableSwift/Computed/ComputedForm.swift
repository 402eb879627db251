// SPDX-License-Identifier: Apache-2.0

/// What computes a property: two words in its object. A method that is named by its type captures
/// nothing, so it costs no memory beside them.
@usableFromInline
enum ComputedForm<Model: ObservableHost, Value> {
    case method((Model) -> () -> Value)
    case closure((Model) -> Value)

    /// Runs it. The object is of the class that the property was declared for.
    func value(of object: AnyObject) -> Value {
        guard let model = object as? Model else {
            preconditionFailure(
                "a property of \(type(of: object)) is computed by a function of \(Model.self)")
        }
        switch self {
        case .method(let method): return method(model)()
        case .closure(let closure): return closure(model)
        }
    }
}
