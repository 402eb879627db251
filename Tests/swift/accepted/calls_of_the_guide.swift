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
    user.tell(label, when: \.[text: try TextPath(parsing: text)]) { _, _ in }
    user.tell(label, when: \.allProperties) { _, _ in }
    user.tell(label, when: \.[text: "*"]) { _, _ in }
    user.stopTelling(label)
    user.stopTelling(label, about: \.name)
    let handle: ObservationHandle = user.tell(label, when: \.name) { _, _ in }
    handle.stop()
    label.token = user.onChange(of: \.name) { user in }
    label.token?.cancel()
    user.changes(of: \.name).onChange { _ in }.store(in: &label.tokens)
    label.token = user.onChange(of: \.name, \.age) { _ in print("changed") }
    user.values(of: \.name).call(Label.show, of: label)
    user.changes(of: \.name).onChange { _ in }.store(in: label.bag)
    label.bag.cancelAll()
    print(user.value(at: \.address?.zipCode).value ?? "", user.value(at: \.name).isReachable)
    print(try user.value(at: "address.zipCode").value ?? "")
    label.token = user.changes(of: \.name).onChange { change in
        print(change.old ?? "", change.new ?? "")
    }
    user.values(of: \.name).tell(label) { label, name in }
    label.token = user.tracking { user in user.name.count + user.age }.onChange { sum in }
    user.record(of: \.name, \.address?.allProperties).tell(label) { label, record in
        print(record.entries.count)
    }
    User.allInstances.instances(when: \.name).tell(label) { label, user in }
    User.allInstances.changes(of: \.name).tell(label) { label, change in }
    label.token = User.allInstances.changes(of: \.name).onChange { change in
        print(change?.object?.name ?? "", change?.old ?? "", change?.new ?? "")
    }
    let show = ObservationBlock { (label: Label, user: User) in }
    user.tell(label, when: \.name, block: show)
    user.stopTelling(block: show)
    user.tell(label, when: \.[text: "address.*.name"], options: .skipsReverted) { _, _ in }
    user.tell(label, when: \.name, comparing: .alwaysDifferent) { _, _ in }
    let caseless = ObservationComparison.by { (a: String, b: String) in
        a.lowercased() == b.lowercased()
    }
    user.tell(label, when: \.name, comparing: caseless) { _, _ in }
    let behind = (\.allProperties as TypedPath<User>).appending(\.zipCode as TypedPath<Address>)
    user.tell(label, when: behind) { _, _ in }
    user.tell(label, when: \.name, options: .immediate) { _, _ in }
    user.tell(label, when: \.name, options: [.initial, .immediate]) { _, _ in }
    let loop = DeliveryLoop { print("wake") }
    user.tell(label, when: \.name, on: DeliveryLoop(queue: queue)) { _, _ in }
    user.tell(label, when: \.name, on: loop, options: .keepsOwnChanges) { _, _ in }
    loop.drain()
    withObservationBatch { user.age = 3 }
    try TextPath(parsing: text).validate(for: User.self)
    let path: TypedPath<User> = \.address?.zipCode
    user.tell(label, when: path) { _, _ in }
    DeliveryLoop.main.drain()
    if !loop.isReady { print(try loop.descriptor(), loop.pendingCount, loop.invalidate()) }
    print(ObservationInspector(user))
    print(
        ObservationInspector(user).observers,
        ObservationInspector(user).numberOfObservers(of: "name"),
        ObservationInspector(user).observedProperties)
    withObservationCause { user.age = 42 }
    print(ObservationCounters.current, ObservationComparison.identity)
    print(ObservationIdentity(user) as Any)
    ObservationDiagnostics.setHandler { report in print(report.text) }
}

