// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A typed path as the core follows it. What its components read is looked at from a root, as far
/// as there are objects, so that it is the same path as its text.
struct CompiledPath: ~Copyable {
    let pointer: OpaquePointer

    /// - Throws: ``ObservationError`` of kind `limit`, `memory` or `argument`.
    init(_ components: [PathComponent], from root: HeaderPointer) throws(ObservationError) {
        var elements: [obv_element] = []
        elements.reserveCapacity(components.count)
        var container: HeaderPointer? = root
        var held: HeaderPointer?
        for (index, component) in components.enumerated() {
            elements.append(Self.element(component, on: container))
            if index + 1 == components.count { break }
            let next = Self.child(component, of: container)
            held.map(letGo)
            held = next
            container = next
        }
        held.map(letGo)
        var error = obv_error()
        var path: OpaquePointer?
        let status = obv_path_make(Context.names, elements, elements.count, &path, &error)
        guard status == OBV_OK, let path else {
            throw ObservationError(status, error, path: "")
        }
        pointer = path
    }

    deinit {
        obv_path_destroy(pointer)
    }

    /// The core's path, which the caller destroys.
    consuming func take() -> OpaquePointer {
        let pointer = pointer
        discard self
        return pointer
    }

    private static func element(
        _ component: PathComponent, on container: HeaderPointer?
    ) -> obv_element {
        switch component {
        case .any:
            return obv_element(kind: OBV_ELEMENT_ANY.rawValue, name: 0, number: 0)
        case .reader(let reader):
            return obv_component_resolve(
                Context.shared, Components.component(reader), container)
        }
    }

    private static func child(
        _ component: PathComponent, of container: HeaderPointer?
    ) -> HeaderPointer? {
        guard case .reader(let reader) = component, let container else { return nil }
        return reader.takeHost(object(of: container))
    }
}

/// Gives back a reference that was taken for the core.
func letGo(_ header: HeaderPointer) {
    Unmanaged<AnyObject>.fromOpaque(objectAddress(of: header)).release()
}

/// Several, which end together.
final class CompiledPaths {
    private var pointers: [OpaquePointer] = []

    init(_ paths: [[PathComponent]], from root: HeaderPointer) throws(ObservationError) {
        for components in paths {
            pointers.append(try CompiledPath(components, from: root).take())
        }
    }

    deinit {
        pointers.forEach(obv_path_destroy)
    }

    func withPointers<Result>(_ body: ([OpaquePointer]) -> Result) -> Result {
        withExtendedLifetime(self) { body(pointers) }
    }
}
