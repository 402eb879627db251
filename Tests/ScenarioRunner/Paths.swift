// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// The paths of one command, as text or as key paths. One path goes through the
/// forms with one path, others through those with several.
enum Paths<Root: Thing> {
    case text([TextPath])
    case typed([any Spelling<Root>])

    /// Typed, if that is asked for and all of them have a typed spelling; a bad
    /// path or an unknown name has none.
    init(_ texts: [String], of type: Root.Type, typed: Bool) throws(ObservationError) {
        if typed, let spelled = spell(texts, type) {
            self = .typed(spelled)
            return
        }
        var paths: [TextPath] = []
        for text in texts {
            paths.append(try TextPath(parsing: text))
        }
        self = .text(paths)
    }

    func tell(
        _ watcher: Watcher, _ root: Root, _ request: Request,
        perform: @escaping (Watcher, Root, Told) -> Void
    ) -> KeyValueObservation {
        let present = request.present
        return switch (request.hands, self) {
        case (.nothing, .text(let paths)) where paths.count == 1:
            root.tell(
                watcher, whenText: paths[0], on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, $1, .nothing) }
        case (.nothing, .text(let paths)):
            root.tell(
                watcher, whenAnyText: paths, on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, $1, .nothing) }
        case (.nothing, .typed(let paths)) where paths.count == 1:
            paths[0].tell(watcher, root, request, perform: perform)
        case (.nothing, .typed(let paths)):
            root.tell(
                watcher, whenAny: erased(paths), on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, $1, .nothing) }
        case (.values, .text(let paths)):
            root.tell(
                watcher, ofText: paths[0], on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, $1, Told($2)) }
        case (.values, .typed(let paths)):
            paths[0].tellChange(watcher, root, request, perform: perform)
        case (.records, .text(let paths)) where paths.count == 1:
            root.tell(
                watcher, recordOfText: paths[0], on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, $1, Told($2, present($1))) }
        case (.records, .text(let paths)):
            root.tell(
                watcher, recordOfAnyText: paths, on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, $1, Told($2, present($1))) }
        case (.records, .typed(let paths)):
            root.tell(
                watcher, recordOfAny: erased(paths), on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, $1, Told($2, present($1))) }
        }
    }

    func onChange(
        _ root: Root, _ request: Request, perform: @escaping (Root, Told) -> Void
    ) -> ObservationToken {
        let present = request.present
        return switch (request.hands, self) {
        case (.nothing, .text(let paths)) where paths.count == 1:
            root.onChange(
                whenText: paths[0], on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, .nothing) }
        case (.nothing, .text(let paths)):
            root.onChange(
                whenAnyText: paths, on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, .nothing) }
        case (.nothing, .typed(let paths)) where paths.count == 1:
            paths[0].onChange(root, request, perform: perform)
        case (.nothing, .typed(let paths)):
            root.onChange(
                whenAny: erased(paths), on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, .nothing) }
        case (.values, .text(let paths)):
            root.onChange(
                ofText: paths[0], on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0.object, Told($0)) }
        case (.values, .typed(let paths)):
            paths[0].onValues(root, request, perform: perform)
        case (.records, .text(let paths)) where paths.count == 1:
            root.onChange(
                recordOfText: paths[0], on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0.object, Told($0, present($0.object))) }
        case (.records, .text(let paths)):
            root.onChange(
                recordOfAnyText: paths, on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0.object, Told($0, present($0.object))) }
        case (.records, .typed(let paths)):
            root.onChange(
                recordOfAny: erased(paths), on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0.object, Told($0, present($0.object))) }
        }
    }

    /// More pairs for an observation.
    func add(to handle: Handle, _ root: Root) throws(ObservationError) {
        switch (self, handle) {
        case (.text(let paths), .observation(let observation)) where paths.count == 1:
            try observation.also(root, whenText: paths[0])
        case (.text(let paths), .observation(let observation)):
            try observation.also(root, whenAnyText: paths)
        case (.text(let paths), .token(let token)):
            try token.also(root, whenAnyText: paths)
        case (.typed(let paths), .observation(let observation)):
            try observation.also(root, whenAny: erased(paths))
        case (.typed(let paths), .token(let token)):
            try token.also(root, whenAny: erased(paths))
        }
    }

    /// A manual trigger by the one path.
    func trigger(
        _ root: Root, _ text: String, _ old: Any, _ new: Any?
    ) throws(ObservationError) {
        if case .typed(let paths) = self, paths[0].trigger(root, old, new) {
            return
        }
        let path = try TextPath(parsing: text)
        if let new {
            root.triggerText(path, old: old, new: new)
        } else {
            root.triggerText(path, old: old)
        }
    }

    /// What the one path leads to.
    func value(at root: Root) throws(ObservationError) -> Value {
        switch self {
        case .text(let paths):
            return Value(try root.value(at: paths[0]))
        case .typed(let paths):
            return paths[0].value(at: root)
        }
    }

    /// Stops what the observer observes by these paths.
    func stop(_ watcher: Watcher, _ root: Root) {
        switch self {
        case .text(let paths) where paths.count == 1:
            root.stopTelling(watcher, aboutText: paths[0])
        case .text(let paths):
            root.stopTelling(watcher, aboutAnyText: paths)
        case .typed(let paths) where paths.count == 1:
            paths[0].stop(watcher, root)
        case .typed(let paths):
            root.stopTelling(watcher, aboutAny: erased(paths))
        }
    }
}

