// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

@testable import ObservableGraph

@Suite @MainActor struct UndoTests {
    let document = Document()

    private func drain() { DeliveryLoop.main.drain() }

    @Test func whatWasChangedInOneTurnIsUndoneAsOne() {
        let history = UndoHistory(of: document)
        document.title = "a"
        document.title = "b"
        document.pages.append(Page("1"))
        #expect(history.canUndo)
        #expect(history.undo())
        #expect(document.title == "")
        #expect(document.pages.isEmpty)
        #expect(!history.canUndo)
        #expect(history.canRedo)
        #expect(history.redo())
        #expect(document.title == "b")
        #expect(document.pages.map(\.text) == ["1"])
        #expect(!history.undo() == false)
        #expect(document.title == "")
        #expect(!history.undo())
    }

    @Test func turnsAreGroups() {
        let history = UndoHistory(of: document)
        for title in ["a", "b", "c"] {
            document.title = title
            drain()
        }
        history.undo()
        #expect(document.title == "b")
        drain()
        history.undo()
        #expect(document.title == "a")
        history.redo()
        history.redo()
        #expect(document.title == "c")
        #expect(!history.redo())
        history.undo()
        document.title = "d"
        #expect(!history.canRedo)
        #expect(!history.redo())
        history.undo()
        #expect(document.title == "b")
    }

    @Test func objectsThatHaveComeAreFollowed() {
        let history = UndoHistory(of: document)
        let page = Page("1")
        document.pages.append(page)
        drain()
        page.text = "2"
        page.next = Page("n")
        drain()
        page.next!.text = "m"
        drain()
        history.undo()
        #expect(page.next?.text == "n")
        history.undo()
        #expect(page.text == "1" && page.next == nil)
        history.undo()
        #expect(document.pages.isEmpty)
        history.redo()
        history.redo()
        history.redo()
        #expect(document.pages.first === page)
        #expect(page.next?.text == "m")
    }

    @Test func aRemovedObjectComesBackAsItWas() {
        let page = Page("1")
        document.pages.assign([Page("0"), page, Page("2")])
        let history = UndoHistory(of: document)
        page.text = "changed"
        document.pages.remove(at: 1)
        history.undo()
        #expect(document.pages[1] === page)
        #expect(page.text == "1")
        page.text = "x"
        history.undo()
        #expect(page.text == "1")
    }

    @Test func eachKindOfCollectionIsPutBack() {
        document.names["a"] = Page("A")
        document.tags.insert("old")
        document.numbers.assign([1, .nan, 3])
        let history = UndoHistory(of: document)
        let a = document.names["a"]!
        document.names["a"] = nil
        document.names["b"] = Page("B")
        document.tags.remove("old")
        document.tags.insert("new")
        document.numbers.move(from: 0, to: 2)
        document.numbers.append(4)
        drain()
        document.numbers.removeAll()
        drain()
        history.undo()
        #expect(document.numbers.count == 4)
        history.undo()
        #expect(document.names.count == 1 && document.names["a"] === a)
        #expect(Array(document.tags) == ["old"])
        #expect(document.numbers.count == 3 && document.numbers[0] == 1 && document.numbers[2] == 3)
        history.redo()
        #expect(Array(document.tags) == ["new"])
        #expect(document.names.count == 1 && document.names["b"]?.text == "B")
        #expect(document.numbers.count == 4 && document.numbers[3] == 4)
    }

    @Test func valuesOfEveryTypeArePutBack() {
        document.any = "text"
        let history = UndoHistory(of: document)
        document.any = 5
        document.host = Page("h")
        document.spare = [Page("s")]
        document.size = .nan
        history.undo()
        #expect(document.any as? String == "text")
        #expect(document.host == nil)
        #expect(document.spare.isEmpty)
        #expect(document.size == 0)
        history.redo()
        #expect(document.any as? Int == 5)
        #expect((document.host as? Page)?.text == "h")
        #expect(document.spare.map(\.text) == ["s"])
        #expect(document.size.isNaN)
        document.spare[0].text = "t"
        history.undo()
        #expect(document.spare[0].text == "s")
    }

    @Test func aValueIsPutBackAsTheTypeThatItHad() {
        document.any = "text"
        document.sendable = "text"
        let history = UndoHistory(of: document)
        document.any = 5
        document.sendable = 5
        document.twice = nil
        history.undo()
        #expect(type(of: document.any) == String.self)
        #expect(type(of: document.sendable) == String.self)
        #expect(document.twice == .some(nil))
        history.redo()
        #expect(type(of: document.any) == Int.self)
        #expect(document.twice == nil)
    }

