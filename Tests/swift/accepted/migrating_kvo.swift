// SPDX-License-Identifier: Apache-2.0
//
// The calls in the tables of docs/guide/migrating/kvo.md, as they stand there.

import ObservableSwift

@MainActor final class Address: ObservableModel, Sendable {
    @Observed var zipCode: String?

    nonisolated override init() {}
}

@MainActor final class Song: ObservableModel, Sendable {
    @Observed var title = ""
    @Observed var price = 0

    nonisolated override init() {}
}

@MainActor final class Playlist: ObservableHost {
    let observation = ObservationHeader()
    @Observed var songs: ObservableArray<Song> = []
    @Computed(Playlist.makePrice) var price: Int

    private func makePrice() -> Int {
        let goods = songs
        return goods.reduce(0) { $0 + $1.price }
    }
}

enum Percent: ObservationPolicy {
    nonisolated static func areEqual(_ a: Int, _ b: Int) -> Bool { a == b }
    nonisolated static func corrected(_ offered: Int) -> Int { min(max(offered, 0), 100) }
}

@MainActor final class User: ObservableHost {
    let observation = ObservationHeader()
    @Observed var name = ""
    @Observed var age = 0
    @Observed var address: Address?
    @ObservedAs<Percent> var volume = 50
    @Computed(User.makeFullName) var fullName: String
    @Computed(User.makeFullName, dependsOn: \.name) var declaredName: String

    private func makeFullName() -> String { "\(name), \(age)" }

    func growOld() {
        let before = age
        _age.unobserved += 1
        trigger(\.age, old: before)
    }
}

@MainActor final class Label: ObservableModel, Sendable {
    @Observed var text = ""
    var token: ObservationToken?

    nonisolated override init() {}
}

@MainActor func observing(_ user: User, _ label: Label, _ list: Playlist) {
    label.token = user.onChange(of: \.name) { user in }
    label.token = user.onChange(of: \.address?.zipCode) { _ in }
    label.token = user.changes(of: \.name).onChange { change in
        print(change.old ?? "", change.new ?? "")
    }
    label.token = user.values(of: \.name).onChange { name in }
    label.token = user.changes(of: \.name).options([.initial, .immediate]).onChange { _ in }
    label.token = user.changes(of: \.name).options([.immediate, .prior]).onChange { change in
        print(change.isPrior, change.isReachable)
    }
    let songs = list.songs
    label.token = songs.differences().onChange { difference in print(difference.count) }
    label.token?.cancel()
    user.tell(label, when: \.[text: "name"]) { label, user in }
    user.tell(label, when: \.[text: "name"], label: "name") { label, user in }
    user.stopTelling(label, about: \.name)
    user.stopTelling(label)
    let handle = user.tell(label, when: \.name, comparing: .alwaysDifferent) { _, _ in }
    handle.stop()
    list.tell(label, when: \.songs.each.title) { label, list in }
    list.tell(label, when: \.songs.each.title, options: .includesIntermediateElements) { _, _ in }
    print(
        ObservationInspector(user).observers,
        ObservationInspector(user).numberOfObservers(of: "name"))
    User.allInstances.instances(when: \.name).tell(label) { label, user in }
    let names = user.values(of: \.name)
    _ = names
    let field = label
    let binder = bind(user, \.name, field, \.text)
    binder.cancel()
}

@MainActor func coding(_ user: User, _ list: Playlist, _ song: Song, _ text: String) throws {
    print(try user.value(at: "address.zipCode").value ?? "")
    print(user.value(at: \.address?.zipCode).value ?? "")
    let path: ReferenceWritableKeyPath<User, String> = \.name
    user[keyPath: path] = "Ada"
    try TextPath(parsing: text).validate(for: User.self)
    list.songs.append(song)
    list.tell(song, when: \.songs.count) { _, _ in }
    list.tell(song, when: \.[text: "songs.count"]) { _, _ in }
}

final class Progress {
    final var fractionCompleted = 0.0
}

func framework(_ progress: Progress) {
    let proxy = ObservableProxy.of(progress)
    proxy.didChange(\.fractionCompleted)
}