// Of every instance of the class, which is one path.
extension Paths {
    func tellEvery(
        _ watcher: Watcher, _ request: Request,
        perform: @escaping (Watcher, Root?, Told) -> Void
    ) -> KeyValueObservation {
        switch self {
        case .typed(let paths):
            paths[0].tellEvery(watcher, request, perform: perform)
        case .text(let paths):
            Written<Root>(path: paths[0]).tellEvery(watcher, request, perform: perform)
        }
    }

    func onEveryChange(
        _ request: Request, perform: @escaping (Root?, Told) -> Void
    ) -> ObservationToken {
        switch self {
        case .typed(let paths):
            paths[0].onEveryChange(request, perform: perform)
        case .text(let paths):
            Written<Root>(path: paths[0]).onEveryChange(request, perform: perform)
        }
    }

    func stopEvery(_ watcher: Watcher) {
        switch self {
        case .typed(let paths):
            for path in paths { path.stopEvery(watcher) }
        case .text(let paths):
            for path in paths { Written<Root>(path: path).stopEvery(watcher) }
        }
    }
}

/// A path as text.
private struct Written<Root: Thing> {
    let path: TextPath

    func tellEvery(
        _ watcher: Watcher, _ request: Request,
        perform: @escaping (Watcher, Root?, Told) -> Void
    ) -> KeyValueObservation {
        switch request.hands {
        case .nothing:
            Root.anyInstance.tell(
                watcher, whenText: path, on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, $1, .nothing) }
        case .values:
            Root.anyInstance.tell(
                watcher, ofText: path, on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, $1?.object, Told($1)) }
        case .records:
            Root.anyInstance.tell(
                watcher, recordOfText: path, on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, $1?.object, Told($1)) }
        }
    }

    func onEveryChange(
        _ request: Request, perform: @escaping (Root?, Told) -> Void
    ) -> ObservationToken {
        switch request.hands {
        case .nothing:
            Root.anyInstance.onChange(
                whenText: path, on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0, .nothing) }
        case .values:
            Root.anyInstance.onChange(
                ofText: path, on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0?.object, Told($0)) }
        case .records:
            Root.anyInstance.onChange(
                recordOfText: path, on: request.loop, options: request.options,
                comparing: request.comparison
            ) { perform($0?.object, Told($0)) }
        }
    }

    func stopEvery(_ watcher: Watcher) {
        Root.anyInstance.stopTelling(watcher, aboutText: path)
    }
}

// With a block value that is shared, or that is stopped as such.
extension Paths<Thing> {
    func tell(_ watcher: Watcher, _ root: Thing, block: Block) -> KeyValueObservation {
        switch self {
        case .text(let paths):
            root.tell(watcher, whenAnyText: paths, block: block)
        case .typed(let paths):
            root.tell(watcher, whenAny: erased(paths), block: block)
        }
    }

    func onChange(_ root: Thing, block: TokenBlock) -> ObservationToken {
        switch self {
        case .text(let paths):
            root.onChange(whenAnyText: paths, block: block)
        case .typed(let paths):
            root.onChange(whenAny: erased(paths), block: block)
        }
    }
}

/// A closure, since the compiler (6.3) fails at a key path from `any Spelling`.
private func erased<Root>(_ paths: [any Spelling<Root>]) -> [TypedPath<Root>] {
    paths.map { $0.erased }
}
