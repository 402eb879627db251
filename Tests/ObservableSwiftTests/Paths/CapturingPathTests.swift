// SPDX-License-Identifier: Apache-2.0
//
// Typed paths whose subscripts capture values: what becomes of the values, and that their code
// runs with no lock held (RE-5).

import Foundation
import ObservableSwift
import Testing

/// A captured value that counts its ends, and whose comparisons do something.
private struct Key: Hashable, Sendable {
    let number: Int
    /// Equal ones of different tests would share a component, and one value stand for all.
    let test: String
    let probe: Probe?
    var atComparison: (@Sendable () -> Void)?

    init(
        _ number: Int, _ died: Shared<Int>? = nil, atComparison: (@Sendable () -> Void)? = nil,
        test: String = #function
    ) {
        self.number = number
        self.test = test
        probe = died.map(Probe.init)
        self.atComparison = atComparison
    }

    static func == (a: Key, b: Key) -> Bool {
        a.atComparison?()
        return a.number == b.number && a.test == b.test
    }

    func hash(into hasher: inout Hasher) {
        atComparison?()
        hasher.combine(number)
        hasher.combine(test)
    }
}

private struct Grid {
    var numbers: [Int: Int] = [:]
    subscript(key: Key) -> Int { numbers[key.number] ?? 0 }
}

private class Board: ObservableModel {
    @Observed var before = 0
    @Observed var grid = Grid()
    @Observed var next: Board?
    @Observed var even = 0
    @Observed var odd = 0
    /// Of the model itself.
    subscript(key: Key) -> Int {
        get { key.number.isMultiple(of: 2) ? even : odd }
        set { if key.number.isMultiple(of: 2) { even = newValue } else { odd = newValue } }
    }
}
private class Board2: Board { @Observed var more = 0 }
private class Board3: Board { @Observed var more = 0 }
private class Board4: Board { @Observed var more = 0 }
private class Board5: Board { @Observed var more = 0 }
private class Board6: Board { @Observed var more = 0 }

private class Meter: ObservableModel {
    @Observed var inner = 0
    @Observed var outer = 0
    var shown: Int { inner }
}
private class OuterMeter: Meter {
    override var shown: Int { outer }
}

@Suite struct CapturingPathTests {
    @Test func LT_9_captured_values_end_with_the_observation() {
        let died = Shared(0)
        let board = Board()
        for number in 0..<200 {
            let key = Key(number, died)
            let view = Calls(board, \.grid[key])
            let model = Calls(board, \.[key])
            let below = Calls(board, \.next?.grid[key])
            #expect(died.value == number)
            board.grid.numbers[number, default: 0] += 1
            board[key] += 1
            #expect(view.new == 1 && model.new == 1 && below.new == 0)
            view.observation.stop()
            model.observation.stop()
            below.observation.stop()
        }
        #expect(died.value == 200)
    }

    /// The same literal is another property in a subclass.
    @Test func KP_19_a_literal_is_looked_at_for_each_class() {
        func calls(_ meter: Meter) -> [Int] {
            let calls = Calls(meter, \.shown)
            return [{ meter.inner += 1 }, { meter.outer += 1 }].map { change in
                change()
                return calls.new
            }
        }
        for _ in 0..<2 {
            #expect(calls(Meter()) == [1, 0])
            #expect(calls(OuterMeter()) == [0, 1])
        }
    }

    @Test func LT_9_captured_values_end_with_the_root_and_the_observer() {
        let died = Shared(0)
        do {
            let board = Board()
            let observer = PlainObserver()
            let key = Key(1, died)
            board.tell(observer, when: \.grid[key], on: DeliveryLoop()) { _, _ in }
            board.tell(board, when: \.next?.grid[key], on: DeliveryLoop()) { _, _ in }
            let token = board.onChange(of: \.grid[key], on: DeliveryLoop()) { _ in }
            token.cancel()
        }
        #expect(died.value == 1)
    }

