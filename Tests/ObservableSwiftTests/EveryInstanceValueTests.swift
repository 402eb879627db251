// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObservableSwift

// What class-level observations (OS-3) hand over, and shared blocks of them.

private class Book: ObservableModel {
    @Observed var title = ""
    @Observed var note: String?
    @Observed var pages = 0
}

private final class Atlas: Book {}

private final class Index {
    var seen: [String] = []

    func note(_ book: Book?, _ values: Any?...) {
        seen.append(
            (book == nil ? "none" : "book") + values.map { " \($0 ?? "nil")" }.joined())
    }

    func take() -> [String] {
        defer { seen = [] }
        return seen
    }
}

// One after the other: they observe a class that they share.
@Suite(.serialized) struct EveryInstanceValueTests {
    private let loop = DeliveryLoop()
    private let index = Index()

    @Test func OS_3_OB_2_the_new_value_with_its_instance() {
        Book.allInstances.changes(of: \.title).on(loop).tell(index) { index, change in
            let book = change?.object
            let title = change?.new
            index.note(book, title)
        }
        Book.allInstances.changes(of: \.note).on(loop).tell(index) { index, change in
            let book = change?.object
            let note = change?.new
            index.note(book, note)
        }
        Book.allInstances.changes(of: \.[text: "pages"]).on(loop).tell(index) { index, change in
            let book = change?.object
            let pages = change?.new
            index.note(book, pages as? Int)
        }
        let book = Book()
        let atlas = Atlas()
        book.title = "a"
        book.title = "b"
        atlas.note = "n"
        book.pages = 2
        #expect(loop.drain() == 3)
        #expect(index.take() == ["book b", "book n", "book 2"])
        atlas.note = nil
        #expect(loop.drain() == 1)
        #expect(index.take() == ["book nil"])
        Book.allInstances.stopTelling(index)
        book.title = "c"
        #expect(loop.drain() == 0)
    }

    @Test func OS_3_OB_2_the_new_value_and_both_by_token() {
        let tokens = [
            Book.allInstances.changes(of: \.title).on(loop).onChange { [index] in
                index.note($0?.object, $0?.new)
            },
            Book.allInstances.changes(of: \.note).on(loop).onChange { [index] in
                index.note($0?.object, $0?.new)
            },
            Book.allInstances.changes(of: \.[text: "title"]).on(loop).onChange { [index] in
                index.note($0?.object, $0?.new)
            },
            Book.allInstances.changes(of: \.title).on(loop).onChange { [index] in
                index.note($0?.object, $0?.old, $0?.new)
            },
            Book.allInstances.changes(of: \.note).on(loop).onChange { [index] in
                index.note($0?.object, $0?.old, $0?.new)
            },
            Book.allInstances.changes(of: \.[text: "title"]).on(loop).onChange { [index] in
                index.note($0?.object, $0?.old, $0?.new)
            },
        ]
        let book = Book()
        book.title = "a"
        book.title = "b"
        book.note = "n"
        #expect(loop.drain() == 6)
        #expect(
            index.take() == [
                "book b", "book b", "book  b", "book  b", "book n", "book nil n",
            ])
        for token in tokens { token.schedule() }
        #expect(loop.drain() == 6)
        #expect(
            index.take() == [
                "none nil", "none nil", "none nil", "none nil nil", "none nil nil", "none nil nil",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test func OS_3_values_of_each_instance_are_its_own() {
        let token = Book.allInstances.changes(of: \.pages).on(loop).onChange {
            [index] change in
            let book = change?.object
            let old = change?.old
            let new = change?.new
            index.note(book, old, new)
        }
        let books = [Book(), Book()]
        books[0].pages = 1
        books[1].pages = 10
        books[0].pages = 2
        #expect(loop.drain() == 2)
        #expect(index.take() == ["book 0 2", "book 0 10"])
        token.cancel()
    }

    @Test func OS_3_OB_2_values_of_several_paths_are_refused() {
        let refused = [
            Book.allInstances.changes(of: \.[text: "*"]).on(loop).tell(index) { _, _ in }.failure,
            Book.allInstances.changes(of: \.[text: "*"]).on(loop).onChange { _ in }.failure,
            Book.allInstances.changes(of: \.[text: "*"]).on(loop).onChange { _ in }.failure,
        ]
        #expect(refused.map { $0?.kind } == [.options, .options, .options])
    }

    @Test func OS_3_values_before_the_store_and_net() {
        let token = Book.allInstances.changes(of: \.pages).on(loop).options([.immediate, .prior])
            .onChange {
                [index] change in
                let book = change?.object
                let old = change?.old
                let new = change?.new
                index.note(book, old, new)
            }
        let net = Book.allInstances.changes(of: \.pages).on(loop).options(.skipsReverted).onChange {
            [index] in
            index.note($0?.object, $0?.new)
        }
        let book = Book()
        book.pages = 1
        book.pages = 0
        #expect(index.take() == ["book 0 1", "book 0 1", "book 1 0", "book 1 0"])
        #expect(loop.drain() == 0)
        token.cancel()
        net.cancel()
    }
}
