// SPDX-License-Identifier: Apache-2.0

import CObservable

/// What `ObservableHost.tell` returns: a handle.
/// Dropping it changes nothing; the observation goes on until it is stopped, or its observer or
/// its root is gone.
///
/// Threads: any.
public final class KeyValueObservation: Sendable {
    let registration: Registration

    init(_ registration: Registration) {
        self.registration = registration
    }

    /// Ends it. May be repeated. A call that is scheduled already still comes, once, which is why
    /// this is not called cancelling: ``ObservationToken/cancel()`` takes it back.
    public func stop() {
        obv_stop(registration.pointer)
    }

    /// Ends a single path of it that begins at an object; with its last path it ends. A path that it
    /// does not have is ignored. Without memory to look for the path nothing is ended, and
    /// ``ObservationDiagnostics`` is told.
    public func stop<Root: ObservableHost>(about path: TypedPath<Root>, of root: Root) {
        // Nothing is observed from a root that has never met the library.
        if !root.isAdopted { return }
        let header = root._observationObject
        ObservationDiagnostics.tellingRefused { () throws(ObservationError) in
            let compiled = try CompiledPath(PathComponent.list(path), from: header)
            obv_stop_compiled(registration.pointer, header, compiled.pointer)
        }
    }

    /// The same of any root, or of a class-level observation.
    public func stop<Root: ObservableHost>(about path: TypedPath<Root>) {
        ObservationDiagnostics.tellingRefused { () throws(ObservationError) in
            let compiled = try CompiledPath(PathComponent.list(path), from: nil)
            obv_stop_compiled(registration.pointer, nil, compiled.pointer)
        }
    }

    /// The same for a path as text.
    ///
    /// - Parameter root: nil: the paths of any root.
    public func stop(aboutText path: TextPath, of root: (any ObservableHost)? = nil) {
        if root?.isAdopted == false { return }
        let status = path.text.withCString {
            obv_stop_path(registration.pointer, root?._observationObject, $0, nil)
        }
        ObservationDiagnostics.tellShort(status, path: path.text)
    }

    /// Schedules it by hand. Coalesces with changes, and is never dropped.
    public func schedule() {
        registration.schedule()
    }

    /// Calls the block now, on this thread; changes nothing that is scheduled. Who is handed values
    /// gets the present one as old and as new.
    ///
    /// - Returns: whether it could: false outside the isolation of its loop, on another thread than
    ///   the one that drains the loop while that drain runs, after its end, and while it is being
    ///   called.
    @discardableResult
    public func execute() -> Bool {
        registration.execute()
    }

    /// Turns it immediate (``ObservationOptions/immediate``): from the next change on the block is
    /// called inside the change. A call that is scheduled then still comes with the next drain,
    /// after newer immediate ones, with the values and the record that it had gathered. May be
    /// repeated.
    public func makeImmediate() {
        registration.makeImmediate()
    }

    /// Adds paths of another root of the block's type, or more of the same root; it stays one block.
    /// What it has already changes nothing.
    ///
    /// Cost: each path is compared with all that the observation has already.
    ///
    /// - Throws: ``ObservationError`` of kind `options` if it was made without
    ///   ``ObservationOptions/extensible``, or hands over values and this is another path; `ended`,
    ///   `kind`, `memory`.
    public func also<Root: ObservableHost>(
        _ root: Root, when path: TypedPath<Root>, _ more: TypedPath<Root>...
    ) throws(ObservationError) {
        try registration.add(root, AskedPaths([path] + more))
    }

    public func also<Root: ObservableHost>(
        _ root: Root, whenAny paths: [TypedPath<Root>]
    ) throws(ObservationError) {
        try registration.add(root, AskedPaths(paths))
    }

    /// The same for paths as text.
    public func also<Root: ObservableHost>(
        _ root: Root, whenText path: TextPath, _ more: TextPath...
    ) throws(ObservationError) {
        try registration.add(root, .text([path] + more))
    }

    public func also<Root: ObservableHost>(
        _ root: Root, whenAnyText paths: [TextPath]
    ) throws(ObservationError) {
        try registration.add(root, .text(paths))
    }

    /// Whether it was stopped, or an end of it is gone. Looking ends an observation whose observer,
    /// no model, is found to be gone.
    public var hasEnded: Bool { registration.hasEnded }

    /// The paths that lead nowhere: the root's class has no such property, a component of a typed
    /// path is no observable property, or memory was short.
    public var unresolvedPaths: [String] { registration.unresolvedPaths }

    /// What was refused when it was made; then it has ended.
    public var failure: ObservationError? { registration.failure }
}

extension Registration {
    var hasEnded: Bool {
        pointer.map(obv_has_ended) ?? true
    }

    var unresolvedPaths: [String] {
        guard let pointer else { return [] }
        var paths: [String] = []
        while let path = unresolvedPath(pointer, at: paths.count) {
            paths.append(path)
        }
        return paths
    }

    private func unresolvedPath(_ pointer: OpaquePointer, at index: Int) -> String? {
        var bytes = [CChar](repeating: 0, count: 256)
        var length = obv_unresolved_path(pointer, index, &bytes, bytes.count)
        if length >= bytes.count {
            bytes = [CChar](repeating: 0, count: length + 1)
            length = obv_unresolved_path(pointer, index, &bytes, bytes.count)
        }
        guard length >= 0 else { return nil }
        return String(decoding: bytes.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
