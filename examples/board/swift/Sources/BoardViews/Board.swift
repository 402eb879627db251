// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObservableSwift

/// The whole of it: a machine, what fills it, and what shows it.
@MainActor public final class Board {
    public struct Options: Sendable {
        /// How long it runs; nil: until it is ended.
        public var time: Duration?
        /// Bytes of a process above which the alarm is given.
        public var alarm = 1 << 30
        /// Lines, also where there is a terminal.
        public var plain = false
        /// What lines begin with where there are others beside them.
        public var prefix = ""
        /// Another program that runs beside it.
        public var companion: CompanionProgram?

        public init() {}

        /// Why there can be no view on a terminal, in words; nil: there can.
        @MainActor public static var obstacleToTerminal: String? { Terminal.obstacle }
    }

    public let machine = Machine()
    public let statistics = Statistics()
    private let options: Options
    private let loader: Loader
    private let client = ReadingClient()
    private let ending = Ending()
    private let signals = SignalHandlers()
    private var display: (any Display)?

    public init(_ options: Options) {
        self.options = options
        loader = Loader(machine, counting: statistics.tally)
    }

    /// Shows the machine until the time is over, the user ends it, or a signal comes.
    public func run() async {
        signals.on(SIGINT, SIGTERM, SIGHUP) { [ending] in ending.come() }
        display = makeDisplay()
        let companion = startCompanion()
        let loading = Task { await keepLoading() }
        let timing = options.time.map { time in
            Task {
                try? await Task.sleep(for: time)
                ending.come()
            }
        }
        await ending.wait()
        timing?.cancel()
        loading.cancel()
        await loading.value
        display?.close()
        await companion?.stop()
        statistics.linesOfCompanion = companion?.closingLines ?? []
        drain()
        signals.cancel()
        display = nil
    }

    private func makeDisplay() -> any Display {
        let write: @MainActor (String) -> Void = { [ending] text in
            if !StandardOutput.write(text) { ending.come() }
        }
        if !options.plain {
            let display = TerminalDisplay(of: machine, alarmAbove: options.alarm, write: write)
            display.onKey { [ending, service = machine.service] key in
                switch key {
                case "q": ending.come()
                case "s": service.toggle()
                case "n": service.changeManner()
                default: break
                }
            }
            return display
        }
        let output = PlainOutput(prefix: options.prefix, write: write)
        return PlainDisplay(of: machine, alarmAbove: options.alarm, output: output)
    }

    private func startCompanion() -> CompanionRun? {
        guard let program = options.companion else { return nil }
        let model = Companion(name: program.name, prefix: program.prefix)
        statistics.tally.set(machine, \.companion, "companion", to: model)
        return CompanionRun(program, into: model, counting: statistics.tally)
    }

    private func keepLoading() async {
        let clock = ContinuousClock()
        var due = clock.now
        while !Task.isCancelled {
            await load()
            due = max(due + .seconds(1), clock.now)
            try? await clock.sleep(until: due)
        }
    }

    private func load() async {
        do throws(Trouble) {
            guard let port = machine.service.port else { throw .none }
            loader.apply(try await client.read(port: port))
            statistics.countSample()
        } catch {
            if !Task.isCancelled { loader.note(error) }
        }
        drain()
    }

    /// The main loop would do it a moment later by itself; done here, it can be timed.
    private func drain() {
        statistics.measure {
            DeliveryLoop.main.drain()
            display?.finishDrain(statistics)
        }
    }
}
