// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// One run of a program beside the board.
@MainActor final class CompanionRun {
    private let companion: Companion
    private let tally: Tally
    private var child: ChildProcess?
    private var reader: (any DispatchSourceRead)?
    /// Bytes behind the last whole line.
    private var rest: [UInt8] = []
    private let end = Ending()
    /// Its statistics: the lines from `samples` on, which are printed when the board's own are.
    private(set) var closingLines: [String] = []

    init(_ program: CompanionProgram, into companion: Companion, counting tally: Tally) {
        self.companion = companion
        self.tally = tally
        do {
            let child = try ChildProcess(file: program.file, arguments: program.arguments)
            self.child = child
            read(child.output)
        } catch {
            take("\(program.file) cannot be started: \(error.localizedDescription)")
            end.come()
        }
    }

    /// Interrupts it and waits for it. One that does not heed that for two seconds is ended.
    func stop() async {
        guard let child else { return }
        child.interrupt()
        let impatience = Task {
            try await Task.sleep(for: .seconds(2))
            child.end()
        }
        await end.wait()
        await child.wait()
        impatience.cancel()
    }

    private func read(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
        source.setEventHandler { [weak self] in
            MainActor.assumeIsolated { self?.readSome(descriptor) }
        }
        source.activate()
        reader = source
    }

    /// All there is, and the end behind it if that has come: Dispatch on Linux may tell of both
    /// only once.
    private func readSome(_ descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Foundation.read(descriptor, &bytes, bytes.count)
            if count > 0 {
                take(bytes.prefix(count))
            } else if count < 0, errno == EAGAIN {
                return
            } else if count == 0 || errno != EINTR {
                reader?.cancel()
                reader = nil
                end.come()
                return
            }
        }
    }

    private func take(_ bytes: ArraySlice<UInt8>) {
        rest += bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            take(String(decoding: rest[..<end], as: UTF8.self))
            rest.removeSubrange(...end)
        }
    }

    private func take(_ line: String) {
        if !closingLines.isEmpty || line.hasPrefix("samples ") {
            closingLines.append(companion.prefix + line)
        } else {
            companion.append(line)
            tally.count(companion, "lines", differs: true)
        }
    }
}
