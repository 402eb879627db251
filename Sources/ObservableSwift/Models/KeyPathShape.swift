// SPDX-License-Identifier: Apache-2.0

/// The components of an object's key path, as far as its description tells them. No public function
/// takes a key path apart.
///
/// The description names a stored property that is reached without a call, as in a final class. Any
/// other component stands in angle brackets, with its type.
enum KeyPathShape: Hashable {
    /// A stored property of this name.
    case stored(String)
    /// One property or subscript that the description does not name.
    case unnamed
    /// Several components, of which the first is a stored property of this name.
    case part(of: String)
    /// Several components, of which the first has no name; or no component at all.
    case unnamedPart

    init(_ keyPath: AnyKeyPath) {
        let type = type(of: keyPath)
        let description = "\(keyPath)".utf8
        let root = "\\\(type.rootType).".utf8
        guard description.starts(with: root) else {
            self = .unnamed
            return
        }
        let components = String(description.dropFirst(root.count))!
        if components.hasPrefix("<") {
            self = Self.isOne(components, type.valueType) ? .unnamed : .unnamedPart
        } else if components == "self" {
            self = .unnamedPart
        } else if let end = Self.endOfName(components) {
            self = .part(of: String(components[..<end]))
        } else {
            self = .stored(components)
        }
    }

    /// Whether a nameless first component is the only one: its description ends with the value's
    /// type, and no other component's description ends before.
    private static func isOne(_ components: String, _ type: Any.Type) -> Bool {
        let end = " (\(type))>"
        guard components.hasSuffix(end) else { return false }
        let one = components.dropLast(end.count)
        return ![")>.", ")>?", ")>!"].contains { one.contains($0) }
    }

    /// The end of the first name, if anything follows. A name in backquotes may contain any other
    /// character.
    private static func endOfName(_ components: String) -> String.Index? {
        var isQuoted = false
        return components.firstIndex { character in
            if character == "`" { isQuoted.toggle() }
            return !isQuoted && ".?!".contains(character)
        }
    }
}