    @Test func LT_9_captured_values_of_a_refused_path_a_stop_and_a_shared_block() throws {
        let died = Shared(0)
        let board = Board()
        let observer = PlainObserver()
        let loop = DeliveryLoop()
        let block = ObservationBlock(on: loop, options: .allowsMorePaths) {
            (observer: PlainObserver, board: Board) in observer.seen.append(1)
        }
        for number in 0..<10 {
            let key = Key(number, died)
            board.stopTelling(observer, about: \.grid[key])
            let handle = board.tell(observer, when: \.grid[key], block: block)
            try handle.also(board, when: \.grid[Key(number + 100, died)])
            board.grid.numbers[number + 100] = 1
            #expect(loop.drain() == 1)
            handle.stop()
            #expect(throws: ObservationError.self) {
                try handle.also(board, when: \.grid[Key(number, died)])
            }
        }
        #expect(died.value == 30)
        withExtendedLifetime(block) {}
    }

    /// A path that the program keeps keeps its value, and may be used again.
    @Test func LT_9_a_kept_path() {
        let died = Shared(0)
        let board = Board()
        var path: TypedPath<Board>? = \.grid[Key(1, died)]
        for number in 1...3 {
            let calls = Calls(board, path!)
            board.grid.numbers[1] = number
            #expect(calls.new == 1)
            calls.observation.stop()
        }
        #expect(died.value == 0)
        path = nil
        #expect(died.value == 1)
        let again = Calls(board, \.grid[Key(1)])
        board.grid.numbers[1] = 9
        #expect(again.new == 1)
    }

    /// Equal values, captured at different places, are one element.
    @Test func KP_19_equal_captures_count_and_stop_alike() {
        let board = Board()
        let observer = PlainObserver()
        let loop = DeliveryLoop()
        for number in [1, 2, 1] {
            let key = Key(number)
            board.tell(observer, when: \.grid[key], on: loop) { observer, _ in
                observer.seen.append(number)
            }
        }
        #expect(board.numberOfObservers(of: "grid") == 3)
        board.stopTelling(observer, about: \.grid[Key(3)])
        #expect(board.numberOfObservers(of: "grid") == 3)
        board.stopTelling(observer, about: \.grid[Key(1)])
        #expect(board.numberOfObservers(of: "grid") == 1)
        board.grid.numbers = [1: 1, 2: 2]
        loop.drain()
        #expect(observer.seen == [2])
        board.stopTelling(observer, about: \.grid[Key(2)])
        #expect(board.allObservedProperties == [])
    }

    /// `==` and the hash of a captured value use the library, and so does its end.
    @Test(.timeLimit(.minutes(1))) func RE_5_code_of_captured_values_may_use_the_library() async {
        await #expect(processExitsWith: .success) {
            let isInside = Shared(false)
            let times = Shared(0)
            let use: @Sendable () -> Void = {
                if isInside.value { return }
                isInside.value = true
                times.change { $0 += 1 }
                let board = Board()
                let calls = Calls(board, \.grid[Key(5)], \.next?.before)
                board.grid.numbers[5] = 1
                #expect(calls.new == 1)
                calls.observation.stop()
                isInside.value = false
            }
            let board = Board()
            let first = Calls(board, \.grid[Key(1, atComparison: use)])
            let second = Calls(board, \.grid[Key(1, atComparison: use)])
            let before = times.value
            board.stopTelling(first, about: \.grid[Key(1, atComparison: use)])
            #expect(times.value > before)
            board.grid.numbers[1] = 1
            #expect(first.new == 0 && second.new == 1)
        }
    }

    /// What the core remembers of a component on a class stays right for the next value, whatever
    /// number of classes there is.
    @Test func KP_18_many_values_on_many_classes() {
        let boards = [Board(), Board2(), Board3(), Board4(), Board5(), Board6()]
        for number in 0..<300 {
            let root = Board()
            let key = Key(number)
            let deep = Calls(root, \.next?.grid[key])
            let model = Calls(root, \.next?[key])
            for (index, board) in boards.enumerated() {
                root.next = board
                _ = (deep.new, model.new)
                board.grid.numbers[number] = index + 1
                #expect(deep.new == 1)
                board[key] = -number - 1
                #expect(model.new == 1)
                board[Key(number + 1)] = -number - 1
                #expect(deep.new == 0 && model.new == 0)
            }
        }
    }

    /// The same in generic code, where every key path is made anew.
    private func generic<Root: Board>(_ root: Root) {
        for number in 0..<100 {
            let calls = Calls(root, \.next?.before, \.grid.numbers.count)
            root.next = root
            root.before += 1
            #expect(calls.new == 1)
            root.grid.numbers[number] = 1
            #expect(calls.new == 1)
            root.next = nil
            _ = calls.new
            #expect(root.numberOfObservers(of: "grid") == 1)
            calls.observation.stop()
        }
        #expect(root.allObservedProperties == [])
    }

    @Test func KP_19_paths_of_generic_code() {
        generic(Board())
        generic(Board2())
        generic(Board3())
    }

    /// Boards of several threads share the components.
    @Test func TH_1_captures_on_threads() {
        let died = Shared(0)
        onThreads(4) { number in
            let (root, other) = (Board(), Board2())
            for round in 0..<100 {
                let key = Key(round % 7, died)
                let calls = Calls(root, \.next?.grid[key])
                let wide = Calls(root, \.grid[key])
                root.next = round.isMultiple(of: 2) ? other : Board3()
                _ = calls.new
                root.next?.grid.numbers[round % 7, default: 0] += 1
                root.grid.numbers[round % 7, default: 0] += 1
                #expect(calls.new == 1 && wide.new == 1, "thread \(number)")
                root.stopTelling(wide, about: \.grid[Key(round % 7, died)])
                root.grid.numbers[round % 7, default: 0] += 1
                #expect(wide.new == 0)
            }
        }
        #expect(died.value == 800)
    }

    /// One thread changes what others begin and stop to observe.
    @Test func TH_2_captures_come_and_go_while_another_thread_changes() {
        let died = Shared(0)
        let room = Room()
        let blocksDied = Shared(0)
        onThreads(4) { number in
            for round in 0..<300 {
                if number == 0 {
                    room.pairs = Pairs(numbers: [round, round % 3, round % 5])
                    continue
                }
                let loop = DeliveryLoop()
                let key = Key(round % 4, died)
                let probe = Probe(blocksDied)
                let token = room.onChange(of: \.pairs[key], on: loop) { _ in probe.stay() }
                let other = room.onChange(of: \.pairs.numbers[round % 3], on: loop) { _ in }
                if round.isMultiple(of: 3) { loop.drain() }
                token.cancel()
                other.cancel()
            }
        }
        #expect(room.allObservedProperties == [])
        // Of what is taken back nothing is left, whoever was inside when it was cancelled.
        #expect(blocksDied.value == 900)
        #expect(died.value == 900)
    }
}

private struct Pairs: Equatable, Sendable {
    var numbers: [Int] = []
    subscript(key: Key) -> Int { numbers.indices.contains(key.number) ? numbers[key.number] : 0 }
}

private final class Room: ObservableHost, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var pairs = Pairs()
}
