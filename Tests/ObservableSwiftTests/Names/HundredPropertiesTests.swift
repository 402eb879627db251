// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

/// More properties than one page of a node holds.
private final class Hundred: ObservableModel {
    @Observed var p0: Int = 0
    @Observed var p1: String = ""
    @Observed var p2: Double = 0
    @Observed var p3: UInt8 = 0
    @Observed var p4: Int = 0
    @Observed var p5: String = ""
    @Observed var p6: Double = 0
    @Observed var p7: UInt8 = 0
    @Observed var p8: Int = 0
    @Observed var p9: String = ""
    @Observed var p10: Double = 0
    @Observed var p11: UInt8 = 0
    @Observed var p12: Int = 0
    @Observed var p13: String = ""
    @Observed var p14: Double = 0
    @Observed var p15: UInt8 = 0
    @Observed var p16: Int = 0
    @Observed var p17: String = ""
    @Observed var p18: Double = 0
    @Observed var p19: UInt8 = 0
    @Observed var p20: Int = 0
    @Observed var p21: String = ""
    @Observed var p22: Double = 0
    @Observed var p23: UInt8 = 0
    @Observed var p24: Int = 0
    @Observed var p25: String = ""
    @Observed var p26: Double = 0
    @Observed var p27: UInt8 = 0
    @Observed var p28: Int = 0
    @Observed var p29: String = ""
    @Observed var p30: Double = 0
    @Observed var p31: UInt8 = 0
    @Observed var p32: Int = 0
    @Observed var p33: String = ""
    @Observed var p34: Double = 0
    @Observed var p35: UInt8 = 0
    @Observed var p36: Int = 0
    @Observed var p37: String = ""
    @Observed var p38: Double = 0
    @Observed var p39: UInt8 = 0
    @Observed var p40: Int = 0
    @Observed var p41: String = ""
    @Observed var p42: Double = 0
    @Observed var p43: UInt8 = 0
    @Observed var p44: Int = 0
    @Observed var p45: String = ""
    @Observed var p46: Double = 0
    @Observed var p47: UInt8 = 0
    @Observed var p48: Int = 0
    @Observed var p49: String = ""
    @Observed var p50: Double = 0
    @Observed var p51: UInt8 = 0
    @Observed var p52: Int = 0
    @Observed var p53: String = ""
    @Observed var p54: Double = 0
    @Observed var p55: UInt8 = 0
    @Observed var p56: Int = 0
    @Observed var p57: String = ""
    @Observed var p58: Double = 0
    @Observed var p59: UInt8 = 0
    @Observed var p60: Int = 0
    @Observed var p61: String = ""
    @Observed var p62: Double = 0
    @Observed var p63: UInt8 = 0
    @Observed var p64: Int = 0
    @Observed var p65: String = ""
    @Observed var p66: Double = 0
    @Observed var p67: UInt8 = 0
    @Observed var p68: Int = 0
    @Observed var p69: String = ""
    @Observed var p70: Double = 0
    @Observed var p71: UInt8 = 0
    @Observed var p72: Int = 0
    @Observed var p73: String = ""
    @Observed var p74: Double = 0
    @Observed var p75: UInt8 = 0
    @Observed var p76: Int = 0
    @Observed var p77: String = ""
    @Observed var p78: Double = 0
    @Observed var p79: UInt8 = 0
    @Observed var p80: Int = 0
    @Observed var p81: String = ""
    @Observed var p82: Double = 0
    @Observed var p83: UInt8 = 0
    @Observed var p84: Int = 0
    @Observed var p85: String = ""
    @Observed var p86: Double = 0
    @Observed var p87: UInt8 = 0
    @Observed var p88: Int = 0
    @Observed var p89: String = ""
    @Observed var p90: Double = 0
    @Observed var p91: UInt8 = 0
    @Observed var p92: Int = 0
    @Observed var p93: String = ""
    @Observed var p94: Double = 0
    @Observed var p95: UInt8 = 0
    @Observed var p96: Int = 0
    @Observed var p97: String = ""
    @Observed var p98: Double = 0
    @Observed var p99: UInt8 = 0
    @Observed var child: Hundred?

