// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Service

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Only publishes the machine's state, on loopback, until it is interrupted.")

    @OptionGroup var source: SourceArguments

    @Option(help: "Where it listens; 0: the system chooses.")
    var port: UInt16 = 8080

    func run() async throws {
        let source = try openSource(source.options)
        printLine("source: \(source.title)")
        let service = ReadingService(source: source, port: port)
        let chosen = try await service.start()
        printLine("http://127.0.0.1:\(chosen)/reading")
        await interruption()
        await service.stop()
    }
}
