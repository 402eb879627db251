// SPDX-License-Identifier: Apache-2.0
//
// TH-2: ten threads observe and stop, ten set a hundred properties of one shared model; and the same
// with observers and roots that die. Every set has a value of its own, so each is a change. Run under
// the thread sanitizer as well. OBV_TEST_SECONDS says how long each runs; without it each thread
// does a fixed number of things.

import Dispatch
import Foundation
import ObservableSwift
import Testing

@Suite(.serialized) struct SharedObjectTests {
    @Test func TH_2_ten_threads_observe_a_shared_object_that_ten_others_set() {
        share(dying: false)
    }

    @Test func TH_2_LT_1_the_same_while_observers_and_roots_die() {
        share(dying: true)
    }
}

/// Somebody who comes and goes; alive, as what it counts says, whenever it is called.
private final class Guest: Sendable {
    let died: Shared<Int>
    let calls: Shared<Int>

    init(_ died: Shared<Int>, _ calls: Shared<Int>) {
        self.died = died
        self.calls = calls
    }

    func come() {
        calls.change { $0 += 1 }
    }

    deinit {
        died.change { $0 += 1 }
    }
}

/// A root from which a path leads to the panel.
private final class Holder: ObservableHost, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var panel: Panel?

    init(_ panel: Panel) {
        self.panel = panel
    }
}

/// How often a thread does what it does.
private struct Span: Sendable {
    let end = ProcessInfo.processInfo.environment["OBV_TEST_SECONDS"].flatMap(Double.init)
        .map { Date().addingTimeInterval($0) }

    func steps(_ count: Int, _ body: (Int) -> Void) {
        var step = 0
        while end.map({ Date() < $0 }) ?? (step < count) {
            step += 1
            body(step)
        }
    }
}

/// The observers that stay, and what they have been told.
private struct Followers: Sendable {
    let delayed = (0..<Panel.count).map { _ in Shared(0) }
    let byPath = (0..<Panel.count).map { _ in Shared(0) }
    let immediate = (0..<Panel.count).map { _ in Shared(0) }
    let all = Shared(0)
    let tokens: [ObservationToken]

    init(_ panel: Panel, _ holder: Holder, _ loop: DeliveryLoop) {
        var tokens: [ObservationToken] = []
        for index in 0..<Panel.count {
            let (seen, further) = (delayed[index], byPath[index])
            let (calls, property) = (immediate[index], Panel.properties[index])
            tokens.append(
                panel.onChange(of: \.[text: Panel.paths[index]], on: loop) { panel in
                    seen.value = panel[keyPath: property]
                })
            tokens.append(
                holder.onChange(of: \.[text: Panel.pathsOfHolders[index]], on: loop) { holder in
                    further.value = holder.panel?[keyPath: property] ?? -1
                })
            tokens.append(
                panel.onChange(of: \.[text: Panel.paths[index]], options: .immediate) { _ in
                    calls.change { $0 += 1 }
                })
        }
        tokens.append(
            panel.onChange(of: \.[text: "*"], options: .immediate) { [all] _ in
                all.change { $0 += 1 }
            }
        )
        self.tokens = tokens
    }

    /// At rest: the last value that was set is the last one delivered, and no set went by.
    func check(_ panel: Panel, _ sets: [Shared<Int>]) {
        for index in 0..<Panel.count {
            let last = panel[keyPath: Panel.properties[index]]
            #expect(last != 0)
            #expect(delayed[index].value == last)
            #expect(byPath[index].value == last)
            #expect(immediate[index].value == sets[index].value)
        }
        #expect(all.value == sets.reduce(0) { $0 + $1.value })
    }
}

private func setValues(_ panel: Panel, _ number: Int, _ span: Span, _ sets: [Shared<Int>]) {
    span.steps(1000) { step in
        let index = (7 * step + 10 * number) % Panel.count
        panel[keyPath: Panel.properties[index]] = 10 * step + number
        sets[index].change { $0 += 1 }
    }
}

