// SPDX-License-Identifier: Apache-2.0

import CObservable

/// What a sequence is of: how an iteration of it is begun.
package struct Source<Element>: @unchecked Sendable {
    // It is called where the object belongs, and captures that weakly.

    /// Where that is; nil: it is not known, and the sequence is empty.
    package let place: NamedLoop?
    /// Observes for an iteration; nil: there is nothing to observe.
    let observe: (Offering<Element>) -> ObservationToken?
    package let coalesce: (_ waiting: Element, _ next: Element) -> Element

    /// - Parameters:
    ///   - element: makes an element of a call of the core.
    ///   - present: reads the first element; nil: a change comes first.
    init<Root: ObservableHost>(
        of root: Root, _ paths: RequestedPaths, _ configuration: ObservationConfiguration,
        _ element: @escaping (obv_call) -> Element, present: ((Root) -> Element)?,
        coalesce: @escaping (_ waiting: Element, _ next: Element) -> Element
    ) {
        place = configuration.loop
        self.coalesce = coalesce
        if place == nil {
            ObservationDiagnostics.tellRefused(.sequenceWithoutPlace, of: configuration)
            observe = { _ in nil }
            return
        }
        observe = { [weak root] offering in
            guard let root else { return nil }
            let callback = Callback<AnyObject, Root>(
                { (element: Element?) in
                    // Not of a call before the store.
                    if let element { offering.receiver.offer(element) }
                }, .values, { $2.is_prior ? nil : element($2) })
            let token = ObservationToken(root, paths, configuration, callback)
            if let present, token.failure == nil {
                offering.receiver.begin(with: present(root))
            }
            return token
        }
    }
}

extension ObservationError {
    fileprivate static let sequenceWithoutPlace = withoutLoop(
        "a sequence", begun: "made", whose: "its object belongs")
}

/// Who takes what an observation of a source offers. Any thread, and no lock is held.
package protocol ElementReceiver<Element>: AnyObject, Sendable {
    associatedtype Element

    /// Something has come.
    func offer(_ element: Element)
    /// Offers what was there at the beginning, unless something has come since.
    func begin(with element: Element)
    /// Nothing will come any more; what is there may be taken.
    func end()
}

/// An observation's side. Only the observation keeps it, so its end is that of the sequence.
final class Offering<Element>: Sendable {
    let receiver: any ElementReceiver<Element>

    init(_ receiver: any ElementReceiver<Element>) {
        self.receiver = receiver
    }

    deinit {
        receiver.end()
    }
}

/// The receiver's side: it observes as long as this is kept.
package final class SourceObservation<Element>: Sendable {
    private let token = Locked<Token>(.none)

    private enum Token {
        case none
        case begun(ObservationToken)
        case ended
    }

    /// Begins where the source belongs, at once if that is here.
    package init(of source: Source<Element>, for receiver: any ElementReceiver<Element>) {
        let offering = Offering(receiver)
        if let place = source.place?.living, !place.isCurrent {
            place.perform { [weak self] in self?.begin(source, offering) }
        } else {
            begin(source, offering)
        }
    }

    private func begin(_ source: Source<Element>, _ offering: Offering<Element>) {
        guard let begun = source.observe(offering) else { return }
        token.withLock {
            if case .none = $0 { $0 = .begun(begun) }
        }
    }

    /// Ends it. May be repeated.
    package func end() {
        // Let go of outside of the lock: what the observation kept may go with it.
        _ = token.withLock { token in
            defer { token = .ended }
            return token
        }
    }
}

/// The consumer's side of an iteration: it observes as long as the iterator is kept.
final class Iteration<Element>: Sendable {
    let newest: NewestElement<Element>
    private let observation: SourceObservation<Element>

    init(of source: Source<Element>) {
        newest = NewestElement(source.coalesce)
        observation = SourceObservation(of: source, for: newest)
    }

    /// Ends the observation. May be repeated.
    func end() {
        newest.cancel()
        observation.end()
    }
}
