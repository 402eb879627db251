// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

// The models of the tests of computed properties without wrappers. Each counts how often it computes.

class Counting: ObservableModel {
    var evaluations: [String: Int] = [:]

    func made<Value>(_ property: String, _ value: @autoclosure () -> Value) -> Value {
        evaluations[property, default: 0] += 1
        return value()
    }

    /// How often it was since the last question.
    func new(_ property: String) -> Int {
        evaluations.removeValue(forKey: property) ?? 0
    }
}

struct Extent: Equatable {
    var low = 0
    var high = 0
}

class Bill: Counting {
    @Observed var net = 0
    @Observed var rate = 2
    @Observed var next: Bill?
    @Observed var lines: ObservableArray<String> = []
    var plain = 0
    var gross: Int { computed { made("gross", net * rate) } }
    var tens: Int { computed { made("tens", gross / 10) } }
    var text: String { computed { made("text", "\(tens)") } }
    var span: Extent { computed { made("span", Extent(low: net, high: gross)) } }
    var follower: Bill? { computed { made("follower", next?.next ?? next) } }
    var last: String? { computed { made("last", lines.last) } }
    var index: [Int] { lazily { made("index", [net, rate]) } }
    var loop: Int { computed { net > 5 ? back + 1 : net } }
    var back: Int { computed { loop } }

    /// Ordinary ones.
    var far: Bill? { next?.next }
    var sum: Int { net + rate }
    var shout: String { text + "!" }
}

/// Overrides what it inherits, and asks the superclass.
class TaxedBill: Bill {
    @Observed var tax = 1
    override var gross: Int { computed { made("taxed", super.gross + tax) } }
    override var sum: Int { super.sum + tax }
}

final class ListedBill: Bill {
    override class var namedProperties: [NamedProperty] {
        [
            NamedProperty("gross", \ListedBill.gross), NamedProperty("tens", \ListedBill.tens),
            NamedProperty("follower", \ListedBill.follower),
            NamedProperty("far", \ListedBill.far), NamedProperty("total", \ListedBill.sum),
            NamedProperty("index", \ListedBill.index), NamedProperty("net", \ListedBill.net),
            NamedProperty("plain", \ListedBill.plain),
        ]
    }
}

class ListingBase: Counting {
    @Observed var number = 1
    var shown: Int { computed { made("base", number) } }
    var both: Int { number + 1 }

    override class var namedProperties: [NamedProperty] {
        [NamedProperty("shown", \ListingBase.shown), NamedProperty("both", \ListingBase.both)]
    }
}

final class ListingBelow: ListingBase {
    override var shown: Int { computed { made("below", number * 10) } }
}

/// Lists getters that make something of what is computed.
final class ListingSign: ObservableModel {
    @Observed var word = "a"
    var unseen = 0
    var text: String { computed { word } }
    var shout: String { text + "!" }
    var isLong: Bool { text.count > 2 }
    var title: String { computed { word }.uppercased() }
    var length: Int { word.count + unseen }

    override class var namedProperties: [NamedProperty] {
        [
            NamedProperty("shout", \ListingSign.shout),
            NamedProperty("isLong", \ListingSign.isLong),
            NamedProperty("text", \ListingSign.text), NamedProperty("title", \ListingSign.title),
        ]
    }
}

final class HostedBill: ForeignBase, ObservableHost {
    let observation = ObservationHeader()
    @Observed var net = 1
    var evaluations = 0
    var twice: Int {
        computed {
            evaluations += 1
            return net * 2
        }
    }
    var once: Int { lazily { net } }
}

class Hamper<Item: Equatable>: Counting {
    @Observed var items: [Item] = []
    var first: Item? { computed { made("first", items.first) } }
    var count: Int { computed { made("count", items.count) } }
}

final class NumberHamper: Hamper<Int> {
    var sum: Int { computed { made("sum", items.reduce(0, +)) } }
}

@MainActor final class IsolatedBill: ObservableModel {
    @Observed var title = "a"
    var heading: String { computed { "<\(title)>" } }
    var length: Int { computed { heading.count } }
    var both: Int { length + title.count }
}

actor Ledger: ObservableHost {
    nonisolated let observation = ObservationHeader()
    @Observed var number = 1
    var evaluations = 0
    var twice: Int {
        computed {
            evaluations += 1
            return number * 2
        }
    }

    func set(_ number: Int) { self.number = number }
}

/// Where the call does not belong.
final class Misplaced: Counting {
    @Observed var number = 1
    func times(_ factor: Int) -> Int { computed { number * factor } }
    subscript(factor: Int) -> Int { computed { number * factor } }
    func twice() -> Int { computed { number * 2 } }
    func generic<Value>(_ type: Value.Type) -> Value? { kept() }
    private func kept<Value>() -> Value? { computed { made("kept", number as? Value) } }
}

/// As a macro may write it: two getters at one place.
final class WrittenByMacro: ObservableModel {
    @Observed var number = 1
    #sourceLocation(file:"Macro.swift",line:1)
    var less: Int { computed { number - 1 } }
    #sourceLocation(file:"Macro.swift",line:1)
    var more: Int { computed { number + 1 } }
    #sourceLocation()
}
