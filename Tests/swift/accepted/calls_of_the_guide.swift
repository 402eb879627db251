// SPDX-License-Identifier: Apache-2.0
//
// The calls in the tables of the README and of docs/guide, as they stand there.

import Dispatch
import ObservableSwift

@MainActor final class Address: ObservableModel, Sendable {
    @Observed var zipCode: String?

    // With the main actor as default isolation the compiler makes an isolated one, and refuses it.
    nonisolated override init() {}
}

@MainActor final class User: ObservableModel, Sendable {
    @Observed var name = ""
    @Observed var age = 0
    @Observed var tags: [String] = []
    @Observed var address: Address?

    nonisolated override init() {}

    func growOld() {
        let before = age
        for _ in 1...1_000_000 {
            _age.unobserved += 1
        }
        trigger(\.age, old: before)
    }
}

@MainActor final class Song: ObservableModel, Sendable {
    @Observed var title = ""

    nonisolated override init() {}
}

@MainActor final class Library: ObservableModel, Sendable {
    @Observed var songs: ObservableArray<Song> = []
    @Observed var words: ObservableDictionary<String, Song> = [:]
    @Observed var tags: ObservableSet<String> = []

    nonisolated override init() {}
}

protocol Titled: AnyObject {
    @MainActor var title: String { get set }
}

extension Song: Titled {}

@MainActor final class Field: ObservableModel, Sendable {
    @Observed var text = ""
    @Observed var number = 0

    nonisolated override init() {}

    func layout() {}
}

@MainActor final class Label: Sendable {
    var token: ObservationToken?
    var tokens: Set<ObservationToken> = []
    let bag = ObservationBag()

    func show(_ name: String?) {}
}

struct Frame {
    var width = 0.0
}

final class Window {
    final var title = ""
    final var frame = Frame()
}

final class Photo: ObservableModel, ObservationAware {
    @Observed var image: String?

    func didBecomeObserved(_ property: String) {}
    func didBecomeUnobserved(_ property: String) {}
}

@MainActor func everyCall(_ text: String, _ queue: DispatchQueue) throws {
    let user = User(), label = Label()
    user.tell(label, when: \.address?.zipCode, \.name) { label, user in }
    user.tell(label, whenText: try TextPath(parsing: text)) { _, _ in }
    user.tell(label, when: \.anyProperty) { _, _ in }
    user.tell(label, whenText: "*") { _, _ in }
    user.stopTelling(label)
    user.stopTelling(label, about: \.name)
    let handle: KeyValueObservation = user.tell(label, when: \.name) { _, _ in }
    handle.stop()
    label.token = user.onChange(when: \.name) { user in }
    label.token?.cancel()
    user.onChange(of: \.name) { _ in }.store(in: &label.tokens)
    label.token = user.onChange(to: \.name, \.age) { print("changed") }
    label.token = user.onChange(of: \.name, call: TargetMethod(Label.show, of: label))
    user.onChange(of: \.name) { _ in }.store(in: label.bag)
    label.bag.cancelAll()
    print(user.value(at: \.address?.zipCode).value ?? "", user.value(at: \.name).isReachable)
    print(try user.value(at: "address.zipCode").value ?? "")
    label.token = user.onChange(of: \.name) { change in print(change.old ?? "", change.new ?? "") }
    user.tell(label, valueOf: \.name) { label, user, name in }
    user.tell(label, recordOf: \.name, \.address?.anyProperty) { label, user, record in
        print(record.entries.count)
    }
    User.anyInstance.tell(label, when: \.name) { label, user in }
    User.anyInstance.tell(label, valueOf: \.name) { label, user, name in }
    label.token = User.anyInstance.onChange(valuesOf: \.name) { user, old, new in }
    let show = ObservationBlock { (label: Label, user: User) in }
    user.tell(label, whenAny: [\.name], block: show)
    user.stopTelling(block: show)
    let showEvery = ClassObservationBlock { (label: Label, user: User?) in }
    User.anyInstance.tell(label, whenText: "name", block: showEvery)
    User.anyInstance.stopTelling(block: showEvery)
    let showToken = TokenObservationBlock { (user: User) in }
    label.token = user.onChange(whenAny: [\.name], block: showToken)
    user.stopTelling(block: showToken)
    user.tell(label, whenText: "address.*.name", options: .net) { _, _ in }
    user.tell(label, when: \.name, comparing: .alwaysDifferent) { _, _ in }
    let caseless = ObservationComparison.by { (a: String, b: String) in
        a.lowercased() == b.lowercased()
    }
    user.tell(label, when: \.name, comparing: caseless) { _, _ in }
    let behind = (\.anyProperty as TypedPath<User>).appending(\.zipCode as TypedPath<Address>)
    user.tell(label, when: behind) { _, _ in }
    user.tell(label, when: \.name, options: .immediate) { _, _ in }
    user.tell(label, when: \.name, options: [.initial, .immediate]) { _, _ in }
    let loop = DeliveryLoop { print("wake") }
    user.tell(label, when: \.name, on: DeliveryLoop(queue: queue)) { _, _ in }
    user.tell(label, when: \.name, on: loop, options: .deferred) { _, _ in }
    loop.drain()
    withObservationBatch { user.age = 3 }
    try TextPath(parsing: text).validate(for: User.self)
    let path: TypedPath<User> = \.address?.zipCode
    user.tell(label, when: path) { _, _ in }
    DeliveryLoop.main.drain()
    if !loop.isReady { print(try loop.descriptor(), loop.pendingCount, loop.invalidate()) }
    user.debugShowAllObservers()
    print(user.debugAllObservers, user.numberOfObservers(of: "name"), user.allObservedProperties)
    withObservationCause { user.age = 42 }
    print(ObservationCounters.current, ObservationComparison.identity)
    print(user.observationIdentity as Any)
    ObservationDiagnostics.setHandler { report in print(report.text) }
}

