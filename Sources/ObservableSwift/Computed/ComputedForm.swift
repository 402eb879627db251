// SPDX-License-Identifier: Apache-2.0

/// The form in which a property is computed: three words in its object. A method that is named by
/// its type captures nothing, so its closure allocates no further memory.
@usableFromInline
struct ComputedForm {
    let function: ComputedFunction  // first
    private let more: More?

    /// The part that only few properties need, allocated apart so that the form stays small.
    private final class More {
        let hasFallback: Bool
        let declared: any DeclaredList

        init(hasFallback: Bool, declared: any DeclaredList) {
            self.hasFallback = hasFallback
            self.declared = declared
        }
    }

    /// - Parameters:
    ///   - paths: the declared dependencies, beside those that the function reads by itself.
    ///   - hasFallback: the declaration has a value, which the function returns if it is given no
    ///     name.
    ///   - function: takes an object of the class that the property was declared for.
    @usableFromInline
    init<Model: ObservableHost>(
        dependsOn paths: [TypedPath<Model>], hasFallback: Bool = false,
        _ function: @escaping ComputedFunction.Call
    ) {
        self.function = ComputedFunction(call: function)
        more =
            paths.isEmpty && !hasFallback
            ? nil : More(hasFallback: hasFallback, declared: DeclaredPaths(paths))
    }

    /// Evaluates the property for an object, without keeping the value.
    func value<Value>(of object: AnyObject, named name: UnsafePointer<CChar>?) -> Value {
        withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { value in
            function.call(object, name, value.baseAddress!)
            return value.moveElement(from: 0)
        }
    }

    /// Its declared dependencies.
    var declared: [DeclaredPath] { more?.declared.list ?? [] }

    /// Whether the declaration has a value, for when there is no other.
    var hasFallback: Bool { more?.hasFallback ?? false }
}

/// The function of a property. A struct of its own, since `obv_swift_evaluate()` finds the function
/// by the address of the property's field.
@usableFromInline
struct ComputedFunction {
    /// Writes an object's value to an address. `name` is the property's; nil: the name is not
    /// known, so no loader is asked.
    @usableFromInline
    typealias Call = (
        _ object: AnyObject, _ name: UnsafePointer<CChar>?, _ value: UnsafeMutableRawPointer
    ) -> Void

    let call: Call
}

/// Calls a function with an object, and writes the result to an address.
@inlinable @inline(__always)
func _initialize<Model: ObservableHost, Value>(
    _ value: UnsafeMutableRawPointer, _ object: AnyObject, _ type: Model.Type,
    _ function: (Model) -> Value
) {
    // A quick test first: only an object of a subclass needs the walk over superclasses.
    if Swift.type(of: object) != type { _check(object, type) }
    value.initializeMemory(
        as: Value.self, to: function(unsafeDowncast(object, to: Model.self)))
}

@usableFromInline
func _check(_ object: AnyObject, _ model: AnyClass) {
    let type: AnyClass = type(of: object)
    if !isSubclass(type, of: model) {
        preconditionFailure("a property of \(type) is computed by a function of \(model)")
    }
}

private func isSubclass(_ type: AnyClass, of other: AnyClass) -> Bool {
    type == other || _getSuperclass(type).map { isSubclass($0, of: other) } ?? false
}

/// The loader's value for a property, or the declaration's value if the loader has none.
@usableFromInline
func _loaded<Value>(
    _ load: (String) -> Any?, _ object: AnyObject, _ name: UnsafePointer<CChar>?, or fallback: Value
) -> Value {
    guard let name = name.map({ String(cString: $0) }), let loaded = load(name) else {
        return fallback
    }
    if let value = loaded as? Value { return value }
    ObservationDiagnostics.tellRefused(
        ObservationError(
            .unsupportedElement, path: name,
            "the loader of \(type(of: object)) returns \(type(of: loaded)), not \(Value.self)"),
        path: name)
    return fallback
}

/// Whether the core keeps values of a type as words, compared by their bits or as numbers. Values
/// of any other type are boxed. The compiler folds the answer into a constant in an optimised
/// build.
@inlinable @inline(__always)
func _areWords<Value>(_ type: Value.Type) -> Bool {
    type == Int.self || type == Double.self || type == Bool.self || type == UInt.self
        || type == Int64.self
        || type == UInt64.self || type == Int32.self || type == UInt32.self || type == Int16.self
        || type == UInt16.self || type == Int8.self || type == UInt8.self
}
