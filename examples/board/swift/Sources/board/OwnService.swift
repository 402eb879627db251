// SPDX-License-Identifier: Apache-2.0

import BoardViews
import ObservableSwift
import Service

/// The service in the board's own process: started, started again while it cannot be, and told how
/// to answer.
///
/// What it is to do stands in its properties, which are bound to what the board shows and the user's
/// keys change, both ways. Asynchronous sequences follow them.
@MainActor final class OwnService: ObservableModel {
    @Observed private var isRunning = true
    @Observed private var manner = ReadingService.Manner.well

    private let service: ReadingService
    private let state: ServiceState
    private let tally: Tally
    private let bindings = ObservationBag()
    private var tasks: [Task<Void, Never>] = []

    init(_ source: any ReadingSource, port: UInt16, state: ServiceState, tally: Tally) {
        service = ReadingService(source: source, port: port)
        self.state = state
        self.tally = tally
    }

    /// Starts it, and goes on trying each second.
    func start() async {
        state.manners = ReadingService.Manner.allCases.map(Names().convert)
        bind(self, \.manner, state, \.manner, converting: Names()).store(in: bindings)
        bind(self, \.isRunning, state, \.isStopped, converting: Negation())
            .store(in: bindings)
        await attempt()
        let (manners, running) = (values(of: \.manner), values(of: \.isRunning))
        tasks = [
            Task { for await manner in manners { await service.answer(manner ?? .well) } },
            Task {
                for await isRunning in running {
                    if isRunning ?? false { await attempt() } else { await service.stop() }
                }
            },
            Task {
                while (try? await Task.sleep(for: .seconds(1))) != nil {
                    if isRunning { await attempt() }
                }
            },
        ]
    }

    /// Ends it for good.
    func end() async {
        bindings.cancelAll()
        for task in tasks {
            task.cancel()
            await task.value
        }
        tasks = []
        await service.stop()
    }

    /// Nothing happens if it runs.
    private func attempt() async {
        do {
            let port = try await service.start()
            tally.set(state, \.port, "port", to: port)
            tally.set(state, \.obstacle, "obstacle", to: nil)
        } catch {
            tally.set(state, \.port, "port", to: nil)
            tally.set(state, \.obstacle, "obstacle", to: "\(error)")
        }
    }
}

/// How it answers, and the word for that; another word means well.
private struct Names: ValueConverter {
    func convert(_ manner: ReadingService.Manner) -> String? { "\(manner)" }

    func convertBack(_ name: String?) -> ReadingService.Manner {
        ReadingService.Manner.allCases.first { convert($0) == name } ?? .well
    }
}

private struct Negation: ValueConverter {
    func convert(_ value: Bool) -> Bool { !value }
    func convertBack(_ value: Bool) -> Bool { !value }
}
