// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// What goes over the busiest interface, whichever it is.
final class NetworkView: ScreenView {
    override init(_ machine: Machine, on screen: Screen) {
        super.init(machine, on: screen)
        machine.tell(
            self, when: \.uplink?.name, \.uplink?.receivedRate, \.uplink?.sentRate,
            \.service.trouble
        ) { view, _ in view.draw() }
    }

    override func draw() {
        var line = screen.line
        let room = line.put(label: "network")
        if let uplink = machine.uplink {
            line.put(
                [
                    Part(text: uplink.name, style: style(.plain), rank: 1),
                    Part(text: "in \(bytes(uplink.receivedRate))/s", style: style(.plain)),
                    Part(text: "out \(bytes(uplink.sentRate))/s", style: style(.plain)),
                ], in: room)
        }
        draw(line)
    }
}
