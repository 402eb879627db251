// SPDX-License-Identifier: Apache-2.0

/// Every instance of a class, present and to come, and those of its subclasses: class-level
/// observations begin here.
///
///     Document.allInstances.instances(when: \.text).tell(autosaver) { autosaver, document in
///         if let document { autosaver.note(document) } else { autosaver.noteAll() }
///     }
///
/// A block is called once a cycle for each changed instance. Nothing is stored in an instance before it
/// changes; it has then what an observation of its own needs, until it or this observation ends. It is known
/// to no ``ObservationInspector`` and to no ``ObservationAware``. A generic class is a class for each of its
/// arguments.
///
/// An instance is followed from its first change of a property that begins the path. So the end
/// of a longer path, `address.zipCode`, is followed below an address that is set from now on,
/// not below one that is there already; of `*.name`, from the first set of any property, below
/// all that is there then. A weak property that was set before does not tell of becoming nil.
///
/// The element is nil in a call that is for no instance: by ``ObservationOptions/initial``,
/// ``AnyObservation/schedule()`` and ``AnyObservation/execute()``; and when there was
/// no memory to follow an instance that changed: then any may have changed.
///
/// A class-level observation follows one path; ``ObservationOptions/allowsMorePaths`` is refused. A path as
/// text is looked up on each instance: a property that only a subclass has is observed in the subclass's
/// instances, though it is told to ``ObservationDiagnostics``.
///
/// Threads: any; an instance is looked at where it is changed. Cost: while anybody observes a class, every set
/// of an observable object in the process costs what a set of an observed one does.
public struct AllInstances<Root: ObservableHost>: Sendable {
    let type: Root.Type
}

extension ObservableHost {
    /// Every instance of this class, to be observed.
    public nonisolated static var allInstances: AllInstances<Self> { AllInstances(type: self) }
}
