// SPDX-License-Identifier: Apache-2.0

/// The board as lines.
@MainActor final class PlainDisplay: Display {
    private let output: PlainOutput
    private let views: PlainViews
    private let notices: Notices
    private let alarm: Alarm

    init(of machine: Machine, alarmAbove limit: Int, output: PlainOutput) {
        self.output = output
        views = PlainViews(of: machine, on: output)
        notices = Notices(of: machine, on: output)
        alarm = Alarm(of: machine, above: limit, on: output)
    }

    func finishDrain(_ statistics: Statistics) {
        statistics.immediate = alarm.calls
        output.flush()
    }

    func close() {
        output.flush()
    }
}
