// SPDX-License-Identifier: Apache-2.0

// Observed properties in synthesised `Codable`: what is written and read equals that of a class
// with plain properties, and carries no observations.
//
//     final class User: ObservableModel, Codable {
//         @Observed var name = ""
//         @Observed var nickname: String?     // nil is left out, and may be missing
//     }
//
// The superclass takes no part in it. A class that declares its header itself leaves the header
// out by listing its `CodingKeys`. Weak properties are not coded, as plain ones are not where the
// object is not `Codable`: list the keys there too.

extension Observed: Encodable where Value: Encodable {}
extension Observed: Decodable where Value: Decodable {}

extension ObservedAs: Encodable where Policy.Value: Encodable {}
/// A value that is read is corrected as every first value is.
extension ObservedAs: Decodable where Policy.Value: Decodable {}

extension ObservedAtomic: Encodable where Value: Encodable {}
extension ObservedAtomic: Decodable where Value: Decodable {}

/// ``Observed``, ``ObservedAs`` and ``ObservedAtomic``: a wrapper that has its value in it.
public protocol _ValueWrapper {
    associatedtype _Value
    init(wrappedValue: _Value)
    var unobserved: _Value { get }
}

extension Observed: _ValueWrapper {}
extension ObservedAs: _ValueWrapper {}
extension ObservedAtomic: _ValueWrapper {}

extension _ValueWrapper where _Value: Encodable {
    /// Writes the value alone, as a plain property does.
    @inlinable
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(unobserved)
    }
}

extension _ValueWrapper where _Value: Decodable {
    /// Reads the value as a first value; nobody is told of it.
    @inlinable
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(_Value.self))
    }
}

// MARK: - As the plain property is coded

// The compiler's synthesis calls these for a wrapped property: coders see the value, not the
// wrapper, and optionals are left out as those of plain properties are.

extension KeyedEncodingContainer {
    /// Writes the value of an observed property.
    @inlinable
    public mutating func encode<Property: _ValueWrapper & Encodable>(
        _ property: Property, forKey key: Key
    ) throws where Property._Value: Encodable {
        try encode(property.unobserved, forKey: key)
    }

    /// Writes the value of an observed property, if it is not nil.
    @inlinable
    public mutating func encode<Property: _ValueWrapper & Encodable, Value: Encodable>(
        _ property: Property, forKey key: Key
    ) throws where Property._Value == Value? {
        try encodeIfPresent(property.unobserved, forKey: key)
    }
}

extension KeyedDecodingContainer {
    /// Reads an observed property.
    @inlinable
    public func decode<Property: _ValueWrapper & Decodable>(
        _ type: Property.Type, forKey key: Key
    ) throws -> Property where Property._Value: Decodable {
        Property(wrappedValue: try decode(Property._Value.self, forKey: key))
    }

    /// Reads an observed property that may be nil, or missing.
    @inlinable
    public func decode<Property: _ValueWrapper & Decodable, Value: Decodable>(
        _ type: Property.Type, forKey key: Key
    ) throws -> Property where Property._Value == Value? {
        Property(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}
