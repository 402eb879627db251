// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Service

/// Which machine is shown.
struct SourceArguments: ParsableArguments {
    @Flag(help: "A recording instead of this machine.")
    var recording = false

    @Option(help: ArgumentHelp("This recording, instead of the shipped one.", valueName: "file"))
    var recordingFile: String?

    @Option(help: ArgumentHelp("A folder to read instead of /proc.", valueName: "folder"))
    var proc = "/proc"

    var options: SourceOptions {
        var options = SourceOptions(folder: proc, recorded: recording || recordingFile != nil)
        if let recordingFile { options.recording = recordingFile }
        return options
    }

    /// The same for the C program.
    var argumentsInC: [String] {
        var arguments = ["--proc", proc]
        if let recordingFile {
            arguments.append("--recording=\(recordingFile)")
        } else if recording {
            arguments.append("--recording=\(SourceOptions.shippedRecording)")
        }
        return arguments
    }
}
