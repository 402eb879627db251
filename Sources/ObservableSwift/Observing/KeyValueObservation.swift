// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A handle, which `ObservableHost.tell` returns. Dropping it changes nothing; the observation goes
/// on until it is stopped, or its observer or its root is gone.
///
/// Threads: any.
public final class KeyValueObservation: ObservationHandle, @unchecked Sendable {
    /// Ends it. May be repeated. A call that is scheduled already still comes, once, which is why
    /// this is not called cancelling: ``ObservationToken/cancel()`` takes it back.
    public func stop() {
        obv_stop(pointer)
    }

    /// Ends a single path of it that begins at an object; with its last path it ends. A path that it
    /// does not have is ignored. Without memory to look for the path nothing is ended, and
    /// ``ObservationDiagnostics`` is told.
    public func stop<Root: ObservableHost>(about path: TypedPath<Root>, of root: Root) {
        // Nothing is observed from a root that has never met the library.
        if root.isAdopted { stop(PathComponent.list(path), root._observationObject) }
    }

    /// The same of any root, or of a class-level observation.
    public func stop<Root: ObservableHost>(about path: TypedPath<Root>) {
        stop(PathComponent.list(path), nil)
    }

    private func stop(_ path: [PathComponent], _ root: HeaderPointer?) {
        ObservationDiagnostics.tellingRefused { () throws(ObservationError) in
            let compiled = try CompiledPath(path, from: root)
            obv_stop_compiled(pointer, root, compiled.pointer)
        }
    }

    /// The same for a path as text.
    ///
    /// - Parameter root: nil: the paths of any root.
    public func stop(aboutText path: TextPath, of root: (any ObservableHost)? = nil) {
        if root?.isAdopted == false { return }
        let status = path.text.withCString {
            obv_stop_path(pointer, root?._observationObject, $0, nil)
        }
        ObservationDiagnostics.tellShort(status, path: path.text)
    }
}
