// SPDX-License-Identifier: Apache-2.0

public import ObservableSwift

extension ObservableHost {
    /// This object, whenever anything has changed that it leads to, at any depth:
    ///
    ///     token = document.everything().debounce(for: .seconds(2)).onChange { document in save(document) }
    ///
    /// That is a stored property of this object, or of one that its strong stored properties and
    /// collections lead to, rings included, or the content of such a collection, as objects come and go.
    /// Not a computed property or a derived collection, nor what only a weak property or a plain value leads
    /// to.
    ///
    /// The objects are observed from this call on, as long as the sequence or what is made of it is kept; this
    /// object is not kept. The newest state counts: many changes of a turn are one.
    ///
    /// - Parameters:
    ///   - loop: where the objects belong; nil: to the isolation of the caller, or if it has none, to the
    ///     main loop.
    ///   - file: of the caller; leave it out.
    ///   - line: likewise.
    ///   - isolation: likewise.
    ///
    /// Threads: where the objects belong. Cost: an immediate observation for each object; each change calls
    /// it with a record. If an object loses the reference by which it was found, and has others, all are
    /// walked once.
    public func everything(
        on loop: DeliveryLoop? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation
    ) -> ObservationSequence<Self> {
        let place = DeliveryLoop.place(loop, isolation)
        let graph = ObjectGraph(
            on: place, isolation: isolation, label: nil, file: file, line: line
        ) {}
        graph.add(root: self)
        let counts = graph.pulse.values(
            of: \.count, file: file, line: line, isolation: isolation)
        return (loop == nil ? counts : counts.on(place)).compactMap { [weak self] count in
            _ = graph.collect()
            graph.leaveRings()
            return count == 0 ? nil : self
        }
    }
}
