// SPDX-License-Identifier: Apache-2.0

extension Character {
    /// How many cells of a terminal it takes: 1, or 2 if it is a wide one of East Asia or a
    /// picture. Nil where terminals differ, or nothing can be shown: controls, marks without a
    /// letter, marks of direction, joined pictures.
    var cellWidth: Int? {
        guard let first = unicodeScalars.first, first.isShown else { return nil }
        let isPlain = unicodeScalars.dropFirst().allSatisfy(\.isMark)
        return isPlain ? (first.isWide ? 2 : 1) : nil
    }
}

extension Unicode.Scalar {
    /// Takes no cell of its own.
    fileprivate var isMark: Bool {
        // The selectors of how a picture looks change its width.
        guard !(0xfe00...0xfe0f).contains(value) else { return false }
        return [.nonspacingMark, .enclosingMark].contains(properties.generalCategory)
    }

    fileprivate var isShown: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator, .nonspacingMark, .enclosingMark:
            false
        default: true
        }
    }

    /// By the blocks of Unicode's wide and full-width characters.
    fileprivate var isWide: Bool {
        properties.isEmojiPresentation || Self.wideBlocks.contains { $0.contains(value) }
    }

    private static let wideBlocks: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x4dbf, 0x4e00...0xa4cf, 0xa960...0xa97c,
        0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6b, 0xff01...0xff60,
        0xffe0...0xffe6, 0x16fe0...0x1b2ff, 0x20000...0x3fffd,
    ]
}
