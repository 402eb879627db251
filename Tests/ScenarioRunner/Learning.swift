// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

// Which property a key path reads is shown by one read, once a class (docs/overlay.md), which
// computes what is computed there. The scripts count what is computed, and C has no such reads: so
// here they come before the script, on things of their own.

/// Those that a script counts and that can be computed of a new thing.
private let computedNames = ["sum", "twice", "label", "deep", "pick", "tenfold", "copied"]

func learnComputed() {
    learn(Thing.self)
    learn(Sub.self)
}

private func learn<Root: Thing>(_ type: Root.Type) {
    let root = make(type)
    learn(computedNames, of: root)
    for child in [make(Thing.self), make(Sub.self)] {
        root.a = child
        learn(computedNames.map { "a." + $0 }, of: root)
    }
    root.endReferences()
}

private func make<Made: Thing>(_ type: Made.Type) -> Made {
    let named = NamedThing(name: "Learned")
    let thing = type.init(named: named)
    named.thing = thing
    return thing
}

private func learn<Root: Thing>(_ texts: [String], of root: Root) {
    for path in spell(texts, Root.self) ?? [] {
        root.onChange(of: path.erased, options: .immediate) { _ in }.cancel()
    }
}
