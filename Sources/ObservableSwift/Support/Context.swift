// SPDX-License-Identifier: Apache-2.0

import CObservable
import Synchronization

/// The one context of Swift programs. Objects of C programs are in others, and never meet these in
/// a path.
enum Context {
    static var shared: OpaquePointer { made.pointer }

    private struct Made: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private static let made: Made = {
        var options = obv_context_options()
        options.size = MemoryLayout<obv_context_options>.size
        options.diagnose = { _, diagnostic in
            ObservationDiagnostics.tell(diagnostic.pointee)
        }
        var context: OpaquePointer?
        guard obv_context_create(&options, &context) == OBV_OK, let context else {
            fatalError("out of memory for the observation context")
        }
        return Made(pointer: context)
    }()

    static var names: OpaquePointer { obv_context_names(shared) }
}
