// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// What is told where there is no terminal: a line for each subject, when it has changed. All is
/// registered before anything is known of the machine.
@MainActor final class PlainViews {
    private let output: PlainOutput
    private var linesOfCompanion = 0

    init(of machine: Machine, on output: PlainOutput) {
        self.output = output

        // Six paths, one line: one call a drain, whichever of them changed.
        machine.tell(
            self, when: \.processes.count, \.load?.one, \.memory?.available, \.uplink?.name,
            \.uplink?.received, \.uplink?.sent
        ) { $0.tellStatus($1) }

        // Any property of the load: one change brings all that its answer tells.
        machine.tell(self, when: \.load?.allProperties) { views, machine in
            guard let load = machine.load else { return }
            views.output.say("load", "load: \(words(load))")
        }
        machine.tell(self, when: \.memory?.available) { views, machine in
            guard let memory = machine.memory else { return }
            let available = bytes(memory.available)
            let total = bytes(memory.total)
            views.output.say("memory", "memory: \(available) of \(total) available")
        }

        // Paths through an object that is replaced: of whichever process it is now.
        machine.tell(self, when: \.biggest?.pid, \.biggest?.name) { views, machine in
            guard let biggest = machine.biggest else { return }
            views.output.say("biggest", "biggest: \(biggest.name) (pid \(biggest.pid))")
        }
        machine.tell(self, when: \.biggest?.state) { views, machine in
            guard let biggest = machine.biggest else { return }
            views.output.say("state", "biggest is \(stateWords(biggest.state))")
        }
        machine.tell(self, when: \.biggest?.memory) { views, machine in
            guard let biggest = machine.biggest else { return }
            views.output.say("biggest memory", "biggest uses \(bytes(biggest.memory))")
        }
        machine.tell(self, when: \.busiest?.pid, \.busiest?.name, \.busiest?.cpu) {
            $0.tellBusiest($1.busiest)
        }
        machine.tell(self, when: \.companion?.lines) { views, machine in
            guard let companion = machine.companion else { return }
            views.tell(companion)
        }
    }

    private func tellStatus(_ machine: Machine) {
        let load = decimals(machine.load?.one ?? 0, 2)
        let available = bytes(machine.memory?.available ?? 0)
        let received = bytes(machine.uplink?.received ?? 0)
        let sent = bytes(machine.uplink?.sent ?? 0)
        output.say(
            "status",
            "status: \(machine.processes.count) processes, load \(load), \(available) available, "
                + "network \(received) in, \(sent) out")
    }

    private func tellBusiest(_ busiest: Process?) {
        guard let busiest else {
            output.say("busiest", "busiest: none, all rest")
            return
        }
        let cpu = decimals(busiest.cpu, 0)
        output.say(
            "busiest", "busiest: \(busiest.name) (pid \(busiest.pid)), \(cpu) % of a processor")
    }

    /// However many lines came since the last call.
    private func tell(_ companion: Companion) {
        for line in companion.lines.suffix(companion.count - linesOfCompanion) {
            output.add(companion.prefix + line)
        }
        linesOfCompanion = companion.count
    }
}

@MainActor private func words(_ load: Load) -> String {
    let means = [load.one, load.five, load.fifteen].map { decimals($0, 2) }
    return means.joined(separator: " ") + ", \(load.running) of \(load.tasks) tasks run"
}
