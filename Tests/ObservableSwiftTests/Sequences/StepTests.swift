// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

private final class Sheet: ObservableModel {
    @Observed var name = "Ann"
    @Observed var nick: String?
    @Observed var number = 1
    @Observed var next: Sheet?
    @Observed var items: ObservableArray<Int> = []
}

/// Observed as a class: what that holds is no other test's.
private final class Row: ObservableModel {
    @Observed var number = 1
    @Observed var next: Row?
}

private final class Screen {
    var shown: [String?] = []
    var refreshed = 0

    func show(_ name: String?) { shown.append(name) }
    func refresh() { refreshed += 1 }
}

@Suite struct StepTests {
    private let loop = DeliveryLoop()
    private let sheet = Sheet()

    @Test func OB_3_values_begin_with_the_present_one() {
        var seen: [String?] = []
        let token = sheet.values(of: \.nick).on(loop).onChange { seen.append($0) }
        #expect(seen == [])
        loop.settle()
        #expect(seen == [nil])
        sheet.nick = "A"
        sheet.nick = "B"
        loop.settle()
        #expect(seen == [nil, "B"])
        token.cancel()
        let immediate = sheet.values(of: \.nick).options(.immediate).on(loop)
            .onChange { seen.append($0) }
        #expect(seen == [nil, "B", "B"])
        withExtendedLifetime(immediate) {}
    }

    @Test func OB_3_steps_between_a_value_and_a_block() {
        var seen: [String] = []
        let described = sheet.values(of: \.nick).on(loop)
            .replaceUnreachable(with: "none")
            .map { $0.count }
            .removeDuplicates()
            .filter { $0 != 3 }
            .compactMap { $0 > 9 ? nil : "\($0)" }
        let tokens = [
            described.onChange { seen.append("a\($0)") },
            described.onChange { seen.append("b\($0)") },
        ]
        loop.settle()
        for nick in ["four", "four too long", "five", "six", nil] {
            sheet.nick = nick
            loop.settle()
        }
        // Each has a state of its own: what stays the same does not pass.
        #expect(seen.filter { $0.hasPrefix("a") } == ["a4", "a4", "a4"])
        #expect(seen.filter { $0.hasPrefix("b") } == ["b4", "b4", "b4"])
        tokens.forEach { $0.cancel() }
    }

    @Test func OB_3_a_method_of_a_target_that_is_not_kept() {
        var screen: Screen? = Screen()
        weak let weakScreen = screen
        sheet.values(of: \.name).on(loop).call(Screen.show, of: screen!)
        sheet.changes(of: \.name).on(loop).call(Screen.refresh, of: screen!)
        loop.settle()
        sheet.name = "Bea"
        loop.settle()
        #expect(screen?.shown == ["Ann", "Bea"])
        #expect(screen?.refreshed == 1)
        screen = nil
        #expect(weakScreen == nil)
        sheet.name = "Cay"
        #expect(loop.drain() == 0)
    }

    @Test func OB_3_several_sources_are_one_observation() {
        let died = Shared(0)
        var other: Sheet? = Sheet()
        let probe = Probe(died)
        var seen: [String] = []
        let token = sheet.values(of: \.name)
            .combined(with: other!.values(of: \.number), sheet.values(of: \.nick)) {
                probe.stay()
                return "\($0 ?? "") \($1 ?? 0) \($2 ?? "-")"
            }
            .on(loop)
            .onChange { seen.append($0) }
        #expect(token.failure == nil)
        loop.settle()
        sheet.name = "Bea"
        sheet.nick = "B"
        other!.number = 7
        loop.settle()
        #expect(seen == ["Ann 1 -", "Bea 7 B"])
        other = nil
        sheet.name = "Cay"
        loop.settle()
        // While one of them is gone, nothing passes.
        #expect(seen.count == 2)
        token.cancel()
        #expect(sheet.numberOfObservers(of: "name") == 0)
    }

