// SPDX-License-Identifier: Apache-2.0

import CObservable

/// What one call has coalesced: an entry for each path that changed, and under `*` one for each way
/// through it, in the order of their first changes; those of one change in no promised order.
///
///     user.record(of: \.name, \.address?.allProperties).tell(self) { cell, record in
///         for entry in record.entries { print(entry.path, entry.oldValue ?? "–", entry.newValue ?? "–") }
///     }
///
/// Threads: the values are copies, made on the thread of the change.
public struct ObservationRecord<Root: ObservableHost> {
    /// The object that the block is called for: the one whose change scheduled the call first. It lives
    /// throughout a call. nil: it is gone, before the consumer of a sequence has taken this.
    public weak let object: Root?
    /// Empty if no change has caused the call, and before a store.
    public let entries: [ObservationRecordEntry]
    /// How many more endpoints changed than there are entries: past the limit, or memory was short. Not 0:
    /// the record is truncated.
    public let missing: Int
    /// This is the call before a store: ``ObservationOptions/prior``.
    public let isPrior: Bool

    init(_ object: Root, _ call: obv_call) {
        self.object = object
        isPrior = call.is_prior
        guard let record = call.record?.pointee else {
            entries = []
            missing = 0
            return
        }
        entries = UnsafeBufferPointer(start: record.entries, count: record.count)
            .map(ObservationRecordEntry.init)
        missing = record.missing
    }
}

/// What became of one path, or of one way through a path with `*`.
public struct ObservationRecordEntry {
    /// Which of the observation's paths it is: 0 for the first that it was made with, and on
    /// through those that were added.
    public let index: Int
    /// The path that it was made with, as it was written; of a typed one as text.
    public let requestedPath: String
    /// The path to what has changed: ``requestedPath`` with the name of a property or the key of a
    /// dictionary in the place of each `*`. Where an object stands, the `*` stays.
    public let path: String
    /// The elements in the place of each `*`, in the order of the path: the object, the key of a
    /// dictionary, or the name of a property.
    ///
    ///     for entry in library.record(of: \.songs.each.title) { … entry.elements[0] as? Song … }
    ///
    /// The record keeps its objects from the change on, also those that have left. nil: an object that was
    /// at its end then, or a collection that is a value.
    public let elements: [Any?]
    /// Before the first change, without the optional of an optional property; nil if it was nil or
    /// could not be reached.
    public let oldValue: Any?
    /// After the last change; nil if it is nil or cannot be reached.
    public let newValue: Any?
    /// Whether the path led anywhere before the first change.
    public let wasReachable: Bool
    /// Whether it did after the last.
    public let isReachable: Bool
    /// How many changes they are.
    public let changes: Int
    /// The causes of the first change and of the last.
    public let firstCause, lastCause: ObservationCause

    init(_ entry: obv_record_entry) {
        let before = ChangeValue(entry.first)
        let after = ChangeValue(entry.last)
        index = Int(entry.index)
        requestedPath = String(cString: entry.path)
        path = String(cString: entry.way)
        elements = UnsafeBufferPointer(start: entry.elements, count: entry.element_count)
            .map(value(of:))
        oldValue = before.value()
        newValue = after.value()
        wasReachable = before.isReachable
        isReachable = after.isReachable
        changes = Int(entry.changes)
        firstCause = ObservationCause(entry.first_cause)
        lastCause = ObservationCause(entry.last_cause)
    }
}

private func value(of element: obv_record_element) -> Any? {
    if let key = element.key { return KeyKinds.value(of: key) }
    if let name = element.name { return String(cString: name) }
    return element.object.map(object(of:))
}

/// The cause of a change: the thread, and the source line if it is known.
public struct ObservationCause: Hashable, Sendable {
    /// The number of the thread: never another's in this process.
    public let thread: UInt64
    /// The file and the line, where they are known: ``withObservationCause(file:line:_:)``.
    public let file: String?
    public let line: Int?

    init(_ cause: obv_cause) {
        thread = cause.thread
        file = cause.file.map { String(cString: $0) }
        line = cause.file.map { _ in Int(cause.line) }
    }

    /// The number of the thread that asks.
    public static var currentThread: UInt64 { obv_thread_number() }
}

/// Makes changes with this line as their cause, which records name:
///
///     withObservationCause { user.age = 42 }
///
/// If they are nested, the innermost counts. Setters cannot know where they are called from.
///
/// Threads: any; it holds for what `body` changes on this one. Cost: nothing is allocated.
public func withObservationCause<Result, Failure: Error>(
    file: StaticString = #fileID, line: UInt = #line, _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    var source = obv_source()
    return try withUnsafeMutablePointer(to: &source) { source throws(Failure) in
        obv_source_begin(source, constant(file), UInt32(clamping: line))
        defer { obv_source_end(source) }
        return try body()
    }
}
