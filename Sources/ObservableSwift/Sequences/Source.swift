// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The source of a sequence, and what has been said of how it is observed.
package struct Source<Element>: @unchecked Sendable {
    // Unchecked for `prepare`, which captures its object weakly and is called where the object
    // belongs.

    var configuration: ObservationConfiguration
    private let isOfMainLoop: Bool
    /// The isolations of those steps that have one, each once.
    var isolations: [any Actor] = []
    package let coalescing: Coalescing<Element>
    let prepare: Prepare

    /// Prepares an observation; throws if an object is gone.
    typealias Prepare = () throws(ObservationError) -> PreparedObservation<Element>

    init(
        _ configuration: ObservationConfiguration, _ coalescing: Coalescing<Element>,
        prepare: @escaping Prepare
    ) {
        self.configuration = configuration
        isOfMainLoop = configuration.home == nil && DeliveryLoop.main.isCurrent
        self.coalescing = coalescing
        self.prepare = prepare
    }

    /// A source with the place and parameters of another source, but other elements.
    init<Other>(
        _ other: Source<Other>, _ coalescing: Coalescing<Element>, prepare: @escaping Prepare
    ) {
        configuration = other.configuration
        isOfMainLoop = other.isOfMainLoop
        isolations = other.isolations
        self.coalescing = coalescing
        self.prepare = prepare
    }

    /// Notes the isolation that a step needs; nil: the step may run anywhere.
    mutating func note(_ isolation: (any Actor)?) {
        if let isolation, !isolations.contains(where: { $0 === isolation }) {
            isolations.append(isolation)
        }
    }

    /// The loop on which an iteration observes: the named one, else that of the isolation in which
    /// the sequence was made or of its first isolated step, else the main loop if the sequence was
    /// made there; nil: none of these.
    package var place: NamedLoop? {
        if let loop = configuration.loop { return loop }
        if let home = configuration.home ?? isolations.first.map(ActorLoops.loop) {
            return NamedLoop(home)
        }
        return isOfMainLoop ? NamedLoop(.main) : nil
    }

    /// The loop on which a binder sets its target: ``place``, or else the main loop if the caller
    /// is on it.
    func target() throws(ObservationError) -> DeliveryLoop {
        guard let place = place ?? (DeliveryLoop.main.isCurrent ? NamedLoop(.main) : nil) else {
            throw .withoutLoop("a binder", begun: "begun", whose: "its target belongs")
        }
        guard let loop = place.living else {
            throw ObservationError(.ended, "the delivery loop has ended")
        }
        return loop
    }
}

/// The fate of an element that still waits for its consumer when the next element comes.
package enum Coalescing<Element> {
    /// The next element replaces the waiting one.
    case newest
    /// An element that is made of both replaces the waiting one.
    case merged((_ waiting: Element, _ next: Element) -> Element)
    /// Both wait.
    case none

    /// - Returns: the element that was replaced, to be released outside of the caller's lock.
    package func add(_ next: Element, to waiting: inout [Element]) -> Element? {
        guard let last = waiting.last else {
            waiting.append(next)
            return nil
        }
        switch self {
        case .newest: waiting[waiting.count - 1] = next
        case .merged(let merge): waiting[waiting.count - 1] = merge(last, next)
        case .none:
            waiting.append(next)
            return nil
        }
        return last
    }

    /// The coalescing of what a function makes of the elements: nothing can merge those, so
    /// `merged` becomes `none`.
    func mapped<Made>() -> Coalescing<Made> {
        if case .newest = self { .newest } else { .none }
    }
}

/// An observation that has not begun, and what is made of its calls.
struct PreparedObservation<Element> {
    let origin: ObservationOrigin
    let handed: HandedValues
    /// Whether there is an element before any change.
    let hasPresent: Bool
    /// Whether the observation is called as soon as it has begun: only a call finds what to
    /// observe.
    var isCalledAtOnce = false
    /// Of values: the objects and paths that are followed, one or several; not for what is kept.
    var followed: [FollowedEnd] = []
    /// Whether the last element is the one before it again, which passes where that is said
    /// (``Moment/passesRepeated``); nil: that is not known.
    var isRepeated: (() -> Bool)?
    /// Makes an element; nil: there is none.
    let element: (Moment) throws -> Element?
}

/// When an element is made.
enum Moment {
    /// In a call of the core; of no instance of a class without the object.
    case call(AnyObject?, obv_call)
    /// Outside of a call of the element's own observation: before any change, or in a call for
    /// several sources.
    case present(passesRepeated: Bool)
    /// In a binder, which has read the values of all that is followed.
    case carried(UnsafePointer<obv_value>, passesRepeated: Bool)

    /// Whether an element passes that is the last one again: of one of several, of which another one may have
    /// changed, or in a binder whose target is another object.
    var passesRepeated: Bool {
        switch self {
        case .call: false
        case .present(let passesRepeated), .carried(_, let passesRepeated): passesRepeated
        }
    }
}

// MARK: - Observing

