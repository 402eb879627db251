// SPDX-License-Identifier: Apache-2.0

import CObservable

// Stopping what observes every instance of a class.

extension AnyInstance {
    /// Ends what an observer observes of every instance of this class. What it observes of a
    /// superclass or a subclass goes on, and what it observes from single objects. Calls that are
    /// scheduled already still come, once for each instance.
    ///
    /// Threads: any.
    public func stopTelling(_ observer: AnyObject) {
        stopEvery(observer) { cls, address in
            _ = obv_stop_class_observer(cls, address, nil, 0, nil)
        }
    }

    /// The same for these paths alone, however they were spelt. Text finds a typed one, and a typed
    /// one text, once an instance has changed.
    public func stopTelling(
        _ observer: AnyObject, about path: TypedPath<Root>, _ more: TypedPath<Root>...
    ) {
        ObservationDiagnostics.tellingRefused { () throws(ObservationError) in
            let paths = try CompiledPaths(([path] + more).map(PathComponent.list), from: nil)
            paths.withPointers { paths in
                stopEvery(observer) { cls, address in
                    paths.withUnsafeBufferPointer {
                        _ = obv_stop_class_observer_compiled(cls, address, $0.baseAddress, $0.count)
                    }
                }
            }
        }
    }

    /// The same for paths as text.
    public func stopTelling(
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
    public func stopTelling<Observer: AnyObject, Other: ObservableHost>(
        block: ClassObservationBlock<Observer, Other>
    ) {
        for cls in ModelClasses.observed(type) {
            for kind in block.kinds {
                _ = obv_stop_class_handler(cls, kind, nil)
            }
        }
    }

    private func stopEvery(
        _ observer: AnyObject, _ stop: (OpaquePointer, UnsafeMutableRawPointer) -> Void
    ) {
        let address = ObserverForm(observer, begins: false).address(of: observer)
        for cls in ModelClasses.observed(type) {
            stop(cls, address)
        }
    }
}
