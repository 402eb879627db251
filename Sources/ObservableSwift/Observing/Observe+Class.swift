// SPDX-License-Identifier: Apache-2.0

// Observing every instance of a class. The parameters are those of an object.

extension AllInstances {
    /// Tells an observer when something at the end of a path from any instance of this class has
    /// changed, those of its subclasses included, present and to come:
    ///
    ///     Document.allInstances.tell(autosaver, when: \.text) { autosaver, document in
    ///         if let document { autosaver.note(document) } else { autosaver.noteAll() }
    ///     }
    ///
    /// The block is called once a cycle for each changed instance, which it receives. Nothing is
    /// stored in an instance before it changes; it has then what an observation of its own needs,
    /// until it or this observation ends. It is known to no ``ObservationInspector``
    /// and to no ``ObservationAware``. A generic class is a class for
    /// each of its arguments.
    ///
    /// An instance is followed from its first change of a property that begins the path. So the end
    /// of a longer path, `address.zipCode`, is followed below an address that is set from now on,
    /// not below one that is there already; of `*.name`, from the first set of any property, below
    /// all that is there then. A weak property that was set before does not tell of becoming nil.
    ///
    /// The block receives nil in a call that is for no instance: by ``ObservationOptions/initial``,
    /// ``AnyObservation/schedule()`` and ``AnyObservation/execute()``; and when there was
    /// no memory to follow an instance that changed: then any may have changed.
    ///
    /// A class-level observation follows one path.
    ///
    /// While anybody observes a class, every set of an observable object in the process costs what
    /// a set of an observed one does.
    ///
    /// - Parameters:
    ///   - observer: handed to the block; when it is gone, the observation ends.
    ///   - path: as text (`\.[text:]`) it is looked up on each instance: a property that only a
    ///     subclass has is observed in the subclass's instances, though it is told to
    ///     ``ObservationDiagnostics``.
    ///   - loop: as for an object: a block without isolation belongs to the loop, and so do the
    ///     instances.
    ///   - options: all but ``ObservationOptions/allowsMorePaths``, which is refused.
    ///   - comparing: how the values at the ends of the path are compared.
    ///   - label: shown in all debug output.
    ///   - file: of the caller; leave it out.
    ///   - line: likewise.
    ///   - isolation: likewise.
    ///   - perform: receives the observer and the instance.
    /// - Returns: a handle, which may be dropped. It ends with the observer, or by being stopped.
    ///
    /// Threads: any. An instance is looked at where it is changed.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        when path: TypedPath<Root>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        perform: @escaping @isolated(any) (Observer, Root?) -> Void
    ) -> ObservationHandle {
        let block = uncheckedIsolation(perform, as: ((Observer, Root?) -> Void).self)
        let callback = Callback(perform.isolation) { observer, root, _ in
            block(
                unsafeDowncast(observer!, to: Observer.self),
                root.map { unsafeDowncast($0, to: Root.self) })
        }
        return ObservationHandle(
            ObservationOrigin(every: type, RequestedPaths(path)), callback,
            .init(loop, options, comparing, label, file, line, isolation), observer)
    }

    /// The same as long as a token is kept:
    ///
    ///     token = Document.allInstances.onChange(of: \.text) { document in … }
    public func onChange(
        of path: TypedPath<Root>,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        comparing: ObservationComparison = .declared,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation,
        perform: @escaping @isolated(any) (Root?) -> Void
    ) -> ObservationToken {
        let block = uncheckedIsolation(perform, as: ((Root?) -> Void).self)
        let callback = Callback(perform.isolation) { _, root, _ in
            block(root.map { unsafeDowncast($0, to: Root.self) })
        }
        return ObservationToken(
            ObservationOrigin(every: type, RequestedPaths(path)), callback,
            .init(loop, options, comparing, label, file, line, isolation), nil)
    }
}
