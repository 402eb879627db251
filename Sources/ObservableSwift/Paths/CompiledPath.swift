// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A typed path as the core follows it. What its components read is looked at from a root, as far
/// as there are objects, so that it is the same path as its text.
final class CompiledPath: @unchecked Sendable {
    // Its maker takes the components; after that it is constant.

    let pointer: OpaquePointer
    /// As it was written; empty of one that is no text from its start on.
    let written: String
    /// The components that stand in it, each with one use.
    private var components: [Component]

    /// - Parameter root: nil: there is none to look at yet.
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

    /// Whether it is of names alone, which are what they are without any key path.
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
            // A name may have become known in between, which is shorter or longer.
            min(length, obv_path_print(Context.names, elements, count, $0.baseAddress, length + 1))
        }
    }

    /// The components, whose uses are the caller's from now on: an observation's.
    func takeComponents() -> [Component] {
        // A known path has none, and is other threads' too.
        if components.isEmpty { return [] }
        defer { components = [] }
        return components
    }

    /// The objects on the way. Where the way ends, one of them may show a further component its name:
    /// of a type whose objects lead to their like.
    private struct Shown {
        private let root: HeaderPointer?
        private var held: [HeaderPointer] = []

        init(root: HeaderPointer?) {
            self.root = root
        }

        /// Takes a reference over.
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
            // Also where an object is at hand: what comes after it may be no model, which is to be
            // reported, or of a subclass in which this is another property.
            element = obv_component_element(component.pointer)
        }
        if element.kind == OBV_ELEMENT_COMPONENT.rawValue {
            used.append(component)
        } else {
            // Its name stands there.
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
    /// The path, where it is text from its start on; else empty.
    var text: String {
        if count == 1, case .text(let path) = self[0] { path.description } else { "" }
    }
}

/// Gives back a reference that was taken for the core.
func letGo(_ header: HeaderPointer) {
    Unmanaged<AnyObject>.fromOpaque(objectAddress(of: header)).release()
}

extension [CompiledPath] {
    /// Those of one call, each of which is known or made.
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