extension AnyObservation {
    /// Observes, and hands over the elements: the present one, if there is one, by a call as well.
    ///
    /// - Parameters:
    ///   - isolation: of the block.
    ///   - observer: nil: the observation is a token's.
    convenience init<Element>(
        _ source: Source<Element>, _ isolation: (any Actor)?, _ observer: AnyObject?,
        _ block: @escaping (AnyObject?, Element) -> Void
    ) {
        let prepared = Result(catching: source.prepare)
        let isCalledAtOnce = prepared.value?.isCalledAtOnce ?? false
        var configuration = source.configuration
        if prepared.value?.hasPresent ?? false, !isCalledAtOnce {
            configuration.options.insert(.initial)
        }
        self.init(
            prepared, source.isolations, configuration, isolation, observer, skipsPrior: false,
            block)
        if isCalledAtOnce, failure == nil, !execute() { schedule() }
    }

    /// - Parameter steps: the isolations of the steps, which must be that of the block.
    fileprivate convenience init<Element>(
        _ prepared: Result<PreparedObservation<Element>, ObservationError>, _ steps: [any Actor],
        _ configuration: ObservationConfiguration, _ isolation: (any Actor)?,
        _ observer: AnyObject?, skipsPrior: Bool,
        _ block: @escaping (AnyObject?, Element) -> Void
    ) {
        let place = isolation ?? steps.first
        let (origin, element) = (prepared.value?.origin, prepared.value?.element)
        let callback = Callback(place, prepared.value?.handed ?? .nothing) {
            observer, object, call in
            if skipsPrior, call.pointee.is_prior { return }
            do {
                if let element = try element?(.call(object, call.pointee)) {
                    block(observer, element)
                }
            } catch {
                configuration.tell(error, of: "a step of a sequence")
            }
        }
        let handler = Handler(
            callback, rootOffset: origin?.rootOffset, configuration,
            ObserverForm(observer))
        self.init(
            origin?.type ?? ObservableModel.self, rootOffset: origin?.rootOffset, handler, observer
        ) { registration throws(ObservationError) in
            let prepared = try prepared.get()
            if let step = steps.first(where: { $0 !== place }) {
                throw ObservationError(
                    .isolation,
                    "a step that is isolated to \(ActorLoops.loop(of: step).isolation) cannot be "
                        + "called where the block or another step is")
            }
            try registration.observe(prepared.origin)
        }
    }
}

extension Result {
    fileprivate var value: Success? { try? get() }
}

// MARK: - Iterating

/// Receives the elements that an observation of a source offers. Called on any thread, with no lock
/// held.
package protocol ElementReceiver<Element>: AnyObject, Sendable {
    associatedtype Element

    /// Something has come.
    func offer(_ element: Element)
    /// Offers what was there at the beginning, unless something has come since.
    func begin(with element: Element)
    /// Nothing will come any more; what is there may be taken.
    func end()
}

/// The observation's link to the receiver. Only the observation keeps the link, so the link's
/// `deinit` means that no element will come any more.
final class Offering<Element>: Sendable {
    let receiver: any ElementReceiver<Element>

    init(_ receiver: any ElementReceiver<Element>) {
        self.receiver = receiver
    }

    deinit {
        receiver.end()
    }
}

/// The receiver's link to the observation: the source is observed as long as the link is kept.
package final class SourceObservation<Element>: Sendable {
    private let token = Locked<(begun: ObservationToken?, hasEnded: Bool)>((nil, false))

    /// Begins where the source belongs, at once if that is here.
    package init(of source: Source<Element>, for receiver: any ElementReceiver<Element>) {
        let offering = Offering(receiver)
        guard let place = source.place else {
            ObservationDiagnostics.tellRefused(.sequenceWithoutPlace, of: source.configuration)
            return
        }
        if let loop = place.living, !loop.isCurrent {
            loop.perform { [weak self] in self?.begin(source, on: place, offering) }
        } else {
            begin(source, on: place, offering)
        }
    }

    private func begin(
        _ source: Source<Element>, on place: NamedLoop, _ offering: Offering<Element>
    ) {
        let prepared = Result(catching: source.prepare)
        var configuration = source.configuration
        configuration.loop = place
        // The present element goes to `begin(with:)` below, so the observation needs no initial
        // call.
        let present = prepared.value.flatMap { $0.hasPresent ? $0.element : nil }
        if present != nil { configuration.options.remove(.initial) }
        let begun = ObservationToken(
            prepared, source.isolations, configuration, nil, nil, skipsPrior: true
        ) { _, element in offering.receiver.offer(element) }
        if begun.failure == nil, let present {
            do {
                if let element = try present(.present(passesRepeated: false)) {
                    offering.receiver.begin(with: element)
                }
            } catch {
                configuration.tell(error, of: "a step of a sequence")
            }
        }
        token.withLock {
            if !$0.hasEnded { $0.begun = begun }
        }
    }

    /// Ends it. May be repeated.
    package func end() {
        // The token is released outside of the lock: objects that its observation kept may end with
        // it.
        _ = token.withLock { token in
            defer { token = (nil, true) }
            return token.begun
        }
    }
}

extension ObservationError {
    fileprivate static let sequenceWithoutPlace = withoutLoop(
        "a sequence", begun: "made", whose: "its object belongs")
}
