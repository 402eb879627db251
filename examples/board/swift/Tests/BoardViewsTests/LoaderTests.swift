// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Readings
import Testing

@testable import BoardViews

@MainActor @Suite struct LoaderTests {
    let board = Loaded()

    @Test func everyPropertyIsSet() {
        board.apply(
            reading(at: 0, process(7, "a b) c", state: "R", threads: 3, memory: 512, cpu: 10)))
        let machine = board.machine
        #expect(machine.source == "a test")
        #expect(machine.load?.one == 1)
        #expect(machine.load?.five == 0.5)
        #expect(machine.load?.fifteen == 0.25)
        #expect(machine.load?.running == 1)
        #expect(machine.load?.tasks == 90)
        #expect(machine.memory?.available == 1 << 29)
        #expect(machine.uplink?.name == "eth0")
        #expect(machine.processes.count == 1)
        #expect(machine.biggest?.name == "a b) c")
        #expect(machine.biggest?.state == "R")
        #expect(machine.biggest?.threads == 3)
        #expect(machine.biggest?.memory == 512)
        #expect(machine.busiest == nil)
        #expect(machine.ranking.count == 1)
        #expect(machine.ranking[0] === machine.biggest)
        #expect(machine.processes[Process.Key(pid: 7, start: 1)] === machine.biggest)
    }

    @Test func theSameReadingAgainChangesNothing() {
        let first = reading(at: 0, process(7), process(8))
        board.apply(first)
        board.apply(reading(at: 0, process(7), process(8)))
        let (sets, changes) = (board.tally.sets, board.tally.changes)
        board.apply(first)
        // 1 source, 2 load, 3 memory, 8 of two interfaces and 1 uplink, 10 of two processes,
        // biggest, busiest, vanished, unreadable, missing, trouble, attempts.
        #expect(board.tally.sets - sets == 32)
        #expect(board.tally.changes == changes)
    }

    @Test func whatIsDueIsCountedByObservers() {
        let observer = Observer()
        board.machine.tell(observer, when: \.memory?.total) { _, _ in }
        board.machine.tell(observer, when: \.memory?.total, \.processes.count) { _, _ in }
        board.apply(reading(at: 0))
        // memory for both, its total for both; the number of processes stays 0.
        #expect(board.tally.due == 4)
        #expect(board.tally.observed == 2)
    }

    @Test func theLoadIsFoundInTheAnswerWhenItIsRead() throws {
        board.apply(reading(at: 0))
        let load = try #require(board.machine.load)
        #expect(load.computedProperties.valid == [])
        #expect(load.running == 1)
        #expect(load.computedProperties.valid == ["running"])
        var poor = reading(at: 500)
        poor.load = ["one": 3]
        board.apply(poor)
        #expect(load.one == 3)
        #expect(load.running == 0)
    }

    @Test func anotherAnswerIsAChangeOfWhatDiffersInIt() {
        let observer = Observer()
        board.apply(reading(at: 0))
        board.machine.tell(observer, when: \.load?.one) { me, _ in me.calls.append("one") }
        board.machine.tell(observer, when: \.load?.five) { me, _ in me.calls.append("five") }
        board.machine.tell(observer, when: \.load?.allProperties) { me, _ in me.calls.append("any")
        }
        var later = reading(at: 500)
        later.load?["one"] = 2
        board.apply(later)
        #expect(observer.calls.sorted() == ["any", "one"])
        board.apply(later)
        #expect(observer.calls.count == 2)
    }

    @Test func aProcessIsKnownByPidAndStart() {
        board.apply(reading(at: 0, process(7, start: 100), process(8)))
        let before = Array(board.machine.processList)
        board.apply(reading(at: 500, process(7, start: 300), process(8)))
        let after = Array(board.machine.processList)
        #expect(after.count == 2)
        #expect(before.first { $0.pid == 8 } === after.first { $0.pid == 8 })
        #expect(before.first { $0.pid == 7 } !== after.first { $0.pid == 7 })
    }

    @Test func percentIsOfTheTimeThatPassed() {
        board.apply(reading(at: 1000, process(7, cpu: 100)))
        #expect(board.machine.biggest?.cpu == 0)
        board.apply(reading(at: 1500, process(7, cpu: 350)))
        #expect(board.machine.busiest?.cpu == 50)
    }

    @Test(arguments: [(1000, 350), (1500, 50)])
    func noPercentWithoutTimeOrBackwards(time: Int, cpu: Int) {
        board.apply(reading(at: 1000, process(7, cpu: 100)))
        board.apply(reading(at: time, process(7, cpu: cpu)))
        #expect(board.machine.biggest?.cpu == 0)
        #expect(board.machine.busiest == nil)
    }

    @Test func ratesAreOfASecond() {
        board.apply(reading(at: 0))
        var later = reading(at: 500)
        later.interfaces?[1].received += 100
        board.apply(later)
        #expect(board.machine.uplink?.receivedRate == 200)
        #expect(board.machine.uplink?.sentRate == 0)
    }

    @Test func whatIsMissingKeepsItsValues() {
        board.apply(reading(at: 0, process(7)))
        board.apply(Reading(source: "a test", time: 500))
        #expect(board.machine.missing == [.load, .memory, .network, .processes])
        #expect(board.machine.load?.one == 1)
        #expect(board.ranked == [7])
        board.apply(reading(at: 1000, process(7)))
        #expect(board.machine.missing == [])
    }

    @Test func theBiggestIsReplaced() {
        board.apply(reading(at: 0, process(7, memory: 300), process(8, memory: 200)))
        board.apply(reading(at: 500, process(7, memory: 300), process(8, memory: 400)))
        #expect(board.machine.biggest?.pid == 8)
        board.apply(reading(at: 1000, process(7, memory: 300)))
        #expect(board.machine.biggest?.pid == 7)
        board.apply(reading(at: 1500))
        #expect(board.machine.biggest == nil)
        #expect(board.ranked == [])
    }

    @Test func thoseOfTheKernelAreNotShown() {
        board.apply(reading(at: 0, process(7), process(2, memory: 0)))
        #expect(board.machine.processes.count == 2)
        #expect(board.ranked == [7])
        board.apply(reading(at: 500, process(7), process(2, memory: 200)))
        #expect(board.ranked == [2, 7])
    }

    @Test func troubleComesAndGoes() {
        board.apply(reading(at: 0, process(7)))
        board.note(.silent)
        board.note(.cut)
        #expect(board.machine.service.trouble == .cut)
        #expect(board.machine.service.attempts == 2)
        #expect(board.ranked == [7])
        board.apply(reading(at: 500, process(7)))
        #expect(board.machine.service.trouble == nil)
        #expect(board.machine.service.attempts == 0)
    }
}

@MainActor final class Observer: Sendable {
    var calls: [String] = []
}
