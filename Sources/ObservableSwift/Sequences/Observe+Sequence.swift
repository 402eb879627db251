// SPDX-License-Identifier: Apache-2.0

import CObservable

// The sequences of an object, and of every instance of a class.

extension ObservableHost {
    /// The value that a path leads to: the present one, then each new one.
    ///
    ///     token = user.values(of: \.address?.zipCode).onChange { code in label.show(code ?? "no code") }
    ///     for await code in user.values(of: \.address?.zipCode) { label.show(code ?? "no code") }
    ///
    /// Nil is a value, too: the property is nil, or cannot be reached. Changes come by drains of a loop,
    /// the newest value once, however many there were.
    ///
    /// Refused, with an error of kind `options`, for a path with `*`; those have records.
    ///
    /// - Parameters:
    ///   - path: from this object, which the compiler checks; see ``ValuePath``.
    ///   - file: of the caller; leave it out.
    ///   - line: likewise.
    ///   - isolation: likewise.
    ///
    /// Threads: any. The object is observed and read where it belongs. Cost: nothing is observed yet.
    /// Each use is an observation that is handed values: a change copies the value, the first one of a
    /// cycle the value before it as well, and allocates.
    public func values<Value>(
        of path: ValuePath<Self, Value>,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation
    ) -> ObservationSequence<Value?> {
        // The builder's optional is never nil.
        let path = path(ObservedPath<Self>())!
        let paths = RequestedPaths([path._components])
        return ObservationSequence(
            source: Source(.init(file, line, isolation), .newest) {
                [weak self] () throws(ObservationError) in
                guard let self else { throw .objectIsGone }
                return PreparedObservation(
                    origin: ObservationOrigin(self, paths), handed: .values, hasPresent: true,
                    followed: [FollowedEnd(root: self, path: path._components)]
                ) { [weak self] moment in
                    switch moment {
                    case .call(_, let call): call.is_prior ? nil : .some(call.newValue())
                    case .present: self.map { $0.value(of: path).value }
                    case .carried(let values, _): .some(ChangeValue(values[0]).value())
                    }
                }
            })
    }

    /// The changes of what a path leads to: old and new value, and whether they could be reached.
    ///
    ///     token = user.changes(of: \.name).onChange { change in log.add(change.old, change.new) }
    ///
    /// As ``values(of:file:line:isolation:)``, but it begins with the first change; with
    /// ``ObservationOptions/initial`` the present value as both comes first. Changes that a consumer has
    /// not taken are one: from the value before the first to that after the last.
    public func changes<Value>(
        of path: ValuePath<Self, Value>,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation
    ) -> ObservationSequence<ObservedChange<Self, Value>> {
        let path = RequestedPaths(path)
        return sequence(
            of: path, .values, .merged(ObservedChange.init(from:to:)), .init(file, line, isolation)
        ) { _ in { ObservedChange($0, $1, path) } }
    }

    /// The changes of any number of paths since the last call, coalesced:
    ///
    ///     token = user.record(of: \.name, \.address?.allProperties).onChange { record in
    ///         for entry in record.entries { print(entry.path, entry.changes) }
    ///     }
    ///
    /// - Parameters:
    ///   - path: from this object.
    ///   - more: further paths.
    ///   - limit: so many entries at most; ``ObservationRecord/missing`` counts the rest.
    ///   - file: of the caller; leave it out.
    ///   - line: likewise.
    ///   - isolation: likewise.
    ///
    /// Cost: a change copies the value and looks for its entry, the first of a cycle makes one.
    public func record(
        of path: TypedPath<Self>, _ more: TypedPath<Self>...,
        limit: Int = 16,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation
    ) -> ObservationSequence<ObservationRecord<Self>> {
        sequence(
            of: RequestedPaths(path, more), .record(limit), .none, .init(file, line, isolation)
        ) { _ in { ObservationRecord($0, $1) } }
    }

    /// A sequence whose elements are made of calls.
    ///
    /// - Parameter begin: makes the function that makes an element of a call.
    func sequence<Element>(
        of paths: RequestedPaths, _ handed: HandedValues, _ coalescing: Coalescing<Element>,
        _ configuration: ObservationConfiguration,
        begin: @escaping (Self) -> (Self, obv_call) -> Element
    ) -> ObservationSequence<Element> {
        ObservationSequence(
            source: Source(configuration, coalescing) { [weak self] () throws(ObservationError) in
                guard let self else { throw .objectIsGone }
                let element = begin(self)
                return PreparedObservation(
                    origin: ObservationOrigin(self, paths), handed: handed, hasPresent: false
                ) { moment in
                    guard case .call(let object?, let call) = moment else { return nil }
                    return element(unsafeDowncast(object, to: Self.self), call)
                }
            })
    }
}

// MARK: - Of every instance of a class

extension AllInstances {
    /// Each instance, those of subclasses included, when something at the end of a path from it has changed;
    /// nil: a call for no instance.
    ///
    ///     User.allInstances.instances(when: \.name).tell(list) { list, user in list.note(user) }
    ///
    /// - Parameters:
    ///   - path: of one property, or longer; see ``AllInstances``.
    ///   - file: of the caller; leave it out.
    ///   - line: likewise.
    ///   - isolation: likewise.
    public func instances(
        when path: TypedPath<Root>,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation
    ) -> ObservationSequence<Root?> {
        sequence(RequestedPaths(path), .nothing, .init(file, line, isolation)) { root, _ in root }
    }

    /// The changes of what a path leads to from each instance, which is the change's
    /// ``ObservedChange/object``; nil: a call for no instance.
    ///
    ///     token = User.allInstances.changes(of: \.name).onChange { change in … }
    ///
    /// Cost: that of ``ObservableHost/changes(of:file:line:isolation:)`` for each instance that changes.
    public func changes<Value>(
        of path: ValuePath<Root, Value>,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation
    ) -> ObservationSequence<ObservedChange<Root, Value>?> {
        let path = RequestedPaths(path)
        return sequence(path, .values, .init(file, line, isolation)) {
            ObservedChange($0, $1, path)
        }
    }

    /// The changes of a path of one instance since the last call for it; nil: a call for no instance.
    public func record(
        of path: TypedPath<Root>,
        limit: Int = 16,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation
    ) -> ObservationSequence<ObservationRecord<Root>?> {
        sequence(
            RequestedPaths(path), .record(limit), .init(file, line, isolation),
            ObservationRecord.init)
    }

    private func sequence<Element>(
        _ path: RequestedPaths, _ handed: HandedValues, _ configuration: ObservationConfiguration,
        _ element: @escaping (Root, obv_call) -> Element
    ) -> ObservationSequence<Element?> {
        let type = type
        return ObservationSequence(
            source: Source(configuration, .none) { () throws(ObservationError) in
                return PreparedObservation(
                    origin: ObservationOrigin(every: type, path), handed: handed,
                    hasPresent: false
                ) { moment in
                    guard case .call(let object, let call) = moment else { return nil }
                    return .some(
                        object.map { element(unsafeDowncast($0, to: Root.self), call) })
                }
            })
    }
}
