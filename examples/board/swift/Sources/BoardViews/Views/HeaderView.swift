// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// The first line: what is watched, and how it is. Many paths, one block: however many of them
/// change, it is drawn once.
class HeaderView: ScreenView {
    override init(_ machine: Machine, on screen: Screen) {
        super.init(machine, on: screen)
        machine.tell(
            self, when: \.source, \.processes.count, \.load?.one, \.memory?.available,
            \.service.port, \.service.trouble, \.service.attempts
        ) { view, _ in view.draw() }
    }

    override func draw() {
        var line = screen.line
        line.put(
            [
                Part(text: "board", style: .colour(.cyan, bold: true)),
                Part(text: machine.source, style: style(.bold), rank: 3, isElastic: true),
                state,
                Part(text: load, style: style(.plain), rank: 2, isTrailing: true),
                Part(text: available, style: style(.plain), rank: 4, isTrailing: true),
                Part(text: port, style: .dim, rank: 5, isTrailing: true),
            ], in: columns)
        draw(line)
    }

    private var state: Part {
        let attempts = machine.service.attempts
        if attempts > 0 {
            return Part(
                text: "no reading for \(attempts) s", style: .colour(.yellow, bold: true), rank: 1,
                isTrailing: true)
        }
        return Part(text: "\(machine.processes.count) processes", rank: 1, isTrailing: true)
    }

    private var load: String {
        machine.load.map { "load \(decimals($0.one, 2))" } ?? ""
    }

    private var available: String {
        machine.memory.map { "\(bytes($0.available)) available" } ?? ""
    }

    private var port: String {
        machine.service.port.map { "port \($0)" } ?? ""
    }
}
