// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

/// Old and new value, by their types.
@Suite struct ValueTests {
    private let loop = DeliveryLoop()

    @Test func OB_2_before_the_first_change_and_after_the_last() throws {
        let root = Sample()
        let told = Changes(root, \.count)
        root.count = 1
        root.count = 2
        root.count = 3
        let change = try #require(told.one)
        #expect(change.old == 0 && change.new == 3)
        #expect(change.wasReachable && change.isReachable && !change.isPrior)
        #expect(change.object === root)
        root.count = 4
        #expect(told.one?.old == 3)
        #expect(told.calls == 0)
    }

    @Test func OB_3_each_form_hands_over_the_same() {
        let root = Sample()
        let observer = Spot(0)
        var handed: [[Int?]] = []
        root.changes(of: \.count).map { $0.new }.on(loop).tell(observer) { handed.append([$1]) }
        root.changes(of: \.[text: "count"]).map { $0.new }.on(loop).tell(observer) {
            handed.append([$1 as? Int])
        }
        root.changes(of: \.count).on(loop).tell(observer) { handed.append([$1.old, $1.new]) }
        root.changes(of: \.[text: "count"]).on(loop).tell(observer) {
            handed.append([$1.old as? Int, $1.new as? Int])
        }
        let tokens = [
            root.changes(of: \.count).on(loop).onChange { handed.append([$0.old, $0.new]) },
            root.changes(of: \.[text: "count"]).on(loop).onChange {
                handed.append([$0.old as? Int, $0.new as? Int])
            },
            root.changes(of: \.count).map { $0.new }.on(loop).onChange { handed.append([$0]) },
            root.changes(of: \.[text: "count"]).map { $0.new }.on(loop).onChange {
                handed.append([$0 as? Int])
            },
            root.changes(of: \.count).on(loop).onChange { handed.append([$0.old, $0.new]) },
            root.changes(of: \.[text: "count"]).on(loop).onChange {
                handed.append([$0.old as? Int, $0.new as? Int])
            },
        ]
        root.count = 5
        #expect(loop.drain() == 10)
        #expect(
            handed == [[5], [5], [0, 5], [0, 5], [0, 5], [0, 5], [5], [5], [0, 5], [0, 5]])
        withExtendedLifetime(tokens) {}
    }

    /// Nil and unreachable are two: the value says neither, the flags both.
    @Test func OB_2_EQ_3_nil_and_unreachable() throws {
        let root = Sample()
        let told = Changes(root, \.next?.nickname)
        root.next = Sample()
        var change = try #require(told.one)
        #expect(change.old == nil && change.new == nil)
        #expect(!change.wasReachable && change.isReachable)
        root.next?.nickname = "Ada"
        change = try #require(told.one)
        #expect(change.old == nil && change.new == "Ada")
        #expect(change.wasReachable && change.isReachable)
        root.next = nil
        change = try #require(told.one)
        #expect(change.old == "Ada" && change.new == nil)
        #expect(change.wasReachable && !change.isReachable)
    }

    @Test func OB_2_optionals_are_flat() throws {
        let root = Sample()
        let optional = Changes(root, \.nickname)
        let behind = Changes(root, \.next?.count)
        var texts: [Any?] = []
        let token = root.changes(of: \.[text: "nickname"]).map { $0.new }.on(loop).onChange {
            texts.append($0)
        }
        root.nickname = "Ada"
        root.next = Sample()
        let name: String? = optional.one?.new
        let count: Int? = behind.one?.new
        #expect(name == "Ada" && count == 0)
        loop.drain()
        root.nickname = nil
        loop.drain()
        // Not an optional in a value of any type.
        try #require(texts.count == 2)
        #expect(texts[0] as? String == "Ada" && texts[1] == nil)
        #expect(texts[0].map { type(of: $0) == String.self } == true)
        withExtendedLifetime(token) {}
    }

    @Test func OB_2_values_of_every_kind() {
        let root = Sample()
        let ratio = Changes(root, \.ratio)
        let list = Changes(root, \.list)
        let size = Changes(root, \.size)
        let mode = Changes(root, \.mode)
        let plain = Changes(root, \.plain)
        let next = Changes(root, \.next)
        let spot = Changes(root, \.spot)
        let weak = Changes(root, \.weakNext)
        let anything = Changes(root, \.anything)
        let shape = Changes(root, \.shape)
        let action = Changes(root, \.action)
        let other = Sample()
        let (first, second) = (root.spot, Spot(0))
        root.ratio = 1.5
        root.list = [1, 2]
        root.size.width = 3
        root.mode = .on(level: 2)
        root.plain = Sample.Plain(number: 4)
        root.next = other
        root.spot = second
        root.weakNext = other
        root.anything = 5
        root.shape = Block()
        root.action = { 6 }
        let ratios = ratio.one
        #expect(ratios?.old == 0 && ratios?.new == 1.5)
        let lists = list.one
        #expect(lists?.old == [] && lists?.new == [1, 2])
        let sizes = size.one
        #expect(sizes?.old?.width == 0 && sizes?.new?.width == 3)
        let modes = mode.one
        #expect(modes?.old == .off && modes?.new == .on(level: 2))
        let plains = plain.one
        #expect(plains?.old?.number == 0 && plains?.new?.number == 4)
        let nexts = next.one
        #expect(nexts?.old == nil && nexts?.new === other)
        let spots = spot.one
        #expect(spots?.old === first && spots?.new === second)
        let weaks = weak.one
        #expect(weaks?.old == nil && weaks?.new === other)
        let anythings = anything.one
        #expect(anythings?.old == nil && anythings?.new as? Int == 5)
        let shapes = shape.one
        #expect(shapes?.old == nil && shapes?.new?.corners == 4)
        let actions = action.one
        #expect(actions?.old == nil && actions?.new?() == 6)
    }

    /// The field is what is handed over, not the value that it lies in; nil in a value is as
    /// unreachable as no value.
    @Test func OB_2_KP_18_fields_of_values() throws {
        let root = Sample()
        let width = Changes(root, \.next?.size.width)
        let depth = Changes(root, \.size.depth)
        root.next = Sample()
        var change = try #require(width.one)
        #expect(change.old == nil && change.new == 0)
        #expect(!change.wasReachable && change.isReachable)
        root.next?.size.height = 5
        #expect(width.calls == 0)
        root.next?.size.width = 5
        change = try #require(width.one)
        #expect(change.old == 0 && change.new == 5)
        root.size.depth = 2
        let deeper = try #require(depth.one)
        #expect(deeper.old == nil && deeper.new == 2)
        #expect(!deeper.wasReachable && deeper.isReachable)
    }

    /// What is stored, not what was offered.
    @Test func OB_2_KP_5_the_value_as_stored() {
        let root = Sample()
        let told = Changes(root, \.percent)
        root.percent = 300
        let change = told.one
        #expect(change?.old == 0 && change?.new == 100)
        root.percent = 200
        #expect(told.calls == 0)
    }

    @Test func OB_2_TH_1_values_of_any_thread_properties() {
        let gauge = Gauge()
        var handed: [[String?]] = []
        let token = gauge.changes(of: \.title).on(loop).onChange {
            handed.append([$0.old, $0.new])
        }
        gauge.title = "a"
        TestThread { gauge.title = "b" }.join()
        TestThread { gauge.$title.update { $0 += "c" } }.join()
        loop.drain()
        #expect(handed == [["", "bc"]])
        gauge.$title.exchange("d")
        loop.drain()
        #expect(handed.last == ["bc", "d"])
        withExtendedLifetime(token) {}
    }

    @Test func OB_2_values_of_every_property_are_refused() {
        let root = Sample()
        let token = root.changes(of: \.[text: "*"]).on(loop).onChange { _ in }
        #expect(token.failure?.kind == .options && token.hasEnded)
        let below = root.changes(of: \.next?.allProperties).map { $0.new }.on(loop).onChange { _ in
        }
        #expect(below.failure?.kind == .options && below.hasEnded)
        #expect(root.allObservedProperties == [])
    }

    /// Values are of one path, also later.
    @Test func OB_2_no_path_is_added_to_values() {
        let root = Sample()
        let observer = Spot(0)
        let observation = root.changes(of: \.count).map { $0.new }.on(loop).options(
            .allowsMorePaths
        )
        .tell(observer) { _, _ in }
        #expect(observation.failure == nil)
        #expect {
            try observation.also(root, when: \.[text: "name"])
        } throws: { error in
            (error as? ObservationError)?.kind == .options
        }
        #expect(root.allObservedProperties == ["count"])
    }

    @Test func OB_2_initial_and_by_hand() throws {
        let root = Sample()
        root.count = 7
        let told = Changes(root, \.count, options: .initial)
        var change = try #require(told.one)
        #expect(change.old == 7 && change.new == 7 && change.isReachable)
        told.token.schedule()
        change = try #require(told.one)
        #expect(change.new == 7 && change.isReachable)
        told.token.schedule()
        root.count = 8
        change = try #require(told.one)
        #expect(change.old == 7 && change.new == 8)
        #expect(told.token.execute())
        change = try #require(told.one)
        #expect(change.old == 8 && change.new == 8 && change.isReachable)
    }

    @Test func MT_1_a_trigger_hands_over_its_old_value() throws {
        let node = Poked()
        var handed: [[Int?]] = []
        let token = node.changes(of: \.age).on(loop).onChange { handed.append([$0.old, $0.new]) }
        node.age = 3
        loop.drain()
        node.poke(5)
        node.trigger(\.age, old: 3)
        loop.drain()
        node.poke(6)
        node.trigger(\.[text: "age"], old: 5)
        loop.drain()
        node.pokeAndTrigger(8)
        loop.drain()
        #expect(handed == [[0, 3], [3, 5], [5, 6], [6, 8]])
        withExtendedLifetime(token) {}
    }
}

private final class Poked: ObservableModel {
    @Observed var age = 0

    func poke(_ value: Int) { _age.unobserved = value }

    func pokeAndTrigger(_ value: Int) {
        let old = _age.unobserved
        _age.unobserved = value
        trigger(\._age, old: old)
    }
}
