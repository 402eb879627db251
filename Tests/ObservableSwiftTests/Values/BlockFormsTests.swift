// SPDX-License-Identifier: Apache-2.0
//
// OB-3: what each label hands over, of an object and of a class, with an observer and with a token,
// for key paths, stored ones and text.

import ObservableSwift
import Testing

private final class Page: ObservableModel {
    @Observed var title = "a"
    @Observed var number = 1
    @Observed var next: Page?
}

/// What blocks were handed, in the order of their calls.
private final class Reader {
    var read: [String] = []

    func note(_ values: Any?...) {
        read.append(values.map { $0.map { "\($0)" } ?? "-" }.joined(separator: " "))
    }
}

/// One after the other: a class-level observation sees the pages of them all.
@Suite(.serialized) struct BlockFormsTests {
    private let loop = DeliveryLoop()
    private let page = Page()
    private let reader = Reader()

    private func readAfterAChange() -> [String] {
        page.title = "b"
        loop.drain()
        return reader.read
    }

    @Test func OB_3_an_observer_of_an_object() {
        page.tell(reader, when: \.title, on: loop) { $0.note("when", $1.title) }
        page.changes(of: \.title).on(loop).tell(reader) {
            $0.note("of", $1.object!.title, $1.old, $1.new)
        }
        page.changes(of: \.title).on(loop).tell(reader) {
            $0.note("value", $1.object!.title, $1.new)
        }
        page.changes(of: \.title).on(loop).tell(reader) {
            $0.note("values", $1.object!.title, $1.old, $1.new)
        }
        page.record(of: \.title, \.number).on(loop).tell(reader) {
            $0.note("record", $1.object!.title, $1.entries.count)
        }
        #expect(
            readAfterAChange() == ["when b", "of b a b", "value b b", "values b a b", "record b 1"])
    }

    @Test func OB_3_the_same_by_text() {
        page.tell(reader, when: \.[text: "title"], \.[text: "number"], on: loop) {
            $0.note("when", $1.title)
        }
        page.changes(of: \.[text: "title"]).on(loop).tell(reader) {
            $0.note("of", $1.object!.title, $1.old, $1.new)
        }
        page.changes(of: \.[text: "title"]).on(loop).tell(reader) {
            $0.note("value", $1.object!.title, $1.new)
        }
        page.changes(of: \.[text: "title"]).on(loop).tell(reader) {
            $0.note("values", $1.object!.title, $1.old, $1.new)
        }
        page.record(of: \.[text: "*"]).on(loop).tell(reader) {
            $0.note("record", $1.object!.title, $1.entries.count)
        }
        #expect(
            readAfterAChange() == ["when b", "of b a b", "value b b", "values b a b", "record b 1"])
    }

    @Test func OB_3_a_token_of_an_object() {
        let tokens = [
            page.onChange(of: \.title, on: loop) { [reader] in reader.note("when", $0.title) },
            page.changes(of: \.title).on(loop).onChange { [reader] in
                reader.note("of", $0.old, $0.new)
            },
            page.changes(of: \.title).map { $0.new }.on(loop).onChange { [reader] in
                reader.note("value", $0)
            },
            page.changes(of: \.title).on(loop).onChange { [reader] in
                reader.note("values", $0.old, $0.new)
            },
            page.record(of: \.title).on(loop).onChange { [reader] in
                reader.note("record", $0.entries.count)
            },
            page.changes(of: \.[text: "title"]).on(loop).onChange { [reader] in
                reader.note("text", $0.old, $0.new)
            },
        ]
        #expect(
            readAfterAChange() == [
                "when b", "of a b", "value b", "values a b", "record 1", "text a b",
            ])
        tokens.forEach { $0.cancel() }
    }

    @Test func OB_3_a_class() {
        let every = Page.allInstances
        let handles = [
            every.instances(when: \.title).on(loop).tell(reader) { $0.note("when", $1?.title) },
            every.changes(of: \.title).on(loop).tell(reader) { $0.note("of", $1?.old, $1?.new) },
            every.changes(of: \.title).on(loop).tell(reader) {
                $0.note("value", $1?.object?.title, $1?.new)
            },
            every.changes(of: \.title).on(loop).tell(reader) {
                $0.note("values", $1?.object?.title, $1?.old, $1?.new)
            },
            every.changes(of: \.[text: "title"]).on(loop).tell(reader) {
                $0.note("text", $1?.old, $1?.new)
            },
            every.record(of: \.title).on(loop).tell(reader) {
                $0.note("record", $1?.entries.count)
            },
        ]
        let tokens = [
            every.changes(of: \.title).on(loop).onChange { [reader] in
                reader.note("token", $0?.object?.title, $0?.old, $0?.new)
            },
            every.changes(of: \.[text: "title"]).on(loop).onChange { [reader] in
                reader.note("token", $0?.new)
            },
        ]
        // Those that one change makes due come in no promised order.
        #expect(
            readAfterAChange().sorted() == [
                "of a b", "record 1", "text a b", "token b", "token b a b", "value b b",
                "values b a b", "when b",
            ])
        handles.forEach { $0.stop() }
        tokens.forEach { $0.cancel() }
    }

    /// One path or several, in the call, in a list, put together, or of an optional.
    @Test func KP_19_stored_paths_stand_where_literals_do() throws {
        let next: TypedPath<Page> = \.next
        let title: TypedPath<Page> & Sendable = \.title
        let handle = page.tell(reader, when: title, next, on: loop, options: .allowsMorePaths) {
            $0.note("when", $1.title)
        }
        page.tell(reader, when: title, next.appending(title), on: loop) {
            $0.note("list", $1.title)
        }
        page.record(of: next.appending(title)).on(loop).tell(reader) {
            $0.note("record", $1.entries.first?.newValue)
        }
        let everyone = Page.allInstances.instances(when: next.appending(title)).on(loop).tell(
            reader
        ) {
            $0.note("class", $1?.next?.title)
        }
        try handle.also(page, when: next.appending(title))
        page.next = Page()
        loop.drain()
        #expect(reader.read.sorted() == ["class a", "list a", "record a", "when a"])
        reader.read = []
        page.stopTelling(reader, about: title, next, next.appending(title))
        everyone.stop(about: next.appending(title))
        #expect(page.allObservedProperties == [])
        #expect(handle.hasEnded && everyone.hasEnded)
    }

    /// A path whose value is handed over may be given on, or read by a stored key path.
    @Test func OB_3_a_path_as_a_parameter() {
        func follow<Value>(_ path: ValuePath<Page, Value>) {
            page.changes(of: path).map { $0.new }.on(loop).tell(reader) { reader, value in
                reader.note(value)
            }
        }
        follow(\.title)
        follow(\.next?.number)
        let stored: KeyPath<ObservedPath<Page>, ObservedPath<Int>> = \.number
        follow { $0[keyPath: stored] }
        page.title = "b"
        page.number = 2
        page.next = Page()
        loop.drain()
        #expect(reader.read == ["b", "2", "1"])
    }
}