    @Test func whatIsAgainAsItWasIsNoGroup() {
        let history = UndoHistory(of: document)
        document.title = "a"
        history.undo()
        document.count = 1
        document.count = 0
        document.pages.append(Page())
        document.pages.removeAll()
        drain()
        #expect(!history.canUndo && history.canRedo)
    }

    @Test func theEndOfAWeakObjectIsNoGroup() {
        let page = Page()
        var other: Document? = Document()
        page.document = other
        let history = UndoHistory(of: page)
        page.text = "a"
        history.undo()
        other = nil
        drain()
        #expect(page.document == nil && !history.canUndo && history.canRedo)
    }

    @Test func undoingInsideWhatIsNotRecorded() {
        let history = UndoHistory(of: document)
        document.title = "a"
        drain()
        history.withoutRecording {
            history.undo()
            document.count = 5
        }
        #expect(document.title == "" && history.canRedo)
        #expect(!history.canUndo)
    }

    @Test func aGroupInsideAnUndoing() {
        let history = UndoHistory(of: document)
        let token = document.onChange(of: \.title, options: .immediate) { document in
            history.group("inner") { document.count += 1 }
        }
        history.group("outer") { document.title = "a" }
        history.undo()
        #expect(history.redoName == "outer")
        withExtendedLifetime(token) {}
    }

    @Test func aDrainInsideAGroup() {
        let history = UndoHistory(of: document)
        history.group("G") {
            document.title = "a"
            drain()
            document.count = 1
        }
        #expect(history.undo() && document.title == "" && document.count == 0)
        #expect(!history.canUndo)
    }

    @Test func anAnswerBehindADrainInsideADrain() {
        let other = Document()
        let history = UndoHistory(of: document)
        let first = document.onChange(of: \.title) { other.title = $0.title }
        let second = other.onChange(of: \.title) { [document] _ in
            DeliveryLoop.main.drain()
            document.count += 1
        }
        document.title = "a"
        drain()
        #expect(history.undo() && document.title == "" && document.count == 0)
        withExtendedLifetime((first, second)) {}
    }

    @Test func whatEndsWithAGroupMayUseTheHistory() {
        let history = UndoHistory(of: document, limit: 1)
        func change() {
            document.host = Ending { [document] in
                history.withoutRecording { document.count += 1 }
            }
            drain()
            document.host = nil
            drain()
        }
        change()
        document.title = "a"  // the oldest group goes
        drain()
        change()
        history.undo()
        history.undo()
        document.title = "b"  // what could be redone goes
        drain()
        change()
        history.removeAll()
        #expect(document.count == 3)
    }

    @Test func undoWhereTheNameIsShown() {
        let history = UndoHistory(of: document)
        history.group("G") { document.title = "a" }
        let token = history.onChange(of: \.undoName, options: .immediate) { history in
            if document.count == 1 { history.undo() }
        }
        document.count = 1
        #expect(document.count == 0 && document.title == "a")
        #expect(history.undoName == "G" && history.canRedo)
        withExtendedLifetime(token) {}
    }

    @Test func insideABatch() {
        let history = UndoHistory(of: document)
        withObservationBatch {
            document.title = "a"
            #expect(history.canUndo)
            document.pages.append(Page())
            history.undo()
        }
        #expect(document.title == "" && document.pages.isEmpty && history.canRedo)
    }

    @Test func anAnswerBelongsToItsGroup() {
        let token = document.onChange(of: \.title) { $0.count += 1 }
        let history = UndoHistory(of: document)
        document.title = "a"
        drain()
        document.title = "b"
        drain()
        #expect(document.count == 2)
        history.undo()
        drain()  // the block answers the undoing
        #expect(history.canRedo)
        #expect(history.redo())
        drain()
        #expect(document.title == "b")
        history.undo()
        history.undo()
        #expect(document.title == "" && document.count == 0)
        withExtendedLifetime(token) {}
    }

    @Test func whatABlockChangesForAnotherReasonIsAGroup() {
        let other = Document()
        let history = UndoHistory(of: document)
        let token = other.onChange(of: \.title) { [document] in document.title = $0.title }
        document.count = 1
        drain()
        other.title = "x"
        drain()
        #expect(document.title == "x")
        history.undo()
        #expect(document.title == "" && document.count == 1)
        withExtendedLifetime(token) {}
    }

