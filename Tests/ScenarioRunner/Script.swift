// SPDX-License-Identifier: Apache-2.0

import Glibc

// Scripts: a file becomes tests, a line becomes words. Knows no command but
// `test` and `only`. What is wrong with a text fails the test that it stands
// in, when that is run.

/// The words of a command; a nested command is the end of an outer one.
struct Words {
    var word: [String]
    let line: Int

    var count: Int { word.count }

    /// The rest of a command behind its first `count` words.
    func from(_ count: Int) -> Words {
        Words(word: Array(word.dropFirst(count)), line: line)
    }
}

extension Words {
    /// Whether `first second` stands side by side.
    func mention(_ first: String, _ second: String) -> Bool {
        zip(word, word.dropFirst()).contains { $0 == (first, second) }
    }

    fileprivate func usesBlock(of name: String) -> Bool {
        let options = Words(word: Array(word.drop { $0 != ":" }), line: line)
        return mention("stopblock", name) || options.mention("block", name)
    }
}

enum Language {
    case any, c, swift
}

/// One test of a script.
struct Scenario {
    let name: String
    var line: Int
    var lines: [Words] = []
    var only = Language.any
    /// What is wrong with the text itself.
    var fault: String?

    mutating func note(_ text: String, line: Int) {
        if fault == nil {
            fault = text
            self.line = line
        }
    }

    /// Whether `first second` stands side by side anywhere in the test.
    func mentions(_ first: String, _ second: String) -> Bool {
        lines.contains { $0.mention(first, second) }
    }

    /// Whether the test does anything anywhere with the block of an observation as such: shares it,
    /// or stops by it.
    func usesBlock(of name: String) -> Bool {
        lines.contains { $0.usesBlock(of: name) }
    }
}

// MARK: - Words

/// Whether a word is a decimal number, without a sign.
func isNumber(_ word: String) -> Bool {
    !word.isEmpty && word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
}

func isCapital(_ word: String) -> Bool {
    word.utf8.first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ?? false
}

private func hexDigit(_ byte: UInt8) -> UInt8? {
    "0123456789ABCDEF".utf8.enumerated().first { $0.element == byte }.map { UInt8($0.offset) }
}

/// The text of a word: what stands in its quotes, or the word itself. In quotes
/// `\"`, `\\` and `\xHH` stand for a character or a byte.
func quotedText(_ word: String) -> String {
    let bytes = Array(word.utf8)
    guard bytes.first == UInt8(ascii: "\""), bytes.count >= 2 else {
        return word
    }
    var result: [UInt8] = []
    var rest = bytes[1..<(bytes.count - 1)]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "\\"), let next = rest.first else {
            result.append(byte)
            continue
        }
        let digits = rest.dropFirst().prefix(2).compactMap(hexDigit)
        if next == UInt8(ascii: "x"), digits.count == 2 {
            result.append(digits[0] * 16 + digits[1])
            rest = rest.dropFirst(3)
        } else if next == UInt8(ascii: "\"") || next == byte {
            result.append(next)
            rest = rest.dropFirst()
        } else {
            result.append(byte)
        }
    }
    guard let text = String(validating: result, as: UTF8.self) else {
        fail("a string of Swift is UTF-8: \(word)")
    }
    return text
}

/// What stands in the brackets of a word, part by part.
func parts(of word: String) -> [String] {
    var rest = Substring(word).utf8.dropFirst().dropLast()
    var parts: [String] = []
    while !rest.isEmpty {
        let part = rest.prefix(wordLength(rest))
        if !part.isEmpty {
            parts.append(String(Substring(part)))
        }
        rest = rest.dropFirst(part.count + 1)
    }
    return parts
}

/// The length of a word inside brackets: nothing in quotes, or in brackets of its own, ends it.
func wordLength(_ text: Substring.UTF8View, endsAt end: UInt8 = UInt8(ascii: " ")) -> Int {
    var isQuoted = false
    var isEscaped = false
    var depth = 0
    let end = text.firstIndex { byte in
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\"") {
            isQuoted.toggle()
        } else if isQuoted {
            isEscaped = byte == UInt8(ascii: "\\")
        } else if "[{".utf8.contains(byte) {
            depth += 1
        } else if "]}".utf8.contains(byte) {
            depth -= 1
        }
        let ends = byte == end || end == UInt8(ascii: " ") && byte == UInt8(ascii: "\t")
        return !isQuoted && depth == 0 && ends
    }
    return text.distance(from: text.startIndex, to: end ?? text.endIndex)
}

private let spaces: [UInt8] = Array(" \t\r\n".utf8) + [0x0B, 0x0C]

private let staysOpen = "a quote or bracket stays open"

/// Cuts one line into its words.
private struct LineReader {
    let text: [UInt8]
    var at = 0
    /// What is wrong with the line.
    private(set) var fault: String?

    init(_ text: ArraySlice<UInt8>) {
        self.text = Array(text)
    }

    /// The words; nil if something is wrong with the line.
    mutating func words() -> [String]? {
        var words: [String] = []
        if text.contains(0) {
            fault = "no line holds a NUL"
            return nil
        }
        while true {
            while at < text.count, spaces.contains(text[at]) {
                at += 1
            }
            if at == text.count || beginsComment {
                return words
            }
            let begin = at
            guard skipWord() else {
                return nil
            }
            words.append(String(decoding: text[begin..<at], as: UTF8.self))
        }
    }

