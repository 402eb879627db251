// SPDX-License-Identifier: Apache-2.0
//
// The calls in the tables of docs/guide/migrating/ebn-observable.md, as they stand there.

import ObservableSwift

@MainActor final class Address: ObservableModel, Sendable {
    @Observed var zipCode: String?

    nonisolated override init() {}
}

@MainActor final class Song: ObservableModel, Sendable {
    @Observed var title = ""

    nonisolated override init() {}
}

@MainActor final class Playlist: ObservableModel, Sendable {
    @Observed var songs: ObservableArray<Song> = []
    @Observed var words: ObservableDictionary<String, Song> = [:]
    @Observed var tags: ObservableSet<String> = []

    nonisolated override init() {}
}

@MainActor final class User: ObservableHost {
    let observation = ObservationHeader()
    @Observed var name = ""
    @Observed var age = 0
    @Observed var address: Address?
    @Observed private var hidden: ObservableArray<User> = []
    @Computed({ (user: User) in Array(user.hidden) }) private(set) var friends: [User]
    @Lazy(loader: User.load) var motto = ""
    @Lazy(User.makeLine, dependsOn: \.name, \.age) var declaredLine: String
    @Lazy(User.makeLine) var lazyLine: String
    @Computed(User.makeLine) var line: String

    private func makeLine() -> String { "\(name), \(age)" }
    private func load(_ property: String) -> Any? { property }

    func growOld() {
        let before = age
        _age.unobserved += 1
        trigger(\.age, old: before)
        trigger(\.age, old: before, new: age)
        computedProperties.invalidate(\.line)
        computedProperties.invalidate(\.line, \.motto)
        computedProperties.invalidate()
    }
}

final class Photo: ObservableModel, ObservationAware {
    @Observed var image: String?

    func didBecomeObserved(_ property: String) {}
    func didBecomeUnobserved(_ property: String) {}
}

@MainActor final class Label: Sendable, DeallocationAware {
    var token: ObservationToken?

    nonisolated func rootDidDeallocate(_ root: ObservationIdentity, path: String) {
        print(path, root)
    }
}

protocol Named: AnyObject {
    @MainActor var name: String { get set }
}

extension User: Named {}

@MainActor final class Card: ObservableModel, Sendable, Named {
    @Observed var name = ""

    nonisolated override init() {}
}

@MainActor func observing(_ user: User, _ label: Label, _ text: String, _ paths: [TextPath]) throws
{
    user.tell(label, when: \.address?.zipCode) { label, user in }
    user.tell(label, when: \.name, \.age) { label, user in }
    try TextPath(parsing: text).validate(for: User.self)
    user.tell(label, when: \.[text: "address.zipCode"]) { label, user in }
    user.tell(label, when: .any(of: paths.map { \.[text: $0] })) { label, user in }
    user.tell(label, when: \.name) { label, user in }
    user.tell(label, when: \.name, options: .immediate) { label, user in }
    let handle = user.tell(label, when: .any(of: []), options: .allowsMorePaths) { label, user in }
    try handle.also(user, when: \.name)
    try handle.also(user, when: \.name, \.age)
    let show = ObservationBlock { (label: Label, user: User) in }
    user.tell(label, when: \.name, block: show)
    user.changes(of: \.name).tell(label) { label, change in }
    handle.makeImmediate()
    print(handle.execute())
    handle.schedule()
    user.stopTelling(label)
    user.stopTelling(label, about: \.name)
    user.stopTelling(label, about: \.[text: "name"])
    user.stopTelling(label, about: \.name, \.age)
    user.stopTelling(label, about: .any(of: paths.map { \.[text: $0] }))
    let typed: [TypedPath<User>] = [\.name, \.age]
    user.stopTelling(label, about: .any(of: typed))
    user.stopTelling(block: show)
    handle.stop()
}

@MainActor func binding(_ user: User, _ card: Card) {
    let allOfNamed: [TypedPath<any Named>] = [\.name]
    var binder: ObservationToken?
    binder = bind(user, card, properties: allOfNamed, isTwoWay: false)
    binder?.cancel()
}

@MainActor func observed(_ user: User, _ label: Label) {
    let before: String? = nil
    user.trigger(\.address?.zipCode, old: before)
    user.trigger(\.[text: "address.zipCode"], old: before as Any)
    print(
        ObservationInspector(user).observedProperties,
        ObservationInspector(user).numberOfObservers(of: "name"), type(of: user))
    print(!user.computedProperties.valid.isEmpty, user.computedProperties.invalid)
    user.computedProperties.validate()
    print(ObservationInspector(user))
    print(ObservationInspector(user).observers)
    user.tell(label, when: \.name, options: .ignoresRestOfDrain, label: "name") { _, _ in }
    user.tell(label, when: \.name, options: .includesIntermediateElements) { _, _ in }
    label.token = user.changes(of: \.name).options(.immediate).onChange { change in print(change) }
    DeliveryLoop.main.drain()
}

@MainActor func elements(_ list: Playlist, _ label: Label, _ tag: String) {
    list.tell(label, when: \.songs[following: 3].title, \.songs[3].title) { _, _ in }
    list.tell(label, when: \.[text: "songs.3.title"], \.[text: "songs.#3.title"]) { _, _ in }
    list.tell(label, when: \.songs.each.title, \.songs.each, \.songs.count) { _, _ in }
    list.tell(label, when: \.words["key"]?.title, \.allProperties) { _, _ in }
    list.tell(label, when: \.[text: "words.key.title"], \.[text: "*"]) { _, _ in }
    list.tell(label, when: \.tags[member: tag]) { _, _ in }
    let key = ObservableSet.key(for: tag)
    print(list.tags.member(forKey: key) ?? "", list.tags.members(forKey: key))
}