@MainActor func everyHandle(_ user: User, _ other: User, _ label: Label) throws {
    let handle = user.tell(label, whenText: "name", "age", options: .extensible) { _, _ in }
    try handle.also(other, when: \.name)
    handle.stop(about: \.name, of: user)
    handle.makeImmediate()
    handle.schedule()
    print(handle.execute(), handle.hasEnded, handle.failure as Any, handle.unresolvedPaths)
    user.stopTelling(label, aboutText: "address.zipCode")
    label.token = user.onChange(valuesOf: \.name, options: .net) { old, new in }
    label.token = user.onChange(valueOf: \.name, options: .initial) { name in }
    label.token = user.onChange(of: \.tags[0..<2], options: [.immediate, .prior]) { change in
        print(change.isPrior, change.wasReachable, change.isReachable)
    }
    print(label.token?.cancelAndWait() ?? false)
    user.tell(label, when: \.name, options: .anyElement, label: "zip") { _, _ in }
    user.tell(label, recordOf: \.anyProperty, options: .once, limit: 4) { _, _, record in
        for entry in record.entries where record.missing == 0 {
            print(entry.path, entry.way, entry.first as Any, entry.last as Any, entry.changes)
            print(entry.firstCause, entry.lastCause)
        }
    }
}

func everyProxy(_ window: Window, _ label: Label) {
    ObservableProxy<Window>.list("title", \.title)
    let proxy = ObservableProxy.of(window)
    proxy.tell(label, when: \.title, on: .main) { _, _ in }
    proxy.set(\.frame.width, to: 5)
    proxy.changing(\.frame) { window.frame.width += 1 }
    proxy.didChange(\.title)
    proxy.didChange()
}

@MainActor func everyPipe(_ user: User, _ others: [User], _ label: Field) -> [Binder] {
    struct Years: Transformer {
        func transform(_ value: Int) -> String { "\(value) years" }
    }
    let token = user.broadcast(\.name) { user, name in print(user, name ?? "") }
    user.stopBroadcasting(\.name)
    user.stopBroadcasting()
    token.cancel()
    let pipes = [
        label.receive(\.text, from: user, \.address?.zipCode)
            .filter { $0.count == 5 }.map { "zip \($0)" }.whenUnreachable("–")
            .after { label in label.layout() }.start(),
        label.receive(\.number, from: user, \.name).compactMap { Int($0) }.start(),
        label.receive(\.text, from: user, \.age).map(by: Years()).start(),
        label.receive(\.text, from: (user, \.name), (user, \.age)) { "\($0) \($1)" }.start(),
        label.receive(\.number, from: others, \.age) { $0.reduce(0, +) }.start(),
    ]
    label.cutOff(\.text, from: user)
    label.cutOff(from: user)
    label.cutOff(\.text)
    label.cutOff()
    return pipes
}

@MainActor func everyElement() throws {
    let list = Library(), label = Label()
    list.tell(label, when: \.songs[0].title, \.songs[following: 2].title) { _, _ in }
    list.tell(label, when: \.words["steampunk"]?.title, \.words["a.b"]) { _, _ in }
    list.tell(label, when: \.tags[member: "swift"], \.songs.count) { _, _ in }
    list.tell(label, when: \.songs.each.title, \.songs.each) { _, _ in }
    let member = try TextPath(parsing: "tags." + ObservableSet.key(for: "swift"))
    let handle = list.tell(label, whenText: "songs.2.title", member) { _, _ in }
    _ = try handle.value(at: "songs.2.title", from: list)
}

@MainActor func everyBinder(_ user: User, _ copy: User, _ song: Song, _ other: Song) {
    let allOfTitled: [TypedPath<any Titled>] = [\.title]
    let binders = [
        Binder(from: song, to: other, properties: allOfTitled),
        Binder(from: user, to: copy, properties: [\.name, \.age]),
        Binder(from: user, to: song, pairs: [PropertyPair(\.name, \.title)]),
        Binder(between: song, and: other, properties: allOfTitled),
    ]
    print(binders.map(\.failure))
}
