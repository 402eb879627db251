// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The paths of one call, text or typed, from one root.
enum AskedPaths {
    case text([TextPath])
    case typed([[PathComponent]])

    var isEmpty: Bool {
        switch self {
        case .text(let paths): return paths.isEmpty
        case .typed(let paths): return paths.isEmpty
        }
    }

    init<Root>(_ paths: [TypedPath<Root>]) {
        self = .typed(paths.map(PathComponent.list))
    }

    init<Root, Value>(_ path: ValuePath<Root, Value>) {
        self = .typed([PathComponent.list(path)])
    }
}

/// The path of a class-level observation.
enum AskedPath {
    case text(TextPath)
    case typed([PathComponent])

    var text: String {
        if case .text(let path) = self { return path.text }
        return ""
    }

    init<Root>(_ path: TypedPath<Root>) {
        self = .typed(PathComponent.list(path))
    }

    init<Root, Value>(_ path: ValuePath<Root, Value>) {
        self = .typed(PathComponent.list(path))
    }
}

/// An observation in the core, and its end of life: what handles and tokens have in common.
///
/// One that was refused has no pointer.
final class Registration: @unchecked Sendable {
    let pointer: OpaquePointer?
    let failure: ObservationError?
    private let loop: NamedLoop
    /// The loop of the block's isolation, where that is another.
    private let home: DeliveryLoop?
    /// Where it is needed later. Its block goes with the observation, not with the handle.
    private weak let handler: CallbackHandler?
    /// Bytes from a root to its header; every root of the block's type has it there.
    let rootOffset: Int
    let rootType: AnyClass
    /// It observes every instance of a class, and has no root.
    private let isOfClass: Bool
    /// Why its loop must not call it: it is immediate, and nobody has said that it belongs there.
    private let noLoop: ObservationError?

    /// Begins to observe. What is refused is told to diagnostics; see ``failure``.
    convenience init<Root: ObservableHost>(
        _ root: Root, _ paths: AskedPaths, _ handler: CallbackHandler, observer: AnyObject?,
        _ form: ObserverForm
    ) {
        self.init(
            Root.self, rootOffset: root.headerOffset, isOfClass: false, handler, observer, form
        ) { (observer, made) throws(ObservationError) in
            try Registration.observe(root, paths, handler, observer, &made)
        }
    }

    /// The same of every instance of a class.
    convenience init<Root: ObservableHost>(
        every type: Root.Type, _ path: AskedPath, _ handler: CallbackHandler, observer: AnyObject?,
        _ form: ObserverForm
    ) {
        self.init(type, rootOffset: 0, isOfClass: true, handler, observer, form) {
            (observer, made) throws(ObservationError) in
            try Registration.observe(every: type, path, handler, observer, &made)
        }
    }

    private init<Root: ObservableHost>(
        _ type: Root.Type, rootOffset: Int, isOfClass: Bool, _ handler: CallbackHandler,
        _ observer: AnyObject?, _ form: ObserverForm,
        _ observe: (UnsafeMutableRawPointer?, inout OpaquePointer?) throws(ObservationError) -> Void
    ) {
        loop = handler.loop
        home = handler.home
        self.rootOffset = rootOffset
        self.isOfClass = isOfClass
        rootType = type
        noLoop = Registration.refusal(handler.checkLoop)
        self.handler = handler.isNeededLater || noLoop != nil ? handler : nil
        var made: OpaquePointer?
        handler.retain(for: observer, form)
        do {
            try handler.checkPlace()
            if case .host = form, let host = observer as? any ObservableHost {
                _ = try host.adopt()
            }
            try observe(observer.map(form.address), &made)
            failure = nil
        } catch {
            handler.release(for: observer, form)
            failure = error
            ObservationDiagnostics.tellRefused(error, of: handler)
        }
        pointer = made
    }

    deinit {
        obv_release(pointer)
    }

    private static func observe(
        _ root: some ObservableHost, _ paths: AskedPaths, _ handler: CallbackHandler,
        _ observer: UnsafeMutableRawPointer?, _ made: inout OpaquePointer?
    ) throws(ObservationError) {
        guard let loop = handler.loop.living else {
            throw ObservationError(.ended, "the delivery loop has ended")
        }
        defer { withExtendedLifetime(loop) {} }
        var options = try handler.configuration.options(for: handler, on: loop)
        try withPairs(root, paths, keptBy: handler) { pairs, error in
            switch pairs {
            case .text(let pairs):
                return obv_observe_pairs(
                    pairs.baseAddress, pairs.count, handler.kind, observer, &options, &made, &error)
            case .compiled(let pairs):
                return obv_observe_compiled(
                    pairs.baseAddress, pairs.count, handler.kind, observer, &options, &made, &error)
            }
        }
    }

