// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// Signals, handled on the main queue like everything else.
@MainActor public final class SignalHandlers {
    private var sources: [any DispatchSourceSignal] = []

    public init() {}

    public func on(_ signals: Int32..., perform: @escaping @MainActor () -> Void) {
        for number in signals {
            #if canImport(Darwin)
                signal(number, SIG_IGN)
            #endif
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { MainActor.assumeIsolated(perform) }
            source.activate()
            sources.append(source)
        }
    }

    public func cancel() {
        for source in sources {
            source.cancel()
        }
        sources = []
    }
}
