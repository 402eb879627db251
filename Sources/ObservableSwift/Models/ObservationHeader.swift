// SPDX-License-Identifier: Apache-2.0

public import CObservable
public import Synchronization

/// The one word that makes an object observable: 8 bytes in each instance.
///
/// ``ObservableModel`` has one. A class with another superclass, or an actor, conforms to
/// ``ObservableHost`` and declares one, before its observed properties:
///
///     final class Row: ForeignRow, ObservableHost {
///         let observation = ObservationHeader()
///         @Observed var title = ""
///     }
///
/// Ends with its object: what observes the object ends then, and paths that lead through it let
/// go of what lies below. No code of the program is needed for that.
public struct ObservationHeader: ~Copyable, @unchecked Sendable {
    /// The word of `struct obv_object`, which the core reads and writes by its address.
    @usableFromInline let word: Atomic<UInt>

    /// A header that nobody observes. Cost: one store.
    @inlinable
    public init() {
        word = Atomic(1)
    }

    /// Ends the object by the word's value alone, since Swift may have moved the header before it
    /// calls `deinit`. A model has ended before, in its own `deinit`, and its word says so.
    deinit {
        _ = obv_object_deinit_word(word.load(ordering: .acquiring))
    }

    /// The address of the word. It is inside the object, since a noncopyable value with an atomic
    /// stays in place.
    @inlinable var address: UnsafeMutablePointer<obv_object> {
        withUnsafePointer(to: word) { word in
            UnsafeMutableRawPointer(mutating: UnsafeRawPointer(word))
                .assumingMemoryBound(to: obv_object.self)
        }
    }
}
