// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// The first line: what is watched, and how it is. What it says comes through binders into a model of
/// its own. One block observes that: however much of it changes, it is drawn once, and where the words
/// stay the same not at all.
class HeaderView: ScreenView {
    private let words = HeaderWords()
    private let binders = ObservationBag()

    override init(_ machine: Machine, on screen: Screen) {
        super.init(machine, on: screen)
        machine.values(of: \.source)
            .assign(to: \.source, of: words).store(in: binders)
        machine.values(of: \.processes.count)
            .map { "\($0 ?? 0) processes" }
            .assign(to: \.processes, of: words).store(in: binders)
        machine.values(of: \.service.attempts)
            .compactMap { $0 }
            .map { $0 > 0 ? "no reading for \($0) s" : "" }
            .assign(to: \.waiting, of: words).store(in: binders)
        machine.values(of: \.load?.one)
            .compactMap { $0 }
            .map { "load \(decimals($0, 2))" }
            .assign(to: \.load, of: words).store(in: binders)
        machine.values(of: \.memory?.available)
            .compactMap { $0 }
            .map { "\(bytes($0)) available" }
            .assign(to: \.available, of: words).store(in: binders)
        machine.values(of: \.service.port)
            .map { $0.map { "port \($0)" } ?? "" }
            .assign(to: \.port, of: words).store(in: binders)
        machine.values(of: \.service.trouble)
            .map { $0 != nil }
            .assign(to: \.isStale, of: words).store(in: binders)
        words.tell(self, when: \.allProperties) { view, _ in view.draw() }
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
