// SPDX-License-Identifier: Apache-2.0

import CObservable

// Stopping what observes an object: by the observer, by paths and by the block.

extension ObservableHost {
    /// Ends what an observer observes from this object: by these paths, however they were spelt, text or
    /// typed; without any, all of it. A handle or a token is no observer: it stands for its observation, which
    /// ends, or loses these paths of this object. What was never begun is ignored; calls that are scheduled already
    /// still come, once. Without memory to look for the paths nothing is ended, and
    /// ``ObservationDiagnostics`` is told.
    ///
    ///     user.stopTelling(label)
    ///     user.stopTelling(label, about: \.name, \.address?.zipCode)
    ///
    /// - Parameters:
    ///   - observer: as it was given to `tell`; or a handle, or a token. That of `assign` or `bind` ends as a
    ///     whole, without paths.
    ///   - paths: `.any(of:)` an empty list ends nothing.
    ///
    /// Threads: any. Cost: in proportion to all that is observed from this object or through it; of an
    /// observation with many paths each is compared with a path of several elements.
    public func stopTelling(_ observer: AnyObject, about paths: TypedPath<Self>...) {
        let paths = paths.isEmpty ? nil : paths.flatMap(PathComponent.lists)
        if let observation = observer as? AnyObservation {
            observation.end(paths, of: self)
        } else {
            stop(observer, paths)
        }
    }

    /// Ends everything that is observed from this object with a shared block.
    public func stopTelling<Observer: AnyObject, Root: ObservableHost>(
        block: ObservationBlock<Observer, Root>
    ) {
        stop(block.handlers.kinds)
    }

    /// Whether anybody observes the object, or a path leads through it: only then it has a node.
    private var isObserved: Bool { _observationWord & 1 == 0 }

    private func stop(_ kinds: [UnsafePointer<obv_handler_kind>]) {
        guard isObserved else { return }
        for kind in kinds {
            _ = obv_stop_handler(_observationObject, kind, nil)
        }
    }

    /// - Parameter paths: nil: everything; of an empty list nothing.
    private func stop(_ observer: AnyObject, _ paths: [[PathComponent]]?) {
        guard isObserved, paths?.isEmpty != true else { return }
        let header = _observationObject
        let address = ObserverForm(observer, begins: false).address(of: observer)
        ObservationDiagnostics.tellingRefused { () throws(ObservationError) in
            try [CompiledPath](paths ?? [], from: header).withPointers { paths in
                _ = obv_stop_observer_compiled(header, address, paths, paths.count)
            }
        }
    }
}
