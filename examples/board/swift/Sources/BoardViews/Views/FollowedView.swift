// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// One process, wherever it moves in the ranking: the one that was the busiest when the user asked.
final class FollowedView: ScreenView {
    private var handle: ObservationHandle?

    override init(_ machine: Machine, on screen: Screen) {
        super.init(machine, on: screen)
        machine.tell(self, when: \.service.trouble) { view, _ in view.draw() }
    }

    /// Follows the first, or nobody any more.
    func toggle() {
        if let handle {
            handle.stop()
            self.handle = nil
        } else if !machine.ranking.isEmpty {
            handle = machine.tell(
                self, when: \.ranking[following: 0], \.ranking[following: 0].name,
                \.ranking[following: 0].memory, \.ranking[following: 0].cpu
            ) { view, _ in view.draw() }
        }
        draw()
    }

    /// Nil once it has ended.
    private var process: Process? {
        try? handle?.value(at: "ranking.0", from: machine).value as? Process
    }

    override func draw() {
        var line = screen.line
        let room = line.put(label: "followed")
        if let process {
            line.put(
                [
                    Part(text: "\(process.name) (pid \(process.pid))", style: style(.plain)),
                    Part(text: "\(decimals(process.cpu, 1)) %", style: style(.plain)),
                    Part(text: bytes(process.memory), style: style(.plain), rank: 1),
                ], in: room)
        } else {
            line.put([Part(text: handle == nil ? "nobody" : "it has ended", style: .dim)], in: room)
        }
        draw(line)
    }
}
