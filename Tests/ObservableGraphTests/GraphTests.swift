// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

@testable import ObservableGraph

@Suite @MainActor struct GraphTests {
    let document = Document()

    private func drain() { DeliveryLoop.main.drain() }

    @Test func itIsCalledOnceForAllThatHasChangedBelow() {
        var calls = 0
        let page = Page("1")
        document.pages.append(page)
        let token = document.everything().onChange { _ in calls += 1 }
        drain()
        #expect(calls == 0)
        page.text = "2"
        document.title = "t"
        drain()
        #expect(calls == 1)
        page.next = Page("n")
        drain()
        page.next!.next = Page("m")
        drain()
        page.next!.next!.text = "deep"
        drain()
        #expect(calls == 4)
        document.pages.removeAll()
        drain()
        #expect(calls == 5)
        page.text = "gone"
        drain()
        #expect(calls == 5)
        token.cancel()
        document.title = "x"
        drain()
        #expect(calls == 5)
    }

    @Test func ringsAreFollowedAndLeft() {
        var calls = 0
        let token = document.everything().onChange { _ in calls += 1 }
        let (a, b) = (Page("a"), Page("b"))
        a.next = b
        b.next = a
        a.parent = document
        document.cover = a
        drain()
        b.text = "1"
        drain()
        #expect(calls == 2)
        document.cover = nil
        drain()
        #expect(calls == 3)
        b.text = "2"
        a.text = "2"
        drain()
        #expect(calls == 3)
        b.next = nil
        withExtendedLifetime(token) {}
    }

    @Test func weakReferencesAreNotFollowed() {
        var calls = 0
        let page = Page()
        page.document = document
        let token = page.everything().onChange { _ in calls += 1 }
        document.title = "t"
        drain()
        #expect(calls == 0)
        page.document = nil
        drain()
        #expect(calls == 1)
        withExtendedLifetime(token) {}
    }

    @Test func whatAWeakPropertyChangesToIsNotFollowed() {
        let page = Page()
        let history = UndoHistory(of: page)
        page.document = document
        drain()
        #expect(history.followed == 1)
        #expect(history.undo() && page.document == nil)
    }

    @Test func whatADerivedCollectionHasLostIsNotFollowed() {
        let library = Library()
        let page = Page()
        library.pages.append(page)
        drain()
        var calls = 0
        let token = library.everything().onChange { _ in calls += 1 }
        drain()
        library.pages.removeAll()
        drain()
        page.text = "gone"
        drain()
        #expect(calls == 1)
        withExtendedLifetime(token) {}
    }

    @Test func aRootEndsWithEditsThatNobodyHasSeen() {
        var document: Document? = Document()
        var calls = 0
        let token = document!.everything().onChange { _ in calls += 1 }
        drain()
        document!.pages.append(Page())
        document!.tags.insert("a")
        document = nil
        drain()
        #expect(calls == 0)
        withExtendedLifetime(token) {}
    }

    @Test func whatHoldsNoObjectsIsNotRead() {
        var history: UndoHistory?
        func change(_ title: inout String) {
            history = UndoHistory(of: document)
            title = "a"
        }
        change(&document.title)
        document.count = 1
        #expect(history!.undo() && document.count == 0 && document.title == "a")
    }

    @Test func whatAnswersAChangeIsHeldOnce() {
        let answer = Page()
        let token = document.onChange(of: \.cover) {
            if $0.cover?.text == "a" { $0.cover = answer }
        }
        let history = UndoHistory(of: document)
        let count = history.followed
        document.cover = Page("a")
        drain()
        #expect(document.cover === answer && history.followed == count + 1)
        document.cover = nil
        drain()
        #expect(history.followed == count)
        withExtendedLifetime(token) {}
    }

    @Test func whatHasChangedBeforeABlockIsTold() {
        var calls = [0, 0]
        let changes = document.everything()
        document.title = "before"
        let first = changes.onChange { document in
            #expect(document.title == "before")
            calls[0] += 1
        }
        drain()
        let second = changes.onChange { _ in calls[1] += 1 }
        drain()
        #expect(calls == [1, 1])
        document.cover = Page()
        document.cover!.text = "x"
        drain()
        #expect(calls == [2, 2])
        withExtendedLifetime((first, second)) {}
    }

    @Test func ofAnyThread() async {
        var calls = 0
        let changed = AsyncStream<Void>.makeStream()
        let token = document.everything().onChange { document in
            calls += 1
            changed.continuation.yield()
        }
        drain()
        let box = Unchecked(document)
        await Task.detached { box.value.progress = 5 }.value
        for await _ in changed.stream { break }
        #expect(calls == 1 && document.progress == 5)
        withExtendedLifetime(token) {}
    }

    @Test func derivedCollectionsAreNoPart() {
        let document = Document()
        let long = document.pages.refreshing(when: \.text).filtering { $0.text.count > 1 }
        document.host = long
        document.pages.assign([Page("1"), Page("22")])
        let history = UndoHistory(of: document)
        #expect(history.followed == reachable(from: document))
        let page = document.pages.remove(at: 1)
        drain()
        #expect(long.isEmpty && history.followed == reachable(from: document))
        page.text = "not below any more"
        drain()
        #expect(history.undo() && long.count == 1 && page.text == "not below any more")
    }

