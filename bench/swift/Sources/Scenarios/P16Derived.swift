// SPDX-License-Identifier: Apache-2.0
//
// P16: what is derived of an array of 100,000 objects, and the same made anew by the language.
//
//     P16a  sorted by age: one age is set
//     P16b  the same: one is appended, and removed again
//     P16c  filtered by age: another condition, which a quarter answers otherwise; an element
//     P16d  sorted by a number that all have in common: it is set; an element

import ObservableSwift

private let length = 100_000

private final class Common: ObservableModel {
    @Observed var factor = 1
}

private final class Person: ObservableModel {
    @Observed var age: Int
    @Observed var common: Common

    init(_ number: Int, _ common: Common) {
        (age, self.common) = (ageOf(number), common)
        super.init()
    }

    var rank: Int { age &* common.factor % 1009 }
}

private func ageOf(_ number: Int) -> Int { (number &* 2_654_435_761) % length }

private func people(_ common: Common = Common()) -> [Person] {
    (0..<length).map { Person($0, common) }
}

private func isSorted(_ people: some Sequence<Person>) -> Bool {
    let ages = people.map(\.age)
    return ages.count == length && zip(ages, ages.dropFirst()).allSatisfy { $0 <= $1 }
}

func derivedArrays() -> [Variant] {
    [
        Variant(id: "P16a", name: "ours") {
            let people = ObservableArray(people())
            let sorted = people.refreshing(when: \.age).sorting { $0.age < $1.age }
            return each {
                people[$0 % length].age = ageOf($0 &* 7)
            } verify: {
                isSorted(sorted)
            }
        },
        Variant(id: "P16a", name: "made anew", limit: 16) {
            let people = people()
            var sorted = people
            return each {
                people[$0 % length].age = ageOf($0 &* 7)
                sorted = people.sorted { $0.age < $1.age }
            } verify: {
                isSorted(sorted)
            }
        },
        Variant(id: "P16b", name: "ours") {
            let people = ObservableArray(people())
            let (sorted, another) = (
                people.refreshing(when: \.age).sorting { $0.age < $1.age }, Person(0, Common())
            )
            return each { _ in
                people.append(another)
                people.removeLast()
            } verify: {
                isSorted(sorted)
            }
        },
        Variant(id: "P16c", name: "ours", step: length) {
            let people = ObservableArray(people())
            let filtered = people.filtering { $0.age >= length / 2 }
            return steps { least in
                filtered.replaceCondition { (person: Person) in person.age >= least }
                return filtered.count
            }
        },
        Variant(id: "P16c", name: "made anew", step: length) {
            let people = people()
            return steps { least in people.filter { $0.age >= least }.count }
        },
        Variant(id: "P16d", name: "ours", step: length) {
            let common = Common()
            let people = ObservableArray(people(common))
            let sorted = people.refreshing(when: \.common.factor).sorting { $0.rank < $1.rank }
            return ranks(common) { sorted }
        },
        Variant(id: "P16d", name: "made anew", step: length) {
            let common = Common()
            let people = people(common)
            return ranks(common) { people.sorted { $0.rank < $1.rank } }
        },
    ]
}

private func each(
    _ work: @escaping (Int) -> Void, verify: @escaping () -> Bool
) -> Trial {
    Trial(
        run: { first, count in timed { for number in first..<first + count { work(number) } } },
        verify: { _ in verify() })
}

/// An operation is an element.
private func steps(_ ask: @escaping (_ least: Int) -> Int) -> Trial {
    var isRight = true
    return Trial(
        run: { first, count in
            timed {
                for step in first / length..<(first + count) / length {
                    let least = (1 + step % 2) * length / 4
                    isRight = ask(least) == length - least && isRight
                }
            }
        },
        verify: { _ in isRight })
}

private func ranks(_ common: Common, _ sorted: @escaping () -> some Sequence<Person>) -> Trial {
    Trial(
        run: { first, count in
            timed {
                for step in first / length..<(first + count) / length {
                    common.factor = step + 2
                    _ = sorted()
                }
            }
        },
        verify: { _ in
            let ranks = sorted().map(\.rank)
            return zip(ranks, ranks.dropFirst()).allSatisfy { $0 <= $1 }
        })
}
