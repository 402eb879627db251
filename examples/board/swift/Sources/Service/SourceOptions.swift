// SPDX-License-Identifier: Apache-2.0

/// Which source is wanted.
public struct SourceOptions: Sendable {
    /// What is read as /proc.
    public var folder: String
    /// Whether the recording is wanted although this machine could be read.
    public var recorded: Bool
    /// The recording's file, for `recorded` and for machines without a /proc.
    public var recording: String

    public init(
        folder: String = "/proc", recorded: Bool = false,
        recording: String = SourceOptions.shippedRecording
    ) {
        self.folder = folder
        self.recorded = recorded
        self.recording = recording
    }

    /// `examples/board/recording.txt`, where it stood when this was compiled.
    public static var shippedRecording: String {
        // From examples/board/swift/Sources/Service/SourceOptions.swift.
        let steps = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return (steps.dropLast(4) + ["recording.txt"]).joined(separator: "/")
    }
}

/// Opens what the options ask for. Where the folder shows no process, the recording steps in and
/// its title says why.
/// - Throws: ServiceError, when the recording is needed and cannot be read or is broken.
public func openSource(_ options: SourceOptions) throws -> any ReadingSource {
    if options.recorded {
        return try RecordingSource(file: options.recording, because: "as asked")
    }
    do {
        return try ProcSource(folder: options.folder)
    } catch {
        return try RecordingSource(
            file: options.recording,
            because: "since \(options.folder) cannot be read (\(error))")
    }
}
