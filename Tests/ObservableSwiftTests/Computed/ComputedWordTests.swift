// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

/// Values that the core keeps as words.
@Suite struct ComputedWordTests {
    @Test func OB_2_a_block_before_the_store_reads_what_is_computed() {
        let sized = Sized()
        sized.width = 3
        let seen = Count()
        let token = sized.onChange(of: \.[text: "*"], options: [.immediate, .prior]) { sized in
            seen.add(sized.size)
        }
        sized.size = 7
        #expect(seen.take() == 9 + 7)
        #expect(sized.size == 7)
        token.cancel()
    }

    @Test func LL_2_it_is_read_at_the_end_of_its_object() {
        var read: [Int] = []
        for isRead in [false, true] {
            for isSet in [false, true] {
                var leaving: Leaving? = Leaving { read.append($0) }
                if isRead { _ = leaving?.twice }
                if isSet { leaving?.a = 5 }
                leaving = nil
            }
        }
        #expect(read == [2, 10, 2, 10])
    }

    @Test func OS_3_the_first_set_of_each_instance_is_told_also_to_zero() {
        let loop = DeliveryLoop()
        var seen: [String] = []
        let token = Shown.allInstances.changes(of: \.size).on(loop).onChange { change in
            seen.append("\(change?.old ?? -1) to \(change?.new ?? -1)")
        }
        for _ in 0...100 {
            let shown = Shown()
            shown.size = 0
            #expect(loop.drain() == 1)
            shown.size = 5
            #expect(loop.drain() == 1)
        }
        // By the first object of the class its properties are found, which may read them.
        #expect(seen.dropFirst(2) == (0..<200).map { $0 % 2 == 0 ? "-1 to 0" : "0 to 5" }[...])
        token.cancel()
    }

    @Test func LL_2_words_of_every_type() {
        let words = Words()
        for at in [0, 1, -1, 100] {
            words.a = at
            #expect(words.i8 == Int8(at) && words.u8 == UInt8(truncatingIfNeeded: at))
            #expect(words.i16 == Int16(at) && words.u16 == UInt16(truncatingIfNeeded: at))
            #expect(words.i32 == Int32(at) && words.u32 == UInt32(truncatingIfNeeded: at))
            #expect(words.i64 == Int64(at) && words.u64 == UInt64(truncatingIfNeeded: at))
            #expect(words.flag == (at != 0) && words.double == Double(at) / 2)
            #expect(words.float == Float(at) / 2 && words.optional == (at == 0 ? nil : at))
            words.i8 = 7
            words.u32 = 8
            words.flag.toggle()
            words.double += 1
            words.optional = nil
            #expect(words.i8 == 7 && words.u32 == 8 && words.flag == (at == 0))
            #expect(words.double == Double(at) / 2 + 1 && words.optional == nil)
        }
    }
}

private final class Count: @unchecked Sendable {
    private var count = 0
    func add(_ number: Int = 1) { count += number }
    func take() -> Int {
        defer { count = 0 }
        return count
    }
}

private final class Sized: ObservableModel {
    @Observed var width = 1
    @Computed({ (sized: Sized) in sized.width * 3 }) var size: Int
}

private final class Shown: ObservableModel {
    @Observed var width = 1
    @Computed({ (shown: Shown) in shown.width * 3 }) var size: Int
}

private final class Leaving: ObservableModel {
    @Observed var a = 1
    @Computed({ (leaving: Leaving) in leaving.a * 2 }) var twice: Int
    private let told: (Int) -> Void

    init(_ told: @escaping (Int) -> Void) {
        self.told = told
    }

    deinit { told(twice) }
}

private final class Words: ObservableModel {
    @Observed var a = 0
    @Computed({ (words: Words) in Int8(words.a) }) var i8: Int8
    @Computed({ (words: Words) in UInt8(truncatingIfNeeded: words.a) }) var u8: UInt8
    @Computed({ (words: Words) in Int16(words.a) }) var i16: Int16
    @Computed({ (words: Words) in UInt16(truncatingIfNeeded: words.a) }) var u16: UInt16
    @Computed({ (words: Words) in Int32(words.a) }) var i32: Int32
    @Computed({ (words: Words) in UInt32(truncatingIfNeeded: words.a) }) var u32: UInt32
    @Computed({ (words: Words) in Int64(words.a) }) var i64: Int64
    @Computed({ (words: Words) in UInt64(truncatingIfNeeded: words.a) }) var u64: UInt64
    @Computed({ (words: Words) in words.a != 0 }) var flag: Bool
    @Computed({ (words: Words) in Double(words.a) / 2 }) var double: Double
    @Computed({ (words: Words) in Float(words.a) / 2 }) var float: Float
    @Computed({ (words: Words) in words.a == 0 ? nil : words.a }) var optional: Int?
}
