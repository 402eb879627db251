// SPDX-License-Identifier: Apache-2.0

/// Ends the program with what it did wrong. A precondition says nothing in an optimised build.
func stopTheProgram(
    _ mistake: String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
    fatalError(mistake, file: file, line: line)
}