/// One that comes and goes: `root` is the panel, or a holder that dies before its observer or after.
private func comeAndGo<Root: ObservableHost & Sendable>(
    _ step: Int, _ root: Root, _ path: TextPath, _ loop: DeliveryLoop, _ guest: Guest, dying: Bool
) {
    let options: [ObservationOptions] = [[], .immediate, .keepsOwnChanges]
    let handle = root.tell(
        guest, when: \.[text: path], on: loop, options: options[step % options.count]
    ) { guest, _ in guest.come() }
    let token = root.onChange(of: \.[text: path], on: loop) { [weak guest] _ in guest?.come() }
    if step % 2 == 0 { token.schedule() }
    if dying && step % 4 != 0 {
        // The token is dropped, the observer dies with its handle.
        return
    }
    switch step % 5 {
    case 0: handle.stop()
    case 1: handle.stop(about: path)
    case 2: root.stopTelling(guest)
    case 3: root.stopTelling(guest, about: \.[text: path])
    default: handle.stop()
    }
    if step % 3 == 0 { token.cancelAndWait() } else { token.cancel() }
    #expect(handle.hasEnded && token.hasEnded)
}

/// Whatever has come and gone, who comes now is told.
private func tellAGuest(_ panel: Panel, _ died: Shared<Int>) {
    let calls = Shared(0)
    let guest = Guest(died, calls)
    let token = panel.onChange(of: \.[text: "p0"], options: .immediate) { [weak guest] _ in
        guest?.come()
    }
    panel.p0 = -1
    #expect(calls.value == 1)
    token.cancel()
    panel.p0 = -2
    #expect(calls.value == 1)
}

private func share(dying: Bool) {
    let panel = Panel()
    let holder = Holder(panel)
    let loop = DeliveryLoop()
    let (died, calls) = (Shared(0), Shared(0))
    let sets = (0..<Panel.count).map { _ in Shared(0) }
    let made = Shared(0)
    let followers = Followers(panel, holder, loop)
    let span = Span()
    let over = Shared(false)
    let drainer = TestThread { while !over.value { loop.drain() } }
    onThreads(20) { number in
        if number < 10 {
            setValues(panel, number, span, sets)
            return
        }
        span.steps(150) { step in
            made.change { $0 += 1 }
            let guest = Guest(died, calls)
            let index = (13 * step + number) % Panel.count
            if step % 4 == 0 {
                comeAndGo(
                    step / 4, Holder(panel), Panel.pathsOfHolders[index], loop, guest, dying: dying)
            } else {
                comeAndGo(
                    step, panel, step % 8 == 1 ? "*" : Panel.paths[index], loop, guest,
                    dying: dying)
            }
        }
    }
    over.value = true
    drainer.join()
    while loop.drain() != 0 {}
    followers.check(panel, sets)
    #expect(died.value == made.value)
    tellAGuest(panel, died)
    // What died without having stopped is found by counting.
    for index in 0..<Panel.count {
        #expect(panel.numberOfObservers(of: Panel.names[index]) == 4)
    }
    followers.tokens.forEach { $0.cancel() }
    #expect(panel.allObservedProperties == [])
}

/// A hundred properties of any thread.
private final class Panel: ObservableHost, @unchecked Sendable {
    static let count = 100
    static let names = (0..<count).map { "p\($0)" }
    static let paths = names.map { try! TextPath(parsing: $0) }
    static let pathsOfHolders = names.map { try! TextPath(parsing: "panel.\($0)") }

