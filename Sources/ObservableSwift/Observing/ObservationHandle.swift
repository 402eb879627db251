// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A handle, which `ObservableHost.tell` returns. Dropping it changes nothing; the observation goes
/// on until it is stopped, or its observer or its root is gone.
///
/// Threads: any.
public final class ObservationHandle: AnyObservation, @unchecked Sendable {
    /// Ends it. May be repeated. A call that is scheduled already still comes, once, which is why
    /// this is not called cancelling: ``ObservationToken/cancel()`` takes it back.
    public func stop() {
        end()
    }

    /// Ends a single path of it that begins at an object; with its last path it ends. A path that it
    /// does not have is ignored. Without memory to look for the path nothing is ended, and
    /// ``ObservationDiagnostics`` is told.
    ///
    /// - Parameters:
    ///   - path: what it no longer observes.
    ///   - root: nil: every object that the path begins at, or all instances of a class-level observation.
    public func stop<Root: ObservableHost>(about path: TypedPath<Root>, of root: Root? = nil) {
        end(PathComponent.lists(path), of: root)
    }

    /// The same for a path as text, of every root.
    public func stop(about path: TextPath) {
        end([[.text(path)]])
    }
}
