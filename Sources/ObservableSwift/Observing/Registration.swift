// SPDX-License-Identifier: Apache-2.0

import CObservable
import ObservableRuntime

// Every way to observe begins here: with a handler, for which the core makes an observation.

/// One call of the core that begins an observation.
struct Registration {
    private let handler: Handler
    private let observer: UnsafeMutableRawPointer?
    private var options: obv_observe_options
    private var made: OpaquePointer?

    /// Begins to observe.
    ///
    /// - Parameters:
    ///   - isToken: stopping it takes a scheduled call back.
    ///   - observe: calls one of the methods below.
    static func begin(
        _ handler: Handler, _ observer: AnyObject?, isToken: Bool,
        _ observe: (inout Registration) throws(ObservationError) -> Void
    ) throws(ObservationError) -> OpaquePointer? {
        handler.retain(for: observer)
        do throws(ObservationError) {
            try handler.checkPlace()
            let address = observer.map(handler.form.address)
            if case .host = handler.form, let address,
                !obv_swift_has_class(address.assumingMemoryBound(to: obv_object.self))
            {
                // The observer has no class, for which there was no memory before. Try again.
                _ = try (observer as! any ObservableHost).adopt()
            }
            guard let loop = handler.loop.living else {
                throw ObservationError(.ended, "the delivery loop has ended")
            }
            defer { withExtendedLifetime(loop) {} }
            var registration = Registration(
                handler: handler, observer: address,
                options: try handler.configuration.options(for: handler, on: loop))
            if isToken { registration.options.flags |= OBV_TOKEN.rawValue }
            do throws(ObservationError) {
                try observe(&registration)
            } catch {
                if let made = registration.made {
                    // The observation had begun with the first of several roots. Its end releases
                    // what the `catch` below would release, so retain once more.
                    handler.retain(for: observer)
                    obv_stop(made)
                    obv_release(made)
                }
                throw error
            }
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
            obv_observe_compiled(
                pairs.baseAddress, pairs.count, handler.kind, observer, &options, &made, &error)
        }
    }

    /// Lets the observation follow paths from several roots.
    mutating func becomeExtensible() {
        options.flags |= OBV_EXTENSIBLE.rawValue
    }

    /// Adds the paths from a further root.
    mutating func observeAlso(
        _ root: some ObservableHost, _ paths: RequestedPaths
    ) throws(ObservationError) {
        try paths.withPairs(of: root, keptBy: handler) { pairs, error in
            obv_observe_compiled_also(made!, pairs.baseAddress, pairs.count, &error)
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
                .unsupportedElement, path: paths.text(at: 0), "collections are observed one by one")
        }
        guard paths.paths.count == 1 else {
            throw ObservationError(.options, "a class-level observation follows one path")
        }
        let cls = try ModelClasses.observable(type)
        let compiled = try CompiledPath(paths.paths[0], from: nil)
        // Kept before the core begins the observation, which may end at once.
        handler.keep(compiled.takeComponents())
        var error = obv_error()
        let status = obv_observe_class_compiled(
            cls, compiled.pointer, handler.kind, observer, &options, &made, &error)
        withExtendedLifetime(compiled) {}
        if status != OBV_OK {
            throw ObservationError(status, error, path: paths.text(at: 0))
        }
    }
}

extension AnyObservation {
    /// Observes paths from one root.
    ///
    /// - Parameter observer: nil: the observation is a token's.
    convenience init<Root: ObservableHost>(
        _ root: Root, _ paths: RequestedPaths, _ callback: Callback,
        _ configuration: ObservationConfiguration, _ observer: AnyObject?
    ) {
        let handler = Handler(
            callback, rootOffset: root.headerOffset, configuration, ObserverForm(observer))
        self.init(root, paths, handler, observer)
    }

    convenience init<Root: ObservableHost>(
        _ root: Root, _ paths: RequestedPaths, _ handler: Handler, _ observer: AnyObject?
    ) {
        self.init(Root.self, rootOffset: root.headerOffset, handler, observer) {
            registration throws(ObservationError) in
            try registration.observe(root, paths)
        }
    }

    /// Observes from any origin.
    convenience init(
        _ origin: ObservationOrigin, _ callback: Callback,
        _ configuration: ObservationConfiguration, _ observer: AnyObject?
    ) {
        let handler = Handler(
            callback, rootOffset: origin.rootOffset, configuration, ObserverForm(observer))
        self.init(origin, handler, observer)
    }

    convenience init(
        _ origin: ObservationOrigin, _ handler: Handler, _ observer: AnyObject?
    ) {
        self.init(origin.type, rootOffset: origin.rootOffset, handler, observer) {
            registration throws(ObservationError) in
            try registration.observe(origin)
        }
    }
}
