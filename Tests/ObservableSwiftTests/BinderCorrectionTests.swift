// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

// What an end's own code makes of a value that a binder sets it to.

private struct Frame: Equatable {
    var width = 0
    let depth = 3
}

private final class Label: ObservableModel {
    @Observed var text = ""
}

private struct Decimal: ValueConverter {
    func convert(_ value: Int) -> String { "\(value)" }
    func convertBack(_ value: String) -> Int { Int(value) ?? 0 }
}

/// Keeps what it is set to below a limit, and above another one.
private final class Meter: ObservableModel {
    enum Tenths: ObservationPolicy {
        static func areEqual(_ a: Int, _ b: Int) -> Bool { a == b }
        static func corrected(_ value: Int) -> Int { value / 10 * 10 }
    }

    let range: ClosedRange<Int>
    @Observed var level = 0 {
        didSet {
            let kept = min(max(level, range.lowerBound), range.upperBound)
            if kept != level { level = kept }
        }
    }
    @ObservedAs<Tenths> var tens = 0
    @Observed var frame = Frame() {
        didSet { if frame.width > range.upperBound { frame.width = range.upperBound } }
    }
    @Observed var inner: Meter?
    @Observed var whole: Double? {
        didSet { if whole == 2.5 { whole = 2 } }
    }
    var doubled: Int {
        get { computed { level * 2 } }
        set { level = newValue / 2 }
    }

    init(_ range: ClosedRange<Int> = 0...1000) {
        self.range = range
    }
}

/// Sets another property beside one that it is set to.
private final class Page: ObservableModel {
    @Observed var number = 0 {
        didSet { top = number * 100 }
    }
    @Observed var top = 0
}

@Suite struct BinderCorrectionTests {
    private let loop = DeliveryLoop()

    private func drain() {
        while loop.drain() > 0 {}
    }

    @Test func BI_1_a_correction_in_didSet_is_carried_back() {
        let first = Meter()
        let second = Meter(0...100)
        let binder = bind(first, \.level, second, \.level, on: loop)
        first.level = 170
        drain()
        #expect([first.level, second.level] == [100, 100])
        first.level = 50
        drain()
        #expect([first.level, second.level] == [50, 50])
        // What the source is set to before the correction has come stays.
        first.level = 170
        #expect(loop.drain() > 0)
        first.level = 60
        drain()
        #expect([first.level, second.level] == [60, 60])
        withExtendedLifetime(binder) {}
    }

    @Test func BI_1_as_a_binder_begins_as_well() {
        let first = Meter()
        let second = Meter(0...100)
        first.level = 170
        let binder = bind(first, \.level, second, \.level, on: loop)
        drain()
        #expect([first.level, second.level] == [100, 100])
        withExtendedLifetime(binder) {}
    }

    @Test(arguments: 0..<5) func BI_1_chains_and_rings_agree_on_a_correction(_ corrects: Int) {
        for isRing in [false, true] {
            let meters = (0..<5).map { Meter($0 == corrects ? 0...100 : 0...1000) }
            let links = (0..<(isRing ? 5 : 4)).map { i in
                bind(
                    meters[i], \.level, meters[(i + 1) % 5], \.level, on: loop)
            }
            for meter in meters {
                meter.level = 170
                drain()
                #expect(meters.map(\.level) == [100, 100, 100, 100, 100])
                meter.level = 7
                drain()
                #expect(meters.map(\.level) == [7, 7, 7, 7, 7])
            }
            withExtendedLifetime(links) {}
        }
    }

    @Test func BI_1_one_way_round_a_ring_too() {
        let meters = [Meter(), Meter(0...100), Meter(0...80)]
        let links = (0..<3).map { i in
            meters[i].values(of: \.level).on(loop)
                .assign(to: \.level, of: meters[(i + 1) % 3])
        }
        meters[0].level = 170
        drain()
        #expect(meters.map(\.level) == [80, 80, 80])
        withExtendedLifetime(links) {}
    }

    @Test func BI_1_a_correction_goes_back_through_the_transformer() {
        let label = Label()
        let meter = Meter(0...100)
        let binder = bind(
            meter, \.level, label, \.text, converting: Decimal(), on: loop)
        label.text = "170"
        drain()
        #expect(meter.level == 100)
        #expect(label.text == "100")
        label.text = "007"
        drain()
        #expect(meter.level == 7)
        #expect(label.text == "007")
        withExtendedLifetime(binder) {}
    }

    @Test func BI_1_what_a_policy_a_setter_or_an_inner_object_corrects_too() {
        let source = Meter()
        let target = Meter(0...100)
        target.inner = Meter(0...100)
        let binders = [
            bind(source, \.tens, target, \.level, on: loop),
            bind(source, \.level, target, \.inner?.level, on: loop),
            bind(source, \.whole, target, \.whole, on: loop),
        ]
        let widths = bind(
            source, \.frame.width, target, \.frame.width, on: loop)
        source.frame.width = 170
        target.level = 57
        source.level = 170
        source.whole = 2.5
        drain()
        #expect([source.tens, target.level] == [50, 50])
        #expect([source.level, target.inner?.level] == [100, 100])
        #expect([source.whole, target.whole] == [2, 2])
        #expect([source.frame.width, target.frame.width] == [100, 100])
        source.whole = .nan
        drain()
        #expect(target.whole?.isNaN == true)
        withExtendedLifetime((binders, widths)) {}
    }

    @Test func BI_1_what_a_setter_of_a_computed_property_makes_is_carried_back() {
        let source = Meter()
        let target = Meter(0...100)
        let binder = bind(source, \.level, target, \.doubled, on: loop)
        source.level = 31
        drain()
        #expect([source.level, target.doubled] == [30, 30])
        source.level = 999
        drain()
        #expect([source.level, target.doubled] == [200, 200])
        source.level = 999
        drain()
        #expect([source.level, target.doubled] == [200, 200])
        withExtendedLifetime(binder) {}
    }

    @Test func BI_1_corrections_that_never_settle_are_told() async {
        await #expect(processExitsWith: .success) {
            let loop = DeliveryLoop()
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let low = Meter(0...100)
            let high = Meter(150...200)
            let binder = bind(
                low, \.level, high, \.level, on: loop, label: "levels")
            while loop.drain() > 0 {}
            #expect(reports.value.map(\.kind).contains(.binder))
            #expect(reports.value.map(\.label).contains("levels"))
            withExtendedLifetime(binder) {}
        }
    }

    @Test func BI_1_what_a_setter_sets_beside_its_property_is_newer_than_what_stands_there() {
        let source = Meter(), page = Page(), other = Meter()
        let binders = [
            source.values(of: \.level).on(loop).assign(to: \.number, of: page),
            bind(other, \.level, page, \.top, on: loop),
        ]
        drain()
        // The binder of `top` is called first, with a newer set than that of the page's number.
        other.level = 6
        source.level = 1
        other.level = 7
        drain()
        #expect(page.top == 100)
        #expect(other.level == 100)
        other.level = 8
        drain()
        #expect(page.top == 8)
        withExtendedLifetime(binders) {}
    }
}
