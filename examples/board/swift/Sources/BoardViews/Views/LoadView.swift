// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// The load: any property of it, and whichever load it is.
final class LoadView: ScreenView {
    override init(_ machine: Machine, on screen: Screen) {
        super.init(machine, on: screen)
        machine.tell(self, when: \.load?.allProperties, \.service.trouble) { view, _ in view.draw()
        }
    }

    override func draw() {
        var line = screen.line
        let room = line.put(label: "load")
        if let load = machine.load {
            let means = [load.one, load.five, load.fifteen].map { decimals($0, 2) }
            line.put(
                [
                    Part(text: means.joined(separator: "  "), style: style(.plain)),
                    Part(
                        text: "\(load.running) of \(load.tasks) tasks run", style: style(.plain),
                        rank: 1),
                ], in: room)
        }
        draw(line)
    }
}
