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

extension Observed: Encodable where Value: Encodable {
    /// Writes the value alone, as a plain property does.
    @inlinable
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(_value)
    }
}

extension Observed: Decodable where Value: Decodable {
    /// Reads the value as a first value; nobody is told of it.
    @inlinable
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

extension ObservedAs: Encodable where Policy.Value: Encodable {
    /// Writes the value alone, as a plain property does.
    @inlinable
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(_value)
    }
}

/// What is read is corrected as every first value is.
extension ObservedAs: Decodable where Policy.Value: Decodable {
    /// Reads the value as a first value; nobody is told of it.
    @inlinable
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Policy.Value.self))
    }
}

extension ObservedAtomic: Encodable where Value: Encodable {
    /// Writes the value alone, as a plain property does.
    @inlinable
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(cell.load())
    }
}

extension ObservedAtomic: Decodable where Value: Decodable {
    /// Reads the value as a first value; nobody is told of it.
    @inlinable
    public init(from decoder: any Decoder) throws {
        self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
    }
}

// MARK: - As the plain property is coded

// The compiler's synthesis calls these for a wrapped property: coders see the value, not the
// wrapper, and optionals are left out as those of plain properties are.

extension KeyedEncodingContainer {
    @inlinable
    public mutating func encode<Value: Encodable>(
        _ property: Observed<Value>, forKey key: Key
    ) throws {
        try encode(property._value, forKey: key)
    }

    @inlinable
    public mutating func encode<Value: Encodable>(
        _ property: Observed<Value?>, forKey key: Key
    ) throws {
        try encodeIfPresent(property._value, forKey: key)
    }

    @inlinable
    public mutating func encode<Policy: ObservationPolicy>(
        _ property: ObservedAs<Policy>, forKey key: Key
    ) throws where Policy.Value: Encodable {
        try encode(property._value, forKey: key)
    }

    @inlinable
    public mutating func encode<Policy: ObservationPolicy, Value: Encodable>(
        _ property: ObservedAs<Policy>, forKey key: Key
    ) throws where Policy.Value == Value? {
        try encodeIfPresent(property._value, forKey: key)
    }

    @inlinable
    public mutating func encode<Value: Encodable>(
        _ property: ObservedAtomic<Value>, forKey key: Key
    ) throws {
        try encode(property.cell.load(), forKey: key)
    }

    @inlinable
    public mutating func encode<Value: Encodable>(
        _ property: ObservedAtomic<Value?>, forKey key: Key
    ) throws {
        try encodeIfPresent(property.cell.load(), forKey: key)
    }
}

extension KeyedDecodingContainer {
    @inlinable
    public func decode<Value: Decodable>(
        _ type: Observed<Value>.Type, forKey key: Key
    ) throws -> Observed<Value> {
        Observed(wrappedValue: try decode(Value.self, forKey: key))
    }

    @inlinable
    public func decode<Value: Decodable>(
        _ type: Observed<Value?>.Type, forKey key: Key
    ) throws -> Observed<Value?> {
        Observed(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }

    @inlinable
    public func decode<Policy: ObservationPolicy>(
        _ type: ObservedAs<Policy>.Type, forKey key: Key
    ) throws -> ObservedAs<Policy> where Policy.Value: Decodable {
        ObservedAs(wrappedValue: try decode(Policy.Value.self, forKey: key))
    }

    @inlinable
    public func decode<Policy: ObservationPolicy, Value: Decodable>(
        _ type: ObservedAs<Policy>.Type, forKey key: Key
    ) throws -> ObservedAs<Policy> where Policy.Value == Value? {
        ObservedAs(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }

    @inlinable
    public func decode<Value: Decodable>(
        _ type: ObservedAtomic<Value>.Type, forKey key: Key
    ) throws -> ObservedAtomic<Value> {
        ObservedAtomic(wrappedValue: try decode(Value.self, forKey: key))
    }

    @inlinable
    public func decode<Value: Decodable>(
        _ type: ObservedAtomic<Value?>.Type, forKey key: Key
    ) throws -> ObservedAtomic<Value?> {
        ObservedAtomic(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}