    private var beginsComment: Bool {
        text[at] == UInt8(ascii: "#") && (at + 1 == text.count || spaces.contains(text[at + 1]))
    }

    /// Goes behind the word that begins here. Quotes count at a word's begin and
    /// inside brackets, brackets at a word's begin and behind `&`: elsewhere they
    /// are characters of a path.
    private mutating func skipWord() -> Bool {
        let begin = at
        var depth = 0
        while at < text.count, depth > 0 || !spaces.contains(text[at]), !beginsComment {
            let byte = text[at]
            let counts = at == begin || depth > 0
            if byte == UInt8(ascii: "\""), counts {
                skipQuoted()
                if fault == nil, depth == 0, !endsWord {
                    fault = "something stands behind a quote"
                }
                guard fault == nil else {
                    return false
                }
                continue
            }
            let opensMember = byte == UInt8(ascii: "(") && at > begin
            if counts && (byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{"))
                || opensMember && text[at - 1] == UInt8(ascii: "&")
            {
                depth += 1
            } else if depth > 0, "]})".utf8.contains(byte) {
                depth -= 1
            }
            at += 1
        }
        if depth > 0 {
            fault = staysOpen
        }
        return fault == nil
    }

    private var endsWord: Bool {
        at == text.count || spaces.contains(text[at]) || beginsComment
    }

    private mutating func skipQuoted() {
        at += 1
        while at < text.count, text[at] != UInt8(ascii: "\"") {
            if text[at] == UInt8(ascii: "\\"), at + 1 < text.count {
                fault = fault ?? faultOfEscape
                at += 1
            }
            at += 1
        }
        if at == text.count {
            fault = staysOpen
        }
        at += 1
    }

    /// Before anything but `x` a backslash may stand for itself.
    private var faultOfEscape: String? {
        guard text[at + 1] == UInt8(ascii: "x") else {
            return nil
        }
        let digits = text[(at + 2)...].prefix(2).compactMap(hexDigit)
        if digits.count < 2 {
            return "in quotes two digits of 0-9 and A-F follow \\x"
        }
        return digits == [0, 0] ? "no text holds a NUL" : nil
    }
}

// MARK: - Tests

private func isRule(_ word: String) -> Bool {
    let parts = word.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].utf8.count == 2
        && parts[0].allSatisfy { isCapital(String($0)) } && isNumber(String(parts[1]))
}

private struct FileReader {
    let file: String
    var scenarios: [Scenario] = []

    mutating func read(_ text: ArraySlice<UInt8>, line: Int) {
        var reader = LineReader(text)
        let words = reader.words()
        if words?.isEmpty == true {
            return
        }
        if let words, words[0] == "test" {
            begin(words, line: line)
        } else if scenarios.isEmpty {
            scenarios.append(Scenario(name: file, line: line))
            note("this stands before the first test", line: line)
        } else if let words {
            add(words, line: line)
        } else {
            note(reader.fault ?? staysOpen, line: line)
        }
    }

    private mutating func note(_ fault: String, line: Int) {
        scenarios[scenarios.count - 1].note(fault, line: line)
    }

    private mutating func begin(_ words: [String], line: Int) {
        let name = words.count >= 2 ? words[1] : file
        let isTaken = words.count >= 2 && scenarios.contains { $0.name == name }
        scenarios.append(Scenario(name: name, line: line))
        if words.count < 3 {
            note("a test has a name and a rule's id", line: line)
        }
        if isTaken {
            note("another test has this name", line: line)
        }
        if !words.dropFirst(2).allSatisfy(isRule) {
            note("this is no rule's id", line: line)
        }
    }

    private mutating func add(_ words: [String], line: Int) {
        guard words[0] == "only" else {
            scenarios[scenarios.count - 1].lines.append(Words(word: words, line: line))
            return
        }
        let languages: [String: Language] = ["c": .c, "swift": .swift]
        let only = words.count == 2 ? languages[words[1]] ?? .any : .any
        var scenario = scenarios[scenarios.count - 1]
        if only == .any || scenario.only != .any && scenario.only != only {
            scenario.note("only c or only swift", line: line)
        }
        // Where that is wrong, no language is spared the test.
        scenario.only = scenario.fault == nil ? only : .any
        scenarios[scenarios.count - 1] = scenario
    }
}

/// Every byte of a file, or nil if it cannot be read.
private func bytes(of file: String) -> [UInt8]? {
    let descriptor = open(file, O_RDONLY)
    guard descriptor >= 0 else {
        return nil
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = Glibc.read(descriptor, &part, part.count)
        guard count > 0 else {
            return count == 0 ? bytes : nil
        }
        bytes += part[..<count]
    }
}

/// The tests of a file; nil if it cannot be read.
func readScript(_ file: String) -> [Scenario]? {
    guard let bytes = bytes(of: file) else {
        return nil
    }
    var reader = FileReader(file: file)
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, text) in lines.enumerated() {
        reader.read(text, line: index + 1)
    }
    if reader.scenarios.isEmpty {
        var scenario = Scenario(name: file, line: 1)
        scenario.note("there is no test in it", line: 1)
        reader.scenarios.append(scenario)
    }
    return reader.scenarios
}
