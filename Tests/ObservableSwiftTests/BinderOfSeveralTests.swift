// SPDX-License-Identifier: Apache-2.0
//
// BI-5: several properties of two objects by one binder.

import ObservableSwift
import Testing

private protocol Named: AnyObject {
    var first: String { get set }
    var last: String? { get set }
    var place: Place? { get set }
    var initial: String { get }
}

/// All properties of the protocol that can be set.
private let allOfNamed: [TypedPath<any Named> & Sendable] = [\.first, \.last, \.place]

private final class Place: ObservableModel {
    @Observed var city = "here"
}

private final class Person: ObservableModel, Named {
    @Observed var first = "Ann"
    @Observed var last: String? = "Ames"
    @Observed var place: Place?
    @Observed var age = 30
    var initial: String { String(first.prefix(1)) }
    private let probe: Probe?

    init(_ died: Shared<Int>? = nil) {
        probe = died.map(Probe.init)
    }
}

/// Of another class, with the same properties elsewhere.
private final class Card: ObservableHost, Named {
    let observation = ObservationHeader()
    @Observed var title = ""
    @Observed var years = ""
    @Observed var place: Place?
    @Observed var last: String?
    @Observed var first = ""
    let initial = "C"
}

/// Conforms, and cannot be observed.
private final class Stranger: Named {
    var first = ""
    var last: String?
    var place: Place?
    let initial = ""
}

/// Not for classes alone.
private protocol Aged {
    var age: Int { get set }
}

extension Person: Aged {}

private struct Decimal: ValueConverter {
    struct NoNumber: Error {}

    func convert(_ value: Int) -> String { "\(value)" }
    func convertBack(_ value: String) throws -> Int {
        guard let number = Int(value) else { throw NoNumber() }
        return number
    }
}

@Suite struct BinderOfSeveralTests {
    private let loop = DeliveryLoop()
    private let person = Person()
    private let card = Card()

    private func drain() {
        while loop.drain() > 0 {}
    }

    @Test func BI_5_all_properties_of_a_protocol() {
        let binder = bind(person, card, properties: allOfNamed, isTwoWay: false, on: loop)
        #expect(binder.failure == nil)
        #expect(card.first == "Ann" && card.last == "Ames" && card.place == nil)
        person.first = "Bea"
        person.last = nil
        person.place = Place()
        #expect(card.first == "Ann")
        drain()
        #expect(card.first == "Bea" && card.last == nil && card.place === person.place)
        // One way.
        card.first = "Cay"
        drain()
        #expect(person.first == "Bea")
        // As any path: by their names, wherever they stand in the class.
        #expect(person.allObservedProperties.sorted() == ["first", "last", "place"])
        #expect(person.numberOfObservers(of: "first") == 1)
        binder.cancel()
        #expect(binder.hasEnded)
        #expect(person.allObservedProperties == [] && card.allObservedProperties == [])
        person.first = "Dee"
        drain()
        #expect(card.first == "Cay")
    }

    @Test func BI_5_both_ways() {
        let binder = bind(person, card, properties: allOfNamed, on: loop)
        drain()
        #expect(card.first == "Ann")
        card.first = "Bea"
        person.last = "Bell"
        drain()
        #expect(person.first == "Bea" && card.last == "Bell")
        // The newest set of each.
        person.first = "older"
        card.last = "older"
        card.first = "newer"
        person.last = "newer"
        drain()
        #expect(person.first == "newer" && card.first == "newer")
        #expect(person.last == "newer" && card.last == "newer")
        withExtendedLifetime(binder) {}
    }

    @Test func BI_5_a_list_of_paths_of_one_class() {
        let other = Person()
        let far = Person()
        person.place = Place()
        let named = far as any Named
        let binders = [
            bind(person, other, properties: [\.age, \.last], isTwoWay: false, on: loop),
            bind(
                person as any Named, named, properties: [\.place?.city], isTwoWay: false, on: loop),
        ]
        person.age = 31
        person.last = "Bell"
        person.first = "Bea"
        far.place = Place()
        person.place?.city = "there"
        drain()
        #expect(other.age == 31 && other.last == "Bell" && other.first == "Ann")
        #expect(far.place?.city == "there" && far.place !== person.place)
        withExtendedLifetime(binders) {}
    }

    /// Nothing is bound, and nothing was set.
    @Test func BI_5_what_is_refused_is_refused_whole() {
        let constant = bind(
            person, card, properties: [\.first, \.initial] as [TypedPath<any Named>],
            isTwoWay: false,
            on: loop)
        #expect(constant.failure?.kind == .unsupportedElement && constant.hasEnded)
        let every = bind(
            person, Person(), properties: [\.age, \.allProperties], isTwoWay: false, on: loop)
        #expect(every.failure?.kind == .unsupportedElement)
        let itself = bind(person, person, properties: [\.first, \.age], on: loop)
        #expect(itself.failure?.kind == .argument)
        let stranger = bind(person, Stranger(), properties: allOfNamed, isTwoWay: false, on: loop)
        #expect(stranger.failure?.kind == .unsupportedElement)
        let values = bind(
            person, Person(), properties: [\.age] as [TypedPath<any Aged>], isTwoWay: false,
            on: loop)
        #expect(values.failure?.kind == .unsupportedElement)
        #expect(card.first == "" && person.last == "Ames")
        #expect(person.allObservedProperties == [])
        let none = bind(
            person, card, properties: [] as [TypedPath<any Named>], isTwoWay: false, on: loop)
        #expect(none.failure == nil && none.hasEnded)
    }

    @Test func BI_5_it_keeps_nobody_and_is_over_with_either_end() {
        let died = Shared(0)
        for order in 0..<3 {
            var source: Person? = Person(died)
            var target: Person? = Person(died)
            var binder: ObservationToken? = bind(
                source!, target!, properties: allOfNamed, on: loop)
            source!.first = "Bea"
            withExtendedLifetime(binder) {}
            for step in 0..<3 {
                switch (order + step) % 3 {
                case 0: binder = nil
                case 1: source = nil
                default: target = nil
                }
                drain()
                #expect(binder?.hasEnded != false || step == 0 && order == 0)
            }
        }
        #expect(died.value == 6)
    }

    @Test func BI_5_its_observations_end_by_its_bag() {
        let bag = ObservationBag()
        bind(person, card, properties: allOfNamed, on: loop).store(in: bag)
        #expect(!person.allObservedProperties.isEmpty)
        bag.cancelAll()
        #expect(person.allObservedProperties == [] && card.allObservedProperties == [])
    }
}
