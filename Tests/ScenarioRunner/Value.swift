// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

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
    case collection(Content)

    /// What a collection has, and which it is if it is one already.
    struct Content {
        enum Kind { case list, dictionary, set }
        var kind: Kind
        var items: [Value]
        /// Of a dictionary, one for each item.
        var keys: [String] = []
        var of: ObservableContainer?
    }

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
        if word.first == "[" {
            return .collection(Content(kind: .list, items: parts(of: word).map { Value($0) }))
        }
        if word.first == "{" {
            return dictionary(parts(of: word))
        }
        guard isCapital(word) else {
            fail("this is no value: \(word)")
        }
        if word.contains(".") {
            return Place(word).read()
        }
        return .object(world.named(word))
    }

    /// `"key":VALUE`, each.
    private static func dictionary(_ parts: [String]) -> Value {
        var content = Content(kind: .dictionary, items: [])
        for part in parts {
            let key = wordLength(Substring(part).utf8, endsAt: UInt8(ascii: ":"))
            let rest = Array(part.utf8.dropFirst(key))
            guard part.first == "\"", rest.first == UInt8(ascii: ":"), rest.count > 1 else {
                fail("a dictionary is written {\"key\":VALUE}: \(part)")
            }
            content.keys.append(quotedText(String(decoding: part.utf8.prefix(key), as: UTF8.self)))
            content.items.append(Value(String(decoding: rest.dropFirst(), as: UTF8.self)))
        }
        return .collection(content)
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
        case (.collection(let a), .collection(let b)): a.equals(b)
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
        case .collection(let content): content.description
        }
    }

    private static func printed(_ real: Double) -> String {
        let text = "\(real)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension Value.Content {
    /// In brackets a set may be written too.
    fileprivate func equals(_ other: Value.Content) -> Bool {
        guard items.count == other.items.count else { return false }
        if kind == .dictionary || other.kind == .dictionary {
            return kind == other.kind
                && zip(keys, items).allSatisfy { key, item in
                    other.keys.firstIndex(of: key).map { other.items[$0].equals(item) } ?? false
                }
        }
        if kind == .set || other.kind == .set {
            return items.allSatisfy { item in other.items.contains { $0.equals(item) } }
        }
        return zip(items, other.items).allSatisfy { $0.equals($1) }
    }
}

extension Value.Content: CustomStringConvertible {
    var description: String {
        let items = items.map(\.description)
        if kind == .dictionary {
            let pairs = zip(keys, items).map { "\"\($0)\":\($1)" }
            return "{\(pairs.joined(separator: " "))}"
        }
        return "[\(items.joined(separator: " "))]"
    }
}
