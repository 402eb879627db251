// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// The first line: what is watched, and how it is. What it says comes through pipes into a model of its
/// own. One block observes that: however much of it changes, it is drawn once, and where the words
/// stay the same not at all.
class HeaderView: ScreenView {
    private let words = HeaderWords()
    private let pipes = ObservationBag()

    override init(_ machine: Machine, on screen: Screen) {
        super.init(machine, on: screen)
        words.receive(\.source, from: machine, \.source).start().store(in: pipes)
        words.receive(\.processes, from: machine, \.processes.count)
            .map { "\($0) processes" }
            .start().store(in: pipes)
        words.receive(\.waiting, from: machine, \.service.attempts)
            .map { $0 > 0 ? "no reading for \($0) s" : "" }
            .start().store(in: pipes)
        words.receive(\.load, from: machine, \.load?.one)
            .map { "load \(decimals($0, 2))" }
            .start().store(in: pipes)
        words.receive(\.available, from: machine, \.memory?.available)
            .map { "\(bytes($0)) available" }
            .start().store(in: pipes)
        words.receive(\.port, from: machine, \.service.port)
            .map { "port \($0)" }
            .whenUnreachable("")
            .start().store(in: pipes)
        words.receive(\.isStale, from: machine, \.service.trouble)
            .map { _ in true }
            .whenUnreachable(false)
            .start().store(in: pipes)
        words.tell(self, when: \.anyProperty) { view, _ in view.draw() }
    }

    override func draw() {
        var line = screen.line
        line.put(
            [
                Part(text: "board", style: .colour(.cyan, bold: true)),
                Part(text: words.source, style: style(.bold), rank: 3, isElastic: true),
                state,
                Part(text: words.load, style: style(.plain), rank: 2, isTrailing: true),
                Part(text: words.available, style: style(.plain), rank: 4, isTrailing: true),
                Part(text: words.port, style: .dim, rank: 5, isTrailing: true),
            ], in: columns)
        draw(line)
    }

    private var state: Part {
        words.waiting.isEmpty
            ? Part(text: words.processes, rank: 1, isTrailing: true)
            : Part(
                text: words.waiting, style: .colour(.yellow, bold: true), rank: 1,
                isTrailing: true)
    }
}

/// What the header says; empty: not known.
@MainActor private final class HeaderWords: CountedModel, Sendable {
    @Observed var source = ""
    @Observed var processes = ""
    @Observed var waiting = ""
    @Observed var load = ""
    @Observed var available = ""
    @Observed var port = ""
    @Observed var isStale = false
}
