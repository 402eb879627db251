// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Which characters the terminal can show, and how wide they are.
enum Repertoire {
    /// Only ASCII; all else becomes a question mark.
    case ascii
    case unicode

    /// That of the user's locale.
    static func ofLocale() -> Repertoire {
        setlocale(LC_CTYPE, "")
        guard let codeset = nl_langinfo(nl_item(CODESET)) else { return .ascii }
        return String(cString: codeset) == "UTF-8" ? .unicode : .ascii
    }

    /// A text as the characters that are shown for it, each with its number of cells: 1 or 2. What
    /// cannot be shown, or is of uncertain width, is a question mark.
    func cells(of text: String) -> [(character: Character, width: Int)] {
        text.map { character in
            guard self == .unicode || character.isASCII, let width = character.cellWidth else {
                return ("?", 1)
            }
            return (character, width)
        }
    }

    /// How many cells a text takes.
    func width(of text: String) -> Int {
        cells(of: text).reduce(0) { $0 + $1.width }
    }

    var ellipsis: Character { self == .unicode ? "…" : "~" }

    /// A bar of so many cells that is filled to a share of them, and what is left of it.
    func bar(_ share: Double, width: Int) -> (filled: String, rest: String) {
        let share = share.isFinite ? min(max(share, 0), 1) : 0
        let eighths = Int((share * Double(width) * 8).rounded())
        let whole = eighths / 8
        let part = eighths % 8
        guard self == .unicode else {
            return (
                String(repeating: "#", count: whole),
                String(repeating: ".", count: width - whole)
            )
        }
        let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        let filled = String(repeating: "█", count: whole) + parts[part]
        let rest = width - whole - (part > 0 ? 1 : 0)
        return (filled, String(repeating: "·", count: rest))
    }
}