@MainActor func everyHandle(_ user: User, _ other: User, _ label: Label) throws {
    let handle = user.tell(
        label, when: \.[text: "name"], \.[text: "age"], options: .allowsMorePaths
    ) {
        _, _ in
    }
    try handle.also(other, when: \.name)
    handle.stop(about: \.name, of: user)
    handle.makeImmediate()
    handle.schedule()
    print(handle.execute(), handle.hasEnded, handle.failure as Any, handle.unresolvedPaths)
    user.stopTelling(label, about: \.[text: "address.zipCode"])
    label.token = user.changes(of: \.name).options(.skipsReverted).onChange { _ in }
    label.token = user.values(of: \.name).onChange { name in }
    label.token = user.changes(of: \.tags[0..<2]).options([.immediate, .prior]).onChange { change in
        print(change.isPrior, change.wasReachable, change.isReachable)
    }
    print(label.token?.cancelAndWait() ?? false)
    user.tell(label, when: \.name, options: .includesIntermediateElements, label: "zip") { _, _ in }
    user.record(of: \.allProperties, limit: 4).options(.ignoresRestOfDrain).tell(label) {
        _, record in
        for entry in record.entries where record.missing == 0 {
            print(entry.requestedPath, entry.path, entry.oldValue as Any, entry.changes)
            print(entry.newValue as Any, entry.firstCause, entry.lastCause)
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

@MainActor func everyStep(_ user: User, _ others: [User], _ label: Field) -> [ObservationToken] {
    struct Years {
        func transform(_ value: Int) -> String { "\(value) years" }
    }
    user.changes(of: \.name).tell(user) { user, change in print(user, change.new ?? "") }
    user.stopTelling(user, about: \.name)
    user.stopTelling(user)
    let binders = [
        user.values(of: \.address?.zipCode)
            .filter { $0?.count == 5 }.map { "zip \($0 ?? "")" }
            .assign(to: \.text, of: label) { label in label.layout() },
        user.values(of: \.name).compactMap { $0 }.compactMap { Int($0) }
            .assign(to: \.number, of: label),
        user.values(of: \.age).compactMap { $0 }.map { Years().transform($0) }
            .assign(to: \.text, of: label),
        user.values(of: \.address?.zipCode).replaceUnreachable(with: "–").removeDuplicates()
            .assign(to: \.text, of: label),
        user.values(of: \.name)
            .combined(with: user.values(of: \.age)) { "\($0 ?? "") \($1 ?? 0)" }
            .assign(to: \.text, of: label),
        others.map { $0.values(of: \.age).replaceUnreachable(with: 0) }.combined()
            .map { $0.reduce(0, +) }
            .assign(to: \.number, of: label),
    ]
    label.cutOff(\.text, from: user)
    label.cutOff(from: user)
    label.cutOff(\.text)
    label.cutOff()
    return binders
}

@MainActor func everyElement() throws {
    let list = Library(), label = Label()
    list.tell(label, when: \.songs[0].title, \.songs[following: 2].title) { _, _ in }
    list.tell(label, when: \.words["steampunk"]?.title, \.words["a.b"]) { _, _ in }
    list.tell(label, when: \.tags[member: "swift"], \.songs.count) { _, _ in }
    list.tell(label, when: \.songs.each.title, \.songs.each) { _, _ in }
    let member = try TextPath(parsing: "tags." + ObservableSet.key(for: "swift"))
    let handle = list.tell(label, when: \.[text: "songs.2.title"], \.[text: member]) { _, _ in }
    _ = try handle.value(at: "songs.2.title", from: list)
}

@MainActor func everyBinder(_ user: User, _ copy: User, _ song: Song, _ other: Song) {
    let allOfTitled: [TypedPath<any Titled>] = [\.title]
    let binders = [
        bind(song, other, properties: allOfTitled, isTwoWay: false),
        bind(user, copy, properties: [\.name, \.age], isTwoWay: false),
        bind(user, \.name, song, \.title),
        bind(song, other, properties: allOfTitled),
    ]
    print(binders.map(\.failure))
}
