// SPDX-License-Identifier: Apache-2.0
//
// What is promised of an annotated class, beside what is promised of any host.

import Foundation
import ObservableMacros
import ObservableObservation
import ObservableSwift
import Observation
import Testing

@Suite struct AnnotatedClassTests {
    private let loop = DeliveryLoop {}

    @Test func KP_1_a_path_is_followed_through_nil_and_replaced_objects() {
        let user = User()
        var seen: [String?] = []
        let token = user.values(of: \.address?.zipCode).on(loop).onChange { seen.append($0) }
        loop.drain()
        user.address = Address("1")
        user.address?.zipCode = "2"
        loop.drain()
        let former = user.address
        user.address = Address("3")
        loop.drain()
        former?.zipCode = "4"
        user.address = nil
        loop.drain()
        #expect(seen == [nil, "2", "3", nil])
        #expect(former.map { ObservationInspector($0).observedProperties } == [])
        withExtendedLifetime(token) {}
    }

    @Test func KP_1_classes_refer_to_each_other() {
        let user = User()
        user.address = Address("1")
        user.address?.resident = user
        var seen: [String?] = []
        let token = user.values(of: \.address?.resident?.name).on(loop).onChange { seen.append($0) }
        loop.drain()
        user.name = "Grace"
        loop.drain()
        user.address?.resident = nil
        loop.drain()
        #expect(seen == ["Ada", "Grace", nil])
        withExtendedLifetime(token) {}
    }

    @Test func KP_19_text_names_what_is_observed_and_constants() throws {
        let user = User(id: 7)
        user.address = Address("1")
        #expect(try user.value(at: "id").value as? Int == 7)
        #expect(try user.value(at: "name").value as? String == "Ada")
        #expect(try user.value(at: "decade").value as? Int == 3)
        var calls = 0
        let token = user.onChange(of: \.[text: "address.zipCode"], on: loop) { _ in calls += 1 }
        user.address?.zipCode = "2"
        loop.drain()
        #expect(calls == 1)
        #expect(token.failure == nil)
    }

