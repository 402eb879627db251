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

/// Computed properties, each one more than what it reads.
final class Graph {
    let source = Source()
    let ends: [Cell]
    var sum = 0

    private init(_ makeEnds: (Source) -> [Cell]) {
        ends = makeEnds(source)
        for cell in ends { sum &+= cell.value }
    }

    /// So many are in each, but one more in a diamond.
    static let count = 10

    static var chain: Graph {
        Graph { source in
            [(1..<count).reduce(Cell(source, [])) { cell, _ in Cell(source, [cell]) }]
        }
    }

    static var wide: Graph {
        Graph { source in (0..<count).map { _ in Cell(source, []) } }
    }

    static var diamond: Graph {
        Graph { source in [Cell(source, (0..<count).map { _ in Cell(source, []) })] }
    }
}

final class Source: ObservableModel {
    @Observed var value = 0
}

final class Cell: ObservableModel {
    private let source: Source
    /// What it reads; the source, if there are none.
    private let inputs: [Cell]
    @Computed(Cell.makeValue) var value: Int

    init(_ source: Source, _ inputs: [Cell]) {
        self.source = source
        self.inputs = inputs
    }

    private func makeValue() -> Int {
        inputs.isEmpty ? source.value + 1 : inputs.reduce(1) { $0 + $1.value }
    }
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
