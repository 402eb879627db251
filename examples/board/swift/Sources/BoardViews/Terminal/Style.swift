// SPDX-License-Identifier: Apache-2.0

/// How characters look. Colours are the terminal's own eight, so the user's theme holds.
struct Style: Equatable {
    enum Colour: Int {
        case red = 31
        case green = 32
        case yellow = 33
        case cyan = 36
    }

    var colour: Colour?
    var isBold = false
    var isDim = false

    static let plain = Style()
    static let bold = Style(isBold: true)
    static let dim = Style(isDim: true)

    static func colour(_ colour: Colour, bold: Bool = false) -> Style {
        Style(colour: colour, isBold: bold)
    }

    /// The sequence that makes what follows look so, whatever came before.
    func sequence(withColour: Bool) -> String {
        var codes = ["0"]
        if isBold { codes.append("1") }
        if isDim { codes.append("2") }
        if withColour, let colour { codes.append("\(colour.rawValue)") }
        return "\u{1b}[\(codes.joined(separator: ";"))m"
    }
}
