// SPDX-License-Identifier: Apache-2.0

import CObservable

/// How an observation is called: what all ways to observe have in common, in the order of their
/// parameters.
struct ObservationConfiguration {
    let loop: NamedLoop?
    let options: ObservationOptions
    let comparison: ObservationComparison
    let label: StaticString?
    let source: SourceLocation
    /// What is handed over, and whether there is a token: `obv_observe_flags`.
    var flags: UInt32 = 0
    /// Entries of a record at most; 0: as many as the core has it.
    var recordLimit: UInt32 = 0

    init(
        _ loop: DeliveryLoop?, _ options: ObservationOptions, _ comparison: ObservationComparison,
        _ label: StaticString?, _ file: StaticString, _ line: UInt
    ) {
        self.loop = loop.map(NamedLoop.init)
        self.options = options
        self.comparison = comparison
        self.label = label
        source = SourceLocation(file: file, line: line)
    }

    /// Of a token.
    var ofToken: ObservationConfiguration { adding(OBV_TOKEN) }
    /// With old and new value.
    var withValues: ObservationConfiguration { adding(OBV_VALUES) }

    /// With a record of so many entries at most.
    func withRecord(_ limit: Int) -> ObservationConfiguration {
        var configuration = adding(OBV_RECORDS)
        configuration.recordLimit = UInt32(clamping: max(1, limit))
        return configuration
    }

    private func adding(_ flag: obv_observe_flags) -> ObservationConfiguration {
        var configuration = self
        configuration.flags |= flag.rawValue
        return configuration
    }
}

extension ObservationConfiguration {
    /// The same for the core. The handler keeps what the options lead to, and the caller the loop.
    func options(
        for handler: CallbackHandler, on loop: DeliveryLoop
    ) throws(ObservationError) -> obv_observe_options {
        var made = obv_observe_options()
        made.size = MemoryLayout<obv_observe_options>.size
        made.loop = try loop.pointer()
        made.flags = options.rawValue | flags
        made.compare = comparison.how
        made.record_limit = recordLimit
        if comparison.areEqual != nil {
            made.equal = { handler, old, now in
                let handler = Unmanaged<CallbackHandler>.fromOpaque(handler!)
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
