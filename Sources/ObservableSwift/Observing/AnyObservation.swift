// SPDX-License-Identifier: Apache-2.0

import CObservable

/// An observation that can be scheduled, called, extended and looked at: what a
/// ``ObservationHandle`` and an ``ObservationToken`` have in common. They differ in how it ends.
///
/// Threads: any.
public class AnyObservation: @unchecked Sendable {
    // Everything is constant but `handler`, which the Swift runtime guards.

    /// The observation in the core; nil: it was refused, or there are binders in its place.
    let pointer: OpaquePointer?
    /// The error by which it was refused when it was made; then it has ended.
    public let failure: ObservationError?
    private let loop: NamedLoop
    /// The loop of the block's isolation, if calls may come from outside of it (``Handler/home``).
    private let home: DeliveryLoop?
    /// Nil if nothing needs the handler later. Weak, since the block lives as long as the
    /// observation in the core.
    private weak let handler: Handler?
    /// The bytes from a root to its header, which are the same in all roots of the block's type;
    /// nil: every instance of a class is observed.
    private let rootOffset: Int?
    private let rootType: AnyClass
    /// The error that ``schedule()`` reports: the observation is immediate, and nothing names a
    /// loop for it.
    private let noLoop: ObservationError?

    /// Whether stopping it takes a scheduled call back.
    class var isToken: Bool { false }

    /// Ends the observation, as a handle or a token does.
    func end() {
        obv_stop(pointer)
    }

    /// Ends paths of the observation, which ends with its last path.
    ///
    /// - Parameters:
    ///   - paths: nil: the whole observation ends, whatever `root` is.
    ///   - root: only paths from this root end; nil: paths from any root, or of a class-level
    ///     observation.
    final func end(_ paths: [[PathComponent]]?, of root: (any ObservableHost)? = nil) {
        guard let paths else { return end() }
        if let root, !root.isAdopted { return }  // Nothing is observed from it.
        let header = root?._observationObject
        for path in paths {
            ObservationDiagnostics.tellingRefused(path.text) { () throws(ObservationError) in
                let compiled = try CompiledPath(path, from: header)
                obv_stop_compiled(pointer, header, compiled.pointer)
            }
        }
    }

    /// Begins to observe. What is refused is told to diagnostics; see ``failure``.
    ///
    /// - Parameter type: the class of its roots.
    init(
        _ type: AnyClass, rootOffset: Int?, _ handler: Handler, _ observer: AnyObject?,
        _ observe: (inout Registration) throws(ObservationError) -> Void
    ) {
        loop = handler.loop
        home = handler.home
        self.rootOffset = rootOffset
        rootType = type
        noLoop = handler.refusalOfLoop
        self.handler = handler.isNeededLater || noLoop != nil ? handler : nil
        do {
            pointer = try Registration.begin(
                handler, observer, isToken: Self.isToken, observe)
            failure = nil
        } catch {
            pointer = nil
            failure = error
            ObservationDiagnostics.tellRefused(error, of: handler.configuration)
        }
    }

    /// Stands for binders, which cannot be scheduled or extended as an observation can.
    init(failure: ObservationError?) {
        pointer = nil
        self.failure = failure
        loop = NamedLoop(.main)
        home = nil
        handler = nil
        rootOffset = nil
        rootType = ObservableModel.self
        noLoop = nil
    }

    deinit {
        obv_release(pointer)
    }

    /// Schedules it by hand. Coalesces with changes, and is never dropped.
    public func schedule() {
        guard let noLoop else { return obv_schedule(pointer) }
        if let handler { ObservationDiagnostics.tellRefused(noLoop, of: handler.configuration) }
    }

    /// Calls the block now, on this thread; changes nothing that is scheduled. A block that is
    /// handed values gets the present one as old and as new.
    ///
    /// - Returns: whether it could: false outside the isolation of its loop, on another thread than
    ///   the one that drains the loop while that drain runs, after its end, and while it is being
    ///   called.
    @discardableResult
    public func execute() -> Bool {
        loop.living?.isCurrent ?? true && home?.isCurrent ?? true && obv_execute(pointer)
    }

