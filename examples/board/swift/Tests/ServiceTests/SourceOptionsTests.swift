// SPDX-License-Identifier: Apache-2.0

import Readings
import Testing

@testable import Service

/// Which source is opened, and what its title says.
@Suite struct SourceOptionsTests {
    let folder: StandIn
    let story: String

    init() throws {
        folder = try StandIn()
        story = try folder.write("sample 0\nprocess 1 1 S 1 1 1 recorded\n", to: "story")
    }

    @Test func theMachine() async throws {
        try folder.writeProcess(1, name: "alive")
        let source = try openSource(SourceOptions(folder: folder.path, recording: story))
        #expect(source.title == "\(folder.path), this machine")
        #expect(try await source.read().processes?.map(\.name) == ["alive"])
    }

    @Test func theRecordingAsAsked() async throws {
        try folder.writeProcess(1, name: "alive")
        let source = try openSource(
            SourceOptions(folder: folder.path, recorded: true, recording: story))
        #expect(source.title == "the recording \(story), as asked")
        #expect(try await source.read().processes?.map(\.name) == ["recorded"])
        #expect(try await source.read().source == source.title)
    }

    @Test func noFolder() throws {
        let source = try openSource(SourceOptions(folder: "/none", recording: story))
        #expect(
            source.title == "the recording \(story), since /none cannot be read "
                + "(No such file or directory)")
    }

    @Test func aFolderWithoutProcesses() throws {
        let source = try openSource(SourceOptions(folder: folder.path, recording: story))
        #expect(
            source.title == "the recording \(story), since \(folder.path) cannot be read "
                + "(it shows no process)")
    }

    @Test func neither() throws {
        let error = #expect(throws: ServiceError.self) {
            try openSource(SourceOptions(folder: "/none", recording: "/none/story"))
        }
        #expect(error.map { "\($0)" } == "/none/story: No such file or directory")
    }

    @Test func theDefaults() throws {
        let options = SourceOptions()
        #expect(options.folder == "/proc")
        #expect(!options.recorded)
        #expect(options.recording.hasSuffix("examples/board/recording.txt"))
    }
}
