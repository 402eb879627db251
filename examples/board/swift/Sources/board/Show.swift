// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BoardViews
import Foundation
import ObservableInspector
import ObservableSwift
import Service

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the machine, on a terminal or as lines. What runs if nothing is said.",
        discussion: """
            Where /proc cannot be read, a recording is shown; the first line says which it is. \
            On a terminal, q quits, s stops and starts the service, n changes how it answers: \
            well, JSON cut in the middle, nonsense, not at all.
            """)

    @Option(help: ArgumentHelp("Run for so many seconds; else until q or Ctrl-C.", valueName: "n"))
    var seconds: Double?

    @Flag(help: "Lines as things happen, also on a terminal.")
    var plain = false

    @OptionGroup var source: SourceArguments

    @Option(help: "Where the board's own service listens; 0: the system chooses.")
    var port: UInt16 = 0

    @Option(help: "Read from another service, on this port, such as one of `board serve`.")
    var connect: UInt16?

    @Option(help: ArgumentHelp("Tell when a process uses more memory.", valueName: "mib"))
    var alarm = 1024.0

    @Flag(help: "Serve a page that shows what is observed here, and print its address.")
    var inspect = false

    @Option(help: ArgumentHelp("Run the C program beside it: its file.", valueName: "file"))
    var withC: String?

    func validate() throws {
        if let seconds, !(seconds > 0 && seconds <= 1e6) {
            throw ValidationError("--seconds: \(seconds) is no number from above 0 to 1000000")
        }
        if !(alarm > 0 && alarm <= 1e9) {
            throw ValidationError("--alarm: \(alarm) is no number from above 0 to 1000000000")
        }
        if connect == 0 {
            throw ValidationError("--connect: 0 is no port to connect to")
        }
        if connect != nil, port != 0 {
            throw ValidationError("--port and --connect: either its own service, or another one")
        }
        if let withC, !FileManager.default.isExecutableFile(atPath: withC) {
            throw ValidationError("--with-c: \(withC) is no program")
        }
    }

    @MainActor func run() async throws {
        let statistics = try await show()
        let prefix = withC == nil ? "" : "swift  "
        let objects = "objects made       \(CountedModel.made), left \(CountedModel.left)"
        for line in statistics.lines + [objects] {
            printLine(prefix + line)
        }
        statistics.linesOfCompanion.forEach(printLine)
        if CountedModel.left > 0 { throw ExitCode(1) }
    }

    /// Everything but what it amounts to is gone when this returns.
    @MainActor private func show() async throws -> Statistics {
        let source = connect == nil ? try openSource(source.options) : nil
        printLine("source: \(source?.title ?? "the service on port \(connect!)")")
        let board = Board(options)
        if inspect { try await servePage(of: board.machine) }
        var service: OwnService?
        if let source {
            service = OwnService(
                source, port: port, state: board.machine.service, tally: board.statistics.tally)
            await service?.start()
        } else {
            board.machine.service.port = connect
        }
        await board.run()
        await service?.end()
        await ObservationInspector.stopServing()
        return board.statistics
    }

    @MainActor private func servePage(of machine: Machine) async throws {
        ObservationInspector.add(machine, name: "machine")
        let address = try await ObservationInspector.serve()
        machine.page = address
        printLine("inspect: \(address)")
    }

    /// Lines where there is no terminal to show it on.
    @MainActor private var isPlain: Bool {
        if !plain, let obstacle = Board.Options.obstacleToTerminal {
            printNote("\(obstacle): lines instead")
            return true
        }
        return plain
    }

    @MainActor private var options: Board.Options {
        var options = Board.Options()
        options.time = seconds.map { .seconds($0) }
        options.alarm = Int(alarm * 1024 * 1024)
        options.plain = isPlain
        if let withC {
            options.prefix = "swift  "
            options.companion = CompanionProgram(
                file: withC, arguments: argumentsInC, name: "the C program", prefix: "c      ")
        }
        return options
    }

    private var argumentsInC: [String] {
        var arguments = ["--plain", "--alarm", "\(alarm)"] + source.argumentsInC
        if let seconds { arguments += ["--seconds", "\(seconds)"] }
        return arguments
    }
}
