// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

private protocol Named: AnyObject {
    var name: String { get }
    var next: (any Named)? { get }
}

/// May be a value.
private protocol Sized {
    var size: Int { get }
}

private class Person: ObservableModel, Named, Sized {
    @Observed var name = ""
    @Observed var size = 0
    @Observed var count = 0
    @Observed var next: (any Named)?
    @Observed var friend: Person?
    @Observed var sized: any Sized = 0
    @Observed var anything: Any?
    @ObservedWeak var parent: Person?
    let maker: Person?
    init(maker: Person? = nil) { self.maker = maker }
}

private final class Employee: Person {
    @Observed var office: Person?
}

private final class Pet: ObservableModel, Named {
    @Observed var kind = 0
    @Observed var name = ""
    @Observed var next: (any Named)?
}

/// No model.
private final class Statue: Named {
    var name = ""
    var next: (any Named)? { nil }
}

extension Int: Sized {
    fileprivate var size: Int { self }
}

private final class Observer {}

@Suite struct SpellingTests {
    private let loop = DeliveryLoop()

    @Test func KP_19_counts_and_lists() {
        let (root, friend) = (Person(), Person())
        root.friend = friend
        let text = Calls(root, "friend.name")
        let once = root.allObservedProperties
        let typed = Calls(root, \.friend?.name)
        #expect(root.numberOfObservers(of: "friend") == 2)
        #expect(friend.numberOfObservers(of: "name") == 2)
        #expect(root.allObservedProperties == once && once == ["friend"])
        #expect(friend.allObservedProperties == ["name"])
        text.observation.stop()
        #expect(root.numberOfObservers(of: "friend") == 1)
        #expect(friend.allObservedProperties == ["name"])
        typed.observation.stop()
        #expect(root.allObservedProperties == [] && friend.allObservedProperties == [])
    }

    @Test func KP_19_DR_4_order_of_calls() {
        let (root, observer) = (Person(), Observer())
        var calls: [Int] = []
        root.tell(observer, when: \.[text: "friend.name"], on: loop) { _, _ in calls.append(0) }
        root.tell(observer, when: \.friend?.name, on: loop) { _, _ in calls.append(1) }
        root.tell(observer, when: \.[text: "friend.name"], on: loop) { _, _ in calls.append(2) }
        root.tell(observer, when: \.friend?.name, on: loop) { _, _ in calls.append(3) }
        root.friend = Person()
        loop.drain()
        #expect(calls == [0, 1, 2, 3])
        root.friend?.name = "a"
        loop.drain()
        #expect(calls == [0, 1, 2, 3, 0, 1, 2, 3])
    }

    @Test func KP_16_KP_19_the_same_path_twice_is_one() throws {
        let root = Person()
        let observation = root.tell(
            self.observer, when: \.[text: "friend.name"], on: loop, options: .allowsMorePaths
        ) { _, _ in }
        try observation.also(root, when: \.friend?.name)
        root.friend = Person()
        #expect(root.friend?.numberOfObservers(of: "name") == 1)
        observation.stop(about: "friend.name")
        #expect(observation.hasEnded)
    }

    private let observer = Observer()

