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
/// properties and collections, as they come and go. Values, references and edits of ``ObservableArray``,
/// ``ObservableDictionary`` and ``ObservableSet`` are put back as they were.
///
/// A *group* is undone as one. It has what was changed until the loop has drained, and what blocks have
/// changed in answer, in that drain; or what a named ``group(_:_:)`` changes. What tasks and other loops
/// change in answer are groups of their own: ``withoutRecording(_:)`` leaves them out.
///
/// What it is not:
/// - `willSet` and `didSet` of a property do not run when it is put back. Observers are told.
/// - Properties of any thread (``ObservedAtomic``) are not recorded.
/// - Inside a batch nothing is recorded before its end.
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

    /// What was refused when it was made, such as a loop that is missing: then nothing is recorded.
    public var failure: ObservationError? { token?.failure }

    private struct Group {
        var name: String?
        var changes: [RecordedChange]
    }

    /// Where changes go when they are collected.
    private enum Destination: Equatable {
        /// A group that can be undone: a new one, or the one that is open.
        case undo
        /// A new group of what undoes the undoing.
        case redo
        /// The same while redoing.
        case undoAgain
        /// To the group that was changed last.
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

    private var destination = Destination.undo
    /// That of what was noted and not collected.
    private var noted = Destination.undo
    /// What putting back has changed so far.
    private var reverted: [RecordedChange] = []
    /// Something was changed since the loop has drained.
    private var isUnsettled = false
    /// The drain that has told of the last changes.
    private var settledTurn: Int?
    /// The group that was changed last is the newest to redo.
    private var latestIsRedo = false
    /// The newest group to undo takes what is still changed in this turn.
    private var isOpen = false
    private var name: String?
    private var isNaming = false

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
        ) { [unowned self] in willNote() }
        let token = ObservationToken(
            graph.pulse, when: \.count, on: loop, options: [], label: label, file: file, line: line,
            isolation: isolation
        ) { [weak self] _ in self?.settle() }
        self.token = token
        if token.failure != nil { return }
        for host in [root] + more { graph.add(root: host) }
    }

    // MARK: - Undoing

    /// Puts back what the newest group has changed, and keeps that for ``redo()``.
    ///
    /// - Returns: false: there is nothing to undo; or a collection was edited and that was not recorded, so
    ///   that the group does not fit it any more. Then nothing is changed, and
    ///   ``ObservationDiagnostics`` is told. Inside a block that putting back has called: false.
    @discardableResult
    public func undo() -> Bool {
        revert(\.undoable, to: .redo)
    }

    /// Puts back what the newest ``undo()`` has changed. Any change that is recorded after that takes it
    /// away.
    @discardableResult
    public func redo() -> Bool {
        revert(\.redoable, to: .undoAgain)
    }

    private func revert(
        _ groups: ReferenceWritableKeyPath<UndoHistory, [Group]>, to opposite: Destination
    ) -> Bool {
        if destination == .redo || destination == .undoAgain { return false }
        collect()
        guard let group = self[keyPath: groups].last else { return false }
        guard fits(group) else { return false }
        self[keyPath: groups].removeLast()
        (destination, name) = (opposite, group.name)
        withObservationBatch {
            // Collected one by one: an object that comes back is observed before its properties are put
            // back.
            for change in group.changes.reversed() {
                putBack(change)
                collect()
            }
        }
        push(reverted, on: opposite == .redo ? \.redoable : \.undoable)
        (destination, name, isOpen, reverted) = (.undo, nil, false, [])
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

    /// What a function changes, as a group of its own with a name. Inside another such call it belongs to
    /// that one.
    ///
    /// - Returns: what `body` returns; what it has changed before it throws stays changed, and can be
    ///   undone.
    public func group<Result, Failure: Error>(
        _ name: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if isNaming { return try body() }
        collect()
        (self.name, isNaming, isOpen) = (name, true, false)
        defer {
            collect()
            (self.name, isNaming, isOpen) = (nil, false, false)
            show()
        }
        return try body()
    }

    /// What a function changes is not recorded, such as what is loaded, or comes from a server. Groups that
    /// have changed the same are undone all the same.
    public func withoutRecording<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        collect()
        let outer = destination
        destination = .nowhere
        defer {
            collect()
            destination = outer
        }
        return try body()
    }

    /// Forgets all groups, as after saving under another name.
    public func removeAll() {
        collect()
        (undoable, redoable, isOpen) = ([], [], false)
        show()
    }

    private func willNote() {
        let due = destination == .undo && isAnswer ? Destination.latest : destination
        if graph.hasChanged, due != noted { collect() }
        (noted, isUnsettled) = (due, true)
        showNoted()
    }

    /// Whether a block changes something in answer to a change.
    private var isAnswer: Bool {
        guard !isNaming, let turn = loop.turnUnderWay else { return false }
        return isUnsettled || settledTurn == turn
    }

    /// What has changed goes where it belongs.
    private func collect() {
        guard graph.hasChanged else { return }
        let changes = graph.collect()
        graph.leaveRings()
        if changes.isEmpty { return show() }
        switch noted {
        case .undo:
            redoable = []
            latestIsRedo = false
            if isOpen {
                undoable[undoable.count - 1].changes += changes
            } else {
                push(changes, on: \.undoable)
            }
            isOpen = true
        case .redo, .undoAgain:
            latestIsRedo = noted == .redo
            reverted += changes
        case .latest:
            let groups = latestIsRedo ? \UndoHistory.redoable : \UndoHistory.undoable
            if self[keyPath: groups].isEmpty {
                latestIsRedo = false
                push(changes, on: \.undoable)
            } else {
                self[keyPath: groups][self[keyPath: groups].count - 1].changes += changes
            }
        case .nowhere:
            break
        }
        show()
    }

    private func push(
        _ changes: [RecordedChange], on groups: ReferenceWritableKeyPath<UndoHistory, [Group]>
    ) {
        if changes.isEmpty { return }
        self[keyPath: groups].append(Group(name: name, changes: changes))
        if self[keyPath: groups].count > limit { self[keyPath: groups].removeFirst() }
    }

    /// The loop has drained.
    private func settle() {
        collect()
        (isOpen, isUnsettled, settledTurn) = (false, false, loop.turnUnderWay)
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
        guard noted == .undo else { return }
        canUndo = true
        canRedo = false
        redoName = nil
        if !isOpen { undoName = name }
    }
}
