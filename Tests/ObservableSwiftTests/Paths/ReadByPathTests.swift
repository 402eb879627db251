// SPDX-License-Identifier: Apache-2.0
//
// Reading by path: `value(at:)`. What a script can say of it stands in the scenarios (`leads`).

import ObservableSwift
import Testing

private struct Frame: Equatable {
    var width = 1
    var note: String?
}

private protocol Shape {
    var area: Int { get }
}

private struct Dot: Shape {
    let area = 0
}

private class Street: ObservableModel, Shape {
    @Observed var name: String?
    @Observed var frame = Frame()
    @Observed var houses = [3, 5]
    @ObservedAtomic var visits = 7
    var area: Int { frame.width * 10 }
}

private final class Avenue: Street {
    @Observed var trees = 4
}

private final class Town: ObservableModel, ObservationAware {
    @Observed var street: Street?
    @Observed var shape: (any Shape)?
    @Observed var anything: Any?
    @ObservedWeak var far: Street?
    @Observed var text = "a"
    @Observed var count = 0
    var plain = 3
    var told = 0

    /// Read by path inside getters.
    var textByPath: String { (try? value(at: "text").value as? String) ?? "" }
    var nameByPath: String? { (try? value(at: "street.name").value as? String) ?? nil }

    func didBecomeObserved(_ property: String) { told += 1 }
    func didBecomeUnobserved(_ property: String) { told += 1 }
}

private final class Car {
    var speed: Int? = 80
    /// A name that the library's own members have.
    var value = "of the car"
}

@Suite struct ReadByPathTests {
    // MARK: - What is read

    @Test func KP_2_a_path_is_read_through_nil() throws {
        let town = Town()
        #expect(town.value(at: \.count) == .reached(0))
        #expect(town.value(at: \.street?.name) == .unreachable)
        #expect(try !town.value(at: "street.name").isReachable)
        let street = Street()
        town.street = street
        #expect(town.value(at: \.street?.name) == .reached(nil))
        let name = try town.value(at: "street.name")
        #expect(name.isReachable && name.value == nil)
        street.name = "High"
        #expect(town.value(at: \.street?.name) == .reached("High"))
        #expect(try town.value(at: "street.name").value as? String == "High")
        #expect(town.value(at: \.street).value === street)
        #expect(try town.value(at: "street").value as? Street === street)
        town.street = nil
        #expect(town.value(at: \.street).isReachable)
        #expect(try town.value(at: "street").isReachable)
        #expect(try town.value(at: "street").value == nil)
    }

    @Test func KP_2_each_kind_of_property_is_read() throws {
        let town = Town()
        let street = Street()
        town.far = street
        #expect(town.value(at: \.far?.visits) == .reached(7))
        #expect(try town.value(at: "far.visits").value as? Int == 7)
        #expect(try town.value(at: "far.frame").value as? Frame == Frame())
        town.anything = street
        #expect(try town.value(at: "anything.visits").value as? Int == 7)
        town.anything = 5
        #expect(try town.value(at: "anything").value as? Int == 5)
    }

    @Test func LT_6_a_weak_object_that_has_gone_is_not_there() throws {
        let town = Town()
        var street: Street? = Street()
        town.far = street
        #expect(town.value(at: \.far?.visits).isReachable)
        street = nil
        #expect(street == nil)
        #expect(town.value(at: \.far?.visits) == .unreachable)
        #expect(try !town.value(at: "far.visits").isReachable)
        #expect(town.value(at: \.far).isReachable)
    }

    /// By key path also what cannot be observed.
    @Test func KP_7_KP_18_a_typed_path_goes_on_into_values_and_getters() {
        let town = Town()
        let street = Street()
        town.street = street
        #expect(town.value(at: \.street?.frame.width) == .reached(1))
        #expect(town.value(at: \.street?.area) == .reached(10))
        #expect(town.value(at: \.plain) == .reached(3))
        #expect(town.value(at: \.street?.houses[1]) == .reached(5))
        // Inside a value what is nil, or not there, is unreachable.
        #expect(town.value(at: \.street?.houses[2]) == .unreachable)
        #expect(town.value(at: \.street?.frame.note) == .unreachable)
        street.frame.note = "x"
        #expect(town.value(at: \.street?.frame.note) == .reached("x"))
        #expect(town.value(at: \.shape?.area) == .unreachable)
        town.shape = street
        #expect(town.value(at: \.shape?.area) == .reached(10))
        town.shape = Dot()
        #expect(town.value(at: \.shape?.area) == .reached(0))
    }

