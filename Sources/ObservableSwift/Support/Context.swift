// SPDX-License-Identifier: Apache-2.0

import CObservable
import Synchronization

/// The one context of all Swift objects. Objects of C code are in other contexts, and no path leads
/// from one context to another.
enum Context {
    static var shared: OpaquePointer { made.pointer }

    /// The core's allocator; nil: the C library's. Only tests of failing allocations set it, in a
    /// process of their own, before they use the library.
    nonisolated(unsafe) static var allocator: obv_allocator?

    private struct Made: @unchecked Sendable {
        let pointer: OpaquePointer
        let standIn: HeaderPointer
    }

    private static let made: Made = {
        var options = obv_context_options()
        options.size = MemoryLayout<obv_context_options>.size
        options.diagnose = { _, diagnostic in
            ObservationDiagnostics.tell(diagnostic.pointee)
        }
        var context: OpaquePointer?
        let status =
            allocator.map { allocator in
                withUnsafePointer(to: allocator) {
                    options.allocator = $0
                    return obv_context_create(&options, &context)
                }
            } ?? obv_context_create(&options, &context)
        guard status == OBV_OK, let context else {
            fatalError("out of memory for the observation context")
        }
        return Made(pointer: context, standIn: makeStandIn(context))
    }()

    /// Stands in for an object whose class could not be made for want of memory. The stand-in has
    /// no properties, so nobody observes a set of one.
    static var standIn: HeaderPointer { made.standIn }

    private static func makeStandIn(_ context: OpaquePointer) -> HeaderPointer {
        let table = UnsafeMutablePointer<obv_class_table>.allocate(capacity: 1)
        table.initialize(
            to: obv_class_table(
                size: MemoryLayout<obv_class_table>.size, name: keptText("(nothing)"),
                instance_size: MemoryLayout<obv_object>.size, superclass: nil, properties: nil,
                property_count: 0, retain: nil, release: nil, observed_changed: nil))
        var cls: OpaquePointer?
        guard obv_class_create(context, table, &cls, nil) == OBV_OK, let cls else {
            fatalError("out of memory for the observation context")
        }
        let header = HeaderPointer.allocate(capacity: 1)
        header.initialize(to: obv_object())
        obv_object_init(header, cls)
        return header
    }

    static var names: OpaquePointer { obv_context_names(shared) }
}
