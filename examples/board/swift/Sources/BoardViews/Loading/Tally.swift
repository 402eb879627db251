// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// Sets properties and counts what was set, and how often views would have been called without
/// coalescing.
@MainActor public final class Tally {
    /// Properties set.
    public private(set) var sets = 0
    /// Those that had another value: compared before each set.
    public private(set) var changes = 0
    /// Those of them whose property somebody observed at that moment, as a path's end or middle.
    public private(set) var observed = 0
    /// Observations of those properties, added up: as many calls would be made if each change
    /// called for itself. Those of properties that are computed from them are left out.
    public private(set) var due = 0

    public init() {}

    /// Sets one property. The name is the property's: those who observe it are counted by it.
    public func set<Model: ObservableHost, Value: Equatable>(
        _ model: Model, _ property: ReferenceWritableKeyPath<Model, Value>, _ name: String,
        to value: Value
    ) {
        let differs = model[keyPath: property] != value
        model[keyPath: property] = value
        count(model, name, differs: differs)
    }

    /// The same for a reference to another model, which is compared by identity.
    public func set<Model: ObservableHost, Other: AnyObject>(
        _ model: Model, _ property: ReferenceWritableKeyPath<Model, Other?>, _ name: String,
        to other: Other?
    ) {
        let differs = model[keyPath: property] !== other
        model[keyPath: property] = other
        count(model, name, differs: differs)
    }

    /// What was set elsewhere, or changed in place.
    func count(_ model: some ObservableHost, _ name: String, differs: Bool) {
        sets += 1
        guard differs else { return }
        let observers = ObservationInspector(model).numberOfObservers(of: name)
        changes += 1
        observed += observers > 0 ? 1 : 0
        due += observers
    }
}
