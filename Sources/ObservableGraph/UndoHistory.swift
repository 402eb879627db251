// SPDX-License-Identifier: Apache-2.0

public import ObservableSwift

/// Undo and redo of all that is changed below some objects, without a line at each change:
///
///     let history = UndoHistory(of: document)
///     document.title = "Draft"
///     document.pages.append(Page())
///     history.undo()  // of both: they were made in one turn of the loop
///
///     history.group("Delete page") { document.pages.removeLast() }
///     button.title = "Undo \(history.undoName ?? "")"
///
/// It follows the objects that the given ones lead to, at any depth and in rings, through strong stored
/// properties and collections, as they come and go. Values, references and edits of `ObservableArray`,
/// `ObservableDictionary` and `ObservableSet` are put back as they were.
///
/// A *group* is undone as one. It has what was changed until the loop has drained, and what blocks have
/// changed in answer, in that drain; or what a named ``group(_:_:)`` changes. What tasks and other loops
/// change in answer are groups of their own: ``withoutRecording(_:)`` leaves them out.
///
/// Limits:
/// - `willSet` and `didSet` of a property do not run when it is put back. Observers are told.
/// - Properties of any thread (`ObservedAtomic`) are not recorded.
/// - Changes of an object in the turn in which it comes are not recorded.
/// - Computed properties and derived collections follow what they are made of.
///
/// The history keeps none of the objects but in values that it may put back. So the root may keep it, and
/// it is no part of what it records.
///
/// Threads: where the objects belong. Cost: an immediate observation for each object; each change calls it
/// with a record.
public final class UndoHistory: ObservableModel {
    /// Whether there is something to undo; may be observed, as the next three.
    @Observed public private(set) var canUndo = false
    /// Whether there is something to redo.
    @Observed public private(set) var canRedo = false
    /// The name of what ``undo()`` would undo; nil: there is nothing, or it has none.
    @Observed public private(set) var undoName: String?
    /// The same of ``redo()``.
    @Observed public private(set) var redoName: String?

    /// The refusal, such as of a loop that is missing: then nothing is recorded.
    public var failure: ObservationError? { token?.failure }

    private typealias Groups = ReferenceWritableKeyPath<UndoHistory, [Group]>

    private struct Group {
        var name: String?
        var changes: [RecordedChange]
    }

    /// The place of changes that are collected.
    private enum Destination {
        /// A group that can be undone: a new one, or the one that is open.
        case undoable
        /// The group that undoes what is put back now.
        case reverted
        /// The group that was changed last.
        case latest
        case nowhere
    }

    private var undoable: [Group] = []
    private var redoable: [Group] = []
    private let limit: Int
    private let loop: DeliveryLoop
    private var graph: ObjectGraph!
    private var token: ObservationToken?
    private let report: (String) -> Void

    /// That of what was noted and not collected; nil: there is nothing.
    private var noted: Destination?
    /// Changes by putting back so far; nil: nothing is put back now.
    private var reverted: [RecordedChange]?
    private var isRecording = true
    /// Something was changed since the loop has drained.
    private var isUnsettled = false
    /// The drain that has told of the last changes.
    private var settledTurn: Int?
    /// Those of which the newest was changed last.
    private var latest: Groups = \.undoable
    /// The newest group to undo takes what is still changed in this turn.
    private var isOpen = false
    /// Of the named group that changes go to; nil: there is none.
    private var name: String?

    /// - Parameters:
    ///   - root: kept by nobody here.
    ///   - more: the same.
    ///   - limit: so many groups are kept; of more the oldest is forgotten.
    ///   - loop: where the objects belong; nil: to the isolation of the caller, or if it has none, to the
    ///     main loop.
    ///   - label: shown in all debug output.
    ///   - file: of the caller; leave it out.
    ///   - line: likewise.
    ///   - isolation: likewise.
    public init(
        of root: some ObservableHost, _ more: any ObservableHost...,
        limit: Int = 100,
        on loop: DeliveryLoop? = nil,
        label: StaticString? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        isolation: (any Actor)? = #isolation
    ) {
        self.limit = max(1, limit)
        self.loop = DeliveryLoop.place(loop, isolation)
        report = {
            ObservationDiagnostics.tellRefused($0, label: label, file: file, line: line)
        }
        super.init()
        graph = ObjectGraph(
            on: self.loop, isolation: isolation, label: label, file: file, line: line
        ) { [unowned self] in didNote() }
        let token = ObservationToken(
            graph.pulse, of: \.count, handsValue: false, on: loop, options: [], label: label,
            file: file, line: line,
            isolation: isolation
        ) { [weak self] _, _, _ in self?.settle() }
        self.token = token
        if token.failure != nil { return }
        for host in [root] + more { graph.add(root: host) }
    }

    // MARK: - Undoing

    /// Puts back what the newest group has changed, and keeps that for ``redo()``.
    ///
    /// - Returns: false: there is nothing to undo; or a collection was edited and that was not recorded, so
    ///   that the group does not fit it any more. Then nothing is changed, and
    ///   `ObservationDiagnostics` is told. Inside a block that putting back has called: false.
    @discardableResult
    public func undo() -> Bool {
        revert(\.undoable, to: \.redoable)
    }

    /// Puts back what the newest ``undo()`` has changed. Any change that is recorded after that takes it
    /// away.
    @discardableResult
    public func redo() -> Bool {
        revert(\.redoable, to: \.undoable)
    }

