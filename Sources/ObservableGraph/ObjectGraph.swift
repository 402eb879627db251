// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// A change that can be taken back.
enum RecordedChange {
    /// A property, with the value before.
    case property(WeakHost, StoredProperty, old: Any?)
    case content(any ContentChange)
}

struct WeakHost {
    weak let host: (any ObservableHost)?
}

/// All that roots lead to, observed object by object, as objects come and go.
///
/// An object is part of it as long as a chain of strong references leads there from a root, through stored
/// properties and collections. Each one counts its holders; an object whose last holder has gone leaves
/// with all that it alone has held. If it loses the holder by which it was found and has others, they may
/// be a ring that nothing leads to: then all is walked once.
final class ObjectGraph {
    private final class Node {
        weak let host: (any ObservableHost)?
        var isRoot = false
        let edits: (any ContentEdits)?
        var token: ObservationToken?
        /// How often it holds each of the others.
        var held: [UInt64: Int] = [:]
        var holders = 0
        /// By which it was found.
        var finder: UInt64?

        init(_ host: any ObservableHost, finder: UInt64?) {
            self.host = host
            self.finder = finder
            edits = (host as? any RevertibleCollection)?.edits()
        }
    }

    /// The number of changes.
    final class Pulse: ObservableModel, Unseen {
        @Observed var count = 0
    }

    private var nodes: [UInt64: Node] = [:]
    private var observer: EveryChange!
    let pulse = Pulse()
    /// Changes that were not collected: the first value of each property, and collections.
    private var noted: [Note] = []
    private var isNoted: Set<Place> = []
    private var mayHoldRing = false

    private struct Place: Hashable {
        let object: UInt64
        let property: String
    }

    private enum Note {
        case property(UInt64, StoredProperty, old: Any?)
        case content(UInt64)

        var isRecorded: Bool {
            if case .property(_, let property, _) = self { !property.isOfAnyThread } else { true }
        }
    }

    /// - Parameters:
    ///   - loop: where the objects belong.
    ///   - didNote: runs inside each change that will be collected, once it is noted.
    init(
        on loop: DeliveryLoop, isolation: (any Actor)?, label: StaticString?, file: StaticString,
        line: UInt, didNote: @escaping () -> Void
    ) {
        observer = EveryChange(on: loop, isolation: isolation, label: label, file: file, line: line)
        {
            [weak self] host, changes in self?.note(host, changes, didNote)
        }
    }

    /// Its objects are observed as well.
    func add(root: any ObservableHost) {
        guard let key = find(root, by: nil) else { return }
        nodes[key]?.isRoot = true
    }

    var hasChanged: Bool { !noted.isEmpty }

    private func note(
        _ host: any ObservableHost, _ changes: [PropertyChange], _ didNote: () -> Void
    ) {
        guard let key = host.identity, let node = nodes[key] else { return }
        if node.edits != nil {
            note(.content(key), Place(object: key, property: ""), didNote)
            return
        }
        for change in changes {
            guard let property = host.storedProperty(named: change.name) else { continue }
            note(
                .property(key, property, old: change.old),
                Place(object: key, property: change.name), didNote)
        }
    }

    private func note(_ note: Note, _ place: Place, _ didNote: () -> Void) {
        if isNoted.insert(place).inserted { noted.append(note) }
        pulse.count &+= 1
        if note.isRecorded { didNote() }
    }

    /// The changes since the last time, oldest first; objects that have come and gone meanwhile are
    /// observed and left. Not among it: what any thread may set, and what has become again as it was.
    func collect() -> [RecordedChange] {
        let notes = noted
        noted = []
        isNoted = []
        return notes.compactMap(collect)
    }

    private func collect(_ note: Note) -> RecordedChange? {
        switch note {
        case .property(let key, let property, let old):
            guard let node = nodes[key], let host = node.host else { return nil }
            follow(
                node, key, come: property.objects(in: property.value(in: host)),
                gone: property.objects(in: old))
            guard note.isRecorded, !property.holds(old, in: host) else { return nil }
            return .property(WeakHost(host: host), property, old: old)
        case .content(let key):
            guard let node = nodes[key], let change = node.edits?.take() else { return nil }
            follow(node, key, come: change.come, gone: change.gone)
            return .content(change)
        }
    }

    private func follow(
        _ node: Node, _ key: UInt64, come: [any ObservableHost], gone: [any ObservableHost]
    ) {
        for host in come { hold(host, by: node, key) }
        for host in gone { host.identity.map { letGo($0, by: node, key) } }
    }

    // MARK: - Objects that come and go

    /// Finds an object and all that it holds, without recursion.
    private func find(_ host: any ObservableHost, by finder: UInt64?) -> UInt64? {
        guard let first = host.identity else { return nil }
        if nodes[first] != nil { return first }
        begin(host, first, by: finder)
        var found = [(key: first, host: host)]
        while let (key, host) = found.popLast() {
            guard let node = nodes[key] else { continue }
            for held in host.heldObjects where isFollowed(held) {
                guard let heldKey = held.identity else { continue }
                if nodes[heldKey] == nil {
                    begin(held, heldKey, by: key)
                    found.append((heldKey, held))
                }
                nodes[heldKey]?.holders += 1
                node.held[heldKey, default: 0] += 1
            }
        }
        return first
    }

    /// A derived collection is made of what is followed elsewhere.
    private func isFollowed(_ host: any ObservableHost) -> Bool {
        !(host is UndoHistory)
            && (!(host is ObservableContainer) || host is any RevertibleCollection)
    }

    /// Observes an object, before what it holds is read.
    private func begin(_ host: any ObservableHost, _ key: UInt64, by finder: UInt64?) {
        let node = Node(host, finder: finder)
        nodes[key] = node
        node.token = observer.observe(host)
    }

    private func hold(_ host: any ObservableHost, by node: Node, _ key: UInt64) {
        guard isFollowed(host), let heldKey = find(host, by: key) else { return }
        nodes[heldKey]?.holders += 1
        node.held[heldKey, default: 0] += 1
    }

    private func letGo(_ gone: UInt64, by node: Node, _ key: UInt64) {
        guard let count = node.held[gone] else { return }
        node.held[gone] = count > 1 ? count - 1 : nil
        lose(gone, holder: key, times: 1, isLast: count == 1)
    }

    private func lose(_ key: UInt64, holder: UInt64, times: Int, isLast: Bool) {
        var lost = [(key: key, holder: holder, times: times, isLast: isLast)]
        while let (key, holder, times, isLast) = lost.popLast() {
            guard let node = nodes[key] else { continue }
            node.holders -= times
            if node.isRoot { continue }
            if node.holders == 0 {
                nodes[key] = nil
                for (held, times) in node.held { lost.append((held, key, times, true)) }
            } else if isLast, node.finder == holder {
                mayHoldRing = true
            }
        }
    }

    /// Leaves what no root leads to. Comes after collecting, once for many times of that.
    func leaveRings() {
        if !mayHoldRing { return }
        mayHoldRing = false
        var reached = Set(nodes.filter { $0.value.isRoot }.keys)
        var rest = Array(reached)
        while let key = rest.popLast() {
            for held in nodes[key]!.held.keys where reached.insert(held).inserted {
                nodes[held]?.finder = key
                rest.append(held)
            }
        }
        let left = nodes.filter { !reached.contains($0.key) }
        for (key, node) in left {
            nodes[key] = nil
            for (held, times) in node.held { nodes[held]?.holders -= times }
        }
    }

    /// The number of objects, for tests.
    var count: Int { nodes.count }
}
