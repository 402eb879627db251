// SPDX-License-Identifier: Apache-2.0

/// Every instance of a class, present and to come, and those of its subclasses: class-level
/// observations begin here.
///
///     Document.allInstances.tell(autosaver, when: \.text) { autosaver, document in … }
///
/// A generic class is a class for each of its arguments.
public struct AllInstances<Root: ObservableHost>: Sendable {
    let type: Root.Type
}

extension ObservableHost {
    /// Every instance of this class, to be observed.
    public nonisolated static var allInstances: AllInstances<Self> { AllInstances(type: self) }
}
