// SPDX-License-Identifier: Apache-2.0
//
// OB-3: methods of a weakly held target, with everything that they may be handed.

import Dispatch
import ObservableSwift
import Testing

private final class Page: ObservableModel {
    @Observed var title = "a"
    @Observed var number = 1
    @Observed var next: Page?
}

/// Notes what its methods are handed.
private final class Reader {
    var read: [String] = []
    private let died: Probe?

    init(_ died: Shared<Int>? = nil) {
        self.died = died.map(Probe.init)
    }

    private func note(_ values: Any?...) {
        read.append(values.map { $0.map { "\($0)" } ?? "-" }.joined(separator: " "))
    }

    func nothing() { note("nothing") }
    func object(_ page: Page) { note("object", page.number) }
    func path(_ page: Page, _ path: String) { note("path", page.number, path) }
    func all(_ page: Page, _ path: String, _ old: String?, _ new: String?) {
        note("all", page.number, path, old, new)
    }
    func record(_ page: Page, _ path: String, _ record: ObservationRecord<Page>) {
        note("record", page.number, path, record.entries.map(\.changes))
    }
    func new(_ new: String?) { note("new", new) }
    func both(_ old: String?, _ new: String?) { note("both", old, new) }

    func anything(_ new: Any?) { note("anything", new) }
    func anyBoth(_ old: Any?, _ new: Any?) { note("any both", old, new) }
    func anyAll(_ page: Page, _ path: String, _ old: Any?, _ new: Any?) {
        note("any all", path, old, new)
    }
    func page(_ page: Page?) { note("page", page?.title) }

    func show() { note("show nothing") }
    func show(_ title: String?) { note("show", title) }
}

/// Its methods are its actor's.
@MainActor private final class Screen {
    var shown: [String] = []

    func show(_ title: String?) { shown.append(title ?? "-") }
    func refresh() { shown.append("refreshed") }
    nonisolated func count(_ old: Int?, _ new: Int?) {
        counted.value = (old ?? 0, new ?? 0) == (1, 2) ? 1 : -1
    }
    nonisolated let counted = Shared(0)
}

@Suite struct TargetMethodTests {
    private let loop = DeliveryLoop()
    private let page = Page()
    private let reader = Reader()

    private func readAfterAChange() -> [String] {
        page.title = "b"
        page.title = "c"
        loop.drain()
        return reader.read
    }

