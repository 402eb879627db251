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
        stop(observer, paths, of: self) {
            _ = obv_stop_observer_compiled(_observationObject, $0, $1, $1.count)
        }
    }

    /// Ends everything that is observed from this object with a shared block.
    public func stopTelling<Observer: AnyObject, Root: ObservableHost>(
        block: ObservationBlock<Observer, Root>
    ) {
        guard isObserved else { return }
        for kind in block.kinds {
            _ = obv_stop_handler(_observationObject, kind, nil)
        }
    }
}

extension AllInstances {
    /// Ends what an observer observes of every instance of this class: by these paths, however they were
    /// spelt; without any, all of it. Text finds a typed path, and a typed one text, once an instance has
    /// changed. What it observes of a superclass or a subclass goes on, and what it observes from single
    /// objects. A handle or a token is no observer: it stands for its observation. Calls that are scheduled
    /// already still come, once for each instance.
    ///
    /// Threads: any.
    public func stopTelling(_ observer: AnyObject, about paths: TypedPath<Root>...) {
        stop(observer, paths, of: nil) {
            for cls in ModelClasses.observed(type) {
                _ = obv_stop_class_observer_compiled(cls, $0, $1, $1.count)
            }
        }
    }
}

extension ObservableHost {
    /// Whether anybody observes the object, or a path leads through it: only then it has a node.
    fileprivate var isObserved: Bool { _observationWord & 1 == 0 }
}

/// - Parameters:
///   - root: nil: the observations of every instance of a class are stopped.
///   - end: stops observations by the observer's address and the paths.
private func stop<Root>(
    _ observer: AnyObject, _ paths: [TypedPath<Root>], of root: (any ObservableHost)?,
    _ end: (UnsafeMutableRawPointer, [OpaquePointer]) -> Void
) {
    let lists = paths.flatMap(PathComponent.lists)
    if let observation = observer as? AnyObservation {
        return observation.end(paths.isEmpty ? nil : lists, of: root)
    }
    // No path at all stops every observation, but an empty list (`.any(of: [])`) stops none.
    guard root?.isObserved ?? true, lists.isEmpty == paths.isEmpty else { return }
    let address = ObserverForm(observer, begins: false).address(of: observer)
    ObservationDiagnostics.tellingRefused { () throws(ObservationError) in
        try [CompiledPath](lists, from: root?._observationObject).withPointers { end(address, $0) }
    }
}
