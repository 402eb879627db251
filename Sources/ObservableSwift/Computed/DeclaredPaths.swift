// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The declared dependencies of a computed property, with the model's type erased.
protocol DeclaredList {
    var list: [DeclaredPath] { get }
}

/// The declared dependencies of a computed property of `Model`.
struct DeclaredPaths<Model>: DeclaredList {
    private let paths: [TypedPath<Model>]

    init(_ paths: [TypedPath<Model>]) {
        self.paths = paths
    }

    var list: [DeclaredPath] {
        paths.flatMap(PathComponent.lists).map(DeclaredPath.init)
    }
}

/// One declared dependency.
struct DeclaredPath {
    let components: [PathComponent]

    /// Makes a property of an object depend on this path from `root`.
    func depend(
        _ header: HeaderPointer, _ property: UInt32, on root: HeaderPointer
    ) throws(ObservationError) {
        // Nobody is told when the dependency ends, so its components are kept for the process, each
        // once.
        try with(root, keepsComponents: true) {
            obv_depend_on_compiled(header, property, root, $0, &$1)
        }
    }

    /// Takes the dependency back.
    func dependNoMore(
        _ header: HeaderPointer, _ property: UInt32, on root: HeaderPointer
    ) throws(ObservationError) {
        try with(root, keepsComponents: false) {
            obv_depend_no_more_compiled(header, property, root, $0, &$1)
        }
    }

    func with(
        _ root: HeaderPointer, keepsComponents: Bool,
        _ body: (OpaquePointer, inout obv_error) -> obv_status
    ) throws(ObservationError) {
        var error = obv_error()
        let path = try CompiledPath(components, from: root)
        if keepsComponents { _ = path.takeComponents() }
        let status = withExtendedLifetime(path) { body(path.pointer, &error) }
        if status != OBV_OK {
            throw ObservationError(status, error, path: components.text)
        }
    }
}
