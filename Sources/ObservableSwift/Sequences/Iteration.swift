// SPDX-License-Identifier: Apache-2.0

import CObservable

/// What a sequence is of: how an iteration of it is begun.
struct Source<Element>: @unchecked Sendable {
    // It is called where the object belongs, and captures that weakly.

    /// Where that is; nil: it is not known, and the sequence is empty.
    let place: NamedLoop?
    /// Observes for an iteration; nil: there is nothing to observe.
    let observe: (Offering<Element>) -> ObservationToken?
    let coalesce: (_ waiting: Element, _ next: Element) -> Element

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
                    if let element { offering.newest.offer(element) }
                }, .values, { $2.is_prior ? nil : element($2) })
            let token = ObservationToken(root, paths, configuration, callback)
            if let present, token.failure == nil {
                offering.newest.begin(with: present(root))
            }
            return token
        }
    }
}

extension ObservationError {
    fileprivate static let sequenceWithoutPlace = ObservationError(
        .isolation,
        "a sequence without an isolation, made elsewhere than on the main loop, needs the loop that "
            + "its object belongs to: `on:`; that it belongs to the main one says `on: .main`")
}

/// An observation's side of an iteration. Only the observation keeps it, so its end is that of the
/// sequence.
final class Offering<Element>: Sendable {
    let newest: NewestElement<Element>

    init(_ newest: NewestElement<Element>) {
        self.newest = newest
    }

    deinit {
        newest.end()
    }
}

/// The consumer's side: it observes as long as the iterator is kept.
final class Iteration<Element>: Sendable {
    let newest: NewestElement<Element>
    private let observation = Locked<Observation>(.none)

    private enum Observation {
        case none
        case begun(ObservationToken)
        case ended
    }

    init(of source: Source<Element>) {
        newest = NewestElement(source.coalesce)
        let offering = Offering(newest)
        if let place = source.place?.living, !place.isCurrent {
            place.perform { [weak self] in self?.begin(source, offering) }
        } else {
            begin(source, offering)
        }
    }

    private func begin(_ source: Source<Element>, _ offering: Offering<Element>) {
        guard let token = source.observe(offering) else { return }
        observation.withLock {
            if case .none = $0 { $0 = .begun(token) }
        }
    }

    /// Ends the observation. May be repeated.
    func end() {
        newest.cancel()
        // Let go of outside of the lock: what the observation kept may go with it.
        _ = observation.withLock { observation in
            defer { observation = .ended }
            return observation
        }
    }
}