    @Test func OB_3_one_of_several_that_stays_the_same_holds_up_no_other() {
        let other = Sheet(), target = Sheet()
        var seen: [String] = []
        let tens = sheet.values(of: \.number).map { ($0 ?? 0) / 10 }.removeDuplicates()
        let both = tens.combined(with: other.values(of: \.number)) { "\($0) \($1 ?? 0)" }.on(loop)
        let tokens = [
            both.onChange { seen.append($0) }, both.assign(to: \.name, of: target),
        ]
        loop.settle()
        other.number = 2
        loop.settle()
        #expect(target.name == "0 2")
        sheet.number = 10
        loop.settle()
        other.number = 3
        loop.settle()
        #expect(target.name == "1 3")
        #expect(seen == ["0 1", "0 2", "1 2", "1 3"])
        withExtendedLifetime(tokens) {}
    }

    @Test func OB_3_several_that_all_stay_the_same_pass_no_second_time() {
        let other = Sheet()
        var seen: [Int] = []
        func tens(_ sheet: Sheet) -> ObservationSequence<Int> {
            sheet.values(of: \.number).map { ($0 ?? 0) / 10 }.removeDuplicates()
        }
        let token = tens(sheet)
            .combined(with: tens(other).filter { $0 < 9 }) { $0 * 10 + $1 }.on(loop)
            .onChange { seen.append($0) }
        loop.settle()
        sheet.number = 9
        other.number = 9
        loop.settle()
        #expect(seen == [0])
        other.number = 90
        sheet.number = 10
        loop.settle()
        other.number = 9
        loop.settle()
        #expect(seen == [0, 10])
        withExtendedLifetime(token) {}
    }

    @Test func OB_3_several_of_which_one_is_refused_observe_nothing() {
        let died = Shared(0)
        let other = Sheet()
        do {
            let probe = Probe(died)
            let token = sheet.values(of: \.name)
                .combined(with: other.values(of: \.items.isEmpty)) { name, _ in
                    probe.stay()
                    return name
                }
                .on(loop)
                .onChange { _ in }
            #expect(token.failure?.kind == .unsupportedElement)
            #expect(token.hasEnded)
            let changes = sheet.values(of: \.name)
                .combined(with: other.changes(of: \.number)) { name, _ in name }
                .on(loop)
                .onChange { _ in }
            #expect(changes.failure?.kind == .options)
            let paced = sheet.values(of: \.name)
                .combined(with: other.changes(of: \.number).throttle(for: .zero)) { name, _ in name
                }
                .on(loop)
                .onChange { _ in }
            #expect(paced.failure?.kind == .options)
        }
        #expect(sheet.numberOfObservers(of: "name") == 0)
        #expect(other.numberOfObservers(of: "number") == 0)
        loop.settle()
        #expect(died.value == 1)
    }

    @Test func OB_3_a_list_of_sources() {
        let sheets = (1...3).map { number in
            let sheet = Sheet()
            sheet.number = number
            return sheet
        }
        var seen: [Int] = []
        let token = sheets.map { $0.values(of: \.number).compactMap { $0 } }.combined()
            .map { $0.reduce(0, +) }.on(loop).onChange { seen.append($0) }
        loop.settle()
        sheets[0].number = 10
        sheets[2].number = 20
        loop.settle()
        #expect(seen == [6, 32])
        let none = [Sheet]().map { $0.values(of: \.number) }.combined().on(loop)
            .onChange { _ in }
        #expect(none.failure?.kind == .argument)
        withExtendedLifetime((token, sheets)) {}
    }

    @Test func OB_3_a_change_knows_its_object_and_its_path() {
        var paths: [String] = []
        var objects: [Row?] = []
        let row = Row()
        let tokens = [
            row.changes(of: \.next?.number).on(loop).onChange {
                paths.append($0.path)
                objects.append($0.object)
            },
            row.changes(of: \.[text: "next.number"]).on(loop).onChange { paths.append($0.path) },
            row.changes(of: \.next?[text: "number"]).on(loop).onChange { paths.append($0.path) },
        ]
        let every = Row.allInstances.changes(of: \.number).on(loop)
            .onChange { if let change = $0 { objects.append(change.object) } }
        let next = Row()
        row.next = next
        loop.settle()
        #expect(paths == ["next.number", "next.number", "next.number"])
        next.number = 2
        loop.settle()
        #expect(objects.contains { $0 === row } && objects.contains { $0 === next })
        tokens.forEach { $0.cancel() }
        every.cancel()
    }

