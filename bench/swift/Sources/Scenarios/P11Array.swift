// SPDX-License-Identifier: Apache-2.0
//
// P11: an observable array of a thousand numbers, one of which is appended and removed again.
//
//     P11a  an immediate observer, which is told where
//     P11d  nobody observes
//
// P11e, P11f: iterating and indexing an observable array of a million numbers; an element.

import BenchSupport
import ObservableSwift

private let length = 1_000

private final class NumbersWatcher: ObservableModel {
    let tally = Tally()
}

/// Appends to the array that is its context, and removes again.
private let appendAndRemove: Setter = { context, value in
    context.with(ObservableArray<Int>.self) {
        $0.append(value)
        $0.removeLast()
    }
}

private final class PlainNumbers {
    var numbers = Array(0..<length)

    static let setter: Setter = { context, value in
        context.with(PlainNumbers.self) {
            $0.numbers.append(value)
            $0.numbers.removeLast()
        }
    }
}

func arrayEdits() -> [Variant] {
    [
        Variant(id: "P11a", name: "ours") {
            let numbers = ObservableArray(0..<length)
            let watcher = NumbersWatcher()
            numbers.tell(watcher, when: \.[text: "*"], options: .immediate) { watcher, numbers in
                numbers.forEachEdit {
                    if case .replaced(let range, _) = $0 { watcher.tally.add(range.lowerBound) }
                }
            }
            return .sets(of: numbers, by: appendAndRemove) { last in
                watcher.tally.sum == 2 * last * length
            }
        },
        Variant(id: "P11d", name: "ours") {
            let numbers = ObservableArray(0..<length)
            return .sets(of: numbers, by: appendAndRemove) { _ in numbers.count == length }
        },
        Variant(id: "P11d", name: "floor") {
            let plain = PlainNumbers()
            return .sets(of: plain, by: PlainNumbers.setter) { _ in plain.numbers.count == length }
        },
    ] + readings()
}

// MARK: - Reading

private let million = 1_000_000

private func readings() -> [Variant] {
    [
        reading("P11e", "ours") {
            ObservableArray(0..<million)
        } read: {
            iterated($0)
        },
        reading("P11e", "floor") {
            Array(0..<million)
        } read: {
            iterated($0)
        },
        reading("P11f", "ours") {
            ObservableArray(0..<million)
        } read: {
            indexed($0)
        },
        reading("P11f", "floor") {
            Array(0..<million)
        } read: {
            indexed($0)
        },
    ]
}

@inline(never)
private func iterated(_ numbers: ObservableArray<Int>) -> Int {
    var sum = 0
    for number in numbers { sum &+= number }
    return sum
}

@inline(never)
private func iterated(_ numbers: [Int]) -> Int {
    var sum = 0
    for number in numbers { sum &+= number }
    return sum
}

@inline(never)
private func indexed(_ numbers: ObservableArray<Int>) -> Int {
    var sum = 0
    for index in 0..<million { sum &+= numbers[index] }
    return sum
}

@inline(never)
private func indexed(_ numbers: [Int]) -> Int {
    var sum = 0
    for index in 0..<million { sum &+= numbers[index] }
    return sum
}

/// Reads all of it, again and again; an operation is an element.
private func reading<Numbers>(
    _ id: String, _ name: String, _ make: @escaping () -> Numbers,
    read: @escaping (Numbers) -> Int
) -> Variant {
    Variant(id: id, name: name, step: million) {
        let numbers = make()
        var isRight = true
        return Trial(
            run: { _, count in
                timed {
                    for _ in 0..<count / million {
                        isRight = read(numbers) == million * (million - 1) / 2 && isRight
                    }
                }
            },
            verify: { _ in isRight })
    }
}
