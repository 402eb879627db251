// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

private final class Counter {
    var count = 0
    func add(_ number: Int) -> String {
        count += number
        return "\(count)"
    }
}

private struct Refused: Error {}

private struct Isolated<each Argument, Result> {
    let call: @isolated(any) (repeat each Argument) throws -> Result
}

private struct Plain<each Argument, Result> {
    let call: (repeat each Argument) throws -> Result
}

private func called<each Argument, Result>(
    _ function: @escaping @isolated(any) (repeat each Argument) throws -> Result,
    _ argument: repeat each Argument
) throws -> Result {
    let plain = uncheckedIsolation(
        Isolated(call: function), as: Plain<repeat each Argument, Result>.self)
    return try plain.call(repeat each argument)
}

/// Whatever a function captures, takes, answers and throws: the same function without the wait.
@Suite struct UncheckedIsolationTests {
    @Test func TH_3_a_function_without_isolation() throws {
        let counter = Counter()
        let function: @isolated(any) (Int) -> String = { counter.add($0) }
        let plain = uncheckedIsolation(function, as: ((Int) -> String).self)
        #expect(function.isolation == nil)
        #expect(plain(3) == "3")
        #expect(plain(4) == "7")
        #expect(try called(function, 1) == "8")
    }

    @MainActor @Test func TH_3_a_function_of_the_main_actor() throws {
        let counter = Counter()
        let function: @isolated(any) (Int, String) throws -> String = {
            @MainActor number, text in
            MainActor.assertIsolated()
            if number < 0 { throw Refused() }
            return text + counter.add(number)
        }
        let plain = uncheckedIsolation(function, as: ((Int, String) throws -> String).self)
        #expect(function.isolation === MainActor.shared)
        #expect(try plain(3, "a") == "a3")
        #expect(throws: Refused.self) { try plain(-1, "a") }
        #expect(try called(function, 4, "b") == "b7")
    }

    @Test func TH_3_a_function_of_an_actor_and_a_method() async {
        actor Owner {
            var count = 0
            func check() {
                let function: @isolated(any) ([Int]) -> Int? = {
                    self.preconditionIsolated()
                    self.count += $0.count
                    return self.count
                }
                let plain = uncheckedIsolation(function, as: (([Int]) -> Int?).self)
                #expect(function.isolation === self)
                #expect(plain([1, 2]) == 2)
                #expect(plain([]) == 2)
            }
        }
        await Owner().check()
        let counter = Counter()
        let method: (Counter) -> @isolated(any) (Int) -> String = Counter.add
        let plain = uncheckedIsolation(method, as: ((Counter) -> (Int) -> String).self)
        #expect(plain(counter)(5) == "5")
        #expect(counter.count == 5)
    }
}
