// SPDX-License-Identifier: Apache-2.0

import CObservable
import Synchronization

/// The components of all typed paths. Equal key paths share one component, as long as somebody uses
/// the component or holds its key paths.
///
/// Hashing and comparing key paths with captures runs code of the program, and so is done with no
/// lock held.
enum Components {
    /// A component in one of its lives. In a later life the same object may stand here for other
    /// key paths, or for equal ones again.
    private struct Entry: Equatable {
        let component: Component
        let life: Int

        static func == (a: Entry, b: Entry) -> Bool {
            a.component === b.component && a.life == b.life
        }
    }

    private struct Table {
        /// The entries by the hash of their key paths.
        var known: [Int: [Entry]] = [:]
        var count = 0
        /// The number of entries above which ended components are looked for.
        var limit = 64
        /// Ended components, to be used again for others of the same likeness.
        var spare: [Component.Likeness: [Component]] = [:]
    }

    private static let table = Locked<Table>(Table())

    /// The component of a reader, with one use, which the caller ends by ``Component/leave()``.
    static func use(_ reader: ComponentReader) -> Component {
        let hash = reader.keyPaths.hashValue
        while true {
            let known = table.withLock { $0.known[hash] ?? [] }
            if let same = known.first(where: { $0.component.use(reader, in: $0.life) }) {
                return same.component
            }
            let made = begin(reader, likeness(reader, hash))
            if add(made, hash, beside: known) {
                return made.component
            }
            // Another thread has added an entry with this hash, perhaps the same component: look
            // again.
            made.component.leave()
            if made.component.end() { keepSpare([made.component]) }
        }
    }

    /// Adds an entry; false: the table has entries of this hash that are not among `known`.
    private static func add(
        _ entry: Entry, _ hash: Int, beside known: [Entry]
    ) -> Bool {
        let (isAdded, isFull) = table.withLock { table in
            let now = table.known[hash] ?? []
            guard now.allSatisfy(known.contains) else {
                return (false, false)
            }
            table.known[hash] = now + [entry]
            table.count += 1
            return (true, table.count > table.limit)
        }
        if isFull { sweep() }
        return isAdded
    }

    /// Removes ended components. Cost: a look at every component, but only once in as many
    /// additions as there are components.
    private static func sweep() {
        let all = table.withLock { $0.known }
        var ended: [Component] = []
        for (hash, entries) in all {
            let gone = entries.filter { $0.component.endIfGone(in: $0.life) }
            if gone.isEmpty { continue }
            ended += gone.map(\.component)
            table.withLock { table in
                let left = table.known[hash]?.filter { !gone.contains($0) }
                table.known[hash] = left?.isEmpty ?? true ? nil : left
                table.count -= gone.count
            }
        }
        keepSpare(ended)
        table.withLock { $0.limit = max(64, 2 * $0.count) }
    }

    private static func keepSpare(_ ended: [Component]) {
        table.withLock { table in
            for component in ended {
                table.spare[component.likeness, default: []].append(component)
            }
        }
    }

    private static func begin(
        _ reader: ComponentReader, _ likeness: Component.Likeness
    ) -> Entry {
        while true {
            let spare = table.withLock { $0.spare[likeness]?.popLast() } ?? Component(likeness)
            if let life = spare.begin(reader) {
                return Entry(component: spare, life: life)
            }
        }
    }

    // MARK: - Likeness

    private static let texts = Locked<[String: UnsafePointer<CChar>]>([:])

    private static func likeness(_ reader: ComponentReader, _ hash: Int) -> Component.Likeness {
        if reader.isPlain {
            return Component.Likeness(property: nil, hash: hash, text: text(reader))
        }
        let property = use(reader.property)
        defer { property.leave() }
        return Component.Likeness(
            property: ObjectIdentifier(property), hash: 0, text: text(reader))
    }

    /// The text that stands for a component without a name: the types and fields of its key paths,
    /// without captured values. Texts are never freed; there are no more of them than spellings in
    /// the program's source.
    private static func text(_ reader: ComponentReader) -> UnsafePointer<CChar> {
        let text = reader.keyPaths.map { self.text(of: "\($0)") }.joined(separator: ".")
        return texts.withLock { texts in
            if let kept = texts[text] { return kept }
            let kept = keptText(text)
            texts[text] = kept
            return kept
        }
    }

    /// A key path's description without its backslash, and without the address of a getter.
    private static func text(of description: String) -> String {
        let text = String(description.drop { $0 == "\\" })
        guard let address = text.firstRange(of: " 0x"),
            let type = text[address.upperBound...].firstRange(of: " (")
        else { return text }
        return String(text[..<address.lowerBound] + text[type.lowerBound...])
    }
}
