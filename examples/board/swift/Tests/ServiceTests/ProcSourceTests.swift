// SPDX-License-Identifier: Apache-2.0

import Foundation
import Readings
import Testing

@testable import Service

/// Folders that stand in for /proc, and the machine's own.
@Suite struct ProcSourceTests {
    let folder: StandIn

    init() throws {
        folder = try StandIn()
    }

    @Test func aWholeMachine() async throws {
        try folder.writeProcess(30, name: "later")
        try folder.writeProcess(4, name: "first")
        try folder.write("0.10 0.20 0.30 1/50 3\n", to: "loadavg")
        try folder.write("MemTotal: 2 kB\nMemAvailable: 1 kB\n", to: "meminfo")
        try folder.write("lo: 1 0 0 0 0 0 0 0 2 0\n", to: "net/dev")
        let source = try ProcSource(folder: folder.path)
        let reading = await source.read()
        #expect(source.title == "\(folder.path), this machine")
        #expect(reading.source == source.title)
        #expect(
            reading.load
                == Reading.load(one: 0.1, five: 0.2, fifteen: 0.3, running: 1, tasks: 50))
        #expect(reading.memory == MemoryReading(total: 2048, available: 1024))
        #expect(reading.interfaces == [InterfaceReading(name: "lo", received: 1, sent: 2)])
        #expect(reading.processes?.map(\.pid) == [4, 30])
        #expect(reading.processes?.map(\.name) == ["first", "later"])
        #expect(reading.vanished == 0)
        #expect(reading.unreadable == 0)
    }

    @Test func sizesAreTheSystems() async throws {
        try folder.writeProcess(1, name: "init", pages: 3)
        let process = try #require(await ProcSource(folder: folder.path).read().processes?.first)
        #expect(process.memory == 3 * sysconf(Int32(_SC_PAGESIZE)))
        #expect(process.cpu == 11 * 1000 / sysconf(Int32(_SC_CLK_TCK)))
    }

    @Test func whatIsNoProcessIsPassedBy() async throws {
        try folder.writeProcess(1, name: "init")
        for name in ["0", "01", "1x", "-1", "self", "99999999999"] {
            try folder.write(statLine(name: "none"), to: "\(name)/stat")
        }
        let reading = try await ProcSource(folder: folder.path).read()
        #expect(reading.processes?.map(\.pid) == [1])
        #expect(reading.unreadable == 0)
    }

    /// Two have ended meanwhile, one cannot be read, one makes no sense; then the causes go.
    @Test func processesThatCannotBeRead() async throws {
        try folder.writeProcess(1, name: "init")
        try folder.makeFolder("2")
        try folder.makeFolder("3/stat")
        try folder.makeFolder("5")
        try folder.write("4 (half", to: "4/stat")
        let source = try ProcSource(folder: folder.path)
        var reading = await source.read()
        #expect(reading.processes?.map(\.pid) == [1])
        #expect(reading.vanished == 2)
        #expect(reading.unreadable == 2)

        try folder.remove("2")
        try folder.remove("5")
        try folder.remove("3")
        try folder.writeProcess(4, name: "whole")
        reading = await source.read()
        #expect(reading.processes?.map(\.pid) == [1, 4])
        #expect(reading.vanished == 0)
        #expect(reading.unreadable == 0)
    }

    @Test func aProcessWithoutPermission() async throws {
        try folder.writeProcess(1, name: "init")
        try folder.writeProcess(2, name: "secret")
        chmod("\(folder.path)/2/stat", 0)
        let reading = try await ProcSource(folder: folder.path).read()
        // Root reads it all the same.
        #expect(reading.unreadable == (geteuid() == 0 ? 0 : 1))
        #expect(reading.vanished == 0)
    }

    @Test func aPipeIsNotWaitedFor() async throws {
        try folder.writeProcess(1, name: "init")
        try folder.makeFolder("2")
        #expect(mkfifo("\(folder.path)/2/stat", 0o600) == 0)
        let reading = try await ProcSource(folder: folder.path).read()
        #expect(reading.unreadable == 1)
    }

    @Test func aFileWithoutEnd() async throws {
        try folder.writeProcess(1, name: "init")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/meminfo", withDestinationPath: "/dev/zero")
        let reading = try await ProcSource(folder: folder.path).read()
        #expect(reading.memory == nil)
        #expect(reading.processes?.count == 1)
    }

    @Test func aLongFileIsReadWhole() async throws {
        try folder.writeProcess(1, name: "init")
        let lines = (0..<1000).map { "if\($0): \($0) 0 0 0 0 0 0 0 5 0" }
        try folder.write(lines.joined(separator: "\n"), to: "net/dev")
        let reading = try await ProcSource(folder: folder.path).read()
        #expect(reading.interfaces?.count == 1000)
        #expect(reading.interfaces?.last?.received == 999)
    }

    @Test func partsAreTriedAgain() async throws {
        try folder.writeProcess(1, name: "init")
        try folder.write("nonsense\n", to: "loadavg")
        let source = try ProcSource(folder: folder.path)
        var reading = await source.read()
        #expect(reading.load == nil)
        #expect(reading.memory == nil)
        #expect(reading.interfaces == nil)

        try folder.write("0.10 0.20 0.30 1/50 3\n", to: "loadavg")
        try folder.remove("1")
        reading = await source.read()
        #expect(reading.load?["tasks"] == 50)
        #expect(reading.processes == nil)

        try FileManager.default.removeItem(atPath: folder.path)
        reading = await source.read()
        #expect(reading.load == nil)

        try folder.writeProcess(2, name: "back")
        reading = await source.read()
        #expect(reading.processes?.map(\.name) == ["back"])
    }

    @Test(.enabled(if: FileManager.default.isReadableFile(atPath: "/proc/self/stat")))
    func thisMachine() async throws {
        let source = try ProcSource(folder: "/proc")
        let reading = await source.read()
        let later = await source.read()
        let comm = try String(decoding: readBytes(of: "/proc/self/comm"), as: UTF8.self)
        let own = try #require(reading.processes?.first { $0.pid == Int(getpid()) })
        #expect(source.title == "/proc, this machine")
        #expect(own.name + "\n" == comm)
        #expect(own.memory > 0)
        #expect(own.threads > 0)
        #expect(try #require(reading.load?["tasks"]) > 0)
        let memory = try #require(reading.memory)
        #expect(memory.total > memory.available)
        #expect(reading.interfaces?.isEmpty == false)
        #expect(later.time >= reading.time)
    }
}
