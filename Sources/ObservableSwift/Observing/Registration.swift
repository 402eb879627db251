// SPDX-License-Identifier: Apache-2.0

import CObservable

// How each way to observe begins: it makes its handler, and the handler an observation in the core.

/// One call of the core that begins an observation.
struct Registration {
    private let handler: CallbackHandler
    private let observer: UnsafeMutableRawPointer?
    private var options: obv_observe_options
    private var made: OpaquePointer?

    /// Begins to observe.
    ///
    /// - Parameters:
    ///   - isToken: stopping it takes a scheduled call back.
    ///   - observe: calls one of the methods below.
    static func begin(
        _ handler: CallbackHandler, _ observer: AnyObject?, isToken: Bool,
        _ observe: (inout Registration) throws(ObservationError) -> Void
    ) throws(ObservationError) -> OpaquePointer? {
        handler.retain(for: observer)
        do throws(ObservationError) {
            try handler.checkPlace()
            if case .host = handler.form, let host = observer as? any ObservableHost {
                _ = try host.adopt()
            }
            guard let loop = handler.loop.living else {
                throw ObservationError(.ended, "the delivery loop has ended")
            }
            defer { withExtendedLifetime(loop) {} }
            var registration = Registration(
                handler: handler, observer: observer.map(handler.form.address),
                options: try handler.configuration.options(for: handler, on: loop))
            if isToken { registration.options.flags |= OBV_TOKEN.rawValue }
            try observe(&registration)
            return registration.made
        } catch {
            handler.release(for: observer)
            throw error
        }
    }

    /// Observes paths from one root.
    mutating func observe(
        _ root: some ObservableHost, _ paths: RequestedPaths
    ) throws(ObservationError) {
        try paths.withPairs(of: root, keptBy: handler) { pairs, error in
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

    /// Observes a path that the handler keeps.
    mutating func observe(
        _ root: some ObservableHost, compiled path: OpaquePointer
    ) throws(ObservationError) {
        var pair = obv_compiled_pair(root: try root.adopt(), path: path)
        var error = obv_error()
        let status = obv_observe_compiled(
            &pair, 1, handler.kind, observer, &options, &made, &error)
        withExtendedLifetime(root) {}
        if status != OBV_OK {
            throw ObservationError(status, error, path: "")
        }
    }

    /// Observes one path from every instance of a class.
    mutating func observe(
        every type: any ObservableHost.Type, _ paths: RequestedPaths
    ) throws(ObservationError) {
        if type is ObservableContainer.Type {
            throw ObservationError(
                .kind, path: paths.text(at: 0), "collections are observed one by one")
        }
        let cls = try ModelClasses.observable(type)
        var error = obv_error()
        let status: obv_status
        switch paths {
        case .text(let texts):
            status = texts[0].text.withCString {
                obv_observe_class(cls, $0, handler.kind, observer, &options, &made, &error)
            }
        case .typed(let typed):
            let compiled = try CompiledPath(typed[0], from: nil)
            // Kept before the core has it, since the observation may end at once.
            handler.keep(compiled.takeComponents())
            status = obv_observe_class_compiled(
                cls, compiled.pointer, handler.kind, observer, &options, &made, &error)
            withExtendedLifetime(compiled) {}
        }
        if status != OBV_OK {
            throw ObservationError(status, error, path: paths.text(at: 0))
        }
    }
}

// MARK: - Of an object, and of every instance of a class

extension ObservationHandle {
    /// - Parameter observer: nil: a token's.
    convenience init<Root: ObservableHost>(
        _ root: Root, _ paths: RequestedPaths, _ handler: CallbackHandler, _ observer: AnyObject?
    ) {
        self.init(Root.self, rootOffset: root.headerOffset, handler, observer) {
            registration throws(ObservationError) in
            try registration.observe(root, paths)
        }
    }

    /// - Parameter path: a single one.
    convenience init<Root: ObservableHost>(
        every type: Root.Type, _ path: RequestedPaths, _ handler: CallbackHandler,
        _ observer: AnyObject?
    ) {
        self.init(type, rootOffset: nil, handler, observer) {
            registration throws(ObservationError) in
            try registration.observe(every: type, path)
        }
    }
}

// MARK: - With an observer

extension KeyValueObservation {
    convenience init<Root: ObservableHost, Observer: AnyObject>(
        _ root: Root, _ paths: RequestedPaths, _ configuration: ObservationConfiguration,
        _ observer: Observer, _ block: @escaping @isolated(any) (Observer, Root) -> Void
    ) {
        let handler = ObserverHandler(
            block, rootOffset: root.headerOffset, configuration, ObserverForm(observer))
        self.init(root, paths, handler, observer)
    }

    convenience init<Root: ObservableHost, Observer: AnyObject>(
        _ root: Root, _ paths: RequestedPaths, _ configuration: ObservationConfiguration,
        _ observer: Observer, _ callback: Callback<Observer, Root>
    ) {
        let handler = ChangeHandler(
            callback, rootOffset: root.headerOffset, configuration, ObserverForm(observer))
        self.init(root, paths, handler, observer)
    }

    convenience init<Root: ObservableHost, Observer: AnyObject>(
        every type: Root.Type, _ path: RequestedPaths, _ configuration: ObservationConfiguration,
        _ observer: Observer, _ callback: Callback<Observer, Root>
    ) {
        let handler = ChangeHandler(
            callback, rootOffset: nil, configuration, ObserverForm(observer))
        self.init(every: type, path, handler, observer)
    }
}

// MARK: - With a token

extension ObservationToken {
    convenience init<Root: ObservableHost>(
        _ root: Root, _ paths: RequestedPaths, _ configuration: ObservationConfiguration,
        _ block: @escaping @isolated(any) (Root) -> Void
    ) {
        let handler = TokenHandler(block, rootOffset: root.headerOffset, configuration)
        self.init(root, paths, handler, nil)
    }

    convenience init<Root: ObservableHost>(
        _ root: Root, _ paths: RequestedPaths, _ configuration: ObservationConfiguration,
        _ callback: Callback<AnyObject, Root>
    ) {
        let handler = ChangeHandler(
            callback, rootOffset: root.headerOffset, configuration, .none)
        self.init(root, paths, handler, nil)
    }

    convenience init<Root: ObservableHost>(
        every type: Root.Type, _ path: RequestedPaths, _ configuration: ObservationConfiguration,
        _ callback: Callback<AnyObject, Root>
    ) {
        let handler = ChangeHandler(callback, rootOffset: nil, configuration, .none)
        self.init(every: type, path, handler, nil)
    }

    /// With a target, which is the observer.
    convenience init<Root: ObservableHost, Value>(
        _ root: Root, _ paths: RequestedPaths, _ configuration: ObservationConfiguration,
        _ method: TargetMethod<Root, Value>
    ) {
        let path = method.takesPath ? WrittenPath(paths) : nil
        // Captures the function alone, not the target.
        let callback = Callback<AnyObject, Root>(method.isolation, method.handed) {
            [call = method.call] in call($0!, $1!, $2, path?.text ?? "")
        }
        let handler = ChangeHandler(
            callback, rootOffset: root.headerOffset, configuration, ObserverForm(method.target))
        self.init(Root.self, rootOffset: root.headerOffset, handler, method.target) {
            registration throws(ObservationError) in
            if path != nil, configuration.options.contains(.extensible) {
                throw ObservationError(.options, "a method that takes the path is of one path")
            }
            try path?.look(from: root)
            try registration.observe(root, paths)
        }
    }
}
