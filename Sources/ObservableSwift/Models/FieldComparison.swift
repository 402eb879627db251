// SPDX-License-Identifier: Apache-2.0

/// The comparison of two values whose type is known only at run time. It is determined once for
/// each type, since asking for the type's conformances costs more than the comparison.
enum FieldComparison {
    /// References are one word, and are compared by identity.
    case words
    /// The standard library's integers and `Bool` are compared by so many bytes. An integer type of
    /// the program may have another `==`, and so is not among them.
    case bytes(Int)
    /// Values of all other types.
    case function((UnsafeRawPointer, UnsafeRawPointer) -> Bool)

    /// By the declared type, as ``_areSame(_:_:)``.
    init<Value>(_ type: Value.Type) {
        if _isObjectReference(type) {
            self = .words
        } else if Self.areBytes.contains(ObjectIdentifier(type)) {
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

    private static let areBytes: Set<ObjectIdentifier> = {
        let types: [Any.Type] = [
            Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self,
            UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self,
        ]
        return Set(types.map { ObjectIdentifier($0) })
    }()

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
