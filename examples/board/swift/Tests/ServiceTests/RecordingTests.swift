// SPDX-License-Identifier: Apache-2.0

import Readings
import Testing

@testable import Service

/// Recordings: what they hold, what is refused, and that they go round.
@Suite struct RecordingTests {
    let folder: StandIn

    init() throws {
        folder = try StandIn()
    }

    func open(_ text: String) throws -> RecordingSource {
        try RecordingSource(file: folder.write(text, to: "story"), because: "as asked")
    }

    @Test func everyPart() async throws {
        let source = try open(
            """
            # a remark

            sample 3
            load 1.00 0.50 0.25 1 90
            memory 1073741824 536870912
            interface 5 6 lo
            interface 1024 2048 eth 0
            process 9 100 S 2 104857600 1000 a b) c
            process 7 300 R 1 4096 0 \u{1B}x
            process 7 200 Z 1 0 0 \n
            """)
        let reading = await source.read()
        #expect(
            reading
                == Reading(
                    source: "the recording \(folder.path)/story, as asked", time: 3,
                    load: Reading.load(one: 1, five: 0.5, fifteen: 0.25, running: 1, tasks: 90),
                    memory: MemoryReading(total: 1_073_741_824, available: 536_870_912),
                    interfaces: [
                        InterfaceReading(name: "lo", received: 5, sent: 6),
                        InterfaceReading(name: "eth 0", received: 1024, sent: 2048),
                    ],
                    processes: [
                        ProcessReading(
                            pid: 7, start: 200, name: "", state: "Z", threads: 1, memory: 0,
                            cpu: 0),
                        ProcessReading(
                            pid: 7, start: 300, name: "?x", state: "R", threads: 1, memory: 4096,
                            cpu: 0),
                        ProcessReading(
                            pid: 9, start: 100, name: "a b) c", state: "S", threads: 2,
                            memory: 104_857_600, cpu: 1000),
                    ]))
    }

    @Test func roundAndRound() async throws {
        let source = try open("sample 10\nload 1 1 1 1 1\nsample 500\nsample 1000")
        var times: [Int] = []
        var loads: [Bool] = []
        for _ in 0..<7 {
            let reading = await source.read()
            times.append(reading.time)
            loads.append(reading.load != nil)
        }
        #expect(times == [10, 500, 1000, 1510, 2000, 2500, 3010])
        #expect(loads == [true, false, false, true, false, false, true])
    }

    @Test func theShippedOne() async throws {
        let source = try RecordingSource(
            file: SourceOptions.shippedRecording, because: "as asked")
        var last = -1
        for _ in 0..<200 {
            let reading = await source.read()
            #expect(reading.time > last)
            #expect(reading.processes?.contains { $0.name == "web browser" } == true)
            #expect(reading.load != nil && reading.memory != nil)
            #expect(reading.interfaces?.count == 2)
            last = reading.time
        }
    }

    @Test(arguments: [
        ("", 1, "there is no sample in it"),
        ("# a remark", 1, "there is no sample in it"),
        ("\nload 1 1 1 1 1", 2, "a recording begins with a sample line"),
        ("nonsense", 1, "a recording begins with a sample line"),
        ("sample 5\nsample 5", 2, "a sample has to be later than the one before"),
        ("sample 5\nsample 4", 2, "a sample has to be later than the one before"),
        ("sample x", 1, "this line is not understood"),
        ("sample -1", 1, "this line is not understood"),
        ("sample 1 2", 1, "this line is not understood"),
        ("sample 99999999999999999999", 1, "this line is not understood"),
        ("sample 68719476737", 1, "this line is not understood"),
        ("sample 0\nload 1 1 1 1", 2, "this line is not understood"),
        ("sample 0\nload nan 1 1 1 1", 2, "this line is not understood"),
        ("sample 0\nload 1 1 1 1 1 1", 2, "this line is not understood"),
        ("sample 0\nmemory 1", 2, "this line is not understood"),
        ("sample 0\nmemory 1 -2", 2, "this line is not understood"),
        ("sample 0\nmemory 1 2 3", 2, "this line is not understood"),
        ("sample 0\ninterface 1 2", 2, "this line is not understood"),
        ("sample 0\ninterface 1 x lo", 2, "this line is not understood"),
        ("sample 0\n\n# remark\nprocess 1 1 S", 4, "this line is not understood"),
        ("sample 0\nprocess 0 1 S 1 1 1 x", 2, "this line is not understood"),
        ("sample 0\nprocess 2147483648 1 S 1 1 1 x", 2, "this line is not understood"),
        ("sample 0\nprocess 1 1 \u{1B} 1 1 1 x", 2, "this line is not understood"),
        ("sample 0\nprocess 1 1 SS 1 1 1 x", 2, "this line is not understood"),
        ("sample 0\nprocess 1 1 S 1 1 1", 2, "this line is not understood"),
        ("sample 0\n ", 2, "this line is not understood"),
        ("sample 0\nother 1", 2, "this line is not understood"),
    ])
    func broken(text: String, line: Int, reason: String) throws {
        let file = "\(folder.path)/story"
        let error = #expect(throws: ServiceError.self) { try open(text) }
        #expect(error == .broken(file: file, line: line, reason: reason))
        #expect(error.map { "\($0)" } == "\(file):\(line): \(reason)")
    }

    @Test func noFile() throws {
        let file = "\(folder.path)/none"
        let error = #expect(throws: ServiceError.self) {
            try RecordingSource(file: file, because: "as asked")
        }
        #expect(error.map { "\($0)" } == "\(file): No such file or directory")
    }

    @Test func aFolder() throws {
        let error = #expect(throws: ServiceError.self) {
            try RecordingSource(file: folder.path, because: "as asked")
        }
        #expect(error == .unreadable(file: folder.path, reason: "Is a directory"))
    }
}
