// SPDX-License-Identifier: Apache-2.0

import CObservable

// Stopping what observes every instance of a class.

extension ObservableHost {
    /// Ends what an observer observes of every instance of this class. What it observes of a
    /// superclass or a subclass goes on, and what it observes from single objects. Calls that are
    /// scheduled already still come, once for each instance.
    ///
    /// Threads: any.
    public static func stopTelling(_ observer: AnyObject) {
        stopEvery(observer) { cls, address in
            _ = obv_stop_class_observer(cls, address, nil, 0, nil)
        }
    }

    /// The same for these paths alone, however they were spelt. Text finds a typed one, and a typed
    /// one text, once an instance has changed.
    public static func stopTelling(
        _ observer: AnyObject, about path: TextPath, _ more: TextPath...
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

    public static func stopTelling<Value>(
        _ observer: AnyObject,
        about path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>>
    ) {
        stopEvery(observer, TypedPath<Self>(path))
    }

    public static func stopTelling<Value>(
        _ observer: AnyObject,
        about path: KeyPath<ObservedPath<Self, Self>, ObservedPath<Self, Value>?>
    ) {
        stopEvery(observer, TypedPath<Self>(path))
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

    private static func stopEvery(_ observer: AnyObject, _ path: TypedPath<Self>) {
        ObservationDiagnostics.tellingRefused { () throws(ObservationError) in
            try CompiledPaths([path.components], from: nil).withPointers { paths in
                stopEvery(observer) { cls, address in
                    paths.withUnsafeBufferPointer {
                        _ = obv_stop_class_observer_compiled(cls, address, $0.baseAddress, $0.count)
                    }
                }
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
