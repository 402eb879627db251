// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The paths of one call; a class-level observation has one.
struct RequestedPaths {
    let paths: [[PathComponent]]

    init(_ paths: [[PathComponent]]) {
        self.paths = paths
    }

    init<Root>(_ paths: [TypedPath<Root>]) {
        self.paths =
            paths.count == 1 ? PathComponent.lists(paths[0]) : paths.flatMap(PathComponent.lists)
    }

    init<Root, Value>(_ path: ValuePath<Root, Value>) {
        paths = [PathComponent.list(path)]
    }

    /// The one path: as it was written, of a typed one as text. Properties that no object has shown yet
    /// have the names of their key paths in it.
    ///
    /// - Parameter root: nil: it is gone, or there is none.
    func text(from root: (any ObservableHost)?) -> String {
        let written = text(at: 0)
        if !written.isEmpty { return written }
        return (try? CompiledPath(paths[0], from: root?.adopt()))?.text ?? ""
    }

    /// A path that is text; empty for a typed one, and past the end.
    func text(at index: Int) -> String {
        paths.indices.contains(index) ? paths[index].text : ""
    }

    /// Hands the paths from one root to the core.
    func withPairs(
        of root: some ObservableHost, keptBy handler: Handler?,
        _ body: (UnsafeBufferPointer<obv_compiled_pair>, inout obv_error) -> obv_status
    ) throws(ObservationError) {
        let header = try root.adopt()
        var error = obv_error()
        let compiled = try CompiledPaths(paths, from: header)
        // Kept before the core has them, since the observation may end at once.
        handler?.keep(compiled.takeComponents())
        let status = compiled.withPointers { paths in
            // No path at all is one pair without a path.
            withUnsafeTemporaryAllocation(
                of: obv_compiled_pair.self, capacity: max(1, paths.count)
            ) { pairs in
                for index in pairs.indices {
                    let path = index < paths.count ? paths[index] : nil
                    pairs.initializeElement(
                        at: index, to: obv_compiled_pair(root: header, path: path))
                }
                return body(UnsafeBufferPointer(pairs), &error)
            }
        }
        withExtendedLifetime(root) {}
        if status != OBV_OK {
            throw ObservationError(status, error, path: text(at: Int(error.index)))
        }
    }
}
