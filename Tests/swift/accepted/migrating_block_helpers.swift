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
    private var token: ObservationToken?

    nonisolated override init() {}

    func renamed(_ old: String?, _ new: String?) {}

    func observe() {
        tell(self, valuesOf: \.name, options: .initial) { user, _, old, new in }
        tell(self, when: \.name, \.age, options: .initial) { user, _ in }
        token = onChange(of: \.name, call: TargetMethod(User.renamed, of: self))
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
    var binder: Binder?

    func show(_ user: User) {}

    func bind(_ user: User, _ field: Field) {
        binder = Binder(from: user, \.age, to: field, \.text) { "\($0) years" }
        binder = Binder(from: user, \.nickname, to: field, \.text, whenUnreachable: "–")
        binder = Binder(from: user, \.nickname, to: field, \.isEmpty, whenUnreachable: true) { _ in
            false
        }
        binder = Binder(from: field, \.isEmpty, to: field, \.isFull) { !$0 }
        binder = Binder(from: field, \.text, to: field, \.address) { URL(string: $0) }
    }

    func tokens(_ user: User) {
        token = user.onChange(when: \.name) { user in }
        token = user.onChange(of: \.name, options: .initial) { change in }
        token = user.onChange(of: \.name) { change in
            print(change.old ?? "", change.new ?? "", change.isPrior)
        }
        token?.cancel()
        user.onChange(when: \.name) { _ in }.store(in: bag)
        bag.cancelAll()
        let label = self
        token = user.onChange(of: \.name, call: TargetMethod(Label.show, of: label))
    }
}

@MainActor func observing(_ user: User, _ label: Label, _ list: Playlist, _ paths: [TextPath]) {
    user.tell(label, valuesOf: \.name, options: .initial) { label, user, old, new in }
    user.tell(label, when: \.name, \.age, options: .initial) { label, user in }
    user.tell(label, when: \.name) { label, user in label.show(user) }
    list.tellDifference(label, of: \.songs) { label, list, difference in
        print(difference.insertions.count, difference.removals.count)
    }
    user.tell(label, of: \.name, options: .initial) { label, user, change in }
    user.tell(label, recordOf: \.name, \.age) { label, user, record in
        for entry in record.entries { print(entry.path) }
    }
    user.tell(label, whenAny: [\.name, \.age]) { _, _ in }
    user.tell(label, whenAnyText: paths, options: [.initial, .immediate]) { _, _ in }
    list.tell(label, when: \.songs.each.title) { _, _ in }
    let handle = user.tell(label, of: \.name) { label, user, change in }
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