    /// A path that a program keeps with its value's type.
    @Test func KP_19_a_stored_path_is_read() {
        let town = Town()
        let path: ValuePath<Town, Int> = \.street?.frame.width
        #expect(town.value(at: path) == .unreachable)
        town.street = Street()
        #expect(town.value(at: path) == .reached(1))
    }

    // MARK: - What is refused

    @Test func KP_12_a_text_that_cannot_be_read_is_refused() throws {
        let town = Town()
        func refused(_ text: String) throws -> ObservationError.Kind? {
            let path = try TextPath(parsing: text)
            let error = #expect(throws: ObservationError.self) { try town.value(at: path) }
            #expect(error?.path == text)
            return error?.kind
        }
        #expect(try refused("nobody") == .unknown)
        #expect(try refused("plain") == .unknown)
        #expect(try refused("*") == .unsupportedElement)
        #expect(try refused("street.*") == .unsupportedElement)
        #expect(try refused("#0") == .unsupportedElement)
        let error = #expect(throws: ObservationError.self) { try TextPath(parsing: "a..b") }
        #expect(error?.kind == .syntax && error?.position == 2)
    }

    @Test func KP_12_a_key_path_to_every_property_stops_the_program() async {
        await #expect(processExitsWith: .failure) { _ = Town().value(at: \.allProperties) }
    }

    /// KP-11: as for observing, an object that lacks the next property leads nowhere.
    @Test func KP_11_what_an_object_on_the_way_lacks_is_unreachable() throws {
        let town = Town()
        town.street = Street()
        #expect(try !town.value(at: "street.trees").isReachable)
        #expect(try !town.value(at: "text.length").isReachable)
        town.street = Avenue()
        #expect(try town.value(at: "street.trees").value as? Int == 4)
    }

    // MARK: - Nothing is observed

    @Test func OS_1_a_read_observes_nothing() throws {
        let town = Town()
        let street = Street()
        town.street = street
        _ = town.value(at: \.street?.name)
        _ = try town.value(at: "street.name")
        #expect(town.told == 0)
        #expect(town.allObservedProperties == [] && street.allObservedProperties == [])
        #expect(ObservationInspector(town).observers.isEmpty)
    }

    @Test func LT_1_a_read_holds_nothing() throws {
        var town: Town? = Town()
        weak var street: Street?
        do {
            let made = Street()
            street = made
            town?.street = made
        }
        _ = town?.value(at: \.street)
        _ = try town?.value(at: "street")
        _ = try town?.value(at: "street.houses")
        town = nil
        #expect(town == nil)
        #expect(street == nil)
    }

    // MARK: - Proxies

    @Test func KP_17_a_path_is_read_through_a_proxy() throws {
        let car = Car()
        let proxy = ObservableProxy.of(car)
        #expect(proxy.value(at: \.speed) == .reached(80))
        #expect(try proxy.value(at: "speed").value as? Int == 80)
        #expect(proxy.value(at: \.value) == .reached("of the car"))
        // Not hidden by the call that is named so.
        let own: String? = proxy.value
        #expect(own == "of the car")
        #expect(proxy.value == "of the car")
    }

    // MARK: - Recorded reads

    /// A getter that reads one observed property, by path, is followed as one that reads it at once.
    @Test func KP_7_a_getter_that_reads_by_path_is_what_it_reads() {
        let town = Town()
        let (one, far) = (
            Calls(town, \.textByPath), Calls(town, \.nameByPath)
        )
        #expect(one.observation.unresolvedPaths == [])
        // That of another object is no property of this one, but what is computed of it.
        #expect(far.observation.unresolvedPaths == [])
        town.text = "b"
        #expect(one.new == 1 && far.new == 0)
        town.street = Street()
        #expect(far.new == 0)
        town.street?.name = "b"
        #expect(far.new == 1)
        #expect(town.numberOfObservers(of: "text") == 1)
    }
}
