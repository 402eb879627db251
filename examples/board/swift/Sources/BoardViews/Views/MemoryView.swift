// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// A bar as wide as there is room: how much of the memory is used.
final class MemoryView: ScreenView {
    override init(_ machine: Machine, on screen: Screen) {
        super.init(machine, on: screen)
        machine.tell(self, when: \.memory?.total, \.memory?.used, \.service.trouble) {
            view, _ in view.draw()
        }
    }

    override func draw() {
        var line = screen.line
        let room = line.put(label: "memory")
        if let memory = machine.memory {
            let text = "\(bytes(memory.used)) of \(bytes(memory.total)) used"
            let bar = room.dropLast(text.count + 2)
            if bar.count >= 8 {
                let colour = Style.colour(memory.share > 0.9 ? .red : .green)
                line.put(bar: memory.share, in: bar, style(colour), showsRest: true)
                line.put(text, in: room, .right, style(.plain))
            } else {
                line.put(text, in: room, .left, style(.plain))
            }
        }
        draw(line)
    }
}