    private func revert(_ groups: Groups, to opposite: Groups) -> Bool {
        if reverted != nil { return false }
        collect()
        guard let group = self[keyPath: groups].last, fits(group) else { return false }
        self[keyPath: groups].removeLast()
        let wasRecording = isRecording
        (reverted, isRecording) = ([], true)
        withObservationBatch {
            // Collected one by one: an object that comes back is observed before its properties are put
            // back.
            for change in group.changes.reversed() {
                putBack(change)
                collect()
            }
        }
        let changes = reverted ?? []
        if !changes.isEmpty {
            push(Group(name: group.name, changes: changes), on: opposite)
            latest = opposite
        }
        (reverted, isRecording, isOpen) = (nil, wasRecording, false)
        graph.leaveRings()
        show()
        return true
    }

    /// Whether each collection is as its last change in the group has left it.
    private func fits(_ group: Group) -> Bool {
        var seen: Set<ObjectIdentifier> = []
        for case .content(let change) in group.changes.reversed() {
            guard let collection = change.collection,
                seen.insert(ObjectIdentifier(collection)).inserted
            else { continue }
            if !change.fits {
                reportMisfit()
                return false
            }
        }
        return true
    }

    private func putBack(_ change: RecordedChange) {
        switch change {
        case .property(let host, let property, let old):
            if let host = host.host { _ = property.store(old, in: host) }
        case .content(let change):
            // Not if it was edited between two changes of one group.
            if change.fits { change.revert() } else { reportMisfit() }
        }
    }

    private func reportMisfit() {
        report(
            "what a collection had cannot be put back: it was edited meanwhile, and that was not "
                + "recorded")
    }

    // MARK: - Recording

    /// Makes a function's changes a group of its own with a name. Inside another such call they belong to
    /// that one.
    ///
    /// - Returns: what `body` returns; what it has changed before it throws stays changed, and can be
    ///   undone.
    public func group<Result, Failure: Error>(
        _ name: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if self.name != nil { return try body() }
        collect()
        (self.name, isOpen) = (name, false)
        defer {
            collect()
            (self.name, isOpen) = (nil, false)
            show()
        }
        return try body()
    }

    /// Records none of a function's changes, such as of what is loaded, or comes from a server. Groups that
    /// have changed the same are undone all the same.
    public func withoutRecording<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        collect()
        let wasRecording = isRecording
        isRecording = false
        defer {
            collect()
            isRecording = wasRecording
        }
        return try body()
    }

    /// Forgets all groups, as after saving under another name.
    public func removeAll() {
        collect()
        isOpen = false
        forget(\.undoable)
        forget(\.redoable)
        show()
    }

    /// All that is noted until it is collected goes to one place: a change is collected after it has been
    /// noted, not while the next one of the same property is under way.
    private func didNote() {
        if noted == nil { noted = destination }
        isUnsettled = true
        showNoted()
    }

    private var destination: Destination {
        if !isRecording { return .nowhere }
        if reverted != nil { return .reverted }
        return isAnswer ? .latest : .undoable
    }

    /// Whether a block changes something in answer to a change.
    private var isAnswer: Bool {
        guard name == nil, let turn = loop.turnUnderWay else { return false }
        return isUnsettled || settledTurn == turn
    }

    /// Changes go where they belong.
    private func collect() {
        guard graph.hasChanged else { return }
        let destination = noted
        noted = nil
        let changes = graph.collect()
        if reverted == nil { graph.leaveRings() }
        if changes.isEmpty { return show() }
        switch destination {
        case .undoable:
            latest = \.undoable
            add(changes, isNew: !isOpen)
            isOpen = true
            forget(\.redoable)
        case .reverted: reverted? += changes
        case .latest: add(changes, isNew: false)
        case .nowhere, nil: break
        }
        show()
    }

    /// To the group that was changed last, or to a new one.
    private func add(_ changes: [RecordedChange], isNew: Bool) {
        if let last = self[keyPath: latest].indices.last, !isNew {
            self[keyPath: latest][last].changes += changes
        } else {
            latest = \.undoable
            push(Group(name: name, changes: changes), on: latest)
        }
    }

    private func push(_ group: Group, on groups: Groups) {
        self[keyPath: groups].append(group)
        if self[keyPath: groups].count > limit {
            let oldest = self[keyPath: groups].removeFirst()
            withExtendedLifetime(oldest) {}
        }
    }

    /// Objects that end with the groups may use this history: the groups are let go when they are no more
    /// part of it.
    private func forget(_ groups: Groups) {
        var gone: [Group] = []
        swap(&gone, &self[keyPath: groups])
    }

    /// The loop has drained.
    private func settle() {
        collect()
        (isUnsettled, settledTurn) = (false, loop.turnUnderWay)
        if name == nil { isOpen = false }
    }

    private func show() {
        canUndo = !undoable.isEmpty
        canRedo = !redoable.isEmpty
        undoName = undoable.last?.name
        redoName = redoable.last?.name
    }

    /// The number of objects that are observed, for tests.
    var followed: Int {
        collect()
        return graph.count
    }

    /// As it will be when what is noted is collected.
    private func showNoted() {
        guard noted == .undoable else { return }
        canUndo = true
        canRedo = false
        redoName = nil
        if !isOpen { undoName = name }
    }
}
