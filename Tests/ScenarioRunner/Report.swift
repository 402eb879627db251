// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What is told of one test: the line that it is at, and what has failed. It
/// lies in memory that parent and child share, so a crash has a line as well.
struct Report: @unchecked Sendable {
    private static let size = 512
    private let memory: UnsafeMutableRawPointer

    init?() {
        let memory = mmap(
            nil, Report.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else {
            return nil
        }
        self.memory = memory
    }

    var line: Int {
        get { memory.load(as: Int.self) }
        nonmutating set { memory.storeBytes(of: newValue, as: Int.self) }
    }

    /// Empty: nothing has failed. What is longer than there is room is cut.
    var text: String {
        get { String(cString: textBegin) }
        nonmutating set {
            let room = Report.size - MemoryLayout<Int>.size
            for (index, byte) in newValue.utf8.prefix(room - 1).enumerated() {
                textBegin[index] = byte
            }
            textBegin[min(newValue.utf8.count, room - 1)] = 0
        }
    }

    func clear() {
        line = 0
        text = ""
    }

    private var textBegin: UnsafeMutablePointer<UInt8> {
        (memory + MemoryLayout<Int>.size).assumingMemoryBound(to: UInt8.self)
    }
}

let report: Report = {
    guard let report = Report() else {
        complain("no memory could be shared")
        exit(2)
    }
    return report
}()

/// Fails the test: notes why, and ends the process. The line is noted already.
func fail(_ text: String) -> Never {
    report.text = text
    fflush(nil)
    _exit(1)
}

/// One line on standard error.
func complain(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}