    @Test func namedGroups() {
        let history = UndoHistory(of: document)
        document.count = 1
        history.group("Rename") {
            document.title = "a"
            history.group("inner") { document.cover = Page() }
        }
        document.count = 2
        #expect(history.undoName == nil)
        drain()
        history.undo()
        #expect(document.count == 1)
        #expect(history.undoName == "Rename")
        history.undo()
        #expect(document.title == "" && document.cover == nil && document.count == 1)
        #expect(history.redoName == "Rename")
        history.redo()
        #expect(history.undoName == "Rename" && document.cover != nil)
        struct Failed: Error {}
        #expect(throws: Failed.self) {
            try history.group("Fails") {
                document.title = "half"
                throw Failed()
            }
        }
        #expect(history.undoName == "Fails")
        history.undo()
        #expect(document.title == "a")
    }

    @Test func withoutRecordingAndMisfit() {
        let reports = Reports()
        let history = UndoHistory(of: document)
        document.pages.append(Page("1"))
        drain()
        history.withoutRecording {
            document.title = "from the server"
            document.pages[0] = Page("other")
        }
        drain()
        #expect(!history.undo())
        #expect(reports.texts.count == 1 && reports.texts[0].contains("cannot be put back"))
        #expect(document.pages[0].text == "other")
        #expect(history.canUndo)
        document.pages[0].text = "followed"
        history.undo()
        #expect(document.pages[0].text == "other" && document.title == "from the server")
        history.removeAll()
        #expect(!history.canUndo && !history.canRedo && !history.undo())
    }

    @Test func theLimitForgetsTheOldest() {
        let history = UndoHistory(of: document, limit: 2)
        for count in 1...4 {
            document.count = count
            drain()
        }
        #expect(history.undo() && history.undo() && !history.undo())
        #expect(document.count == 2)
    }

    @Test func undoInsideItsOwnBlockIsRefused() {
        let history = UndoHistory(of: document)
        var answers: [Bool] = []
        let token = document.onChange(of: \.title, options: .immediate) { _ in
            if answers.isEmpty { answers.append(history.undo()) }  // calls this block
        }
        document.count = 1
        drain()
        document.title = "a"
        #expect(answers == [false, true])
        #expect(document.title == "" && document.count == 1)
        withExtendedLifetime(token) {}
    }

    @Test func undoInsideItsOwnBlockIsRefusedWhereNothingIsRecorded() {
        let history = UndoHistory(of: document)
        document.count = 1
        drain()
        document.title = "a"
        var answer = true
        let token = document.onChange(of: \.title, options: .immediate) { _ in
            history.withoutRecording { answer = history.undo() }
        }
        history.undo()
        #expect(!answer && document.count == 1)
        withExtendedLifetime(token) {}
    }

    @Test func aHistoryKeepsNothingAlive() {
        weak var gone: Document?
        weak var page: Page?
        do {
            let document = Document()
            gone = document
            let first = Page("p")
            page = first
            document.pages.append(first)
            let history = UndoHistory(of: document)
            document.host = Keeper(history)
            first.parent = nil
            document.title = "a"
            drain()
            _ = history
        }
        drain()
        #expect(gone == nil && page == nil)
    }

    @Test func itIsNoPartOfWhatItRecords() {
        let history = UndoHistory(of: document)
        document.host = Keeper(history)
        drain()
        document.title = "a"
        drain()
        #expect(history.followed == 6)
        #expect(history.undo() && document.title == "" && document.host != nil)
        #expect(history.undo() && document.host == nil && !history.canUndo)
    }

    @Test func aPropertyOfAnyThreadIsNotRecorded() {
        let history = UndoHistory(of: document)
        document.progress = 7
        drain()
        #expect(!history.canUndo && !history.undo())
        document.title = "a"
        document.progress = 8
        drain()
        #expect(history.undo() && document.progress == 8 && document.title == "")
    }

    @Test func observableFlags() {
        let history = UndoHistory(of: document)
        var shown: [Bool?] = []
        let token = history.values(of: \.canUndo).onChange { shown.append($0) }
        drain()
        document.title = "a"
        drain()
        history.undo()
        drain()
        #expect(shown == [false, true, false])
        withExtendedLifetime(token) {}
    }
}

final class Keeper: ObservableModel {
    let history: UndoHistory
    init(_ history: UndoHistory) { self.history = history }
}

final class Reports {
    var texts: [String] { lines.value }
    private let lines = Lines()

    final class Lines: @unchecked Sendable {
        var value: [String] = []
    }

    init() {
        ObservationDiagnostics.setHandler { [lines] in lines.value.append($0.text) }
    }

    deinit { ObservationDiagnostics.setHandler(nil) }
}
