// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A typed path in the core's form. Its components are resolved on the objects behind a root, as
/// far as there are any, so that the typed path equals the same path as text.
final class CompiledPath: @unchecked Sendable {
    // Sendable: once the maker has taken the components, nothing changes.

    let pointer: OpaquePointer
    /// The text as it was written; empty unless the whole path is text.
    let written: String
    /// The components that stand in the path's elements, each with one use.
    private var components: [Component]

    /// - Parameter root: the object on which components are resolved; nil: there is none yet.
    /// - Throws: ``ObservationError`` of kind `limit`, `memory` or `argument`.
    init(_ components: [PathComponent], from root: HeaderPointer?) throws(ObservationError) {
        if components.isEmpty {
            throw ObservationError(
                .argument,
                "a path leads on from its object: `\\.self` is none, `\\.allProperties` may be")
        }
        written = components.text
        if components.count == 1, case .text(let text) = components[0] {
            pointer = try text.compiled()
            self.components = []
            return
        }
        var elements: [obv_element] = []
        defer { ElementComponent.letGo(elements) }
        var used: [Component] = []
        elements.reserveCapacity(components.count)
        var container: HeaderPointer? = root
        var shown = Shown(root: root)
        for (index, component) in components.enumerated() {
            let isOfRoot = index == 0 && root != nil
            do throws(ObservationError) {
                if case .text(let text) = component {
                    elements += try text.elements()
                    break
                }
                elements.append(
                    try Self.element(component, on: container, isOfRoot: isOfRoot, shown, &used))
            } catch {
                shown.letAllGo()
                used.leave()
                throw error
            }
            if index + 1 == components.count { break }
            container = Self.child(component, of: container)
            shown.keep(container)
        }
        shown.letAllGo()
        var error = obv_error()
        var path: OpaquePointer?
        let status = obv_path_make(Context.names, elements, elements.count, &path, &error)
        guard status == OBV_OK, let path else {
            used.leave()
            throw ObservationError(status, error, path: "")
        }
        pointer = path
        self.components = used
    }

    deinit {
        obv_path_destroy(pointer)
        components.leave()
    }

    /// Whether the path consists of names alone, which need no key path to keep their meaning.
    var isOfNames: Bool {
        let elements = UnsafeBufferPointer(
            start: obv_path_elements(pointer), count: obv_path_count(pointer))
        return elements.allSatisfy {
            $0.kind == OBV_ELEMENT_NAME.rawValue || $0.kind == OBV_ELEMENT_ANY.rawValue
        }
    }

    var text: String {
        let (elements, count) = (obv_path_elements(pointer), obv_path_count(pointer))
        let length = obv_path_print(Context.names, elements, count, nil, 0)
        return String(unsafeUninitializedCapacity: length + 1) {
            // A component may have got a name since its length was read, and the name may be
            // shorter or longer.
            min(length, obv_path_print(Context.names, elements, count, $0.baseAddress, length + 1))
        }
    }

    /// Hands the components over, with their uses, which an observation then ends.
    func takeComponents() -> [Component] {
        // A path in `KnownPaths` has no components; other threads share it, so it must not be
        // written to.
        if components.isEmpty { return [] }
        defer { components = [] }
        return components
    }

    /// The objects on the way, which are retained. Behind the way's end a component may still be
    /// resolved on one of them: on an object of the same type, as in a tree of nodes.
    private struct Shown {
        private let root: HeaderPointer?
        private var held: [HeaderPointer] = []

        init(root: HeaderPointer?) {
            self.root = root
        }

        /// Takes over the caller's reference.
        mutating func keep(_ header: HeaderPointer?) {
            if let header { held.append(header) }
        }

        func like(_ reader: ComponentReader) -> HeaderPointer? {
            let isLike = { reader.property.mayRead(object(of: $0)) }
            return held.last(where: isLike) ?? root.flatMap { isLike($0) ? $0 : nil }
        }

        func letAllGo() {
            held.forEach(letGo)
        }
    }

    private static func element(
        _ component: PathComponent, on container: HeaderPointer?, isOfRoot: Bool, _ shown: Shown,
        _ used: inout [Component]
    ) throws(ObservationError) -> obv_element {
        let reader: ComponentReader
        switch component {
        case .reader(let property): reader = property
        case .any: return obv_element(kind: OBV_ELEMENT_ANY.rawValue, name: 0, number: 0)
        case .element(let element): return try element.element()
        case .text, .anyOf:
            throw ObservationError(.argument, "one path is asked for here, not a list of paths")
        case .refused(let why): throw ObservationError(.unsupportedElement, "\(why)")
        }
        let container = container ?? shown.like(reader)
        let component = Components.use(reader)
        var element = obv_component_resolve(Context.shared, component.pointer, container)
        if !isOfRoot {
            // The component itself stands in the path, even if an object has shown a name. A later
            // object here may be no model, which must be reported, or of a subclass in which the
            // key path is another property.
            element = obv_component_element(component.pointer)
        }
        if element.kind == OBV_ELEMENT_COMPONENT.rawValue {
            used.append(component)
        } else {
            // The property's name stands in the path, so the component is not needed.
            component.leave()
        }
        return element
    }

    private static func child(
        _ component: PathComponent, of container: HeaderPointer?
    ) -> HeaderPointer? {
        guard let container else { return nil }
        switch component {
        case .reader(let reader):
            return reader.takeHost(object(of: container))
        case .element(let element):
            return (object(of: container) as? ObservableContainer)?.takeHost(element)
        case .any, .text, .anyOf, .refused:
            return nil
        }
    }
}

extension [PathComponent] {
    /// The text of a path that is all text; else empty.
    var text: String {
        if count == 1, case .text(let path) = self[0] { path.description } else { "" }
    }
}

/// Releases an object that was retained for the core.
func letGo(_ header: HeaderPointer) {
    Unmanaged<AnyObject>.fromOpaque(objectAddress(of: header)).release()
}

extension [CompiledPath] {
    /// The compiled paths of one call, each taken from `KnownPaths` or made.
    init(_ paths: [[PathComponent]], from root: HeaderPointer?) throws(ObservationError) {
        self = try paths.map { path throws(ObservationError) in
            if let known = KnownPaths.find(path, from: root) { return known }
            let compiled = try CompiledPath(path, from: root)
            KnownPaths.keep(compiled, of: path, from: root)
            return compiled
        }
    }

    func withPointers<Result>(_ body: ([OpaquePointer]) -> Result) -> Result {
        withExtendedLifetime(self) { body(map(\.pointer)) }
    }
}
