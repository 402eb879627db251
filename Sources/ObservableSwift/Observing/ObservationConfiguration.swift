// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The parameters that all ways to observe share, in the order of their functions.
struct ObservationConfiguration {
    var loop: NamedLoop?
    var options: ObservationOptions
    var comparison: ObservationComparison
    var label: StaticString?
    let source: SourceLocation
    /// The loop of the isolation in which the observing code runs; nil: no isolation. The loop does
    /// not keep its actor.
    let home: DeliveryLoop?

    init(
        _ loop: DeliveryLoop?, _ options: ObservationOptions, _ comparison: ObservationComparison,
        _ label: StaticString?, _ file: StaticString, _ line: UInt, _ isolation: (any Actor)? = nil
    ) {
        self.loop = loop.map(NamedLoop.init)
        self.options = options
        self.comparison = comparison
        self.label = label
        source = SourceLocation(file: file, line: line)
        home = isolation.map(ActorLoops.loop)
    }

    /// The configuration of code that passes no parameters: only its place and isolation are known.
    init(_ file: StaticString, _ line: UInt, _ isolation: (any Actor)?) {
        self.init(nil, [], .declared, nil, file, line, isolation)
    }
}

extension ObservationConfiguration {
    /// The core's options. They point into the handler and the loop, which the caller keeps alive.
    func options(
        for handler: Handler, on loop: DeliveryLoop
    ) throws(ObservationError) -> obv_observe_options {
        var made = obv_observe_options()
        made.size = MemoryLayout<obv_observe_options>.size
        made.loop = try loop.pointer()
        made.flags = options.rawValue
        switch handler.handed {
        case .nothing: break
        case .values: made.flags |= OBV_VALUES.rawValue
        case .record(let limit):
            made.flags |= OBV_RECORDS.rawValue
            made.record_limit = UInt32(clamping: max(1, limit))
        }
        made.compare = comparison.how
        if comparison.areEqual != nil {
            made.equal = { handler, old, now in
                let handler = Unmanaged<Handler>.fromOpaque(handler!)
                return handler._withUnsafeGuaranteedRef { handler in
                    handler.configuration.comparison.areEqual!(
                        .init(pointer: old), .init(pointer: now))
                }
            }
            made.equal_context = Unmanaged.passUnretained(handler).toOpaque()
        }
        return made
    }
}

extension ObservationConfiguration {
    /// Tells diagnostics of an error of the program's.
    func tell(_ error: any Error, of failed: String) {
        tell(.binder, "\(failed) has failed: \(error)")
    }

    /// Reports to diagnostics, with the label and the place of the observation.
    func tell(
        _ kind: ObservationDiagnostics.Report.Kind, _ text: String, path: String? = nil,
        _ error: ObservationError? = nil
    ) {
        ObservationDiagnostics.tell(
            kind, text, path: path, label: label.map { "\($0)" }, file: "\(source.file)",
            line: Int(source.line), error: error)
    }
}
