// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

// Commands about observing and stopping.
//
// What is observed with one path goes through the forms with one path,
// everything else through those with several.

let observing: [String: Command] = [
    "observe": .acts(2...Command.any) { observe($0, world.isTyped ? .typed : .text) },
    "typed": .acts(2...Command.any) { observe($0, .typed) },
    "token": .acts(2...Command.any) { observe($0, .token) },
    "class": .acts(3...Command.any) { observe($0, .classLevel) },
    "also": .acts(3...Command.any, runAlso),
    "off": .acts(1...1) { world.observation($0.word[0]).onCall.clear() },
    "stop": .acts(1...Command.any, runStop),
    "stopblock": .acts(2...2, runStopblock),
    "stopall": .acts(1...1, runStopall),
    "cancel": .acts(1...1, runCancel),
    "cancelwait": .expects(2...2, runCancelwait),
    "dropobserver": .acts(1...1, runDropobserver),
    "immediate": .acts(1...1) { world.observation($0.word[0]).makeImmediate() },
    "schedule": .acts(1...1) { world.observation($0.word[0]).schedule() },
    "execute": .acts(1...1, runExecute),
]

// MARK: - Beginning

private func makeObserver() -> Observer {
    let observer = Observer()
    let watcher = Watcher(observer: observer)
    observer.held = watcher
    observer.watcher = watcher
    world.observers.insert(observer, at: 0)
    return observer
}

private func makeObservation(_ request: Request) -> Observation {
    var observer: Observer?
    if !request.isToken {
        observer = request.by.map(\.watcher.observer) ?? makeObserver()
    }
    return Observation(
        request, observer: observer, closure: request.blockOf?.closure ?? Closure())
}

private func observe(_ arguments: Words, _ form: Form) {
    let request = Request(arguments, form)
    if world.observations.contains(where: { $0.name == request.name && !$0.hasEnded }) {
        fail("an observation is called \(request.name) already")
    }
    // A name may be written with escapes.
    let paths = Set(request.paths.map { $0.filter { $0 != "\\" } })
    if request.wantsValues, paths.count != 1 {
        // No such call can be written: Tests/swift/refused/OB_2_values_of_several_paths.swift.
        refuse(.options)
        return
    }
    let observation = makeObservation(request)
    // In the list before it begins: calls may come at once.
    world.observations.insert(observation, at: 0)
    do throws(ObservationError) {
        if request.wantsValues, request.paths.count > 1 {
            // Nor this one, of the same path again: it is added.
            try begin(request.ofFirstPath, observation)
            try add(request.paths.dropFirst(), from: request.root!.living, to: observation)
        } else {
            try begin(request, observation)
        }
    } catch {
        observation.handle?.stop()
        observation.handle = nil
        world.observations.removeAll { $0 === observation }
        if request.blockOf == nil {
            observation.closure.releaseAll()
        }
        if request.by == nil {
            observation.observer?.held = nil
        }
        refuse(.error(error))
    }
}

private func begin(_ request: Request, _ observation: Observation) throws(ObservationError) {
    guard let root = request.root?.living else {
        try beginEvery(request, observation)
        return
    }
    let typed = request.form == .typed || world.isTyped
    let handle: Handle
    if world.scenario.mentions("edits", request.name) {
        handle = beginEdits(request, observation, root)
    } else if request.isShared, !request.isToken {
        let paths = try Paths(request.paths, of: Thing.self, typed: typed)
        handle = beginShared(request, observation, root, paths)
    } else if let sub = root as? Sub, !request.options.contains(.allowsMorePaths) {
        // What takes a Sub takes no Thing later.
        let paths = try Paths(request.paths, of: Sub.self, typed: typed)
        handle = begin(request, observation, sub, paths)
    } else {
        let paths = try Paths(request.paths, of: Thing.self, typed: typed)
        handle = begin(request, observation, root, paths)
    }
    if let failure = handle.failure {
        throw failure
    }
    observation.handle = handle
}

/// With a block value.
private func beginShared(
    _ request: Request, _ observation: Observation, _ root: Thing, _ paths: Paths<Thing>
) -> Handle {
    .observation(
        paths.tell(
            observation.watcher, root, block: observation.closure.block(for: observation, request)))
}

/// Of every instance of a class.
private func beginEvery(
    _ request: Request, _ observation: Observation
) throws(ObservationError) {
    let handle =
        request.type == Sub.self
        ? beginEvery(
            request, observation, try Paths(request.paths, of: Sub.self, typed: world.isTyped))
        : beginEvery(
            request, observation, try Paths(request.paths, of: Thing.self, typed: world.isTyped))
    if let failure = handle.failure {
        throw failure
    }
    observation.handle = handle
}

private func beginEvery<Root: Thing>(
    _ request: Request, _ observation: Observation, _ paths: Paths<Root>
) -> Handle {
    let body = Body(for: observation)
    if request.isToken {
        return .token(paths.onEveryChange(request) { root, told in body.called(root, told) })
    }
    return .observation(
        paths.tellEvery(observation.watcher, request) { watcher, root, told in
            body.called(by: watcher, root, told)
        })
}

/// With a block of its own, as most do.
private func begin<Root: Thing>(
    _ request: Request, _ observation: Observation, _ root: Root, _ paths: Paths<Root>
) -> Handle {
    let body = Body(for: observation)
    if request.form == .token {
        return .token(paths.onChange(root, request) { root, told in body.called(root, told) })
    }
    return .observation(
        paths.tell(observation.watcher, root, request) { watcher, root, told in
            body.called(by: watcher, root, told)
        })
}

/// Where no options may follow the paths.
private func checkNoOptions(_ command: String, _ paths: Words) {
    if paths.word.contains(":") {
        fail("\(command) takes no options")
    }
}

