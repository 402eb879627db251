// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObservableSwift

/// What a centre's notifications are to an observation: a model with one property, which is set for
/// each of them.
///
/// The centre keeps it, by the closure that sets it. The observation keeps the ``CentreEntry``, by its
/// block. So whichever of the two ends takes the other along.
final class NotificationSource: ObservableHost, @unchecked Sendable {
    let observation = ObservationHeader()
    /// Set for each post, so that who observes it is called by the set.
    @ObservedAtomic private(set) var post: Post?
    /// What each thread is posting: the innermost is the last.
    private let posting = Locked<[ObjectIdentifier: [HandedNotification]]>([:])
    private let delivery: NotificationDelivery
    /// Those that calls will deliver: first what comes next, the last of it first, then what has come
    /// since.
    private let waiting = Locked<(next: [HandedNotification], later: [HandedNotification])>(
        ([], []))

    /// Where calls come, if that was named: a loop that has ended, or is gone, calls nothing.
    private let isNamed: Bool
    private weak let loop: DeliveryLoop?

    init(_ delivery: NotificationDelivery, on loop: DeliveryLoop?) {
        self.delivery = delivery
        self.loop = loop
        isNamed = loop != nil
    }

    func note(_ notification: HandedNotification) {
        // A handle that was stopped leaves the call that it has scheduled, which is for what came
        // before.
        guard ObservationInspector(self).numberOfObservers(of: "post") > 0 else { return }
        switch delivery {
        case .inPost:
            let thread = ObjectIdentifier(Thread.current)
            posting.withLock { $0[thread, default: []].append(notification) }
            post = Post()
            // Let go of outside of the lock.
            _ = posting.withLock { posting in
                let posted = posting[thread]?.popLast()
                if posting[thread]?.isEmpty ?? false { posting[thread] = nil }
                return posted
            }
        case .byDrain:
            if isNamed, loop?.hasEnded ?? true { return drop() }
            waiting.withLock { $0.later.append(notification) }
            post = Post()
        }
    }

    private func drop() {
        // Let go of outside of the lock.
        let dropped = waiting.withLock { waiting in
            defer { waiting = ([], []) }
            return waiting
        }
        withExtendedLifetime(dropped) {}
    }

    /// Does what a call of the observation is for, in the order of the posts.
    ///
    /// - Parameter isToken: whether its end takes back what waits.
    func deliver(isToken: Bool, to body: (Notification) -> Void) {
        if delivery == .inPost {
            let thread = ObjectIdentifier(Thread.current)
            if let handed = posting.withLock({ $0[thread]?.last }) { body(handed.notification) }
            return
        }
        // One after the other, so that what a block posts inside an immediate call comes behind what
        // waits; and no more than there are, so that what it posts else comes by another call.
        for _ in 0..<waiting.withLock({ $0.next.count + $0.later.count }) {
            if isToken, ObservationInspector(self).numberOfObservers(of: "post") == 0 { return }
            guard let handed = takeNext() else { return }
            body(handed.notification)
        }
    }

    private func takeNext() -> HandedNotification? {
        waiting.withLock { waiting in
            if waiting.next.isEmpty { waiting = (waiting.later.reversed(), []) }
            return waiting.next.popLast()
        }
    }
}

/// One post: what the property is set to is another one each time.
final class Post: Sendable {}

/// A notification on its way to a block: handed over, as its poster has done.
struct HandedNotification: @unchecked Sendable {
    let notification: Notification
}

enum NotificationDelivery {
    /// Each by the call inside its post, which is handed it.
    case inPost
    /// All that wait by one call.
    case byDrain

    /// An immediate block of an actor waits for it where a post comes from elsewhere.
    init(_ options: ObservationOptions, _ isolation: (any Actor)?) {
        self = options.contains(.immediate) && isolation == nil ? .inPost : .byDrain
    }
}

/// A place among a centre's observers, as long as it is kept.
final class CentreEntry: @unchecked Sendable {
    private weak var centre: NotificationCenter?
    /// Set before a notification can come, and by nobody later.
    private var receiver: (any NSObjectProtocol)?

    init(_ centre: NotificationCenter) {
        self.centre = centre
    }

    /// - Parameter object: whose notifications are meant; nil: those of any. Held weakly, where the
    ///   centre would keep it.
    func begin(_ name: Notification.Name?, _ object: AnyObject?, _ source: NotificationSource) {
        let sender = object.map { Sender($0) }
        receiver = centre?.addObserver(forName: name, object: nil, queue: nil) { notification in
            if sender?.isSender(of: notification) ?? true {
                source.note(HandedNotification(notification: notification))
            }
        }
    }

    deinit {
        if let receiver { centre?.removeObserver(receiver) }
    }

    private struct Sender: @unchecked Sendable {
        private weak let object: AnyObject?

        init(_ object: AnyObject) {
            self.object = object
        }

        func isSender(of notification: Notification) -> Bool {
            guard let object, let sender = notification.object else { return false }
            return sender as AnyObject === object
        }
    }
}