    /// Turns it immediate (``ObservationOptions/immediate``): from the next change on the block is
    /// called inside the change. A call that is scheduled then still comes with the next drain,
    /// after newer immediate ones, with the values and the record that it had gathered. May be
    /// repeated.
    public func makeImmediate() {
        handler?.becomeImmediate()
        obv_make_immediate(pointer)
    }

    /// Whether it was stopped or cancelled, or its root or its observer is gone. Looking ends an
    /// observation whose observer, no model, is found to be gone.
    public var hasEnded: Bool { pointer.map(obv_has_ended) ?? true }

    /// The paths that lead nowhere: the root's class has no such property, a component of a typed
    /// path is no observable property, or memory was short.
    public var unresolvedPaths: [String] {
        guard let pointer else { return [] }
        var paths: [String] = []
        while let path = unresolvedPath(pointer, at: paths.count) {
            paths.append(path)
        }
        return paths
    }
}

private func unresolvedPath(_ pointer: OpaquePointer, at index: Int) -> String? {
    let length = obv_unresolved_path(pointer, index, nil, 0)
    if length < 0 { return nil }
    return String(unsafeUninitializedCapacity: length + 1) {
        // The path may have been resolved since its length was read.
        max(0, min(length, obv_unresolved_path(pointer, index, $0.baseAddress, length + 1)))
    }
}

extension AnyObservation {
    /// The value that a path of this observation leads to now, as it is followed: of `n` the element that
    /// it follows, wherever that stands; `value(at:)` of a model reads the one at n. Else as that.
    ///
    /// - Parameters:
    ///   - path: as it was given to the observation.
    ///   - root: the object that it begins at.
    /// - Throws: as that; ``ObservationError`` of kind `ended`: the observation does not follow this
    ///   path, or no more.
    public func value(
        at path: TextPath, from root: some ObservableHost
    ) throws(ObservationError) -> PathValue<Any> {
        guard let pointer else {
            throw ObservationError(.ended, "the observation has ended, or is a binder")
        }
        let header = try root.adopt()
        defer { withExtendedLifetime(root) {} }
        return try .read(at: path) { value, error in
            path.description.withCString { obv_observed_value(pointer, header, $0, &value, &error) }
        }
    }
}

// MARK: - More paths

extension AnyObservation {
    /// Adds paths of another root of the block's type, or more of the same root; it stays one
    /// block. A path that it has already changes nothing.
    ///
    /// Cost: each path is compared with all that the observation has already.
    ///
    /// - Throws: ``ObservationError`` of kind `options` if it was made without
    ///   ``ObservationOptions/allowsMorePaths``, or hands over values and this is another path; `ended`,
    ///   `unsupportedElement`, `memory`.
    public func also<Root: ObservableHost>(
        _ root: Root, when path: TypedPath<Root>, _ more: TypedPath<Root>...
    ) throws(ObservationError) {
        let paths = RequestedPaths(path, more)
        guard let pointer else {
            throw ObservationError(.ended, "the observation has ended, or is a binder")
        }
        guard let rootOffset else {
            throw ObservationError(.options, "a class-level observation follows one path")
        }
        precondition(
            isSubclass(type(of: root), of: rootType) && root.headerOffset == rootOffset,
            "the block takes a root of type \(rootType), not \(type(of: root))")
        try handler?.checkPlace()
        if paths.paths.isEmpty { return }
        try paths.withPairs(of: root, keptBy: handler) { pairs, error in
            obv_observe_compiled_also(pointer, pairs.baseAddress, pairs.count, &error)
        }
    }
}

private func isSubclass(_ type: AnyClass, of other: AnyClass) -> Bool {
    sequence(first: type, next: _getSuperclass).contains { $0 == other }
}
