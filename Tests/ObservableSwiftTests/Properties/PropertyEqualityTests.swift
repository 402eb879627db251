// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

/// As CGFloat is one.
private struct Length: Equatable, ExpressibleByFloatLiteral {
    var native: Double
    init(_ native: Double) { self.native = native }
    init(floatLiteral value: Double) { native = value }
}

private struct Point: Equatable {
    var x = 0.0
    var y = 0.0
}

private final class Reading: ObservableModel {
    @Observed var double = 0.0
    @Observed var float: Float = 0
    @Observed var maybe: Double?
    @Observed var twice: Double??
    @ObservedAtomic var atomic = 0.0
    @ObservedAtomic var title: String = ""
    @ObservedAs<ByEquality<Double>> var chosen = 0.0
    @Observed var point = Point()
    @Observed var series: [Double] = []
    @Observed var length = Length(0)
    @Observed var text: String? = ""
    @Observed var child: Reading?
}

@Suite struct PropertyEqualityTests {
    /// NaN is followed by NaN, then by a number.
    private func notANumber<Value>(
        _ text: TextPath, _ typed: TypedPath<Reading>,
        _ property: ReferenceWritableKeyPath<Reading, Value>, nan: Value, other: Value,
        location: SourceLocation = #_sourceLocation
    ) {
        let reading = Reading()
        reading[keyPath: property] = nan
        let calls = BothSpellings(reading, text, typed)
        reading[keyPath: property] = nan
        #expect(calls.new == 0, sourceLocation: location)
        reading[keyPath: property] = other
        #expect(calls.new == 1, sourceLocation: location)
        reading[keyPath: property] = nan
        #expect(calls.new == 1, sourceLocation: location)
    }

    @Test func EQ_6_not_a_number_is_equal_to_itself() {
        notANumber("double", \.double, \.double, nan: .nan, other: 1)
        notANumber("double", \.double, \.double, nan: .signalingNaN, other: 1)
        notANumber("float", \.float, \.float, nan: .nan, other: 1)
        notANumber("maybe", \.maybe, \.maybe, nan: .nan, other: nil)
        notANumber("maybe", \.maybe, \.maybe, nan: .nan, other: 1)
        notANumber("twice", \.twice, \.twice, nan: .nan, other: .some(nil))
        notANumber("atomic", \.atomic, \.atomic, nan: .nan, other: 1)
        notANumber("chosen", \.chosen, \.chosen, nan: .nan, other: 1)
    }

    @Test func EQ_6_zeros_are_equal() {
        let reading = Reading()
        let calls = BothSpellings(reading, "double", \.double)
        let maybe = BothSpellings(reading, "maybe", \.maybe)
        reading.double = -0.0
        #expect(calls.new == 0)
        reading.maybe = 0
        #expect(maybe.new == 1)
        reading.maybe = -0.0
        #expect(maybe.new == 0)
    }

    /// A value that contains one and differs elsewhere is another value.
    @Test func EQ_6_what_contains_not_a_number_and_differs() {
        let reading = Reading()
        reading.point = Point(x: .nan, y: 1)
        reading.series = [.nan, 1]
        let point = BothSpellings(reading, "point", \.point)
        let series = BothSpellings(reading, "series", \.series)
        reading.point = Point(x: .nan, y: 2)
        #expect(point.new == 1)
        #expect(reading.point.y == 2)
        reading.series = [.nan, 2]
        #expect(series.new == 1)
        #expect(reading.series[1] == 2)
    }

    @Test func EQ_6_not_a_number_below_a_replaced_object() {
        let (root, first, second) = (Reading(), Reading(), Reading())
        first.double = .nan
        second.double = .nan
        root.child = first
        let calls = BothSpellings(root, "child.double", \.child?.double)
        let maybe = BothSpellings(root, "child.maybe", \.child?.maybe)
        root.child = second
        #expect(calls.new == 0)
        second.maybe = .nan
        first.maybe = .nan
        #expect(maybe.new == 1)
        root.child = first
        #expect(calls.new == 0 && maybe.new == 0)
    }

    /// A type of the program's own goes by its `==`, which says that it differs from itself.
    @Test func EQ_6_what_wraps_not_a_number() {
        let reading = Reading()
        reading.length = Length(.nan)
        let length = BothSpellings(reading, "length", \.length)
        reading.length = Length(.nan)
        #expect(length.new == 1)
        reading.length = 1.0
        #expect(length.new == 1)
        reading.length = 1.0
        #expect(length.new == 0)
    }

    /// What is set is stored, also where it is equal to what was there: observing changes nothing
    /// that the program sees.
    @Test func EQ_1_FA_1_an_equal_value_is_stored_all_the_same() {
        let reading = Reading()
        let calls = BothSpellings(reading, "text", \.text)
        let double = BothSpellings(reading, "double", \.double)
        reading.text = "\u{E9}"
        #expect(calls.new == 1)
        reading.text = "e\u{301}"
        #expect(calls.new == 0)
        #expect(reading.text.map { Array($0.unicodeScalars).count } == 2)
        reading.double = -0.0
        #expect(double.new == 0)
        #expect(reading.double.sign == .minus)
    }

    @Test func EQ_2_equal_endpoints_of_old_and_new_containers() {
        let (root, first, second) = (Reading(), Reading(), Reading())
        first.text = "a"
        second.text = "a"
        root.child = first
        let calls = BothSpellings(root, "child.text", \.child?.text)
        root.child = second
        #expect(calls.new == 0)
        first.text = "b"
        #expect(calls.new == 0)
        second.text = "b"
        #expect(calls.new == 1)
        root.child = first
        #expect(calls.new == 0)
    }

    @Test func EQ_3_unreachable_and_nil_differ() {
        let (root, child) = (Reading(), Reading())
        child.text = nil
        let calls = BothSpellings(root, "child.text", \.child?.text)
        root.child = child
        #expect(calls.new == 1)
        root.child = nil
        #expect(calls.new == 1)
    }

    @Test func EQ_4_unreachable_before_and_after() {
        let root = Reading()
        let calls = BothSpellings(
            root, "child.child.text", \.child?.child?.text)
        root.child = Reading()
        #expect(calls.new == 0)
        root.child = Reading()
        #expect(calls.new == 0)
        root.child?.child = Reading()
        #expect(calls.new == 1)
    }
}
