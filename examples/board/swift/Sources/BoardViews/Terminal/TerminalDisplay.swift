// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The board on a terminal.
@MainActor final class TerminalDisplay: Display {
    private let machine: Machine
    private let terminal = Terminal()
    private let keyboard = Keyboard()
    private let screen: Screen
    private let signals = SignalHandlers()
    private let header: HeaderView
    private let summary: [ScreenView]
    private let table: TableView
    private let followed: FollowedView
    private let notices: NoticesView
    private let companion: CompanionView
    private let statistics: StatisticsView
    private let keys: KeysView
    private let causes: Notices
    private let alarm: Alarm
    private var needsLayout = true
    private var willFlush = false

    /// All views are registered here, before anything is known of the machine.
    init(of machine: Machine, alarmAbove limit: Int, write: @escaping @MainActor (String) -> Void) {
        self.machine = machine
        screen = Screen(repertoire: .ofLocale(), hasColour: Terminal.hasColour, write: write)
        header = HeaderView(machine, on: screen)
        followed = FollowedView(machine, on: screen)
        summary = [
            LoadView(machine, on: screen), MemoryView(machine, on: screen),
            NetworkView(machine, on: screen), followed,
        ]
        table = TableView(machine, on: screen)
        notices = NoticesView(machine, on: screen)
        companion = CompanionView(machine, on: screen)
        statistics = StatisticsView(machine, on: screen)
        keys = KeysView(machine, on: screen)
        causes = Notices(of: machine, on: notices)
        alarm = Alarm(of: machine, above: limit, on: notices)
        open()
    }

    /// Keys of the user's, from now on.
    func onKey(perform: @escaping @MainActor (Character) -> Void) {
        keyboard.onKey { [followed] key in
            if key == "f" { followed.toggle() }
            perform(key)
        }
    }

    private func open() {
        notices.onCount = { [weak self] in self?.needsLayout = true }
        screen.onDraw = { [weak self] in self?.flushSoon() }
        signals.on(SIGWINCH) { [weak self] in self?.startAnew() }
        signals.on(SIGTSTP) { [weak self] in
            self?.terminal.suspend()
            self?.startAnew()
        }
        signals.on(SIGCONT) { [weak self] in
            self?.terminal.open()
            self?.startAnew()
        }
        terminal.open()
        startAnew()
    }

    func finishDrain(_ statistics: Statistics) {
        statistics.immediate = alarm.calls
        self.statistics.statistics = statistics
        self.statistics.rowsDrawn = table.takeDrawn()
        self.statistics.rowCount = table.rowCount
        self.statistics.cellsWritten = screen.cellsWritten
        self.statistics.draw()
        flush()
    }

    func close() {
        signals.cancel()
        keyboard.close()
        terminal.close()
    }

    /// Another size, or something else stood on the terminal.
    private func startAnew() {
        screen.reset(terminal.size)
        needsLayout = true
        flushSoon()
    }

    /// Whatever draws outside of a reading's drain, a key or another size, is written when the main
    /// loop's turn is over.
    private func flushSoon() {
        guard !willFlush else { return }
        willFlush = true
        Task { [weak self] in self?.flush() }
    }

    private func flush() {
        willFlush = false
        guard terminal.isOpen else { return }
        if needsLayout { layOut() }
        screen.flush()
    }

    private func layOut() {
        needsLayout = false
        let layout = Layout(
            height: screen.size.rows, notices: notices.count,
            hasCompanion: machine.companion != nil)
        for row in 0..<screen.size.rows { screen.draw(screen.line, at: row) }
        place(header, layout.header)
        zip(summary, layout.summary).forEach(place)
        place(table, layout.table)
        place(notices, layout.notices)
        place(companion, layout.companion)
        place(statistics, layout.statistics)
        place(keys, layout.keys)
        _ = table.takeDrawn()
    }

    private func place(_ view: ScreenView, _ rows: Range<Int>) {
        view.rows = rows
        view.draw()
    }
}
