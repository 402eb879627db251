// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// What a block was handed beside observer and root.
enum Told {
    case nothing
    case change(old: Value, now: Value)
    /// - Parameter present: of the one path, if no change has caused the call.
    case record([Entry], missing: Int, present: Value)
    case edits([Edit])

    struct Entry {
        let path: String
        let way: String
        let first: Value
        let last: Value
        let changes: Int
    }

    /// nil: a call for no instance of a class.
    init<Root, Handed>(_ change: ObservedChange<Root, Handed>?) {
        guard let change else {
            self = .change(old: .unreachable, now: .unreachable)
            return
        }
        self = .change(
            old: Value(change.old, isReachable: change.wasReachable),
            now: Value(change.new, isReachable: change.isReachable))
    }

    /// nil: a call for no instance of a class.
    init<Root>(_ record: ObservationRecord<Root>?, _ present: Value = .unreachable) {
        self = .record(
            record?.entries.map(Entry.init) ?? [], missing: record?.missing ?? 0,
            present: present)
    }
}

extension Told.Entry {
    fileprivate init(_ entry: ObservationRecordEntry) {
        path = entry.requestedPath
        way = entry.path
        first = Value(entry.oldValue, isReachable: entry.wasReachable)
        last = Value(entry.newValue, isReachable: entry.isReachable)
        changes = entry.changes
    }
}

extension Value {
    init<Stored>(_ read: PathValue<Stored>) {
        self.init(read.value, isReachable: read.isReachable)
    }

    /// A value that the library has handed over.
    fileprivate init(_ value: Any?, isReachable: Bool) {
        guard isReachable else {
            if value != nil {
                fail("a value was handed over that cannot be reached")
            }
            self = .unreachable
            return
        }
        switch value {
        case nil: self = .null
        case let truth as Bool: self = .bool(truth)
        case let integer as Int: self = .int(integer)
        case let real as Double: self = .float(real)
        case let text as String: self = .text(text)
        case let thing as Thing: self = .object(thing.named)
        case let container as ObservableContainer:
            self = Value(collection: container)?.copy ?? .null
        case let things as [Thing]:
            self = .collection(Content(kind: .list, items: things.map { .object($0.named) }))
        case let other?: fail("handed over: \(type(of: other))")
        }
    }
}

// MARK: - The expectations

extension Observation {
    /// Old and new value of its last call.
    fileprivate var change: (old: Value, now: Value) {
        switch told {
        case .change(let old, let now):
            return (old, now)
        case .record(let entries, _, let present) where wantsValues && entries.count <= 1:
            return (entries.first?.first ?? present, entries.first?.last ?? present)
        default:
            fail("the last call of \(name) was handed no values")
        }
    }

    fileprivate var record: (entries: [Told.Entry], missing: Int) {
        guard case .record(let entries, let missing, _) = told else {
            fail("the last call of \(name) was handed no record")
        }
        return (entries, missing)
    }
}

func expectOld(_ arguments: Words) {
    expect("the old value", called(arguments.word[0]).change.old, arguments.word[1])
}

func expectNow(_ arguments: Words) {
    expect("the new value", called(arguments.word[0]).change.now, arguments.word[1])
}

func expectRecords(_ arguments: Words) {
    let entries = called(arguments.word[0]).record.entries
    expect("the number of entries", entries.count, arguments.word[1])
}

func expectTruncated(_ arguments: Words) {
    expect("what is missing", called(arguments.word[0]).record.missing, arguments.word[1])
}

/// `record O PATH FIRST LAST COUNT`: by the path as written, or by the way that was taken.
func expectRecord(_ arguments: Words) {
    let entries = called(arguments.word[0]).record.entries
    let path = quotedText(arguments.word[1])
    if !isNumber(arguments.word[4]) {
        fail("this is no number: \(arguments.word[4])")
    }
    let (first, last) = (Value(arguments.word[2]), Value(arguments.word[3]))
    let changes = Int(arguments.word[4])
    let isThere = entries.contains { entry in
        (entry.path == path || entry.way == path) && entry.changes == changes
            && entry.first.equals(first) && entry.last.equals(last)
    }
    if !isThere {
        fail("no entry is as that; there are \(entries.map(\.description))")
    }
}

extension Told.Entry: CustomStringConvertible {
    var description: String { "\(way) \(first) \(last) \(changes)" }
}
