// SPDX-License-Identifier: Apache-2.0

import CObservable

/// An observer that is told when an object that it observes has died:
///
///     final class Inspector: DeallocationAware {
///         private var shown: ObservationIdentity?
///
///         func show(_ user: User) {
///             shown = ObservationIdentity(user)
///             user.tell(self, when: \.name) { inspector, user in inspector.show(user.name) }
///         }
///         func rootDidDeallocate(_ root: ObservationIdentity, path: String) {
///             if root == shown { close() }
///         }
///     }
///
/// Told once an observation and path, of the object that the path starts at. Models and any other
/// objects may conform; tokens with a block have no observer to tell. Not told of what was stopped before the
/// death, nor once the observer itself is being deallocated; a stop that comes after the death takes
/// nothing back. What an observer is told of is gone: there is no way to reach it.
///
/// - Important: The call comes where the observation's block would: by the next drain of its loop,
///   which the death wakes, in the block's isolation. So where the blocks of an observer are
///   isolated to the main actor its method may say `MainActor.assumeIsolated`. Of an immediate
///   observation it comes inside the end of the object; where that is outside of its block's
///   isolation, on the actor's loop. What dies in a drain is told before that returns; notices and
///   the calls of one drain come in no promised order. A notice is no call: it holds neither end, is
///   not counted, has no part in batches, and what it changes is not dropped.
///
/// Cost: some 150 bytes and the path's text, an observation and path; nothing in a set, and nothing
/// for observers that do not conform. The end of an object allocates nothing for it.
public protocol DeallocationAware: AnyObject, SendableMetatype {
    /// An object that this one observes has been deallocated.
    ///
    /// - Parameters:
    ///   - root: which object it was.
    ///   - path: the path that was rooted there, as it was written; of a typed one as text. Empty if the
    ///     observation had none.
    nonisolated func rootDidDeallocate(_ root: ObservationIdentity, path: String)
}

/// Tells an object from every other of the process: also from those that will lie where it lay, as
/// an `ObjectIdentifier` does not.
public struct ObservationIdentity: Hashable, Sendable {
    let number: UInt64
}

extension ObservationIdentity {
    /// The identity by which ``DeallocationAware`` will name an object. Nil where memory is short.
    ///
    /// Threads: any. Cost: the first look gives the object what an observed one has.
    public init?(_ object: some ObservableHost) {
        guard let header = try? object.adopt() else { return nil }
        number = obv_object_identity(header)
        withExtendedLifetime(object) {}
        if number == 0 { return nil }
    }
}

/// Decides where an observer may be told of a death if its block is isolated to an actor.
final class NoticePlace: Sendable {
    private let own: DeliveryLoop
    private let source: SourceLocation

    init(_ own: DeliveryLoop, _ source: SourceLocation) {
        self.own = own
        self.source = source
    }

    static func release(_ place: UnsafeMutableRawPointer?) {
        place.map { Unmanaged<NoticePlace>.fromOpaque($0).release() }
    }

    /// Whether the caller is in the observer's isolation, so that it may tell the observer. If not,
    /// an immediate notice is handed to the loop, which will deliver it.
    func admit(_ notice: UnsafePointer<obv_deallocation_notice>) -> Bool {
        if own.isCurrent {
            return true
        }
        if notice.pointee.is_immediate {
            obv_detail_tell_by_loop(notice)
            return false
        }
        // The observer's own loop drains only in the isolation, so another loop was drained here.
        stopTheProgram(
            "an observer whose block is isolated to an actor was told of a death by a drain "
                + "outside of it (observed at \(source)): drain the loop there, "
                + "or leave `on:` out")
    }
}

/// Tells an observer, which the caller holds, of a death. The core calls it.
func tellDeallocated(_ observer: AnyObject, _ notice: UnsafePointer<obv_deallocation_notice>) {
    if let place = notice.pointee.context {
        let isAdmitted = Unmanaged<NoticePlace>.fromOpaque(place)._withUnsafeGuaranteedRef {
            $0.admit(notice)
        }
        if !isAdmitted { return }
    }
    (observer as? any DeallocationAware)?.rootDidDeallocate(
        ObservationIdentity(number: notice.pointee.identity),
        path: String(cString: notice.pointee.path))
}
