// SPDX-License-Identifier: Apache-2.0

import BoardViews
import Foundation

/// A line on standard output, there at once.
func printLine(_ line: String) {
    StandardOutput.write(line + "\n")
}

/// A line on standard error.
func printNote(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data("board: \(line)\n".utf8))
}
