// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The paths of one call; a class-level observation has one.
struct RequestedPaths {
    let paths: [[PathComponent]]
    /// The compiled form of a single path that `KnownPaths` has found. Then `paths` is empty.
    private var known: CompiledPath?
    /// The key path under which `KnownPaths` keeps a single path.
    private var keyPath: AnyKeyPath?

    init(_ paths: [[PathComponent]]) {
        self.paths = paths
    }

    init<Root>(_ path: TypedPath<Root>, _ more: [TypedPath<Root>] = []) {
        let first = PathComponent.lists(path)
        // Not `isEmpty`, since the compiler would look up the array's metadata for it.
        paths = more.count == 0 ? first : first + more.flatMap(PathComponent.lists)
    }

    /// The paths of one call with a root. A single path that `KnownPaths` finds is not split into
    /// components.
    init<Root: ObservableHost>(
        _ path: TypedPath<Root>, _ more: [TypedPath<Root>], from root: Root
    ) {
        let isOne = more.count == 0
        if isOne, let header = try? root.adopt(), let known = KnownPaths.find(path, from: header) {
            self.init([[PathComponent]]())
            self.known = known
        } else {
            self.init(path, more)
            keyPath = isOne ? path : nil
        }
    }

    init<Root, Value>(_ path: ValuePath<Root, Value>) {
        paths = [PathComponent.list(path)]
    }

    /// The single path as text: as it was written, or printed if it is typed. A property that no
    /// object has shown yet is printed by its key path.
    ///
    /// - Parameter root: nil: the root is gone, or there is none.
    func text(from root: (any ObservableHost)?) -> String {
        let written = text(at: 0)
        if !written.isEmpty { return written }
        return (try? CompiledPath(paths[0], from: root?.adopt()))?.text ?? ""
    }

    /// The text of a path that is written as text; empty for a typed path, and past the end.
    func text(at index: Int) -> String {
        if let known { return known.written }
        return paths.indices.contains(index) ? paths[index].text : ""
    }

    /// Hands the paths from one root to the core.
    func withPairs(
        of root: some ObservableHost, keptBy handler: Handler?,
        _ body: (UnsafeBufferPointer<obv_compiled_pair>, inout obv_error) -> obv_status
    ) throws(ObservationError) {
        let header = try root.adopt()
        var error = obv_error()
        let compiled = try [CompiledPath](paths, from: header)
        if let keyPath, compiled.count == 1 {
            KnownPaths.keep(compiled[0], of: keyPath, from: header)
        }
        // Kept before the core begins the observation, which may end at once.
        for path in compiled { handler?.keep(path.takeComponents()) }
        // An empty list of paths is handed to the core as one pair without a path.
        let status = withUnsafeTemporaryAllocation(
            of: obv_compiled_pair.self, capacity: max(1, compiled.count)
        ) { pairs in
            for index in pairs.indices {
                let path = index < compiled.count ? compiled[index] : known
                pairs.initializeElement(
                    at: index, to: obv_compiled_pair(root: header, path: path?.pointer))
            }
            return body(UnsafeBufferPointer(pairs), &error)
        }
        withExtendedLifetime(root) {}
        withExtendedLifetime(compiled) {}
        withExtendedLifetime(known) {}
        if status != OBV_OK {
            throw ObservationError(status, error, path: text(at: Int(error.index)))
        }
    }
}