    @Test func KP_19_ST_1_stopping_by_either_spelling() {
        let root = Person()
        root.friend = Person()
        root.tell(observer, when: \.friend?.name, on: loop) { _, _ in }
        root.stopTelling(observer, about: \.[text: "friend.name"])
        #expect(root.allObservedProperties == [])
        root.tell(observer, when: \.[text: "friend.name"], on: loop) { _, _ in }
        root.stopTelling(observer, about: \.friend?.name)
        #expect(root.allObservedProperties == [])
        let typed = root.tell(observer, when: \.friend?.name, \.count, on: loop) { _, _ in }
        typed.stop(about: "friend.name")
        #expect(root.allObservedProperties == ["count"])
        typed.stop(about: #"\count"#)
        #expect(typed.hasEnded && root.allObservedProperties == [])
        let text = root.tell(observer, when: \.[text: "friend.name"], \.[text: "count"], on: loop) {
            _, _ in
        }
        text.stop(about: \.friend?.name, of: root)
        text.stop(about: \.count, of: root)
        #expect(text.hasEnded && root.allObservedProperties == [])
        root.tell(observer, when: \.friend!.name, on: loop) { _, _ in }
        root.stopTelling(observer, about: \.friend?.name, \.count)
        #expect(root.allObservedProperties == [])
    }

    // Classes that no object was made of before: a typed path over them names nothing yet.

    private final class Fresh1: ObservableModel { @Observed var name = "" }
    private final class Fresh2: ObservableModel { @Observed var name = "" }
    private final class Fresh3: ObservableModel { @Observed var name = "" }
    private final class Holder1: ObservableModel { @Observed var fresh: Fresh1? }
    private final class Holder2: ObservableModel { @Observed var fresh: Fresh2? }
    private final class Holder3: ObservableModel { @Observed var fresh: Fresh3? }

    @Test func KP_19_KP_2_typed_first_while_the_middle_is_nil() {
        let root = Holder1()
        let typed = Calls(root, \.fresh?.name)
        let text = Calls(root, "fresh.name")
        root.fresh = Fresh1()
        #expect(typed.new == 1 && text.new == 1)
        #expect(root.fresh?.numberOfObservers(of: "name") == 2)
        root.fresh?.name = "a"
        #expect(typed.new == 1 && text.new == 1)
        typed.observation.stop(about: "fresh.name")
        #expect(typed.observation.hasEnded)
        text.observation.stop(about: \.fresh?.name, of: root)
        #expect(text.observation.hasEnded)
    }

    /// Each spelling finds what was begun by itself; the other, once there was an object.
    @Test func KP_19_stopping_what_has_no_name_yet() {
        let root = Holder2()
        root.tell(observer, when: \.fresh?.name, on: loop) { _, _ in }
        root.stopTelling(observer, about: \.fresh?.name)
        #expect(root.numberOfObservers(of: "fresh") == 0)
        root.tell(observer, when: \.[text: "fresh.name"], on: loop) { _, _ in }
        root.stopTelling(observer, about: \.[text: "fresh.name"])
        #expect(root.numberOfObservers(of: "fresh") == 0)
        let typed = root.tell(observer, when: \.fresh?.name, on: loop) { _, _ in }
        root.fresh = Fresh2()
        root.fresh = nil
        typed.stop(about: "fresh.name")
        #expect(typed.hasEnded && root.numberOfObservers(of: "fresh") == 0)
        let text = root.tell(observer, when: \.[text: "fresh.name"], on: loop) { _, _ in }
        text.stop(about: \.fresh?.name, of: root)
        #expect(text.hasEnded && root.numberOfObservers(of: "fresh") == 0)
    }

    /// An object of the class stands somewhere else, not behind this path.
    @Test func KP_19_stopping_what_other_objects_have_shown() {
        let (root, other) = (Holder3(), Holder3())
        other.fresh = Fresh3()
        let shown = Calls(other, \.fresh?.name)
        root.tell(observer, when: \.fresh?.name, on: loop) { _, _ in }
        root.stopTelling(observer, about: \.[text: "fresh.name"])
        #expect(root.numberOfObservers(of: "fresh") == 0)
        root.tell(observer, when: \.[text: "fresh.name"], on: loop) { _, _ in }
        root.stopTelling(observer, about: \.fresh?.name)
        #expect(root.numberOfObservers(of: "fresh") == 0)
        #expect(shown.observation.unresolvedPaths == [])
    }

    @Test func KP_19_subclass_roots() {
        let employee = Employee()
        let person: Person = employee
        let below = Calls(employee, \.friend?.name as TypedPath<Employee>)
        let above = Calls(person, \.friend?.name as TypedPath<Person>)
        let office = BothSpellings(employee, "office.name", \.office?.name)
        employee.friend = Employee()
        #expect(below.new == 1 && above.new == 1)
        #expect(employee.numberOfObservers(of: "friend") == 2)
        above.observation.stop(about: \.friend?.name as TypedPath<Employee>, of: employee)
        #expect(above.observation.hasEnded)
        below.observation.stop(about: \.friend?.name as TypedPath<Person>, of: employee)
        #expect(below.observation.hasEnded)
        employee.office = employee
        #expect(office.new == 1)
        employee.name = "a"
        #expect(office.new == 1)
    }

    /// What an existential holds may be of many classes, with the property at many places.
    @Test func KP_19_KP_11_existentials_in_the_middle() {
        let root = Person()
        let name = BothSpellings(root, "next.name", \.next?.name)
        let deep = BothSpellings(root, "next.next.name", \.next?.next?.name)
        let (person, pet) = (Person(), Pet())
        root.next = person
        #expect(name.new == 1 && deep.new == 0)
        person.name = "a"
        #expect(name.new == 1)
        pet.name = "a"
        root.next = pet
        #expect(name.new == 0)
        pet.name = "b"
        #expect(name.new == 1)
        person.name = "c"
        #expect(name.new == 0)
        pet.next = person
        #expect(name.new == 0 && deep.new == 1)
        person.name = "d"
        #expect(name.new == 0 && deep.new == 1)
        #expect(pet.numberOfObservers(of: "name") == 2)
        #expect(pet.numberOfObservers(of: "next") == 2)
        root.next = nil
        #expect(name.new == 1 && deep.new == 1)
        #expect(pet.allObservedProperties == [])
    }

    /// What an existential holds leads on where it is an observable object; by both spellings
    /// nothing lies below a value, or below an object that is no model.
    @Test func KP_17_KP_19_existentials_that_hold_no_model() {
        let root = Person()
        let name = BothSpellings(root, "next.name", \.next?.name)
        let next = BothSpellings(root, "next", \.next)
        let size = BothSpellings(root, "sized.size", \.sized.size)
        let (first, second) = (Statue(), Statue())
        first.name = "a"
        second.name = "b"
        root.next = first
        #expect(name.new == 0 && next.new == 1)
        root.next = second
        #expect(name.new == 0 && next.new == 1)
        root.next = Person()
        #expect(name.new == 1 && next.new == 1)
        root.next = first
        #expect(name.new == 1 && next.new == 1)
        root.sized = 5
        #expect(size.new == 0)
        let person = Person()
        root.sized = person
        #expect(size.new == 1)
        person.size = 6
        #expect(size.new == 1)
        root.sized = 6
        #expect(size.new == 1)
    }

    @Test func KP_1_KP_19_a_property_called_count() {
        let root = Person()
        root.friend = Person()
        let plain = BothSpellings(root, "count", \.count)
        let below = BothSpellings(root, "friend.count", \.friend?.count)
        let escaped = Calls(root, #"friend.\count"#)
        root.count = 1
        #expect(plain.new == 1)
        root.friend?.count = 1
        #expect(below.new == 1 && escaped.new == 1)
        #expect(root.friend?.numberOfObservers(of: "count") == 3)
        root.friend = Person()
        #expect(below.new == 1 && escaped.new == 1)
        root.tell(observer, when: \.count, on: loop) { _, _ in }
        root.stopTelling(observer, about: \.[text: "count"])
        #expect(root.numberOfObservers(of: "count") == 2)
    }

    @Test func KP_13_several_typed_paths_of_different_types() {
        let root = Person()
        var calls = 0
        let many = root.tell(
            observer, when: \.name, \.count, \.friend?.name, \.friend, \.next?.name, \.parent,
            on: loop
        ) { _, _ in calls += 1 }
        #expect(root.allObservedProperties == ["name", "count", "next", "friend", "parent"])
        root.name = "a"
        root.count = 1
        root.friend = Person()
        loop.drain()
        #expect(calls == 1)
        root.friend?.name = "b"
        loop.drain()
        #expect(calls == 2)
        root.next = Pet()
        root.parent = root
        loop.drain()
        #expect(calls == 3)
        root.stopTelling(observer, about: \.name, \.count, \.friend?.name)
        #expect(!many.hasEnded)
        #expect(root.allObservedProperties == ["next", "friend", "parent"])
        root.stopTelling(observer, about: \.friend, \.next?.name, \.parent)
        #expect(many.hasEnded)
        let token = root.onChange(of: \.name, \.friend?.count, on: loop) { _ in calls += 1 }
        root.friend?.count = 8
        loop.drain()
        #expect(calls == 4)
        token.cancel()
    }

    @Test func KP_19_paths_in_lists_and_put_together() {
        let root = Person()
        let friend: TypedPath<Person> = \.friend
        let deep = friend.appending(\.friend?.name as TypedPath<Person>)
        let paths = [deep, friend.appending(\.size as TypedPath<Person>), \.name]
        let calls = Calls(root, paths[0], paths[1], paths[2])
        let text = Calls(root, "friend.friend.name", "friend.size", "name")
        root.friend = Person()
        #expect(calls.new == 1 && text.new == 1)
        root.friend?.friend = Person()
        #expect(calls.new == 1 && text.new == 1)
        root.friend?.friend?.name = "a"
        #expect(calls.new == 1 && text.new == 1)
        for path: TextPath in ["friend.friend.name", "friend.size", "name"] {
            calls.observation.stop(about: path)
        }
        #expect(calls.observation.hasEnded)
        for path in paths { text.observation.stop(about: path, of: root) }
        #expect(text.observation.hasEnded)
    }

    /// What is refused has ended, says why, and observes nothing.
    @Test func KP_1_typed_paths_of_no_and_of_too_many_components() {
        let root = Person()
        let none = Calls(root, \.self)
        #expect(none.observation.failure != nil && none.observation.hasEnded)
        let friend: TypedPath<Person> = \.friend
        var path = friend
        for _ in 1..<255 { path = path.appending(friend) }
        let longest = Calls(root, path)
        #expect(longest.observation.failure == nil)
        let over = Calls(root, path.appending(\.name as TypedPath<Person>))
        #expect(over.observation.failure?.kind == .limit && over.observation.hasEnded)
        root.friend = root
        #expect(longest.new == 1 && none.new == 0 && over.new == 0)
        #expect(root.numberOfObservers(of: "friend") == 1)
        longest.observation.stop()
        root.friend = nil
    }

    /// Behind every property a typed path goes on by being put together; objects of other classes
    /// are not led through.
    @Test func WC_2_KP_19_a_path_behind_every_property() {
        let root = Person()
        let all: TypedPath<Person> = \.allProperties
        let both = BothSpellings(root, "*.name", all.appending(\.name as TypedPath<Person>))
        let friend = Person()
        root.friend = friend
        #expect(both.new == 1)
        friend.name = "Ada"
        #expect(both.new == 1)
        friend.count = 3
        root.name = "Eve"
        #expect(both.new == 0)
        root.friend = nil
        #expect(both.new == 1)
        friend.name = "Eve"
        #expect(both.new == 0)
        both.typed.observation.stop(about: "*.name")
        #expect(both.typed.observation.hasEnded)
    }

    /// Objects of other classes are no error of the path: it does not lead through them.
    @Test func WC_2_KP_11_a_path_behind_every_property_and_other_classes() {
        let root = Person()
        root.next = Pet()
        let all: TypedPath<Person> = \.allProperties
        let sizes = Calls(root, all.appending(\.size as TypedPath<Person>))
        let deeper = Calls(root, all.appending(\.friend?.name as TypedPath<Person>))
        #expect(sizes.observation.unresolvedPaths == [])
        #expect(deeper.observation.unresolvedPaths == [])
        root.friend = Person()
        root.friend?.size = 1
        #expect(sizes.new == 1 && deeper.new == 0)
        root.friend?.friend = Person()
        #expect(sizes.new == 0 && deeper.new == 1)
        root.next = Statue()
        root.next = Pet()
        #expect(sizes.new == 0 && deeper.new == 0)
        #expect(sizes.observation.unresolvedPaths == [])
    }

    /// A field that may be nil is one with a value that may be, whatever its type was asked as.
    @Test func KP_18_the_type_of_the_path_as_it_is_asked() {
        let root = Person()
        let nested: KeyPath<ObservedPath<Person>, ObservedPath<Person?>> =
            \.friend
        let plain = Calls(root, nested)
        let text = Calls(root, "friend")
        root.friend = Person()
        #expect(plain.new == 1 && text.new == 1)
        plain.observation.stop(about: "friend")
        #expect(plain.observation.hasEnded)
    }

    @Test func WC_1_KP_19_every_property() {
        let root = Person()
        root.friend = Person()
        let all = BothSpellings(root, "*", \.allProperties)
        let below = BothSpellings(root, "friend.*", \.friend?.allProperties)
        #expect(root.numberOfObservers(of: "*") == 2)
        #expect(root.friend?.numberOfObservers(of: "*") == 2)
        root.count = 1
        #expect(all.new == 1 && below.new == 0)
        root.friend?.count = 1
        #expect(all.new == 0 && below.new == 1)
        let observation = root.tell(observer, when: \.friend?.allProperties, on: loop) { _, _ in }
        observation.stop(about: "friend.*")
        #expect(observation.hasEnded)
    }

    @Test func KP_8_through_its_own_root() {
        let root = Person()
        let calls = BothSpellings(
            root, "friend.friend.friend.name", \.friend?.friend?.friend?.name)
        root.friend = root
        #expect(calls.new == 1)
        root.name = "a"
        #expect(calls.new == 1)
        root.friend = nil
        #expect(calls.new == 1)
    }
}
