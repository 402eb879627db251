// SPDX-License-Identifier: Apache-2.0

/// Something that goes on until it is cancelled: what an ``ObservationBag`` holds. Tokens
/// are, and a program's own types may be.
public protocol ObservationCancellable: Sendable {
    /// Ends it. May be repeated. Called with no lock held, on any thread.
    func cancel()
}

extension ObservationCancellable {
    /// Gives it to a bag, which ends it. The same may be given twice: it is cancelled twice, which does
    /// nothing.
    public func store(in bag: ObservationBag) {
        bag.insert { self.cancel() }
    }
}

extension ObservationToken: ObservationCancellable {}

/// Holds tokens and whatever else can be cancelled, and ends all of it at once: when it is
/// emptied, or dropped.
///
///     private let bag = ObservationBag()
///
///     func show(_ user: User) {
///         bag.cancelAll()
///         user.onChange(of: \.name) { [weak self] user in self?.show(user.name) }.store(in: bag)
///         user.values(of: \.age).assign(to: \.value, of: label).store(in: bag)
///         bag.insert { timer.stop() }
///     }
///
/// What it holds is cancelled, whoever else keeps it; what has ended before stays in it until then. A
/// block that captures its bag keeps it, and so itself: capture it weakly.
///
/// Threads: any. No lock is held while something is cancelled, so that a block may empty or drop the
/// bag that holds its own token, and what is cancelled may use the bag. Cost: an array that grows.
public final class ObservationBag: Sendable {
    private let kept = Locked<[@Sendable () -> Void]>([])

    public init() {}

    deinit {
        cancelAll()
    }

    /// Takes a function over, which ends something of another library: called once, as the bag is
    /// emptied or dropped, on that thread.
    public func insert(_ cancel: @escaping @Sendable () -> Void) {
        kept.withLock { $0.append(cancel) }
    }

    /// Ends all that it holds, in the order in which that came, and holds nothing then. What comes
    /// meanwhile stays.
    public func cancelAll() {
        let all = kept.withLock { kept in
            defer { kept = [] }
            return kept
        }
        for cancel in all { cancel() }
    }

    /// Whether it holds nothing.
    public var isEmpty: Bool { kept.withLock { $0.isEmpty } }
}
