// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// The last line: what the keys do.
final class KeysView: ScreenView {
    override init(_ machine: Machine, on screen: Screen) {
        super.init(machine, on: screen)
        machine.tell(self, when: \.service.manner, \.service.isStopped) { view, _ in view.draw() }
    }

    override func draw() {
        var parts = [Part(text: "q quit")]
        let service = machine.service
        if let manner = service.manner {
            let verb = service.isStopped ? "start" : "stop"
            parts.append(Part(text: "s \(verb) the service", rank: 2))
            parts.append(
                Part(
                    text: "n it answers: \(manner)",
                    style: manner == "well" ? .plain : .colour(.yellow), rank: 1))
        }
        parts.append(Part(text: "f follow the busiest", rank: 3))
        if let page = machine.page { parts.append(Part(text: page)) }
        var line = screen.line
        line.put(parts, in: columns)
        draw(line)
    }
}
