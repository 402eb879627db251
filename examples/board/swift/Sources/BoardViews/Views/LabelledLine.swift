// SPDX-License-Identifier: Apache-2.0

extension Line {
    static let labelWidth = 9

    /// Begins with a label, and goes on in the columns that are returned.
    mutating func put(label: String) -> Range<Int> {
        guard width >= 2 * Self.labelWidth else { return 0..<width }
        put(label, in: 0..<Self.labelWidth - 1, .left, .dim)
        return Self.labelWidth..<width
    }
}
