// SPDX-License-Identifier: Apache-2.0

/// What computes a property: two words in its object. A method that is named by its type captures
/// nothing, so it costs no memory beside them; a loader has its fallback in a block of memory.
@usableFromInline
enum ComputedForm<Model: ObservableHost, Value> {
    case method((Model) -> () -> Value)
    case closure((Model) -> Value)
    indirect case loader((Model) -> (String) -> Any?, fallback: Value)
    /// One of these, with what it declares to depend on.
    indirect case declared(ComputedForm, DeclaredPaths<Model>)

    /// - Parameter paths: that it depends on; none: on what it reads alone.
    @inlinable
    static func declaring(_ form: ComputedForm, _ paths: [TypedPath<Model>]) -> ComputedForm {
        paths.isEmpty ? form : .declared(form, DeclaredPaths(paths))
    }

    /// Runs it. The object is of the class that the property was declared for.
    ///
    /// - Parameter name: of the property; nil: it is not known, so no loader is asked.
    func value(of object: AnyObject, named name: @autoclosure () -> String?) -> Value {
        guard let model = object as? Model else {
            preconditionFailure(
                "a property of \(type(of: object)) is computed by a function of \(Model.self)")
        }
        switch self {
        case .method(let method): return method(model)()
        case .closure(let closure): return closure(model)
        case .loader(let load, let fallback):
            return ComputedForm.loaded(load, of: model, name(), or: fallback)
        case .declared(let form, _): return form.value(of: object, named: name())
        }
    }

    /// What it declares; nil: nothing.
    var declared: DeclaredPaths<Model>? {
        if case .declared(_, let paths) = self { paths } else { nil }
    }

    /// What stands for a value that there is none of.
    var fallback: Value? {
        switch self {
        case .loader(_, let fallback): fallback
        case .declared(let form, _): form.fallback
        case .method, .closure: nil
        }
    }

    /// Apart: types that only a loader needs would be looked up for every value.
    @inline(never)
    private static func loaded(
        _ load: (Model) -> (String) -> Any?, of model: Model, _ name: String?, or fallback: Value
    ) -> Value {
        guard let name, let loaded = load(model)(name) else { return fallback }
        return (loaded as? Value) ?? refused(loaded, of: model, name, fallback)
    }

    private static func refused(
        _ loaded: Any, of model: Model, _ name: String, _ fallback: Value
    ) -> Value {
        ObservationDiagnostics.tellRefused(
            ObservationError(
                .unsupportedElement, path: name,
                "the loader of \(type(of: model)) returns \(type(of: loaded)), not \(Value.self)"),
            path: name)
        return fallback
    }
}
