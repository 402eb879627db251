// SPDX-License-Identifier: Apache-2.0

/// What a script writes, reads and expects. An object is meant by its name's
/// entry, which outlives it, so a value never dangles.
enum Value {
    case unreachable
    case null
    case bool(Bool)
    case int(Int)
    case float(Double)
    case text(String)
    case object(NamedThing)

    init(_ word: String) {
        switch word {
        case "unreachable": self = .unreachable
        case "nil": self = .null
        case "true": self = .bool(true)
        case "false": self = .bool(false)
        case "nan": self = .float(.nan)
        default: self = Value.number(word) ?? Value.other(word)
        }
    }

    private static func number(_ word: String) -> Value? {
        let digits = word.first == "-" ? word.dropFirst() : word[...]
        guard let first = digits.first, isNumber(String(first)) else {
            return nil
        }
        if let integer = Int(word) {
            return .int(integer)
        }
        return Double(word).map { .float($0) }
    }

    private static func other(_ word: String) -> Value {
        if word.first == "\"" {
            return .text(quotedText(word))
        }
        if word.first == "[" || word.first == "{" {
            fail("collections are not built yet: \(word)")
        }
        guard isCapital(word) else {
            fail("this is no value: \(word)")
        }
        return .object(world.named(word))
    }

    func equals(_ other: Value) -> Bool {
        switch (self, other) {
        case (.unreachable, .unreachable), (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.int(let a), .float(let b)), (.float(let b), .int(let a)): Double(a) == b
        case (.float(let a), .float(let b)): a == b || a.isNaN && b.isNaN
        case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
        case (.object(let a), .object(let b)): a === b
        default: false
        }
    }
}

/// In the script's spelling.
extension Value: CustomStringConvertible {
    var description: String {
        switch self {
        case .unreachable: "unreachable"
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .float(let value): Value.printed(value)
        case .text(let value): "\"\(value)\""
        case .object(let value): value.name
        }
    }

    private static func printed(_ real: Double) -> String {
        let text = "\(real)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
