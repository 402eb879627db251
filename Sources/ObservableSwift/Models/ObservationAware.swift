// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A model that is told when a property of it becomes observed, and when it is no more: to load on
/// demand, or to listen to a source only while somebody listens.
///
///     final class Photo: ObservableModel, ObservationAware {
///         @Observed var image: Image?
///         private var reasons: Set<String> = []
///
///         func didBecomeObserved(_ property: String) {
///             guard property == "image" || property == "*" else { return }
///             if reasons.isEmpty { startLoading() }
///             reasons.insert(property)
///         }
///         func didBecomeUnobserved(_ property: String) {
///             if reasons.remove(property) != nil && reasons.isEmpty { stopLoading() }
///         }
///         deinit {
///             if !reasons.isEmpty { stopLoading() }
///         }
///     }
///
/// A property is observed while anything hangs at it: the end of a path, or the middle of one,
/// wherever that is rooted. So an object is also told when it is put into an observed path, and
/// when it is taken out. `*` is told as one property of that name, with nothing told of those that
/// it stands for: who wants to know whether anybody looks at a property counts both names. Not
/// told: a second observer, and the last but one; `tell` without a path; paths that lead nowhere;
/// an object that is being deallocated, whose observers end untold: what it has opened its deinit
/// closes. An observer that is gone without having stopped counts until it is found, as
/// `tell` says of its `observer`.
///
/// Calls for one property alternate, beginning with ``didBecomeObserved(_:)``, and the last is the
/// truth; what is both observed and stopped before it is told may be left out. Calls for different
/// properties that one operation causes come in no promised order. Calls for one object never
/// overlap. They may do anything: observe and stop on the same object too, which it is told
/// when they have returned.
///
/// - Important: A call comes on the thread that began or ended an observation, or replaced an
///   object on a path, inside that call of the library: after what the change made due is
///   scheduled, and before its immediate blocks run. Where two threads do so at once, one of them
///   tells both, and the other may return before. So a `Sendable` model, which any thread may
///   observe, must be ready for these calls on any thread, and in a class that an actor isolates
///   the two methods are `nonisolated`: `MainActor.assumeIsolated` where the program observes on
///   the main actor alone, else a `Task`. A model that is not `Sendable` is told where it is used;
///   its observations end there too if tokens and observers do.
///
/// Where a class conforms, its subclasses are told as well; both forms of models may conform,
/// ``ObservableModel`` and ``ObservableHost``.
///
/// Cost: 114 bytes and 2 a property, once the object is observed, and nothing in a set. A class that
/// does not conform pays nothing.
public protocol ObservationAware: ObservableHost {
    /// A property that nobody observed is observed from now on.
    ///
    /// - Parameter property: its name as text paths write it; `*` for all of them.
    nonisolated func didBecomeObserved(_ property: String)

    /// The last observation of a property has ended, or lets go of this object.
    ///
    /// - Parameter property: as ``didBecomeObserved(_:)``.
    nonisolated func didBecomeUnobserved(_ property: String)
}

/// The core's hook for classes that conform. The caller keeps the object alive.
func tellObserved(_ header: HeaderPointer, _ index: UInt32, _ isObserved: Bool) {
    guard let model = object(of: header) as? any ObservationAware,
        let name = obv_class_property_name(obv_object_class(header), index)
    else { return }
    if isObserved {
        model.didBecomeObserved(String(cString: name))
    } else {
        model.didBecomeUnobserved(String(cString: name))
    }
}
