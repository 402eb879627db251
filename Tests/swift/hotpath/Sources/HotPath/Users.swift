// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

final class User: ObservableModel {
    @Observed var age = 0
    @Observed var size = 0
}

final class PlainUser {
    var age = 0
    var size = 0
}

/// An observer that is a model, and one that is not.
final class Watcher: ObservableModel {
    var calls = 0
}

final class PlainWatcher {
    var calls = 0
}

// The functions whose instructions are looked at, by the names that the linker knows.

@_silgen_name("hot_path_set")
@inline(never)
func set(_ user: User, _ value: Int) {
    user.age = value
}

@_silgen_name("hot_path_set_plain")
@inline(never)
func setPlain(_ user: PlainUser, _ value: Int) {
    user.age = value
}

@_silgen_name("hot_path_get")
@inline(never)
func get(_ user: User) -> Int {
    user.age
}

@_silgen_name("hot_path_get_plain")
@inline(never)
func getPlain(_ user: PlainUser) -> Int {
    user.age
}

/// A setter that sets nothing.
@_silgen_name("hot_path_nothing")
@_optimize(none)
func nothing(_ user: PlainUser, _ value: Int) {}
