// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The paths of one call, as text or typed; a class-level observation has one.
enum RequestedPaths {
    case text([TextPath])
    case typed([[PathComponent]])

    init<Root>(_ paths: [TypedPath<Root>]) {
        self = .typed(paths.map(PathComponent.list))
    }

    init<Root, Value>(_ path: ValuePath<Root, Value>) {
        self = .typed([PathComponent.list(path)])
    }

    var isEmpty: Bool {
        switch self {
        case .text(let paths): return paths.isEmpty
        case .typed(let paths): return paths.isEmpty
        }
    }

    /// The text of a path; empty for a typed path, and past the end.
    func text(at index: Int) -> String {
        guard case .text(let paths) = self, paths.indices.contains(index) else { return "" }
        return paths[index].text
    }
}

// MARK: - Pairs

extension RequestedPaths {
    /// The paths from one root, as the core takes them.
    enum Pairs {
        case text(UnsafeBufferPointer<obv_pair>)
        case compiled(UnsafeBufferPointer<obv_compiled_pair>)
    }

    /// Hands the paths to the core.
    func withPairs(
        of root: some ObservableHost, keptBy handler: Handler?,
        _ body: (Pairs, inout obv_error) -> obv_status
    ) throws(ObservationError) {
        let header = try root.adopt()
        var error = obv_error()
        let status: obv_status
        switch self {
        case .text(let texts):
            status = withCStrings(texts) { texts in
                withPair(ofEach: texts, { obv_pair(root: header, path: $0) }) {
                    body(.text($0), &error)
                }
            }
        case .typed(let typed):
            let compiled = try CompiledPaths(typed, from: header)
            // Kept before the core has them, since the observation may end at once.
            handler?.keep(compiled.takeComponents())
            status = compiled.withPointers { paths in
                withPair(ofEach: paths, { obv_compiled_pair(root: header, path: $0) }) {
                    body(.compiled($0), &error)
                }
            }
        }
        withExtendedLifetime(root) {}
        if status != OBV_OK {
            throw ObservationError(status, error, path: text(at: Int(error.index)))
        }
    }
}

/// Calls `body` with a pair of each path; no path at all is one pair without a path.
private func withPair<Path, Pair, Result>(
    ofEach paths: [Path], _ pair: (Path?) -> Pair, _ body: (UnsafeBufferPointer<Pair>) -> Result
) -> Result {
    withUnsafeTemporaryAllocation(of: Pair.self, capacity: max(1, paths.count)) { pairs in
        for index in pairs.indices {
            pairs.initializeElement(
                at: index, to: pair(index < paths.count ? paths[index] : nil))
        }
        defer { pairs.deinitialize() }
        return body(UnsafeBufferPointer(pairs))
    }
}

/// Calls `body` with the texts as C strings. They have no NUL in them.
func withCStrings<Result>(
    _ paths: [TextPath], _ body: ([UnsafePointer<CChar>]) -> Result
) -> Result {
    let size = paths.reduce(0) { $0 + $1.text.utf8.count + 1 }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: size) { bytes in
        var end = 0
        let texts = paths.map { path -> UnsafePointer<CChar> in
            let start = end
            end = bytes[start...].initialize(fromContentsOf: path.text.utf8)
            bytes.initializeElement(at: end, to: 0)
            end += 1
            return UnsafeRawPointer(bytes.baseAddress! + start)
                .assumingMemoryBound(to: CChar.self)
        }
        return body(texts)
    }
}

// MARK: - As text

/// The one path of a call, for a method that is told it: as it was written, of a typed one as text.
final class WrittenPath {
    private let paths: RequestedPaths
    /// Of a typed path, from when it is looked at.
    private var compiled: CompiledPath?

    init(_ paths: RequestedPaths) {
        self.paths = paths
    }

    /// Looks at what a typed path reads, as observing it does. Before the first call.
    func look(from root: some ObservableHost) throws(ObservationError) {
        guard case .typed(let typed) = paths else { return }
        compiled = try CompiledPath(typed[0], from: try root.adopt())
        withExtendedLifetime(root) {}
    }

    /// Properties that no object has shown yet have the names of their key paths in it.
    var text: String { compiled?.text ?? paths.text(at: 0) }
}
