// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The observation graph that is reached from some objects: objects, the properties at which they are
/// observed, how observed paths lead on, the observations with label and line, and what computed
/// properties are computed from, on whatever object.
///
///     print(ObservationGraph(of: [user]))
///     try ObservationGraph(of: [user, cart]).dot.write(to: url, atomically: true, encoding: .utf8)
///
/// It keeps the roots. What it answers is of the moment of the question. A computed property has
/// edges once it was computed.
///
/// Threads: the objects that are reached belong to the caller, as for reading their properties. Cost:
/// O(what is reached). Calls `obv_graph_write`.
public struct ObservationGraph: CustomStringConvertible {
    private let roots: [any ObservableHost]
    private let limit: Int

    /// - Parameters:
    ///   - roots: kept.
    ///   - limit: of the objects, and of the edges at each; what would be more is left out, and the graph
    ///     says that it was cut.
    public init(of roots: [any ObservableHost], limit: Int = 10_000) {
        self.roots = roots
        self.limit = max(1, limit)
    }

    /// For people: an object and its properties, a line each. Names can neither drive a terminal nor
    /// begin a line of their own.
    public var description: String { written(OBV_GRAPH_TEXT) }

    /// A digraph for Graphviz.
    public var dot: String { written(OBV_GRAPH_DOT) }

    /// One value of JSON, with the arrays `objects`, `properties`, `observations` and `edges`, and the
    /// boolean `cut`.
    public var json: String { written(OBV_GRAPH_JSON) }

    private func written(_ format: obv_graph_format) -> String {
        let headers = roots.map { header(of: $0) as HeaderPointer }
        var bytes: [UInt8] = []
        let status = withUnsafeMutablePointer(to: &bytes) { bytes in
            headers.withUnsafeBufferPointer { headers in
                obv_graph_write(
                    UnsafePointer(OpaquePointer(headers.baseAddress)), headers.count, format, limit,
                    { bytes, text, length in
                        bytes!.assumingMemoryBound(to: [UInt8].self).pointee
                            .append(contentsOf: UnsafeRawBufferPointer(start: text, count: length))
                    }, bytes)
            }
        }
        withExtendedLifetime(roots) {}
        if status != OBV_OK {
            ObservationDiagnostics.tell(
                .refused, "the graph cannot be shown: " + String(cString: obv_status_text(status)))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The header of an object, which is given a class if it has none.
private func header(of host: some ObservableHost) -> HeaderPointer {
    _met(host, host._observationWord)
}
