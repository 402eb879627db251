// SPDX-License-Identifier: Apache-2.0

/// How two values of one type are compared where only the type's name is known: found out once a
/// type, since asking for it each time costs more than the comparison.
enum FieldComparison {
    /// References: one word, by identity.
    case words
    /// Integers and truth values: so many bytes.
    case bytes(Int)
    /// All else.
    case function((UnsafeRawPointer, UnsafeRawPointer) -> Bool)

    /// By the declared type, as ``_areSame(_:_:)``.
    init<Value>(_ type: Value.Type) {
        if type is AnyObject.Type
            || (type as? any _OptionalValue.Type)?._wrapsClass == true
        {
            self = .words
        } else if type is any FixedWidthInteger.Type || type == Bool.self {
            self = .bytes(MemoryLayout<Value>.size)
        } else if type == String.self {
            self = .function(Self.equatable(String.self))
        } else if type == String?.self {
            self = .function(Self.equatable(String?.self))
        } else if type == Double.self {
            self = .function(Self.equatable(Double.self))
        } else {
            self = .function { a, b in
                _areSame(
                    a.assumingMemoryBound(to: Value.self), b.assumingMemoryBound(to: Value.self))
            }
        }
    }

    private static func equatable<Value: Equatable>(
        _ type: Value.Type
    ) -> (UnsafeRawPointer, UnsafeRawPointer) -> Bool {
        { a, b in _areEqual(type, a, b) }
    }

    func areEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Bool {
        switch self {
        case .words:
            return a.load(as: UInt.self) == b.load(as: UInt.self)
        case .bytes(let size):
            return UnsafeRawBufferPointer(start: a, count: size)
                .elementsEqual(UnsafeRawBufferPointer(start: b, count: size))
        case .function(let areEqual):
            return areEqual(a, b)
        }
    }
}
