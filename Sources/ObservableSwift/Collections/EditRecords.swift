// SPDX-License-Identifier: Apache-2.0

import CObservable

// Edits as they happen, of what has happened since somebody looked: nothing is found by comparing.

/// What an observation that asks for differences is kept informed by.
protocol EditRecord: AnyObject {
    /// An edit has been made, and is about to be told. What it has removed is to be read now.
    func add(_ edit: obv_container_edit)
}

extension ObservableContainer {
    /// The record is informed as long as somebody holds it.
    final func inform(_ record: some EditRecord) {
        records.append(WeakRecord(record: record))
    }

    final func record(_ edits: UnsafeBufferPointer<obv_container_edit>) {
        records.removeAll { $0.record == nil }
        for record in records {
            for edit in edits { record.record?.add(edit) }
        }
    }
}

struct WeakRecord {
    weak var record: (any EditRecord)?
}

/// Edits of an array. The content is kept as pieces: of what was there when the record was taken last
/// in its order, or of what has come since.
///
/// Cost: an edit goes through the pieces, of which each edit makes two at most; one that reorders
/// makes one of each element that it moves.
final class ArrayRecord<Element>: EditRecord {
    private struct Piece {
        /// Where it began before; nil: it has come since.
        var old: Int?
        var count: Int
    }

    private var pieces: [Piece]
    private var gone: [(old: Int, element: Element)] = []

    init(count: Int) {
        pieces = [Piece(old: 0, count: count)]
    }

    func add(_ edit: obv_container_edit) {
        if edit.moved > 0 {
            var moved = cut(edit.position, edit.moved)
            if let order = edit.order {
                var positions = [Int](repeating: 0, count: edit.moved)
                for before in 0..<edit.moved { positions[Int(order[before])] = before }
                let single = moved.flatMap(Self.split)
                moved = positions.map { single[$0] }
                insert(moved, at: edit.position)
            } else {
                insert(moved, at: edit.to)
            }
            return
        }
        var at = 0
        let old = edit.old?.assumingMemoryBound(to: Element.self)
        for piece in cut(edit.position, edit.removed) {
            if let first = piece.old, let old {
                for i in 0..<piece.count { gone.append((first + i, old[at + i])) }
            }
            at += piece.count
        }
        if edit.inserted > 0 {
            insert([Piece(old: nil, count: edit.inserted)], at: edit.position)
        }
    }

    /// What has happened since the last time, to an array that has this content now.
    func take(_ content: ContiguousArray<Element>) -> CollectionDifference<Element> {
        var changes = gone.map {
            CollectionDifference<Element>.Change.remove(
                offset: $0.old, element: $0.element, associatedWith: nil)
        }
        let stays = piecesThatStay()
        var offset = 0
        for (index, piece) in pieces.enumerated() {
            for i in 0..<piece.count where piece.old == nil || !stays.contains(index) {
                let element = content[offset + i]
                let old = piece.old.map { $0 + i }
                changes.append(.insert(offset: offset + i, element: element, associatedWith: old))
                if let old {
                    changes.append(
                        .remove(offset: old, element: element, associatedWith: offset + i))
                }
            }
            offset += piece.count
        }
        pieces = [Piece(old: 0, count: content.count)]
        gone = []
        // Offsets are those of the content before and after, each once, as this asks for.
        return CollectionDifference(changes)!
    }

    /// Those that have not moved past each other: of the runs in the old order the one with the most
    /// elements. By a tree of the best run up to each place in that order (Fenwick, 1994).
    private func piecesThatStay() -> Set<Int> {
        let olds = pieces.indices.filter { pieces[$0].old != nil }
        let ranks = Dictionary(
            uniqueKeysWithValues: olds.sorted { pieces[$0].old! < pieces[$1].old! }
                .enumerated().map { ($1, $0 + 1) })
        var best = [(count: Int, last: Int?)](repeating: (0, nil), count: olds.count + 1)
        var before = [Int: Int]()
        for index in olds {
            var run = (count: 0, last: Int?.none)
            var at = ranks[index]! - 1
            while at > 0 {
                if best[at].count > run.count { run = best[at] }
                at &= at - 1
            }
            before[index] = run.last
            at = ranks[index]!
            while at < best.count {
                let count = run.count + pieces[index].count
                if count > best[at].count { best[at] = (count, index) }
                at += at & -at
            }
        }
        let last = best.max { $0.count < $1.count }?.last
        return Set(
            sequence(state: last) { at in
                defer { at = at.flatMap { before[$0] } }
                return at
            })
    }

    private static func split(_ piece: Piece) -> [Piece] {
        (0..<piece.count).map { i in Piece(old: piece.old.map { $0 + i }, count: 1) }
    }

    /// Takes out a range of the content.
    private func cut(_ position: Int, _ count: Int) -> [Piece] {
        let first = edge(position)
        let last = edge(position + count)
        defer { pieces.removeSubrange(first..<last) }
        return Array(pieces[first..<last])
    }

    private func insert(_ new: [Piece], at position: Int) {
        pieces.insert(contentsOf: new, at: edge(position))
    }

    /// The piece that begins at a position; one that goes past it is cut in two.
    private func edge(_ position: Int) -> Int {
        var begins = 0
        for (index, piece) in pieces.enumerated() {
            if begins == position { return index }
            if position < begins + piece.count {
                let front = position - begins
                pieces[index].count = front
                pieces.insert(
                    Piece(old: piece.old.map { $0 + front }, count: piece.count - front),
                    at: index + 1)
                return index + 1
            }
            begins += piece.count
        }
        return pieces.count
    }
}

/// Edits of a dictionary: of each key that was edited what stood there first.
final class DictionaryRecord<Key: Hashable, Value>: EditRecord {
    private var olds: [Key: Value?] = [:]

    func add(_ edit: obv_container_edit) {
        let key = edit.key!.assumingMemoryBound(to: Key.self).pointee
        if olds[key] == nil {
            let old = edit.old?.assumingMemoryBound(to: Value.self).pointee
            olds[key] = .some(edit.removed > 0 ? old : nil)
        }
    }

    func take(
        _ dictionary: ObservableDictionary<Key, Value>
    ) -> ObservableDictionary<Key, Value>.Difference {
        defer { olds = [:] }
        var changes: [Key: ObservableDictionary<Key, Value>.Change] = [:]
        for (key, old) in olds {
            let new = dictionary[key]
            if old != nil || new != nil {
                changes[key] = ObservableDictionary<Key, Value>.Change(old: old, new: new)
            }
        }
        return ObservableDictionary<Key, Value>.Difference(changes: changes)
    }
}

/// Edits of a set: of each element that was edited whether it was a member.
final class SetRecord<Element: Hashable>: EditRecord {
    private var wereIn: [Element: Bool] = [:]

    func add(_ edit: obv_container_edit) {
        let element = edit.key!.assumingMemoryBound(to: Element.self).pointee
        if wereIn[element] == nil {
            wereIn[element] = edit.removed > 0
        }
    }

    func take(_ set: ObservableSet<Element>) -> ObservableSet<Element>.Difference {
        defer { wereIn = [:] }
        var difference = ObservableSet<Element>.Difference()
        for (element, wasIn) in wereIn where wasIn != set.contains(element) {
            if wasIn {
                difference.removals.insert(element)
            } else {
                difference.insertions.insert(element)
            }
        }
        return difference
    }
}
