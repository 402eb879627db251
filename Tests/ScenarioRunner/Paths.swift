// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// The paths of one command, as text or as key paths.
struct Paths<Root: Thing> {
    private let paths: [any Spelling<Root>]

    /// Typed, if that is asked for and all of them have a typed spelling; a bad
    /// path or an unknown name has none.
    init(_ texts: [String], of type: Root.Type, typed: Bool) throws(ObservationError) {
        if typed, let spelled = spell(texts, type) {
            paths = spelled
            return
        }
        var paths: [any Spelling<Root>] = []
        for text in texts {
            paths.append(Written<Root>(try TextPath(parsing: text)))
        }
        self.paths = paths
    }

    /// One by itself, others as a list. A closure, since the compiler (6.3) fails at a key path from
    /// `any Spelling`.
    private var erased: TypedPath<Root> {
        let erased = paths.map { $0.erased }
        return erased.count == 1 ? erased[0] : .any(of: erased)
    }

    func tell(
        _ watcher: Watcher, _ root: Root, _ request: Request,
        perform: @escaping (Watcher, Root, Told) -> Void
    ) -> ObservationHandle {
        if case .nothing = request.hands {
            return root.tell(
                watcher, when: erased, on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, $1, .nothing) }
        }
        return handed(root, request).tell(watcher) { perform($0, $1.0, $1.1) }
    }

    func onChange(
        _ root: Root, _ request: Request, perform: @escaping (Root, Told) -> Void
    ) -> ObservationToken {
        if case .nothing = request.hands {
            return root.onChange(
                of: erased, on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, .nothing) }
        }
        return handed(root, request).onChange { perform($0.0, $0.1) }
    }

    /// What is handed over with a call.
    private func handed(_ root: Root, _ request: Request) -> ObservationSequence<(Root, Told)> {
        let present = request.present
        let handed =
            request.hands == .values
            ? paths[0].changes(root)
            : root.record(of: erased).map { ($0.object!, Told($0, present($0.object!))) }
        return request.asking(handed)
    }

    /// More pairs for an observation.
    func add(to handle: Handle, _ root: Root) throws(ObservationError) {
        switch handle {
        case .observation(let observation): try observation.also(root, when: erased)
        case .token(let token): try token.also(root, when: erased)
        }
    }

    /// A manual trigger by the one path.
    func trigger(
        _ root: Root, _ text: String, _ old: Any, _ new: Any?
    ) throws(ObservationError) {
        if paths[0].trigger(root, old, new) { return }
        _ = Written<Root>(try TextPath(parsing: text)).trigger(root, old, new)
    }

    /// What the one path leads to.
    func value(at root: Root) throws(ObservationError) -> Value {
        try paths[0].value(at: root)
    }

    /// Stops what the observer observes by these paths.
    func stop(_ watcher: Watcher, _ root: Root) {
        root.stopTelling(watcher, about: erased)
    }
}

// Of every instance of the class, which is one path.
extension Paths {
    func tellEvery(
        _ watcher: Watcher, _ request: Request,
        perform: @escaping (Watcher, Root?, Told) -> Void
    ) -> ObservationHandle {
        handed(request).tell(watcher) { perform($0, $1.0, $1.1) }
    }

    func onEveryChange(
        _ request: Request, perform: @escaping (Root?, Told) -> Void
    ) -> ObservationToken {
        handed(request).onChange { perform($0.0, $0.1) }
    }

    private func handed(_ request: Request) -> ObservationSequence<(Root?, Told)> {
        let handed: ObservationSequence<(Root?, Told)> =
            switch request.hands {
            case .nothing: Root.allInstances.instances(when: erased).map { ($0, .nothing) }
            case .values: paths[0].everyChange()
            case .records: Root.allInstances.record(of: erased).map { ($0?.object, Told($0)) }
            }
        return request.asking(handed)
    }

    func stopEvery(_ watcher: Watcher) {
        Root.allInstances.stopTelling(watcher, about: erased)
    }
}

// With a block value that is shared, or that is stopped as such.
extension Paths<Thing> {
    func tell(_ watcher: Watcher, _ root: Thing, block: Block) -> ObservationHandle {
        root.tell(watcher, when: erased, block: block)
    }
}

extension Request {
    /// The loop, the options and the comparison that are asked for.
    func asking<Element>(_ sequence: ObservationSequence<Element>) -> ObservationSequence<Element> {
        sequence.on(loop).options(options).comparing(comparison)
    }
}