    @Test func OB_3_a_method_of_every_form() {
        let tokens = [
            page.onChange(of: \.title, on: loop, call: TargetMethod(Reader.nothing, of: reader)),
            page.onChange(of: \.title, on: loop, call: TargetMethod(Reader.object, of: reader)),
            page.onChange(of: \.title, on: loop, call: TargetMethod(Reader.path, of: reader)),
            page.onChange(of: \.title, on: loop, call: TargetMethod(Reader.all, of: reader)),
            page.onChange(of: \.title, on: loop, call: TargetMethod(Reader.record, of: reader)),
            page.onChange(of: \.title, on: loop, call: TargetMethod(Reader.new, of: reader)),
            page.onChange(of: \.title, on: loop, call: TargetMethod(Reader.both, of: reader)),
        ]
        #expect(
            readAfterAChange() == [
                "nothing", "object 1", "path 1 title", "all 1 title a c", "record 1 title [2]",
                "new c", "both a c",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test func OB_3_the_same_by_text() {
        func observe(_ method: TargetMethod<Page, Any>) -> ObservationToken {
            page.onChange(ofText: "title", on: loop, call: method)
        }
        let tokens = [
            observe(TargetMethod(Reader.nothing, of: reader)),
            observe(TargetMethod(Reader.object, of: reader)),
            observe(TargetMethod(Reader.path, of: reader)),
            observe(TargetMethod(Reader.anyAll, of: reader)),
            observe(TargetMethod(Reader.record, of: reader)),
            observe(TargetMethod(Reader.anything, of: reader)),
            observe(TargetMethod(Reader.anyBoth, of: reader)),
        ]
        #expect(
            readAfterAChange() == [
                "nothing", "object 1", "path 1 title", "any all title a c", "record 1 title [2]",
                "anything c", "any both a c",
            ])
        withExtendedLifetime(tokens) {}
    }

    /// Where two forms would do, the method's own is taken; of methods with one name, the one that
    /// is asked for.
    @Test func OB_3_the_method_says_what_it_is_handed() {
        let other = Page()
        other.title = "other"
        let tokens = [
            page.onChange(of: \.next, on: loop, call: TargetMethod(Reader.page, of: reader)),
            page.onChange(of: \.title, on: loop, call: TargetMethod(Reader.show(_:), of: reader)),
            page.onChange(
                of: \.title, on: loop,
                call: TargetMethod(Reader.show as (Reader) -> () -> Void, of: reader)),
        ]
        page.next = other
        #expect(readAfterAChange() == ["page other", "show c", "show nothing"])
        withExtendedLifetime(tokens) {}
    }

    /// A typed path has its name as soon as an object has shown it.
    @Test func OB_3_the_path_as_text() {
        let token = page.onChange(
            of: \.next?.next?.title, on: loop, call: TargetMethod(Reader.path, of: reader))
        let escaped = page.onChange(
            ofText: "next.title", on: loop, call: TargetMethod(Reader.path, of: reader))
        let next = Page()
        next.next = Page()
        page.next = next
        loop.drain()
        #expect(reader.read == ["path 1 next.next.title", "path 1 next.title"])
        withExtendedLifetime((token, escaped)) {}
    }

    @Test func OB_3_a_call_that_no_change_has_caused() {
        let token = page.onChange(
            of: \.title, on: loop, options: .initial, call: TargetMethod(Reader.all, of: reader))
        loop.drain()
        token.schedule()
        loop.drain()
        token.execute()
        #expect(reader.read == Array(repeating: "all 1 title a a", count: 3))
    }

    @Test func OB_3_immediate_and_before_the_store() {
        let token = page.onChange(
            of: \.title, options: [.immediate, .prior],
            call: TargetMethod(Reader.both, of: reader))
        page.title = "b"
        #expect(reader.read == ["both a b", "both a b"])
        withExtendedLifetime(token) {}
    }

    // MARK: - Lifetime

    @Test func OB_3_the_target_is_not_kept_and_ends_it() {
        let died = Shared(0)
        var target: Reader? = Reader(died)
        let token = page.onChange(
            of: \.title, on: loop, call: TargetMethod(Reader.all, of: target!))
        target = nil
        #expect(died.value == 1)
        page.title = "b"
        #expect(loop.drain() == 0)
        #expect(token.hasEnded && page.numberOfObservers(of: "title") == 0)
    }

    /// As every observer (LT-2): from scheduling to the call the target is held.
    @Test func OB_3_what_is_scheduled_holds_the_target() {
        let died = Shared(0)
        var target: Reader? = Reader(died)
        var token: ObservationToken? = page.onChange(
            of: \.title, on: loop, call: TargetMethod(Reader.new, of: target!))
        page.title = "b"
        target = nil
        #expect(died.value == 0)
        #expect(loop.drain() == 1)
        #expect(died.value == 1)
        // A token takes it back.
        target = Reader(died)
        token = page.onChange(of: \.title, on: loop, call: TargetMethod(Reader.new, of: target!))
        page.title = "c"
        target = nil
        token = nil
        #expect(loop.drain() == 0)
        #expect(died.value == 2)
        withExtendedLifetime(token) {}
    }

    @Test func OB_3_the_token_or_the_object_ends_it() {
        let died = Shared(0)
        var page: Page? = Page()
        var token = page?.onChange(
            of: \.title, on: loop, call: TargetMethod(Reader.new, of: reader))
        #expect(page?.numberOfObservers(of: "title") == 1)
        token = nil
        #expect(page?.numberOfObservers(of: "title") == 0)
        let target = Reader(died)
        token = page?.onChange(of: \.title, on: loop, call: TargetMethod(Reader.new, of: target))
        page = nil
        #expect(token?.hasEnded == true)
        #expect(died.value == 0)
        withExtendedLifetime(target) {}
    }

    /// The target may be a model, and the observed object itself.
    @Test func OB_3_a_model_is_a_target() {
        final class Counter: ObservableModel {
            @Observed var count = 0
            var calls = 0
            func counted(_ old: Int?, _ new: Int?) { calls += (new ?? 0) - (old ?? 0) }
        }
        let counter = Counter()
        let other = Counter()
        let tokens = [
            counter.onChange(
                of: \.count, on: loop, call: TargetMethod(Counter.counted, of: counter)),
            counter.onChange(
                of: \.count, on: loop, call: TargetMethod(Counter.counted, of: other)),
        ]
        counter.count = 3
        loop.drain()
        #expect(counter.calls == 3 && other.calls == 3)
        // It is an observer like any other.
        counter.stopTelling(other)
        #expect(tokens.map(\.hasEnded) == [false, true])
    }

    @Test func OB_3_what_is_refused() {
        let values = page.onChange(
            ofText: "*", on: loop, call: TargetMethod(Reader.anything, of: reader))
        #expect(values.failure?.kind == .options)
        let extensible = page.onChange(
            of: \.title, on: loop, options: .extensible,
            call: TargetMethod(Reader.path, of: reader))
        #expect(extensible.failure?.kind == .options)
        let records = page.onChange(
            ofText: "*", on: loop, call: TargetMethod(Reader.record, of: reader))
        #expect(readAfterAChange() == ["record 1 * [2]"])
        withExtendedLifetime(records) {}
    }

    @Test func OB_3_LT_5_a_target_is_told_of_the_death_of_the_object() {
        final class Inspector: DeallocationAware {
            nonisolated let told = Shared<[String]>([])
            func rename(_ name: String?) {}
            nonisolated func rootDidDeallocate(_ notice: DeallocationNotice) {
                told.change { $0.append(notice.path) }
            }
        }
        var page: Page? = Page()
        let inspector = Inspector()
        let token = page?.onChange(
            of: \.title, on: loop, call: TargetMethod(Inspector.rename, of: inspector))
        page = nil
        loop.drain()
        #expect(inspector.told.value == ["title"])
        withExtendedLifetime(token) {}
    }

    /// More objects may be added, of which it is one.
    @Test func OB_3_several_objects() throws {
        let other = Page()
        other.number = 2
        let token = page.onChange(
            of: \.title, on: loop, options: .extensible,
            call: TargetMethod(Reader.object, of: reader))
        try token.also(other, when: \.number)
        other.number = 3
        loop.drain()
        page.title = "b"
        loop.drain()
        #expect(reader.read == ["object 3", "object 1"])
    }

    // MARK: - Isolation

    @Test @MainActor func OB_3_TH_3_a_method_of_the_main_actor() async {
        let page = Page()
        let screen = Screen()
        let tokens = [
            page.onChange(of: \.title, call: TargetMethod(Screen.show, of: screen)),
            page.onChange(of: \.title, call: TargetMethod(Screen.refresh, of: screen)),
            page.onChange(of: \.number, call: TargetMethod(Screen.count, of: screen)),
        ]
        page.title = "b"
        page.number = 2
        DeliveryLoop.main.drain()
        #expect(screen.shown == ["b", "refreshed"])
        #expect(screen.counted.value == 1)
        withExtendedLifetime(tokens) {}
    }

    /// Its isolation says where it is called, and is refused elsewhere, as that of a block.
    @Test @MainActor func OB_3_TH_3_a_method_is_not_called_outside_of_its_isolation() {
        let queue = DeliveryLoop(queue: DispatchQueue(label: "elsewhere"))
        let refused = page.onChange(
            of: \.title, on: queue, call: TargetMethod(Screen.show, of: Screen()))
        #expect(refused.failure?.kind == .isolation)
    }
}
