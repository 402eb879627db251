// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Readings
import Testing

@testable import BoardViews

@MainActor @Suite struct NoticesTests {
    let board = Loaded()
    let display = Noticed()
    let notices: Notices
    let alarm: Alarm

    init() {
        notices = Notices(of: board.machine, on: display)
        alarm = Alarm(of: board.machine, above: 1 << 20, on: display)
    }

    @Test func nothingToTell() {
        board.apply(reading(at: 0, process(7)))
        #expect(display.texts == [:])
    }

    @Test(
        arguments: [
            (.refused(port: 80), "nobody answers on port 80"),
            (.silent, "the service says nothing"),
            (.cut, "the service's answer is cut in the middle"),
            (.nonsense, "the service's answer is no reading"),
            (.status(404), "the service answers with status 404"),
        ] as [(Trouble, String)])
    func troubleStandsUntilAReadingComes(trouble: Trouble, text: String) {
        board.note(trouble)
        #expect(display.texts == [.service: "note: \(text); the last values stand"])
        board.apply(reading(at: 0, process(7)))
        #expect(display.texts == [:])
        #expect(display.ended == ["note over: the service answers"])
    }

    @Test func anObstacleComesFirst() {
        board.tally.set(board.machine.service, \.obstacle, "obstacle", to: "port 80 is taken")
        board.note(.none)
        #expect(
            display.texts[.service]
                == "note: the service cannot be started: port 80 is taken; tried again each second")
        board.tally.set(board.machine.service, \.obstacle, "obstacle", to: "no loopback")
        DeliveryLoop.main.drain()
        #expect(display.texts[.service]?.contains("no loopback") == true)
        board.tally.set(board.machine.service, \.obstacle, "obstacle", to: nil)
        board.apply(reading(at: 0))
        #expect(display.texts == [:])
    }

    @Test func whatCannotBeRead() {
        var poor = reading(at: 0)
        poor.load = nil
        poor.interfaces = nil
        poor.vanished = 2
        poor.unreadable = 1
        board.apply(poor)
        #expect(
            display.texts == [
                .missing: "note: cannot be read: load network; the last values stand",
                .unreadable: "note: there are processes whose files cannot be read",
                .vanished: "note: processes end while they are read",
            ])
        board.apply(reading(at: 500))
        #expect(display.texts == [:])
    }

    @Test func theAlarmFollowsTheBiggest() {
        board.apply(reading(at: 0, process(7, "small")))
        #expect(display.texts == [:])
        board.loader.apply(reading(at: 500, process(7), process(8, "large", memory: 2 << 20)))
        // Before any drain.
        #expect(display.texts == [.alarm: "alarm: large uses more than 1.0 MiB"])
        #expect(alarm.calls == 2)
        board.apply(reading(at: 1000, process(7)))
        #expect(display.texts == [:])
    }
}

@MainActor final class Noticed: NoticeDisplay, Sendable {
    var texts: [NoticeSubject: String] = [:]
    var ended: [String] = []

    func say(_ text: String, about subject: NoticeSubject) {
        texts[subject] = text
    }

    func end(_ text: String, about subject: NoticeSubject) {
        if texts.removeValue(forKey: subject) != nil { ended.append(text) }
    }
}
