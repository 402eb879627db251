// SPDX-License-Identifier: Apache-2.0

import BoardViews
import Service

/// The service in the board's own process: started, started again while it cannot be, and told how
/// to answer by the user's keys. What the board shall know of it stands in `state`.
@MainActor final class OwnService: ServiceControls {
    private let service: ReadingService
    private let state: ServiceState
    private let tally: Tally
    private var manner = ReadingService.Manner.well
    private var keeping: Task<Void, Never>?

    init(_ source: any ReadingSource, port: UInt16, state: ServiceState, tally: Tally) {
        service = ReadingService(source: source, port: port)
        self.state = state
        self.tally = tally
        tally.set(state, \.manner, "manner", to: "\(manner)")
    }

    /// Starts it, and goes on trying each second.
    func start() async {
        await attempt()
        keeping = Task {
            while (try? await Task.sleep(for: .seconds(1))) != nil {
                if !state.isStopped { await attempt() }
            }
        }
    }

    /// Ends it for good.
    func end() async {
        keeping?.cancel()
        await keeping?.value
        await service.stop()
    }

    func toggle() async {
        tally.set(state, \.isStopped, "isStopped", to: !state.isStopped)
        if state.isStopped {
            await service.stop()
        } else {
            await attempt()
        }
    }

    func changeManner() async {
        manner = manner.next
        tally.set(state, \.manner, "manner", to: "\(manner)")
        await service.answer(manner)
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

extension ReadingService.Manner {
    fileprivate var next: Self {
        switch self {
        case .well: .cut
        case .cut: .nonsense
        case .nonsense: .mute
        case .mute: .well
        }
    }
}
