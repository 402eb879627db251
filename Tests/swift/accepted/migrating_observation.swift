// SPDX-License-Identifier: Apache-2.0
//
// The calls in the tables of docs/guide/migrating/observation.md, as they stand there.

import ObservableObservation
import ObservableSwift
import Observation

final class Node: ObservableModel {
    @ObservedAs<ByIdentity<Node?>> var node: Node?
}

@MainActor final class User: ObservableHost {
    let observation = ObservationHeader()
    @Observed var name = ""
    @Observed var age = 0
    @Computed(User.makeLine) var line: String

    private func makeLine() -> String { "\(name), \(age)" }

    func growOld() {
        let before = age
        _age.unobserved += 1
        trigger(\.age, old: before)
    }
}

@Observable @MainActor final class ViewModel {
    var name = ""
}

@MainActor final class Field: ObservableModel, Sendable {
    @Observed var text = ""

    nonisolated override init() {}
}

@MainActor final class View: Sendable {
    var token: ObservationToken?
    var binder: ObservationToken?

    func draw(_ name: String) {}

    func observe(_ user: User, _ field: Field) {
        token = user.tracking { user in user.name }.onChange { name in print(name) }
        token = user.onChange(of: \.name) { user in }
        token?.cancel()
        token = user.changes(of: \.name).options([.immediate, .prior]).onChange { change in
            print(change.isPrior)
        }
        token = user.onChange(of: \.name, \.age) { user in }
        token = user.onChange(of: \.name, comparing: .identity) { _ in }
        binder = bind(user, \.name, field, \.text)
    }
}

@MainActor func bridge(_ user: User, _ view: View, _ model: ViewModel) {
    ObservationBridge.isOn = true
    var token: ObservationToken?
    token = model.onChange(valueOf: { $0.name }) { name in }
    token?.cancel()
    let followed = FollowedValue(of: model) { $0.name }
    print(followed.value)
    user.tracking { user in user.name }.tell(view) { view, name in view.draw(name) }
    user.tracking { user in user.name }.call(View.draw, of: view)
    user.tell(model, when: \.name, options: .initial) { model, user in model.name = user.name }
}

@MainActor func sequence(_ user: User) async {
    for await name in user.values(of: \.name) {
        if name == nil { break }
    }
}