    private static func observe(
        every type: any ObservableHost.Type, _ path: AskedPath, _ handler: CallbackHandler,
        _ observer: UnsafeMutableRawPointer?, _ made: inout OpaquePointer?
    ) throws(ObservationError) {
        guard let loop = handler.loop.living else {
            throw ObservationError(.ended, "the delivery loop has ended")
        }
        defer { withExtendedLifetime(loop) {} }
        var options = try handler.configuration.options(for: handler, on: loop)
        let cls = try ModelClasses.observable(type)
        var error = obv_error()
        let status: obv_status
        switch path {
        case .text(let path):
            status = path.text.withCString {
                obv_observe_class(cls, $0, handler.kind, observer, &options, &made, &error)
            }
        case .typed(let components):
            let compiled = try CompiledPath(components, from: nil)
            // Before the core has it: the observation may end at once.
            handler.keep(compiled.takeComponents())
            status = obv_observe_class_compiled(
                cls, compiled.pointer, handler.kind, observer, &options, &made, &error)
            withExtendedLifetime(compiled) {}
        }
        if status != OBV_OK {
            throw ObservationError(status, error, path: path.text)
        }
    }

    /// What a check refuses.
    private static func refusal(_ check: () throws(ObservationError) -> Void) -> ObservationError? {
        do {
            try check()
            return nil
        } catch {
            return error
        }
    }

    /// Schedules it on its loop.
    func schedule() {
        guard let noLoop else { return obv_schedule(pointer) }
        if let handler { ObservationDiagnostics.tellRefused(noLoop, of: handler) }
    }

    /// Calls the block now, where the caller is in its isolation.
    func execute() -> Bool {
        loop.living?.isCurrent ?? true && home?.isCurrent ?? true && obv_execute(pointer)
    }

    /// Calls the block inside changes from now on.
    func makeImmediate() {
        handler?.becomeImmediate()
        obv_make_immediate(pointer)
    }

    /// Adds paths of another root, or more of the same.
    func add(_ root: some ObservableHost, _ paths: AskedPaths) throws(ObservationError) {
        guard let pointer else {
            throw ObservationError(.ended, "the observation has ended")
        }
        if isOfClass {
            throw ObservationError(.options, "a class-level observation follows one path")
        }
        precondition(
            _isSubclass(type(of: root), of: rootType) && root.headerOffset == rootOffset,
            "the block takes a root of type \(rootType), not \(type(of: root))")
        try handler?.checkPlace()
        if paths.isEmpty { return }
        try Registration.withPairs(root, paths, keptBy: handler) { pairs, error in
            switch pairs {
            case .text(let pairs):
                return obv_observe_also(pointer, pairs.baseAddress, pairs.count, &error)
            case .compiled(let pairs):
                return obv_observe_compiled_also(pointer, pairs.baseAddress, pairs.count, &error)
            }
        }
    }

    // MARK: - Pairs

    private enum Pairs {
        case text(UnsafeBufferPointer<obv_pair>)
        case compiled(UnsafeBufferPointer<obv_compiled_pair>)
    }

    /// Hands the paths to the core; no path is one pair without.
    private static func withPairs(
        _ root: some ObservableHost, _ paths: AskedPaths, keptBy handler: Handler?,
        _ body: (Pairs, inout obv_error) -> obv_status
    ) throws(ObservationError) {
        let header = try root.adopt()
        var error = obv_error()
        let status: obv_status
        switch paths {
        case .text(let texts):
            status = withCStrings(texts.map(\.text)) { texts in
                let pairs =
                    texts.isEmpty
                    ? [obv_pair(root: header, path: nil)]
                    : texts.map { obv_pair(root: header, path: $0) }
                return pairs.withUnsafeBufferPointer { body(.text($0), &error) }
            }
        case .typed(let typed):
            let compiled = try CompiledPaths(typed, from: header)
            // Before the core has them: the observation may end at once.
            handler?.keep(compiled.takeComponents())
            status = compiled.withPointers { paths in
                let pairs =
                    paths.isEmpty
                    ? [obv_compiled_pair(root: header, path: nil)]
                    : paths.map { obv_compiled_pair(root: header, path: $0) }
                return pairs.withUnsafeBufferPointer { body(.compiled($0), &error) }
            }
        }
        withExtendedLifetime(root) {}
        if status != OBV_OK {
            throw ObservationError(status, error, path: paths.text(at: Int(error.index)))
        }
    }
}

extension AskedPaths {
    fileprivate func text(at index: Int) -> String {
        guard case .text(let paths) = self, paths.indices.contains(index) else { return "" }
        return paths[index].text
    }
}

private func _isSubclass(_ type: AnyClass, of other: AnyClass) -> Bool {
    var at: AnyClass? = type
    while let current = at {
        if current == other { return true }
        at = _getSuperclass(current)
    }
    return false
}

/// Calls `body` with the texts as C strings. They have no NUL in them.
func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafePointer<CChar>]) -> Result
) -> Result {
    var bytes: [CChar] = []
    bytes.reserveCapacity(texts.reduce(0) { $0 + $1.utf8.count + 1 })
    var starts: [Int] = []
    starts.reserveCapacity(texts.count)
    for text in texts {
        starts.append(bytes.count)
        bytes.append(contentsOf: text.utf8.lazy.map(CChar.init(bitPattern:)))
        bytes.append(0)
    }
    return bytes.withUnsafeBufferPointer { bytes in
        // No text: no address either.
        body(starts.map { bytes.baseAddress! + $0 })
    }
}
