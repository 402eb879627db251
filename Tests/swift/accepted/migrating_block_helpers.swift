// SPDX-License-Identifier: Apache-2.0
//
// The calls in the tables of docs/guide/migrating/block-helpers.md, as they stand there.

import Foundation
import ObservableFoundation
import ObservableSwift

@MainActor final class User: ObservableModel, Sendable {
    @Observed var name = ""
    @Observed var nickname: String?
    @Observed var age = 0

    nonisolated override init() {}

    func renamed(_ change: ObservedChange<User, String>) {}

    func observe() {
        changes(of: \.name).options(.initial).tell(self) { user, change in }
        tell(self, when: \.name, \.age, options: .initial) { user, _ in }
        changes(of: \.name).call(User.renamed, of: self)
    }
}

@MainActor final class Song: ObservableModel, Sendable {
    @Observed var title = ""

    nonisolated override init() {}
}

@MainActor final class Playlist: ObservableModel, Sendable {
    @Observed var songs: ObservableArray<Song> = []

    nonisolated override init() {}
}

@MainActor final class Field: ObservableModel, Sendable {
    @Observed var text = ""
    @Observed var isEmpty = false
    @Observed var isFull = false
    @Observed var address: URL?

    nonisolated override init() {}
}

@MainActor final class Label: Sendable {
    var token: ObservationToken?
    let bag = ObservationBag()
    var binder: ObservationToken?

    func show(_ user: User) {}
    func show(_ name: String?) {}

    func bind(_ user: User, _ field: Field) {
        binder = user.values(of: \.age).map { "\($0 ?? 0) years" }
            .assign(to: \.text, of: field)
        binder = user.values(of: \.nickname).replaceUnreachable(with: "–")
            .assign(to: \.text, of: field)
        binder = user.values(of: \.nickname).map { $0 == nil }
            .assign(to: \.isEmpty, of: field)
        binder = field.values(of: \.isEmpty).compactMap { $0 }.map { !$0 }
            .assign(to: \.isFull, of: field)
        binder = field.values(of: \.text).compactMap { $0 }.map { URL(string: $0) }
            .assign(to: \.address, of: field)
    }

    func tokens(_ user: User) {
        token = user.onChange(of: \.name) { user in }
        token = user.changes(of: \.name).options(.initial).onChange { change in }
        token = user.changes(of: \.name).onChange { change in
            print(change.old ?? "", change.new ?? "", change.isPrior)
        }
        token?.cancel()
        user.onChange(of: \.name) { _ in }.store(in: bag)
        bag.cancelAll()
        let label = self
        user.values(of: \.name).call(Label.show, of: label)
    }
}

@MainActor func observing(_ user: User, _ label: Label, _ list: Playlist, _ paths: [TextPath]) {
    user.changes(of: \.name).options(.initial).tell(label) { label, change in }
    user.tell(label, when: \.name, \.age, options: .initial) { label, user in }
    user.tell(label, when: \.name) { label, user in label.show(user) }
    list.differences(of: \.songs).tell(label) { label, difference in
        print(difference.insertions.count, difference.removals.count)
    }
    user.changes(of: \.name).options(.initial).tell(label) { label, change in }
    user.record(of: \.name, \.age).tell(label) { label, record in
        for entry in record.entries { print(entry.path) }
    }
    user.tell(label, when: \.name, \.age) { _, _ in }
    user.tell(label, when: .any(of: paths.map { \.[text: $0] }), options: [.initial, .immediate]) {
        _, _ in
    }
    list.tell(label, when: \.songs.each.title) { _, _ in }
    let handle = user.changes(of: \.name).tell(label) { label, change in }
    print(!handle.hasEnded)
    handle.stop()
    let show = ObservationBlock { (label: Label, user: User) in }
    user.stopTelling(block: show)
    user.stopTelling(label, about: \.name)
    user.stopTelling(label)
}

@MainActor func notifications(_ name: Notification.Name, _ object: User, _ label: Label) {
    NotificationCenter.default.tell(label, named: name, object: object) { label, notification in }
    let bag = label.bag
    NotificationCenter.default.onNotification(named: name) { notification in }.store(in: bag)
}

@MainActor func queues(_ user: User, _ label: Label, _ queue: OperationQueue) {
    user.tell(label, when: \.name, on: DeliveryLoop(operationQueue: queue)) { @Sendable _, _ in }
    user.tell(label, when: \.name, comparing: .alwaysDifferent) { _, _ in }
}
