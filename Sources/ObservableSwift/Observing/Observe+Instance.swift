// SPDX-License-Identifier: Apache-2.0

// Observing an object with an observer.

extension ObservableHost {
    /// Tells an observer when something at the end of a path has changed:
    ///
    ///     user.tell(self, when: \.address?.zipCode, \.name) { cell, user in cell.show(user) }
    ///
    /// The block is called by the next drain of its loop, at most once, however many changes there
    /// were; it reads the values itself. Nil on the way is fine, and a replaced object is followed.
    /// Neither the observer nor this object is kept alive by it, except from scheduling to the call.
    /// A block that holds its observer keeps it alive until the observation ends: use what it is
    /// given, or capture weakly. The same call again makes a second observation.
    ///
    /// Paths are written in the call, or kept before; several are one observation. A list of them is
    /// `.any(of: paths)`, and text `\.[text: "address.zipCode"]`. What is to be handed over (values, changes,
    /// a record, a difference) is said first: ``values(of:file:line:isolation:)`` and its like.
    ///
    /// - Parameters:
    ///   - observer: handed to the block; when it is gone, the observation ends. A model's end is
    ///     known at once; that of another object at the next change of a property on the paths, the
    ///     next count or stop at this object, or a look at ``AnyObservation/hasEnded``. Its
    ///     deinit may call `stopTelling(self)`, which ends it at once.
    ///   - path: from this object, which the compiler checks; see ``TypedPath``.
    ///   - more: further paths.
    ///   - loop: where the block is called; nil: in the block's own isolation, or if it has none, in that
    ///     of the code that calls this: an actor's is called in the actor. Where neither has one it is
    ///     called on the main loop, and a call that is made elsewhere is refused unless it says which
    ///     loop this object belongs to, `on: .main` or another. A loop that is given goes before the isolation
    ///     of a block, but must be drained in it: a loop that never is is refused, and a manual loop
    ///     that is drained elsewhere stops the program. An immediate block that is isolated ignores
    ///     it.
    ///   - options: see ``ObservationOptions``.
    ///   - comparing: how the values at the ends of the paths are compared; see ``ObservationComparison``.
    ///   - label: shown in all debug output.
    ///   - file: of the caller; leave it out.
    ///   - line: likewise.
    ///   - isolation: likewise.
    ///   - perform: receives the observer and the object whose change scheduled it first; both are
    ///     alive throughout the call.
    /// - Returns: a handle, which may be dropped. A path whose property the class does not have is
    ///   told to ``ObservationDiagnostics`` and listed there; what is refused altogether stands in
    ///   its `failure`.
    ///
    /// Threads: where this object may be read. Cost: O(elements); a second observation of a path
    /// shares its wiring.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        when path: TypedPath<Self>, _ more: TypedPath<Self>...,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        perform: @escaping @isolated(any) (Observer, Self) -> Void
    ) -> ObservationHandle {
        ObservationHandle(
            self, RequestedPaths(path, more, from: self),
            Callback(perform),
            .init(loop, options, comparing, label, file, line, isolation), observer)
    }
}
