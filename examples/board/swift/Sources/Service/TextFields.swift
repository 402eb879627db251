// SPDX-License-Identifier: Apache-2.0

/// The fields of one line, one after the other, with blanks between them. Nothing is copied; a
/// number that does not fit is no number.
struct TextFields {
    private var rest: ArraySlice<UInt8>

    init(_ line: ArraySlice<UInt8>) {
        rest = line
    }

    /// The next field, or nil at the end.
    mutating func next() -> ArraySlice<UInt8>? {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let field = rest.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        rest = rest[field.endIndex...]
        return field.isEmpty ? nil : field
    }

    mutating func skip(_ count: Int) {
        for _ in 0..<count {
            _ = next()
        }
    }

    /// A whole number that is not negative.
    mutating func count() -> Int? {
        next().flatMap { parseCount($0) }
    }

    /// A decimal number that is neither negative nor endless.
    mutating func decimal() -> Double? {
        guard let field = next(), let number = Double(String(decoding: field, as: UTF8.self)),
            number.isFinite, number >= 0
        else {
            return nil
        }
        return number
    }

    /// A field that is one letter.
    mutating func letter() -> String? {
        guard let field = next(), field.count == 1, let byte = field.first else {
            return nil
        }
        let letter = Unicode.Scalar(byte)
        return letter.properties.isAlphabetic && letter.isASCII ? String(letter) : nil
    }

    /// What stands behind one blank, to the line's end: it may hold blanks. Nil without the blank.
    func name() -> String? {
        rest.first == UInt8(ascii: " ") ? harmlessName(rest.dropFirst()) : nil
    }

    /// Whether there are no further fields.
    var isAtEnd: Bool {
        var copy = self
        return copy.next() == nil
    }
}

/// Decimal digits and nothing else, as far as an Int goes.
func parseCount(_ field: ArraySlice<UInt8>) -> Int? {
    guard let first = field.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-") else {
        return nil
    }
    return Int(String(decoding: field, as: UTF8.self))
}
