// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import ObservableSwift
import Observation
import Synchronization

final class Address: ObservableModel {
    @Observed var zipCode: String?

    init(_ zipCode: String? = nil) {
        self.zipCode = zipCode
    }
}

final class User: ObservableModel {
    @Observed var name = "Ada"
    @Observed var age = 36
    @Observed var address: Address?
    @ObservedWeak var friend: Address?
    @Observed var tags = ObservableArray<String>()
    @Observed var flags = ObservableArray<Int>()
    @Computed({ (user: User) in user.age / 10 }) var decade: Int
    @Lazy({ (user: User) in user.age * 2 }) var doubled: Int
    var years: String { computed { "\(age / 10)0 years" } }
    private let atEnd: @Sendable () -> Void

    init(atEnd: @escaping @Sendable () -> Void = {}) {
        self.atEnd = atEnd
    }

    deinit { atEnd() }
}

final class ReadingAtEnd: ObservableModel {
    @Observed private var name = "Ada"
    private let calls: Tally

    init(_ calls: Tally) {
        self.calls = calls
    }

    deinit {
        if name == "Ada" { calls.add() }
    }
}

final class Gauge: ObservableHost, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var level = 0
}

@MainActor final class Person: ObservableModel, Sendable {
    @Observed var name = "Ada"
    @Observed var age = 36

    nonisolated override init() {}
}

@Observable final class Counter {
    var count = 0
    var step = 1
    @ObservationIgnored private let atEnd: @Sendable () -> Void

    init(atEnd: @escaping @Sendable () -> Void = {}) {
        self.atEnd = atEnd
    }

    deinit { atEnd() }
}

@MainActor @Observable final class Cart {
    var prices: [Int] = []
    var total: Int { prices.reduce(0, +) }
}

/// A number that any thread adds to.
final class Tally: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .relaxed) }

    func add(_ difference: Int = 1) {
        number.add(difference, ordering: .relaxed)
    }
}

/// Counts how many of them live.
final class Counted: Sendable {
    private let living: Tally

    init(_ living: Tally) {
        self.living = living
        living.add()
    }

    func stay() {}

    deinit { living.add(-1) }
}

/// Runs a body on several threads, and waits for their ends.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let ended = DispatchSemaphore(value: 0)
    for number in 0..<count {
        Thread.detachNewThread {
            body(number)
            ended.signal()
        }
    }
    for _ in 0..<count {
        if ended.wait(timeout: .now() + 60) == .timedOut { fatalError("a thread does not end") }
    }
}

/// How often Observation is told of what a body reads: once at most, as it does.
func tracking(_ body: () -> Void) -> Tally {
    let told = Tally()
    withObservationTracking(body) { told.add() }
    return told
}
