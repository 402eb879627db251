// SPDX-License-Identifier: Apache-2.0

/// What a key path from an object says of the property that it begins with: no more than its
/// description, since nothing public takes a key path apart.
///
/// That names a component where it is a stored property that is reached without a call, as in a
/// final class. All else stands in angle brackets, with its type.
enum KeyPathShape: Hashable {
    /// A stored property of this name.
    case stored(String)
    /// One property, or one subscript, that nothing names.
    case unnamed
    /// Several components, of which the first is a stored property of this name.
    case part(of: String)
    /// Several components, of which nothing names the first; or none.
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

    /// Whether that which begins with a component without a name is no more: its description ends
    /// with its type, and none has ended before.
    private static func isOne(_ components: String, _ type: Any.Type) -> Bool {
        let end = " (\(type))>"
        guard components.hasSuffix(end) else { return false }
        let one = components.dropLast(end.count)
        return ![")>.", ")>?", ")>!"].contains { one.contains($0) }
    }

    /// Where a name is followed by anything. One in backquotes may contain everything else.
    private static func endOfName(_ components: String) -> String.Index? {
        var isQuoted = false
        return components.firstIndex { character in
            if character == "`" { isQuoted.toggle() }
            return !isQuoted && ".?!".contains(character)
        }
    }
}
