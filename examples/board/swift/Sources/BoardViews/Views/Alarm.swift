// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// Tells when the biggest process, whichever it is at the moment, uses more than a limit. It is
/// called inside the change and not by the next drain: an alarm does not wait.
@MainActor final class Alarm {
    /// Calls of the block. The library counts those of delayed blocks only.
    private(set) var calls = 0

    init(of machine: Machine, above limit: Int, on display: any NoticeDisplay) {
        machine.tell(self, when: \.biggest?.memory, options: .immediate) {
            [weak display] alarm, machine in
            alarm.calls += 1
            if let biggest = machine.biggest, biggest.memory > limit {
                let text = "alarm: \(biggest.name) uses more than \(bytes(limit))"
                display?.say(text, about: .alarm)
            } else {
                display?.end("alarm: over", about: .alarm)
            }
        }
    }
}
