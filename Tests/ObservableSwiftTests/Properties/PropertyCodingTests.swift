// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObservableSwift
import Testing

private enum Percent: ObservationPolicy {
    static func areEqual(_ a: Int, _ b: Int) -> Bool { a == b }
    static func corrected(_ offered: Int) -> Int { min(max(offered, 0), 100) }
}

private class User: ObservableModel, Codable {
    @Observed var name = ""
    @Observed var nickname: String?
    @Observed var age = 0
    @Observed var born = Date(timeIntervalSince1970: 0)
    @Observed var tags: [String] = []
    @Observed var marks: [String: Double] = [:]
    @Observed var friend: User?
    @ObservedAs<Percent> var progress = 0
    @ObservedAs<AlwaysDifferent<Int?>> var chosen: Int?
    @ObservedAtomic var score = 0
    @ObservedAtomic var rank: Int?
    var plain = 1
}

/// The same with plain properties.
private class PlainUser: Codable {
    var name = ""
    var nickname: String?
    var age = 0
    var born = Date(timeIntervalSince1970: 0)
    var tags: [String] = []
    var marks: [String: Double] = [:]
    var friend: PlainUser?
    var progress = 0
    var chosen: Int?
    var score = 0
    var rank: Int?
    var plain = 1
}

/// A header of its own, and a weak property.
private final class Row: ObservableHost, Codable {
    let observation = ObservationHeader()
    @Observed var title = ""
    @Observed var note: String?
    @ObservedWeak var owner: Row?

    enum CodingKeys: String, CodingKey {
        case title = "Title"
        case note
    }
}

@MainActor private final class Screen: ObservableModel, Sendable, @MainActor Codable {
    @Observed var title = ""
    @Observed var note: String?
}

/// Coded as values by themselves, as elements of an array are.
private struct Loose: Codable {
    var values: [Observed<Int?>]
    var chosen: [ObservedAs<Percent>]
    var atomic: [ObservedAtomic<String>]
}

@Suite struct PropertyCodingTests {
    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .iso8601
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(type, from: Data(text.utf8))
    }

    private let full = """
        {"age":7,"born":"1970-01-02T00:00:00Z","chosen":3,"friend":{"age":1,\
        "born":"1970-01-01T00:00:00Z","marks":{},"name":"b","plain":1,"progress":0,"score":0,\
        "tags":[]},"marks":{"a":"nan"},"name":"a","nickname":"n","plain":2,"progress":50,"rank":4,\
        "score":9,"tags":["x","y"]}
        """

    private let short = """
        {"age":0,"born":"1970-01-01T00:00:00Z","marks":{},"name":"","plain":1,"progress":0,\
        "score":0,"tags":[]}
        """

    @Test func PK_1_CP_1_as_plain_properties_are_coded() throws {
        #expect(try json(User()) == short)
        #expect(try json(PlainUser()) == short)
        #expect(try json(decode(User.self, full)) == full)
        #expect(try json(decode(PlainUser.self, full)) == full)
    }

    @Test func PK_1_CP_1_a_missing_key_is_nil_for_an_optional_alone() throws {
        let user = try decode(User.self, short)
        #expect(user.nickname == nil && user.friend == nil)
        #expect(user.chosen == nil && user.rank == nil)
        for key in ["age", "progress", "score"] {
            let without = short.replacingOccurrences(of: "\"\(key)\":0,", with: "")
            #expect(without != short)
            #expect(throws: DecodingError.self) { try decode(User.self, without) }
            #expect(throws: DecodingError.self) { try decode(PlainUser.self, without) }
        }
        let null = short.replacingOccurrences(of: "{\"age\"", with: "{\"nickname\":null,\"age\"")
        #expect(try decode(User.self, null).nickname == nil)
    }

    @Test func PK_1_CP_1_decoded_values_are_observed_like_others() throws {
        let user = try decode(User.self, full)
        let calls = BothSpellings(user, "friend.name", \.friend?.name)
        user.friend?.name = "c"
        #expect(calls.new == 1)
        // What is observed is written as what is not, and a copy by coding is not observed.
        let copy = try decode(User.self, json(user))
        #expect(copy.friend?.name == "c")
        copy.friend?.name = "d"
        #expect(calls.new == 0)
        #expect(copy.allObservedProperties == [])
        #expect(copy.numberOfObservers(of: "friend") == 0)
    }

    @Test func PK_1_EQ_11_decoded_values_are_corrected() throws {
        let text = short.replacingOccurrences(of: "\"progress\":0", with: "\"progress\":900")
        #expect(try decode(User.self, text).progress == 100)
    }

    @Test func PK_1_CP_1_a_class_with_a_header_of_its_own() throws {
        let row = try decode(Row.self, #"{"Title":"a"}"#)
        let calls = BothSpellings(row, "title", \.title)
        row.title = "b"
        #expect(calls.new == 1)
        #expect(try json(row) == #"{"Title":"b"}"#)
        row.note = "n"
        #expect(try json(row) == #"{"Title":"b","note":"n"}"#)
    }

    @MainActor @Test func PK_1_CP_1_a_class_of_the_main_actor() throws {
        let screen = try JSONDecoder().decode(Screen.self, from: Data(#"{"title":"a"}"#.utf8))
        #expect(screen.title == "a" && screen.note == nil)
        let text = try JSONEncoder().encode(screen)
        #expect(String(decoding: text, as: UTF8.self) == #"{"title":"a"}"#)
    }

    @Test func PK_1_CP_1_wrappers_by_themselves() throws {
        let text = #"{"atomic":["a"],"chosen":[5,100],"values":[1,null]}"#
        #expect(try json(decode(Loose.self, text)) == text)
    }

    @Test func PK_1_CP_1_property_lists() throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        let user = try decode(User.self, full)
        let plain = try decode(PlainUser.self, full)
        #expect(try encoder.encode(user) == encoder.encode(plain))
        let read = try PropertyListDecoder().decode(User.self, from: encoder.encode(plain))
        #expect(try json(read) == full)
    }
}
