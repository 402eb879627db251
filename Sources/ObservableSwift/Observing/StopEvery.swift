// SPDX-License-Identifier: Apache-2.0

import CObservable

// Stopping what observes every instance of a class.

extension ObservableHost {
    /// Ends what an observer observes of every instance of this class by these paths, however they
    /// were spelt; for no path everything. What it observes of a superclass or a subclass goes on,
    /// and what it observes from single objects. Calls that are scheduled already still come, once
    /// for each instance. Text finds a typed one, and a typed one text, once an instance has changed.
    ///
    /// Threads: any.
    public static func stopTelling(_ observer: AnyObject, about paths: TypedPath<Self>...) {
        if paths.isEmpty {
            stopEvery(observer) { cls, address in
                _ = obv_stop_class_observer(cls, address, nil, 0, nil)
            }
            return
        }
        ObservationDiagnostics.tellingRefused { () throws(ObservationError) in
            let compiled = try CompiledPaths(paths.map(PathComponent.list), from: nil)
            compiled.withPointers { paths in
                stopEvery(observer) { cls, address in
                    paths.withUnsafeBufferPointer {
                        _ = obv_stop_class_observer_compiled(cls, address, $0.baseAddress, $0.count)
                    }
                }
            }
        }
    }

    /// The same for paths as text.
    public static func stopTelling(
        _ observer: AnyObject, aboutText path: TextPath, _ more: TextPath...
    ) {
        withCStrings(([path] + more).map(\.text)) { texts in
            stopEvery(observer) { cls, address in
                texts.withUnsafeBufferPointer {
                    ObservationDiagnostics.tellShort(
                        obv_stop_class_observer(cls, address, $0.baseAddress, $0.count, nil))
                }
            }
        }
    }

    /// Ends everything that is observed of every instance of this class with a shared block.
    public static func stopTelling<Observer: AnyObject, Root: ObservableHost>(
        block: ClassObservationBlock<Observer, Root>
    ) {
        for cls in ModelClasses.observed(self) {
            for kind in block.kinds {
                _ = obv_stop_class_handler(cls, kind, nil)
            }
        }
    }

    private static func stopEvery(
        _ observer: AnyObject, _ stop: (OpaquePointer, UnsafeMutableRawPointer) -> Void
    ) {
        let address = ObserverForm(observer, begins: false).address(of: observer)
        for cls in ModelClasses.observed(self) {
            stop(cls, address)
        }
    }
}
