// SPDX-License-Identifier: Apache-2.0

/// A name as it may be shown. Processes call themselves what they like: what a terminal would obey
/// (control characters, line separators, changes of direction) becomes a question mark, what is no
/// UTF-8 the replacement character. At most 63 characters are kept, as in the board in C.
func harmlessName(_ bytes: some Sequence<UInt8>) -> String {
    var name = String.UnicodeScalarView()
    for scalar in String(decoding: Array(bytes), as: UTF8.self).unicodeScalars.prefix(63) {
        name.append(isObeyed(scalar) ? "?" : scalar)
    }
    return String(name)
}

private func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: scalar.properties.isBidiControl
    }
}