    func change(_ index: Int) {
        switch index {
        case 0: p0 = 1
        case 1: p1 = "a"
        case 2: p2 = 0.5
        case 3: p3 = 7
        case 4: p4 = 1
        case 5: p5 = "a"
        case 6: p6 = 0.5
        case 7: p7 = 7
        case 8: p8 = 1
        case 9: p9 = "a"
        case 10: p10 = 0.5
        case 11: p11 = 7
        case 12: p12 = 1
        case 13: p13 = "a"
        case 14: p14 = 0.5
        case 15: p15 = 7
        case 16: p16 = 1
        case 17: p17 = "a"
        case 18: p18 = 0.5
        case 19: p19 = 7
        case 20: p20 = 1
        case 21: p21 = "a"
        case 22: p22 = 0.5
        case 23: p23 = 7
        case 24: p24 = 1
        case 25: p25 = "a"
        case 26: p26 = 0.5
        case 27: p27 = 7
        case 28: p28 = 1
        case 29: p29 = "a"
        case 30: p30 = 0.5
        case 31: p31 = 7
        case 32: p32 = 1
        case 33: p33 = "a"
        case 34: p34 = 0.5
        case 35: p35 = 7
        case 36: p36 = 1
        case 37: p37 = "a"
        case 38: p38 = 0.5
        case 39: p39 = 7
        case 40: p40 = 1
        case 41: p41 = "a"
        case 42: p42 = 0.5
        case 43: p43 = 7
        case 44: p44 = 1
        case 45: p45 = "a"
        case 46: p46 = 0.5
        case 47: p47 = 7
        case 48: p48 = 1
        case 49: p49 = "a"
        case 50: p50 = 0.5
        case 51: p51 = 7
        case 52: p52 = 1
        case 53: p53 = "a"
        case 54: p54 = 0.5
        case 55: p55 = 7
        case 56: p56 = 1
        case 57: p57 = "a"
        case 58: p58 = 0.5
        case 59: p59 = 7
        case 60: p60 = 1
        case 61: p61 = "a"
        case 62: p62 = 0.5
        case 63: p63 = 7
        case 64: p64 = 1
        case 65: p65 = "a"
        case 66: p66 = 0.5
        case 67: p67 = 7
        case 68: p68 = 1
        case 69: p69 = "a"
        case 70: p70 = 0.5
        case 71: p71 = 7
        case 72: p72 = 1
        case 73: p73 = "a"
        case 74: p74 = 0.5
        case 75: p75 = 7
        case 76: p76 = 1
        case 77: p77 = "a"
        case 78: p78 = 0.5
        case 79: p79 = 7
        case 80: p80 = 1
        case 81: p81 = "a"
        case 82: p82 = 0.5
        case 83: p83 = 7
        case 84: p84 = 1
        case 85: p85 = "a"
        case 86: p86 = 0.5
        case 87: p87 = 7
        case 88: p88 = 1
        case 89: p89 = "a"
        case 90: p90 = 0.5
        case 91: p91 = 7
        case 92: p92 = 1
        case 93: p93 = "a"
        case 94: p94 = 0.5
        case 95: p95 = 7
        case 96: p96 = 1
        case 97: p97 = "a"
        case 98: p98 = 0.5
        case 99: p99 = 7
        default: fatalError("there are a hundred")
        }
    }
}

@Suite struct HundredPropertiesTests {
    @Test func PK_1_a_hundred_properties() throws {
        let (root, hundred) = (Hundred(), Hundred())
        root.child = hundred
        let calls = try (0..<100).map { Calls(hundred, try TextPath(parsing: "p\($0)")) }
        let below = try (0..<100).map { Calls(root, try TextPath(parsing: "child.p\($0)")) }
        let typed = Calls(hundred, \.p0, \.p63, \.p99)
        for index in (0..<100).reversed() {
            hundred.change(index)
            #expect(calls[index].new == 1 && below[index].new == 1)
            #expect(typed.new == ([0, 63, 99].contains(index) ? 1 : 0))
        }
        #expect(calls.allSatisfy { $0.new == 0 } && below.allSatisfy { $0.new == 0 })
        #expect(hundred.allObservedProperties == (0..<100).map { "p\($0)" })
        root.child = Hundred()
        #expect(below.allSatisfy { $0.new == 1 })
        calls.forEach { $0.observation.stop() }
        typed.observation.stop()
        #expect(hundred.allObservedProperties == [])
    }
}
