// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import ObservableSwift

// Notifications with the tokens, words and loops of observations.

extension NotificationCenter {
    /// Observes notifications as long as the token is kept:
    ///
    ///     NotificationCenter.default.onNotification(named: .saved, object: document) { notification in
    ///         show(notification)
    ///     }.store(in: &tokens)
    ///
    /// The token is one like those of `onChange`. Each notification is a call: none is coalesced with
    /// another, and those that were posted since the last drain come in the order of their posts; what
    /// the block itself posts comes in the next cycle. After the token is cancelled or dropped the block
    /// is not entered again, for those neither: on another thread for the one at most that it is about
    /// to take.
    ///
    /// Neither the token nor the block keeps the centre or `object` alive.
    ///
    /// - Parameters:
    ///   - name: nil: any.
    ///   - object: whose notifications are meant; nil: those of any. It is compared by identity.
    ///   - loop: where the block is called, as that of `onChange(of:)`; nil: in the block's own
    ///     isolation, or if it has none, on the main loop.
    ///   - options: with `ObservationOptions.immediate` the block is called inside the post, on its
    ///     thread; one that an actor isolates only where the post is made in that isolation, else soon.
    ///     The others change nothing.
    ///   - label: shown in all debug output.
    ///   - file: of the caller; leave it out.
    ///   - line: likewise.
    ///   - perform: is handed the notification, on another thread than its poster's where the loop is
    ///     another: what it holds has to bear that.
    /// - Returns: a token; what is refused stands in its `failure`.
    ///
    /// Threads: any, posts as well. Cost: an observation; each post allocates.
    public func onNotification(
        named name: Notification.Name?,
        object: AnyObject? = nil,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Notification) -> Void
    ) -> ObservableSwift.ObservationToken {
        let isolation = perform.isolation
        let block = uncheckedIsolation(perform, as: ((Notification) -> Void).self)
        let source = NotificationSource(NotificationDelivery(options, isolation), on: loop)
        let entry = CentreEntry(self)
        let token = ObservableSwift.ObservationToken(
            source, of: \.post, handsValue: false, on: loop, options: .ofNotifications(options),
            label: label,
            file: file, line: line,
            isolation: isolation
        ) { _, source, _ in
            withExtendedLifetime(entry) {
                source.deliver(isToken: true, to: block)
            }
        }
        if token.failure == nil { entry.begin(name, object, source) }
        return token
    }

    /// Tells an observer of notifications, until it is gone or the handle is stopped:
    ///
    ///     NotificationCenter.default.tell(self, named: .saved) { editor, notification in
    ///         editor.showSaved()
    ///     }
    ///
    /// As `onNotification(named:)`, with an observer that is not kept alive: as that of `tell(_:when:)`.
    @discardableResult
    public func tell<Observer: AnyObject>(
        _ observer: Observer,
        named name: Notification.Name?,
        object: AnyObject? = nil,
        on loop: DeliveryLoop? = nil,
        options: ObservationOptions = [],
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        perform: @escaping @isolated(any) (Observer, Notification) -> Void
    ) -> ObservationHandle {
        let isolation = perform.isolation
        let block = uncheckedIsolation(perform, as: ((Observer, Notification) -> Void).self)
        let source = NotificationSource(NotificationDelivery(options, isolation), on: loop)
        let entry = CentreEntry(self)
        let handle = ObservationHandle(
            source, of: \.post, tell: observer, handsValue: false, on: loop,
            options: .ofNotifications(options),
            label: label, file: file, line: line, isolation: isolation
        ) { observer, source, _ in
            withExtendedLifetime(entry) {
                source.deliver(isToken: false) { block(observer as! Observer, $0) }
            }
        }
        if handle.failure == nil { entry.begin(name, object, source) }
        return handle
    }
}

extension ObservationOptions {
    /// Each notification is one call, whoever posts it.
    fileprivate static func ofNotifications(_ options: ObservationOptions) -> ObservationOptions {
        options.intersection(.immediate).union(.keepsOwnChanges)
    }
}
