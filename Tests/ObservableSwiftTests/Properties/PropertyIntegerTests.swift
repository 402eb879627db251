// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

/// An integer of the program whose `==` looks at one half of it.
private struct Half: FixedWidthInteger, UnsignedInteger {
    typealias Words = UInt16.Words
    typealias Magnitude = Half
    typealias IntegerLiteralType = UInt16
    var bits: UInt16

    static func == (a: Half, b: Half) -> Bool { a.bits & 0xFF == b.bits & 0xFF }
    static func < (a: Half, b: Half) -> Bool { a.bits & 0xFF < b.bits & 0xFF }
    func hash(into hasher: inout Hasher) { hasher.combine(bits & 0xFF) }

    init(bits: UInt16) { self.bits = bits }
    init(integerLiteral value: UInt16) { bits = value }
    init<Source: BinaryInteger>(_ source: Source) { bits = UInt16(source) }
    init<Source: BinaryInteger>(truncatingIfNeeded source: Source) {
        bits = UInt16(truncatingIfNeeded: source)
    }
    init(_truncatingBits bits: UInt) { self.bits = UInt16(truncatingIfNeeded: bits) }

    static var bitWidth: Int { 16 }
    static var min: Half { 0 }
    static var max: Half { Half(bits: .max) }
    var words: Words { bits.words }
    var magnitude: Half { self }
    var trailingZeroBitCount: Int { bits.trailingZeroBitCount }
    var nonzeroBitCount: Int { bits.nonzeroBitCount }
    var leadingZeroBitCount: Int { bits.leadingZeroBitCount }
    var byteSwapped: Half { Half(bits: bits.byteSwapped) }

    private static func pair(_ result: (UInt16, Bool)) -> (partialValue: Half, overflow: Bool) {
        (Half(bits: result.0), result.1)
    }
    func addingReportingOverflow(_ other: Half) -> (partialValue: Half, overflow: Bool) {
        Self.pair(bits.addingReportingOverflow(other.bits))
    }
    func subtractingReportingOverflow(_ other: Half) -> (partialValue: Half, overflow: Bool) {
        Self.pair(bits.subtractingReportingOverflow(other.bits))
    }
    func multipliedReportingOverflow(by other: Half) -> (partialValue: Half, overflow: Bool) {
        Self.pair(bits.multipliedReportingOverflow(by: other.bits))
    }
    func dividedReportingOverflow(by other: Half) -> (partialValue: Half, overflow: Bool) {
        Self.pair(bits.dividedReportingOverflow(by: other.bits))
    }
    func remainderReportingOverflow(
        dividingBy other: Half
    ) -> (partialValue: Half, overflow: Bool) {
        Self.pair(bits.remainderReportingOverflow(dividingBy: other.bits))
    }
    func multipliedFullWidth(by other: Half) -> (high: Half, low: Half) {
        let (high, low) = bits.multipliedFullWidth(by: other.bits)
        return (Half(bits: high), Half(bits: low))
    }
    func dividingFullWidth(
        _ dividend: (high: Half, low: Half)
    ) -> (quotient: Half, remainder: Half) {
        let (quotient, remainder) = bits.dividingFullWidth((dividend.high.bits, dividend.low.bits))
        return (Half(bits: quotient), Half(bits: remainder))
    }
    static func + (a: Half, b: Half) -> Half { Half(bits: a.bits + b.bits) }
    static func - (a: Half, b: Half) -> Half { Half(bits: a.bits - b.bits) }
    static func * (a: Half, b: Half) -> Half { Half(bits: a.bits * b.bits) }
    static func / (a: Half, b: Half) -> Half { Half(bits: a.bits / b.bits) }
    static func % (a: Half, b: Half) -> Half { Half(bits: a.bits % b.bits) }
    static func & (a: Half, b: Half) -> Half { Half(bits: a.bits & b.bits) }
    static func | (a: Half, b: Half) -> Half { Half(bits: a.bits | b.bits) }
    static func ^ (a: Half, b: Half) -> Half { Half(bits: a.bits ^ b.bits) }
    static func += (a: inout Half, b: Half) { a = a + b }
    static func -= (a: inout Half, b: Half) { a = a - b }
    static func *= (a: inout Half, b: Half) { a = a * b }
    static func /= (a: inout Half, b: Half) { a = a / b }
    static func %= (a: inout Half, b: Half) { a = a % b }
    static func &= (a: inout Half, b: Half) { a = a & b }
    static func |= (a: inout Half, b: Half) { a = a | b }
    static func ^= (a: inout Half, b: Half) { a = a ^ b }
    static func &>>= (a: inout Half, b: Half) { a.bits &>>= b.bits }
    static func &<<= (a: inout Half, b: Half) { a.bits &<<= b.bits }
}

private final class Holder: ObservableModel {
    @Observed var half: Half = 0
    @ObservedAtomic var atomic: Half = 0
    @Observed var byte: UInt8 = 0
    @Observed var next: Holder?
}

@Suite struct PropertyIntegerTests {
    /// A set and the replacement of an object compare by the same `==`.
    @Test func EQ_1_EQ_2_an_integer_of_the_program_has_its_own_equality() {
        let (root, first, second) = (Holder(), Holder(), Holder())
        let half = Calls(root, "next.half")
        let atomic = Calls(root, \.next?.atomic)
        let byte = Calls(root, "next.byte")
        root.next = first
        #expect(half.new == 1 && atomic.new == 1 && byte.new == 1)
        first.half = 0x100
        first.atomic = 0x100
        #expect(half.new == 0 && atomic.new == 0)
        root.next = second
        #expect(half.new == 0 && byte.new == 0)
        _ = atomic.new  // An equal one that any thread may set may call.
        second.half = 0x101
        second.atomic = 0x101
        second.byte = 1
        #expect(half.new == 1 && atomic.new == 1 && byte.new == 1)
        root.next = first
        #expect(half.new == 1 && atomic.new == 1 && byte.new == 1)
    }
}
