// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Another program, whose standard output and error come through a pipe. It has a process group of
/// its own: keys that interrupt are for the board.
@MainActor final class ChildProcess {
    private let process = Foundation.Process()
    private let pipe = Pipe()
    private let exit = Ending()

    /// Starts the program.
    ///
    /// - Throws: why it cannot be, in the system's words.
    init(file: String, arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: file)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        process.terminationHandler = { [exit] _ in
            Task { @MainActor in exit.come() }
        }
        try process.run()
    }

    /// Where its output is read, as long as this object lives; ends when it has.
    var output: Int32 { pipe.fileHandleForReading.fileDescriptor }

    func interrupt() {
        process.interrupt()
    }

    func end() {
        kill(process.processIdentifier, SIGKILL)
    }

    /// Returns when it has exited.
    func wait() async {
        await exit.wait()
    }
}