private func runAlso(_ arguments: Words) {
    let observation = world.observation(arguments.word[0])
    let named = world.named(arguments.word[1])
    checkNoOptions("also", arguments.from(2))
    let texts = arguments.word.dropFirst(2).map(quotedText)
    observation.roots.append(named)
    observation.paths += texts
    do throws(ObservationError) {
        try add(texts[...], from: named.living, to: observation)
    } catch {
        refuse(.error(error))
    }
}

private func add(
    _ texts: ArraySlice<String>, from root: Thing, to observation: Observation
) throws(ObservationError) {
    let texts = Array(texts)
    if let sub = root as? Sub {
        try Paths(texts, of: Sub.self, typed: world.isTyped).add(to: observation.given, sub)
    } else {
        try Paths(texts, of: Thing.self, typed: world.isTyped).add(to: observation.given, root)
    }
}

// MARK: - Stopping

private func runStop(_ arguments: Words) {
    let observation = world.observation(arguments.word[0])
    let rest = arguments.from(1)
    checkNoOptions("stop", rest)
    do throws(ObservationError) {
        switch rest.word.first {
        case nil: observation.handle?.stop()
        case "path" where rest.count >= 2: try stop(observation, paths: rest.from(1))
        case "by" where rest.count >= 2: try stop(by: observation.watcher, rest.from(1))
        case let word?: fail("stop O, stop O path PATH or stop O by X: \(word)")
        }
    } catch {
        refuse(.error(error))
    }
}

/// Each path by itself, whatever its root; none, if one of them is refused.
private func stop(_ observation: Observation, paths: Words) throws(ObservationError) {
    guard case .observation(let handle) = observation.given else {
        fail("the token \(observation.name) is stopped whole: in Swift none of its paths alone")
    }
    var parsed: [(String, TextPath)] = []
    for text in paths.word.map(quotedText) {
        parsed.append((text, try TextPath(parsing: text)))
    }
    for (text, path) in parsed {
        let roots = world.isTyped ? observation.roots.compactMap(\.thing) : []
        let stopped = roots.map { root in
            if let sub = root as? Sub {
                return stop(handle, text, sub, of: Sub.self)
            }
            return stop(handle, text, root, of: Thing.self)
        }
        if !stopped.contains(true) {
            handle.stop(about: Written<Thing>(path).erased)
        }
    }
}

/// Stops a path in its typed spelling; false if it has none.
private func stop<Root: Thing>(
    _ handle: ObservationHandle, _ text: String, _ root: Root, of type: Root.Type
) -> Bool {
    guard let path = spell([text], type)?.first else {
        return false
    }
    handle.stop(about: path.erased, of: root)
    return true
}

private func stop(by watcher: Watcher, _ words: Words) throws(ObservationError) {
    let texts = words.from(1).word.map(quotedText)
    if let type = classNamed(words.word[0]) {
        try stopEvery(by: watcher, type, texts)
        return
    }
    let root = world.named(words.word[0]).living
    if texts.isEmpty {
        root.stopTelling(watcher)
    } else if let sub = root as? Sub {
        try Paths(texts, of: Sub.self, typed: world.isTyped).stop(watcher, sub)
    } else {
        try Paths(texts, of: Thing.self, typed: world.isTyped).stop(watcher, root)
    }
}

private func stopEvery(
    by watcher: Watcher, _ type: Thing.Type, _ texts: [String]
) throws(ObservationError) {
    if texts.isEmpty {
        type.allInstances.stopTelling(watcher)
    } else if type == Sub.self {
        try Paths(texts, of: Sub.self, typed: world.isTyped).stopEvery(watcher)
    } else {
        try Paths(texts, of: Thing.self, typed: world.isTyped).stopEvery(watcher)
    }
}

private func runStopblock(_ arguments: Words) {
    let closure = world.observation(arguments.word[0]).closure
    let root = world.named(arguments.word[1])
    closure.stop(at: root.living)
    // Tokens share no block value: each is cancelled.
    for observation in world.observations where observation.closure === closure {
        if case .token(let token)? = observation.handle,
            observation.roots.contains(where: { $0 === root })
        {
            token.cancel()
        }
    }
}

private func runStopall(_ arguments: Words) {
    let of = world.observation(arguments.word[0])
    guard let observer = of.observer else {
        fail("the token \(of.name) has no observer object")
    }
    for observation in world.observations where observation.observer === observer {
        observation.handle?.stop()
    }
}

private func runCancel(_ arguments: Words) {
    let observation = world.observation(arguments.word[0])
    guard case .token? = observation.handle else {
        fail("\(observation.name) is no token that is still held")
    }
    observation.handle = nil
}

private func runCancelwait(_ arguments: Words) {
    let observation = world.observation(arguments.word[0])
    guard case .token(let token)? = observation.handle else {
        fail("\(observation.name) is no token that is still held")
    }
    guard let wanted = Bool(arguments.word[1]) else {
        fail("cancelwait returns true or false")
    }
    if token.cancelAndWait() != wanted {
        fail("it did not return \(wanted)")
    }
}

private func runDropobserver(_ arguments: Words) {
    let observation = world.observation(arguments.word[0])
    let observer = observation.watcher.observer
    if observer.held == nil {
        fail("the observer object of \(observation.name) was dropped before")
    }
    observer.held = nil
}

// MARK: - By hand

private func runExecute(_ arguments: Words) {
    let outer = world.executing
    let observation = world.observation(arguments.word[0])
    world.executing = observation
    let could = observation.given.execute()
    let called = world.executing !== observation
    world.executing = outer
    if could != called {
        fail("execute answers \(could), but the block was \(called ? "" : "not ")called")
    }
    if !could {
        refuse(.busy)
    }
}
