// SPDX-License-Identifier: Apache-2.0

import CObservable

// Stopping what observes every instance of a class.

extension AllInstances {
    /// Ends what an observer observes of every instance of this class: by these paths, however they were
    /// spelt; without any, all of it. Text finds a typed path, and a typed one text, once an instance has
    /// changed. What it observes of a superclass or a subclass goes on, and what it observes from single
    /// objects. A handle or a token is no observer: it stands for its observation. Calls that are scheduled
    /// already still come, once for each instance.
    ///
    /// Threads: any.
    public func stopTelling(_ observer: AnyObject, about paths: TypedPath<Root>...) {
        let paths = paths.isEmpty ? nil : paths.flatMap(PathComponent.lists)
        if let observation = observer as? AnyObservation {
            observation.end(paths)
        } else {
            stop(observer, paths)
        }
    }

    /// - Parameter paths: nil: everything; of an empty list nothing.
    private func stop(_ observer: AnyObject, _ paths: [[PathComponent]]?) {
        guard paths?.isEmpty != true else { return }
        let address = ObserverForm(observer, begins: false).address(of: observer)
        let classes = ModelClasses.observed(type)
        ObservationDiagnostics.tellingRefused { () throws(ObservationError) in
            try [CompiledPath](paths ?? [], from: nil).withPointers { paths in
                for cls in classes {
                    _ = obv_stop_class_observer_compiled(cls, address, paths, paths.count)
                }
            }
        }
    }
}
