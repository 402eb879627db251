// SPDX-License-Identifier: Apache-2.0

/// Stops the program with a message that says what it did wrong. A `precondition` would print no
/// message in an optimised build.
func stopTheProgram(
    _ mistake: String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
    fatalError(mistake, file: file, line: line)
}
