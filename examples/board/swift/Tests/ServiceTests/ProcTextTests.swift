// SPDX-License-Identifier: Apache-2.0

import Readings
import Testing

@testable import Service

/// The formats of /proc, well and otherwise.
@Suite struct ProcTextTests {
    let units = ProcUnits(page: 4096, ticks: 100)

    func process(_ text: String) -> ProcessReading? {
        ProcText.process(Array(text.utf8), pid: 7, units: units)
    }

    @Test func load() {
        #expect(
            ProcText.load(Array("0.37 1.24 10.13 2/106 4711\n".utf8))
                == ["one": 0.37, "five": 1.24, "fifteen": 10.13, "running": 2, "tasks": 106])
    }

    @Test(arguments: [
        "", "\n", "0.1 0.2 0.3", "0.1 0.2 0.3 4", "a 0.2 0.3 1/2", "nan 0.2 0.3 1/2",
        "0.1 inf 0.3 1/2", "-1 0.2 0.3 1/2", "0.1 0.2 0.3 /2", "0.1 0.2 0.3 1/x",
    ])
    func noLoad(text: String) {
        #expect(ProcText.load(Array(text.utf8)) == nil)
    }

    @Test func memory() {
        let text = "MemTotal:   1000 kB\nMemFree:  10 kB\nMemAvailable:  300 kB\nBuffers: 5 kB\n"
        #expect(
            ProcText.memory(Array(text.utf8))
                == MemoryReading(total: 1_024_000, available: 307_200))
    }

    @Test func memoryOfAnOldKernel() {
        #expect(
            ProcText.memory(Array("MemTotal: 1000 kB\nMemFree: 10 kB\n".utf8))
                == MemoryReading(total: 1_024_000, available: 10240))
    }

    @Test(arguments: [
        "", "MemTotal: 1000 kB\n", "MemAvailable: 10 kB\n", "MemTotal: x\nMemFree: 10 kB\n",
        "MemTotal: 9223372036854775807 kB\nMemFree: 10 kB\n", "MemTotal:\nMemFree:\n",
    ])
    func noMemory(text: String) {
        #expect(ProcText.memory(Array(text.utf8)) == nil)
    }

    @Test func interfaces() {
        let text = """
            Inter-|   Receive                            |  Transmit
             face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets
                lo:       5       1    0    0    0     0          0         0        6       1
              eth0:451582     200    0    0    0     0          0         0     1916      20 0
            broken: 1 2 3
            """
        #expect(
            ProcText.interfaces(Array(text.utf8)) == [
                InterfaceReading(name: "lo", received: 5, sent: 6),
                InterfaceReading(name: "eth0", received: 451582, sent: 1916),
            ])
    }

    @Test(arguments: ["", "Inter-| Receive\n face |bytes\n", "lo: a b c d e f g h i\n"])
    func noInterfaces(text: String) {
        #expect(ProcText.interfaces(Array(text.utf8)) == nil)
    }

    @Test func aProcess() {
        #expect(
            process(statLine(name: "bash"))
                == ProcessReading(
                    pid: 7, start: 99, name: "bash", state: "S", threads: 3, memory: 409_600,
                    cpu: 110))
    }

    @Test(arguments: [
        "web browser", "a) b", "(sd-pam)", ") S 1 (", "", " x ", "ünï", "tmux: server",
    ])
    func namesWithBlanksAndBrackets(name: String) {
        #expect(process(statLine(name: name))?.name == name)
        #expect(process(statLine(name: name))?.start == 99)
    }

    @Test(arguments: [
        ("in\u{1B}[2Jit", "in?[2Jit"), ("a\nb\tc", "a?b?c"), ("\u{7F}", "?"), ("\u{9B}2J", "?2J"),
        ("\u{202E}evil", "?evil"), ("a\u{2028}b", "a?b"),
    ])
    func hostileNames(name: String, harmless: String) {
        #expect(process(statLine(name: name))?.name == harmless)
    }

    @Test func aNameThatIsNoText() {
        let text = Array("7 (".utf8) + [0x61, 0xFF] + Array(statLine(name: "").utf8.dropFirst(3))
        #expect(ProcText.process(text, pid: 7, units: units)?.name == "a\u{FFFD}")
    }

    @Test func aLongName() {
        let name = String(repeating: "x", count: 64)
        #expect(process(statLine(name: name))?.name == String(name.dropLast()))
    }

    @Test(arguments: [
        "", "7", "7 (x", "7 x) S", "7 (x) S 1 1 1", "7 (x)",
        statLine(name: "x", pages: Int.max), statLine(name: "x", pages: -1),
        "7 ) S 1 1 1 0 -1 0 0 0 0 0 5 6 0 0 20 0 3 0 99 1000000 1 0 (",
        "7 (x) \u{1B} 1 1 1 0 -1 0 0 0 0 0 5 6 0 0 20 0 3 0 99 1000000 1 0",
        "7 (x) S 1 1 1 0 -1 0 0 0 0 0 9223372036854775807 1 0 0 20 0 3 0 99 1000000 1 0",
        "7 (x) S 1 1 1 0 -1 0 0 0 0 0 9223372036854775808 1 0 0 20 0 3 0 99 1000000 1 0",
    ])
    func noProcess(text: String) {
        #expect(process(text) == nil)
    }
}
