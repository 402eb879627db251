// SPDX-License-Identifier: Apache-2.0

public import CObservable
public import Synchronization

/// The superclass of models:
///
///     final class Address: ObservableModel { @Observed var zipCode: String? }
///
///     final class User: ObservableModel {
///         @Observed var name = ""
///         @Observed var address: Address?
///     }
///
/// A model belongs to whoever would own a plain object: it is not `Sendable`. One that an actor
/// isolates is, and says so: `@MainActor final class User: ObservableModel, Sendable`. A class whose
/// observed properties are all ``ObservedAtomic`` may be `@unchecked Sendable`, not below this class
/// but as an ``ObservableHost``: see there.
///
/// Cost of being observable: 8 bytes an instance; a set of a property that nobody observes is
/// two loads and a test more than a plain one, in an optimised whole-module build, for a
/// property that is neither public nor open.
nonisolated open class ObservableModel: ObservableHost {
    public final let observation = ObservationHeader()

    public init() {}

    /// Ends the object for the core before the subclass's properties go. The header's own `deinit`
    /// finds nothing left to do.
    deinit {
        _endObservation()
    }

    open class var namedProperties: [NamedProperty] { [] }

    @inlinable
    public final var _observationWord: UInt {
        observation.word.load(ordering: .acquiring)
    }

    /// The header is the first stored property, so it lies behind the object's own two words.
    @inlinable
    public final var _observationObject: UnsafeMutablePointer<obv_object> {
        (Unmanaged.passUnretained(self).toOpaque() + 2 * MemoryLayout<UInt>.size)
            .assumingMemoryBound(to: obv_object.self)
    }
}