    @Test func PK_1_what_is_left_out_tells_nobody() {
        let user = User()
        let token = user.onChange(of: \.allProperties, on: loop) { _ in }
        user.ages.append(1)
        #expect(loop.drain() == 0)
        user.name = "Grace"
        #expect(loop.drain() == 1)
        #expect(throws: ObservationError.self) {
            try user.value(at: "ages")
        }
        withExtendedLifetime(token) {}
    }

    @Test func PK_1_observers_of_the_property_run() {
        let user = User()
        user.age = 37
        user.age += 1
        #expect(user.ages == [36, 37])
    }

    @Test func PK_1_values_are_computed_by_annotation_by_call_and_by_a_getter() {
        let user = User()
        var seen: [String] = []
        let tokens = [
            user.changes(of: \.decade).map(\.new).on(loop).onChange { seen.append("\($0 ?? 0)") },
            user.changes(of: \.shout).map(\.new).on(loop).onChange { seen.append($0 ?? "") },
            user.changes(of: \.town).map(\.new).on(loop).onChange { seen.append($0 ?? "") },
        ]
        user.age = 39
        #expect(loop.drain() == 0)
        user.age = 40
        loop.drain()
        #expect(seen == ["4"])
        user.name = "Bo"
        loop.drain()
        #expect(seen.sorted() == ["4", "BO", "town of Bo"])
        withExtendedLifetime(tokens) {}
    }

    @Test func PK_1_a_collection_tells_its_edits() {
        let user = User()
        var seen: [Int?] = []
        let token = user.values(of: \.tags.count).on(loop).onChange { seen.append($0) }
        loop.drain()
        user.tags.append("a")
        loop.drain()
        user.tags = ["a", "b", "c"]
        loop.drain()
        #expect(seen == [0, 1, 3])
        withExtendedLifetime(token) {}
    }

    @Test func PK_1_it_is_coded_as_a_plain_class() throws {
        let user = User(id: 1), plain = PlainUser()
        user.address = Address("1")
        plain.address = PlainAddress()
        plain.address?.zipCode = "1"
        user.tags.append("new")
        plain.tags.append("new")
        let encoder = JSONEncoder(), decoder = JSONDecoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(user)
        #expect(
            try String(decoding: encoder.encode(plain), as: UTF8.self)
                == String(decoding: data, as: UTF8.self))
        let read = try decoder.decode(User.self, from: data)
        #expect(read.address?.zipCode == "1")
        #expect(Array(read.tags) == ["new"])
        #expect(try encoder.encode(read) == data)
        let token = read.onChange(of: \.address?.zipCode, on: loop) { _ in }
        read.address?.zipCode = "2"
        #expect(loop.drain() == 1)
        withExtendedLifetime(token) {}
    }

    @Test func PK_2_the_superclass_may_be_any() {
        let slider = Slider(), modelled = Modelled(), box = Box(["a"]), shape = Shape()
        let tokens = [
            slider.onChange(of: \.value, on: loop) { _ in },
            modelled.onChange(of: \.level, on: loop) { _ in },
            box.onChange(of: \.content, \.area, on: loop) { _ in },
            shape.onChange(of: \.area, on: loop) { _ in },
        ]
        slider.frame = 1
        #expect(loop.drain() == 0)
        slider.value = 1
        modelled.level = 1
        box.content.append("b")
        shape.grow()
        #expect(loop.drain() == 4)
        box.grow()
        #expect(loop.drain() == 1)
        withExtendedLifetime(tokens) {}
    }

    @Test func PK_2_a_nested_class_is_as_visible_as_its_extension() {
        let nested = Outer.Nested()
        let token = nested.onChange(of: \.name, on: loop) { _ in }
        nested.name = "Ada"
        #expect(loop.drain() == 1)
        withExtendedLifetime(token) {}
    }

    @Test @MainActor func OS_1_a_class_of_an_actor_observes_itself() {
        let form = Form()
        form.text = "one"
        DeliveryLoop.main.drain()
        #expect(form.length == 3)
    }

    @Test func TH_1_a_property_of_any_thread_is_set_on_another() async {
        let gauge = Gauge()
        let seen = gauge.onChange(of: \.level, on: loop) { _ in }
        await Task.detached { gauge.level = 5 }.value
        #expect(loop.drain() == 1)
        #expect(gauge.level == 5)
        withExtendedLifetime(seen) {}
    }

    /// What the properties hold ends behind that.
    @Test func LT_4_the_object_has_ended_before_its_properties_go() {
        let notes = Ends.noted {
            var holder: Holder? = Holder()
            let token = holder!.onChange(of: \.witness?.name, on: loop) { _ in }
            holder = nil
            withExtendedLifetime(token) {}
        }
        #expect(notes == ["0"])
    }

    @Test func LT_4_a_deinit_of_the_program_goes_first() {
        let notes = Ends.noted {
            var holder: HolderWithDeinit? = HolderWithDeinit()
            let token = holder!.onChange(of: \.witness?.name, on: loop) { _ in }
            holder = nil
            withExtendedLifetime(token) {}
        }
        #expect(notes == ["deinit, 1", "0"])
    }

    @Test func LT_4_each_class_of_a_hierarchy_has_its_deinit() {
        let notes = Ends.noted {
            var box: Box<Int>? = Box(1)
            let token = box!.onChange(of: \.content, on: loop) { _ in }
            box = nil
            withExtendedLifetime(token) {}
        }
        #expect(notes == ["Box", "Shape"])
    }

    @Test func OB_1_every_instance_is_observed_before_there_is_one() {
        var calls = 0
        let token = Unmet.allInstances.instances(when: \.name).on(loop).onChange { _ in calls += 1 }
        Unmet().name = "Ada"
        loop.drain()
        #expect(calls == 1)
        withExtendedLifetime(token) {}
    }

    @Test func BI_7_a_read_inside_tracking_is_seen() async {
        await #expect(processExitsWith: .success) {
            ObservationBridge.isOn = true
            let user = User()
            let told = Told()
            withObservationTracking {
                _ = user.name
            } onChange: {
                told.times += 1
            }
            user.age += 1
            #expect(told.times == 0)
            user.name = "Grace"
            #expect(told.times == 1)
        }
    }
}

@ObservableClass private final class Unmet {
    var name = ""
}

private final class Told: @unchecked Sendable {
    var times = 0
}