    @Test func BI_4_BI_8_an_object_posts_the_changes_of_its_property() {
        var posts: [String?] = []
        for _ in 0..<2 {
            sheet.changes(of: \.name).on(loop).tell(sheet) { _, change in posts.append(change.new) }
        }
        let handle = sheet.changes(of: \.nick).on(loop).tell(sheet) { _, change in
            posts.append(change.new)
        }
        sheet.name = "Bea"
        sheet.nick = "B"
        loop.settle()
        #expect(posts == ["Bea", "Bea", "B"])
        sheet.stopTelling(sheet, about: \.name)
        sheet.name = "Cay"
        sheet.nick = "C"
        loop.settle()
        #expect(posts == ["Bea", "Bea", "B", "C"])
        handle.stop()
        sheet.nick = "D"
        #expect(loop.drain() == 0)
    }

    @Test func KP_16_a_list_of_paths_is_one_argument() {
        let observer = Screen()
        let paths: [TypedPath<Sheet>] = [\.name, \.[text: "next.number"]]
        var calls = 0
        let handle = sheet.tell(observer, when: .any(of: paths), \.nick, on: loop) { _, _ in
            calls += 1
        }
        sheet.next = Sheet()
        loop.settle()
        sheet.nick = "B"
        loop.settle()
        #expect(calls == 2)
        sheet.stopTelling(observer, about: .any(of: []))
        #expect(!handle.hasEnded)
        sheet.stopTelling(observer, about: .any(of: paths), \.nick)
        #expect(handle.hasEnded)
        let none = sheet.tell(observer, when: .any(of: []), on: loop) { _, _ in calls += 1 }
        sheet.name = "Bea"
        #expect(loop.drain() == 0)
        none.schedule()
        #expect(loop.drain() == 1)
    }

    @Test func OB_3_a_list_is_no_path_where_one_is_asked_for() {
        let paths: [TypedPath<Sheet>] = [\.name, \.nick]
        let token = sheet.onChange(
            of: (.any(of: paths) as TypedPath<Sheet>).appending(\.number as TypedPath<Sheet>),
            on: loop
        ) { _ in }
        #expect(token.failure?.kind == .argument)
        // Every instance of a class is observed by one path.
        let names: [TypedPath<Row>] = [\.number, \.next]
        for paths in [names, []] {
            let every = Row.allInstances.instances(when: .any(of: paths)).on(loop).onChange { _ in }
            #expect(every.failure?.kind == .options)
        }
    }

    @Test func BI_6_records_and_differences_wait_all() async {
        var records = sheet.record(of: \.number).on(loop).makeAsyncIterator()
        var edits = sheet.items.differences().on(loop).makeAsyncIterator()
        for number in 2...4 {
            sheet.number = number
            sheet.items.append(number)
            loop.settle()
        }
        for number in 2...4 {
            #expect(await records.next()?.entries.first?.newValue as? Int == number)
            #expect(await edits.next()?.insertions.count == 1)
        }
    }

    @Test func BI_6_an_expression_is_a_sequence() async {
        var sums = sheet.tracking { $0.number + ($0.next?.number ?? 0) }.on(loop)
            .makeAsyncIterator()
        #expect(await sums.next() == 1)
        let next = Sheet()
        next.number = 5
        sheet.next = next
        loop.settle()
        #expect(await sums.next() == 6)
        next.number = 7
        loop.settle()
        #expect(await sums.next() == 8)
    }

    @MainActor @Test func TH_3_steps_and_block_belong_to_one_isolation() async {
        let sheet = Sheet()
        let keeper = Keeper()
        let elsewhere = await keeper.doubled(sheet.values(of: \.number))
        let token = elsewhere.onChange { @MainActor _ in }
        #expect(token.failure?.kind == .isolation)
        // A block without an isolation runs where the step does.
        let step = sheet.values(of: \.number).map { @MainActor in $0 }
        let here = step.onChange { _ in }
        #expect(here.failure == nil)
    }
}

private actor Keeper {
    private var factor = 2

    func doubled(_ sequence: sending ObservationSequence<Int?>) -> sending ObservationSequence<Int>
    {
        sequence.map { self.factor * ($0 ?? 0) }
    }
}