    @Test func theObjectIsNotKept() {
        var calls = 0
        let page = Page("kept")
        var document: Document? = Document()
        document!.cover = page
        weak let gone = document
        let token = document!.everything().onChange { _ in calls += 1 }
        drain()
        document = nil
        #expect(gone == nil)
        page.text = "alone"
        drain()
        #expect(calls == 0)
        withExtendedLifetime(token) {}
    }

    @Test func inAnActor() async {
        let owner = Owner()
        await owner.begin()
        await owner.change()
        #expect(await owner.saved == ["a", "b"])
        #expect(await owner.undone() == "a")
    }

    @Test func anotherSuperclass() {
        let host = Other()
        let history = UndoHistory(of: host)
        host.text = "a"
        host.page = Page()
        drain()
        host.page!.text = "b"
        #expect(history.undo() && host.page!.text == "")
        #expect(history.undo() && host.page == nil && host.text == "")
        #expect(host.told == 2, "didSet runs for sets of the program alone")
    }

    /// All objects are followed that can be reached, whatever was done to the graph.
    @Test(arguments: 0..<40) func theGraphIsWhatCanBeReached(seed: UInt64) {
        var random = Seeded(seed)
        let pages = (0..<8).map { Page("\($0)") }
        let history = UndoHistory(of: document)
        var states: [[String]] = [state(of: document)]
        for _ in 0..<60 {
            let page = pages[Int.random(in: 0..<8, using: &random)]
            let other = pages[Int.random(in: 0..<8, using: &random)]
            let count = document.pages.count
            switch Int.random(in: 0..<10, using: &random) {
            case 0: page.next = other
            case 1: page.next = nil
            case 2: document.pages.append(page)
            case 3:
                if count > 0 {
                    document.pages.remove(at: Int.random(in: 0..<count, using: &random))
                }
            case 4: document.names["\(Int.random(in: 0..<3, using: &random))"] = page
            case 5: document.names["\(Int.random(in: 0..<3, using: &random))"] = nil
            case 6: document.spare = [page, other]
            case 7: document.cover = page
            case 8: document.cover = nil
            default:
                if count > 1 { document.pages.move(from: 0, to: count - 1) }
                page.parent = Bool.random(using: &random) ? document : nil
            }
            if Bool.random(using: &random) {
                drain()
                states.append(state(of: document))
            }
            #expect(history.followed == reachable(from: document))
        }
        drain()
        if states.last != state(of: document) { states.append(state(of: document)) }
        // Turns without a change of what is reached are no groups: by states that differ.
        var back = [state(of: document)]
        while history.undo() { back.append(state(of: document)) }
        #expect(back.last == states.first)
        while history.redo() {}
        #expect(state(of: document) == states.last)
        #expect(history.followed == reachable(from: document))
        for page in pages { (page.next, page.parent) = (nil, nil) }
    }
}

/// All that is reached, as text.
private func state(of document: Document) -> [String] {
    var lines = [
        "cover \(document.cover?.text ?? "-")", "pages \(document.pages.map(\.text))",
        "spare \(document.spare.map(\.text))",
        "names \(document.names.map { "\($0.key)\($0.value.text)" }.sorted())",
    ]
    for case let page as Page in objects(from: document) {
        lines.append("\(page.text) \(page.next?.text ?? "-") \(page.parent == nil)")
    }
    return lines.sorted()
}

private func objects(from document: Document) -> [ObservableModel] {
    var found: [ObservableModel] = [document]
    var at = 0
    while at < found.count {
        var next: [ObservableModel?] = []
        if let page = found[at] as? Page {
            next = [page.next, page.parent]
        } else if let document = found[at] as? Document {
            next = [
                document.cover, document.pages, document.names, document.tags, document.numbers,
            ]
            next += document.spare
        } else if let pages = found[at] as? ObservableArray<Page> {
            next = Array(pages)
        } else if let names = found[at] as? ObservableDictionary<String, Page> {
            next = names.map(\.value)
        }
        for case let object? in next where !found.contains(where: { $0 === object }) {
            found.append(object)
        }
        at += 1
    }
    return found
}

private func reachable(from document: Document) -> Int { objects(from: document).count }

struct Seeded: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

class Base { var padding = (0, 0, 0) }

final class Other: Base, ObservableHost {
    let observation = ObservationHeader()
    var told = 0
    @Observed var text = "" { didSet { told += 1 } }
    @Observed var page: Page? { didSet { told += 1 } }
}

actor Owner {
    private let document = Document()
    private var token: ObservationToken?
    private var history: UndoHistory?
    private let changed = AsyncStream<Void>.makeStream()
    var saved: [String] = []

    func begin() {
        history = UndoHistory(of: document)
        token = document.everything().onChange { document in
            self.assertIsolated()
            self.saved.append(document.title)
            self.changed.continuation.yield()
        }
    }

    func change() async {
        var drained = changed.stream.makeAsyncIterator()
        document.title = "a"
        await drained.next(isolation: self)
        document.title = "b"
        await drained.next(isolation: self)
    }

    func undone() -> String? {
        history?.undo() == true ? document.title : nil
    }
}