    let observation = ObservationHeader()
    @ObservedAtomic var p0 = 0
    @ObservedAtomic var p1 = 0
    @ObservedAtomic var p2 = 0
    @ObservedAtomic var p3 = 0
    @ObservedAtomic var p4 = 0
    @ObservedAtomic var p5 = 0
    @ObservedAtomic var p6 = 0
    @ObservedAtomic var p7 = 0
    @ObservedAtomic var p8 = 0
    @ObservedAtomic var p9 = 0
    @ObservedAtomic var p10 = 0
    @ObservedAtomic var p11 = 0
    @ObservedAtomic var p12 = 0
    @ObservedAtomic var p13 = 0
    @ObservedAtomic var p14 = 0
    @ObservedAtomic var p15 = 0
    @ObservedAtomic var p16 = 0
    @ObservedAtomic var p17 = 0
    @ObservedAtomic var p18 = 0
    @ObservedAtomic var p19 = 0
    @ObservedAtomic var p20 = 0
    @ObservedAtomic var p21 = 0
    @ObservedAtomic var p22 = 0
    @ObservedAtomic var p23 = 0
    @ObservedAtomic var p24 = 0
    @ObservedAtomic var p25 = 0
    @ObservedAtomic var p26 = 0
    @ObservedAtomic var p27 = 0
    @ObservedAtomic var p28 = 0
    @ObservedAtomic var p29 = 0
    @ObservedAtomic var p30 = 0
    @ObservedAtomic var p31 = 0
    @ObservedAtomic var p32 = 0
    @ObservedAtomic var p33 = 0
    @ObservedAtomic var p34 = 0
    @ObservedAtomic var p35 = 0
    @ObservedAtomic var p36 = 0
    @ObservedAtomic var p37 = 0
    @ObservedAtomic var p38 = 0
    @ObservedAtomic var p39 = 0
    @ObservedAtomic var p40 = 0
    @ObservedAtomic var p41 = 0
    @ObservedAtomic var p42 = 0
    @ObservedAtomic var p43 = 0
    @ObservedAtomic var p44 = 0
    @ObservedAtomic var p45 = 0
    @ObservedAtomic var p46 = 0
    @ObservedAtomic var p47 = 0
    @ObservedAtomic var p48 = 0
    @ObservedAtomic var p49 = 0
    @ObservedAtomic var p50 = 0
    @ObservedAtomic var p51 = 0
    @ObservedAtomic var p52 = 0
    @ObservedAtomic var p53 = 0
    @ObservedAtomic var p54 = 0
    @ObservedAtomic var p55 = 0
    @ObservedAtomic var p56 = 0
    @ObservedAtomic var p57 = 0
    @ObservedAtomic var p58 = 0
    @ObservedAtomic var p59 = 0
    @ObservedAtomic var p60 = 0
    @ObservedAtomic var p61 = 0
    @ObservedAtomic var p62 = 0
    @ObservedAtomic var p63 = 0
    @ObservedAtomic var p64 = 0
    @ObservedAtomic var p65 = 0
    @ObservedAtomic var p66 = 0
    @ObservedAtomic var p67 = 0
    @ObservedAtomic var p68 = 0
    @ObservedAtomic var p69 = 0
    @ObservedAtomic var p70 = 0
    @ObservedAtomic var p71 = 0
    @ObservedAtomic var p72 = 0
    @ObservedAtomic var p73 = 0
    @ObservedAtomic var p74 = 0
    @ObservedAtomic var p75 = 0
    @ObservedAtomic var p76 = 0
    @ObservedAtomic var p77 = 0
    @ObservedAtomic var p78 = 0
    @ObservedAtomic var p79 = 0
    @ObservedAtomic var p80 = 0
    @ObservedAtomic var p81 = 0
    @ObservedAtomic var p82 = 0
    @ObservedAtomic var p83 = 0
    @ObservedAtomic var p84 = 0
    @ObservedAtomic var p85 = 0
    @ObservedAtomic var p86 = 0
    @ObservedAtomic var p87 = 0
    @ObservedAtomic var p88 = 0
    @ObservedAtomic var p89 = 0
    @ObservedAtomic var p90 = 0
    @ObservedAtomic var p91 = 0
    @ObservedAtomic var p92 = 0
    @ObservedAtomic var p93 = 0
    @ObservedAtomic var p94 = 0
    @ObservedAtomic var p95 = 0
    @ObservedAtomic var p96 = 0
    @ObservedAtomic var p97 = 0
    @ObservedAtomic var p98 = 0
    @ObservedAtomic var p99 = 0

    static let properties: [ReferenceWritableKeyPath<Panel, Int> & Sendable] = [
        \.p0, \.p1, \.p2, \.p3, \.p4, \.p5, \.p6, \.p7, \.p8, \.p9,
        \.p10, \.p11, \.p12, \.p13, \.p14, \.p15, \.p16, \.p17, \.p18, \.p19,
        \.p20, \.p21, \.p22, \.p23, \.p24, \.p25, \.p26, \.p27, \.p28, \.p29,
        \.p30, \.p31, \.p32, \.p33, \.p34, \.p35, \.p36, \.p37, \.p38, \.p39,
        \.p40, \.p41, \.p42, \.p43, \.p44, \.p45, \.p46, \.p47, \.p48, \.p49,
        \.p50, \.p51, \.p52, \.p53, \.p54, \.p55, \.p56, \.p57, \.p58, \.p59,
        \.p60, \.p61, \.p62, \.p63, \.p64, \.p65, \.p66, \.p67, \.p68, \.p69,
        \.p70, \.p71, \.p72, \.p73, \.p74, \.p75, \.p76, \.p77, \.p78, \.p79,
        \.p80, \.p81, \.p82, \.p83, \.p84, \.p85, \.p86, \.p87, \.p88, \.p89,
        \.p90, \.p91, \.p92, \.p93, \.p94, \.p95, \.p96, \.p97, \.p98, \.p99,
    ]
}
