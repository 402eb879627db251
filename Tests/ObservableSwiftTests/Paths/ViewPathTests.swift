// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

private struct Size {
    var width = 0.0
    var height = 0.0
    var note: String?
    var inner = Inner()
    var doubled: Double { width * 2 }
}

private struct Inner: Equatable {
    var depth = 0
    var name = ""
    var maybe: Int?
}

private enum Mode {
    case off
    case on(level: Int)

    var level: Int? {
        if case let .on(level) = self { return level }
        return nil
    }
    var isOn: Bool { level != nil }
}

/// No model.
private class Plain {
    var title = ""
    var thing: Thing?
    let constant: Thing
    var plain: Plain?
    init(_ constant: Thing) { self.constant = constant }
}

private protocol Named {
    var name: String { get }
}

private class Thing: ObservableModel, Named {
    @Observed var size = Size()
    @Observed var maybeSize: Size?
    @Observed var mode = Mode.off
    @Observed var maybeMode: Mode?
    @Observed var name = ""
    @Observed var number = 0
    @Observed var child: Thing?
    @Observed var plain: Plain?
    @Observed var list: [Int] = []
    @Observed var table: [String: Inner] = [:]
    @Observed var pair = (first: 1, second: "")
    @ObservedAtomic var atomic = Inner()
    @ObservedAs<AlwaysDifferent<Inner>> var every = Inner()
    @ObservedWeak var weak: Thing?
    let fixed = Size(width: 1)
}

private final class Sub: Thing {}

@Suite struct ViewPathTests {
    @Test func KP_18_a_field_of_a_value() {
        let thing = Thing()
        let width = Calls(thing, \.size.width)
        let height = Calls(thing, \.size.height)
        let depth = Calls(thing, \.size.inner.depth)
        let inner = Calls(thing, \.size.inner)
        let doubled = Calls(thing, \.size.doubled)
        let whole = Calls(thing, "size")
        #expect(width.observation.unresolvedPaths == [])
        thing.size = Size(width: 1)
        #expect(width.new == 1 && doubled.new == 1 && whole.new == 1)
        #expect(height.new == 0 && depth.new == 0 && inner.new == 0)
        // The value itself has no `==`, what is observed of it has.
        thing.size = Size(width: 1)
        #expect(width.new == 0 && whole.new == 1)
        thing.size.inner.depth = 3
        #expect(depth.new == 1 && inner.new == 1 && width.new == 0)
        thing.size.inner.name = "a"
        #expect(depth.new == 0 && inner.new == 1)
        thing.size.height = 2
        #expect(height.new == 1 && width.new == 0 && inner.new == 0)
    }

    @Test func KP_18_in_place() {
        let thing = Thing()
        let width = Calls(thing, \.size.width)
        let note = Calls(thing, \.size.note)
        let immediate = Calls(thing, \.size.width, options: .immediate)
        thing.size.width = 5
        #expect(width.new == 1 && note.new == 0 && immediate.new == 1)
        thing.size.width += 0
        thing.size.height = 1
        #expect(width.new == 0 && note.new == 0 && immediate.new == 0)
        thing.size.note = "a"
        #expect(width.new == 0 && note.new == 1)
        thing.size.note?.append("b")
        #expect(note.new == 1)
        thing.size.note = nil
        #expect(note.new == 1)
        thing[keyPath: \.size.width] = 6
        #expect(width.new == 1 && immediate.new == 1)
        let list = Calls(thing, \.list.count)
        let first = Calls(thing, \.list.first)
        thing.list.append(1)
        #expect(list.new == 1 && first.new == 1)
        thing.list.append(2)
        #expect(list.new == 1 && first.new == 0)
        thing.list[1] = 3
        #expect(list.new == 0 && first.new == 0)
    }

    /// Nil on the way and nil at the end are one.
    @Test func KP_18_optional_values() {
        let thing = Thing()
        let width = Calls(thing, \.maybeSize?.width)
        let note = Calls(thing, \.maybeSize?.note)
        let maybe = Calls(thing, \.maybeSize?.inner.maybe)
        thing.maybeSize = Size()
        #expect(width.new == 1)
        #expect(note.new == 0 && maybe.new == 0)
        thing.maybeSize = nil
        #expect(width.new == 1)
        #expect(note.new == 0 && maybe.new == 0)
        thing.maybeSize = Size(note: "a")
        #expect(width.new == 1 && note.new == 1 && maybe.new == 0)
        thing.maybeSize?.inner.maybe = 4
        #expect(width.new == 0 && note.new == 0 && maybe.new == 1)
        thing.maybeSize?.inner.maybe = nil
        #expect(maybe.new == 1)
        thing.maybeSize = nil
        #expect(width.new == 1 && note.new == 1 && maybe.new == 0)
    }

    @Test func KP_18_enums() {
        let thing = Thing()
        let level = Calls(thing, \.mode.level)
        let isOn = Calls(thing, \.mode.isOn)
        let maybe = Calls(thing, \.maybeMode?.level)
        thing.mode = .on(level: 1)
        #expect(level.new == 1 && isOn.new == 1)
        thing.mode = .on(level: 2)
        #expect(level.new == 1 && isOn.new == 0)
        thing.mode = .on(level: 2)
        #expect(level.new == 0)
        thing.maybeMode = .off
        #expect(maybe.new == 0)
        thing.maybeMode = .on(level: 0)
        #expect(maybe.new == 1)
        thing.maybeMode = nil
        #expect(maybe.new == 1)
    }

    @Test func KP_18_subscripts_and_tuples() {
        let thing = Thing()
        let key = Calls(thing, \.table["a"])
        let deep = Calls(thing, \.table["a"]?.depth)
        let other = Calls(thing, \.table["b"]?.depth)
        thing.table["a"] = Inner()
        #expect(key.new == 1 && deep.new == 1 && other.new == 0)
        thing.table["a"]?.depth = 1
        #expect(key.new == 1 && deep.new == 1 && other.new == 0)
        thing.table["b"] = Inner()
        #expect(key.new == 0 && deep.new == 0 && other.new == 1)
        thing.table = [:]
        #expect(key.new == 1 && deep.new == 1 && other.new == 1)
        thing.table = [:]
        #expect(key.new == 0 && deep.new == 0 && other.new == 0)
    }

    @Test func KP_18_every_kind_of_wrapper() {
        let thing = Thing()
        let atomic = Calls(thing, \.atomic.depth)
        let every = Calls(thing, \.every.depth)
        let fixed = Calls(thing, \.fixed.width)
        thing.atomic = Inner(name: "a")
        #expect(atomic.new == 0)
        thing.atomic.depth = 1
        #expect(atomic.new == 1)
        thing.$atomic.update { $0.depth += 1 }
        #expect(atomic.new == 1)
        thing.every.depth = 2
        #expect(every.new == 1)
        thing.every.name = "b"
        #expect(every.new == 0)
        #expect(fixed.observation.unresolvedPaths == [])
    }

    @Test func KP_18_EQ_2_below_a_replaced_object() {
        let (root, first, second) = (Thing(), Thing(), Thing())
        let width = Calls(root, \.child?.size.width)
        let note = Calls(root, \.child?.maybeSize?.note)
        let deep = Calls(root, \.child?.child?.size.inner.depth)
        root.child = first
        _ = note.new
        #expect(width.new == 1 && deep.new == 0)
        second.size.height = 9
        root.child = second
        #expect(width.new == 0 && note.new == 0 && deep.new == 0)
        first.size.width = 1
        #expect(width.new == 0)
        second.size.width = 2
        #expect(width.new == 1)
        root.child = first
        #expect(width.new == 1)
        second.maybeSize = Size(note: "a")
        root.child = second
        #expect(width.new == 1 && note.new == 1)
        root.child = nil
        #expect(width.new == 1 && note.new == 1)
        root.child = Thing()
        #expect(width.new == 1 && deep.new == 0)
        root.child?.child = Thing()
        #expect(deep.new == 1)
        root.child?.child?.size.inner.depth = 1
        #expect(deep.new == 1)
    }

    /// What is nil inside a value is out of reach, as it is where there is no object.
    @Test func KP_18_EQ_4_nil_in_a_value_of_an_object_that_comes_or_goes() {
        let root = Thing()
        let note = Calls(root, \.child?.maybeSize?.note)
        let end = Calls(root, \.child?.size.note)
        root.child = Thing()
        #expect(note.new == 0 && end.new == 0)
        root.child = nil
        #expect(note.new == 0 && end.new == 0)
    }

    /// Several views of one property, and the property, are independent.
    @Test func KP_18_KP_9_views_beside_each_other() {
        let thing = Thing()
        let loop = DeliveryLoop()
        let observer = Sub()
        var calls: [String] = []
        let paths: [(String, TypedPath<Thing>)] = [
            ("width", \.size.width), ("height", \.size.height),
            ("size", \.size),
        ]
        for (name, path) in paths {
            thing.tell(observer, when: path, on: loop) { _, _ in calls.append(name) }
        }
        #expect(thing.numberOfObservers(of: "size") == 3)
        #expect(thing.allObservedProperties == ["size"])
        thing.size.width = 1
        loop.drain()
        #expect(calls == ["width", "size"])
        thing.stopTelling(observer, about: \.size.width)
        // The view alone, not the property that it is a view of.
        #expect(thing.numberOfObservers(of: "size") == 2)
        calls = []
        thing.size = Size(width: 2, height: 2)
        loop.drain()
        #expect(calls == ["height", "size"])
        thing.stopTelling(observer, about: \.[text: "size"])
        calls = []
        thing.size = Size(width: 2, height: 3)
        loop.drain()
        #expect(calls == ["height"])
        thing.stopTelling(observer)
        #expect(thing.numberOfObservers(of: "size") == 0)
    }

    /// An object that is no model: replacing it is seen, changes inside it are not.
    @Test func KP_17_an_object_that_is_no_model() {
        let thing = Thing()
        let (first, second) = (Plain(Thing()), Plain(Thing()))
        let title = Calls(thing, \.plain?.title)
        let whole = BothSpellings(thing, "plain", \.plain)
        first.title = "a"
        thing.plain = first
        #expect(title.new == 1 && whole.new == 1)
        first.title = "b"
        #expect(title.new == 0)
        second.title = "b"
        thing.plain = second
        #expect(title.new == 0 && whole.new == 1)
        thing.plain = Plain(Thing())
        #expect(title.new == 1 && whole.new == 1)
        thing.plain = nil
        #expect(title.new == 1 && whole.new == 1)
        // By text nothing lies below it.
        #expect(throws: ObservationError.self) {
            try TextPath(parsing: "plain.title").validate(for: Thing.self)
        }
    }

    /// A model behind one is followed.
    @Test func KP_17_KP_18_a_model_behind_an_object_that_is_none() {
        let thing = Thing()
        let (first, second) = (Plain(Thing()), Plain(Thing()))
        let constant = Calls(thing, \.plain?.constant.number)
        let variable = Calls(thing, \.plain?.thing?.number)
        let deep = Calls(thing, \.plain?.plain?.thing?.size.width)
        thing.plain = first
        #expect(constant.new == 1 && variable.new == 0)
        first.constant.number = 1
        #expect(constant.new == 1)
        let behind = Thing()
        second.thing = behind
        second.plain = first
        first.thing = behind
        thing.plain = second
        #expect(constant.new == 1 && variable.new == 1 && deep.new == 1)
        behind.number = 5
        #expect(variable.new == 1 && deep.new == 0)
        behind.size.width = 5
        #expect(variable.new == 0 && deep.new == 1)
        first.constant.number = 2
        #expect(constant.new == 0)
        thing.plain = nil
        #expect(constant.new == 1 && variable.new == 1 && deep.new == 1)
        behind.number = 6
        #expect(variable.new == 0)
        #expect(behind.allObservedProperties == [])
    }

    @Test func KP_18_through_a_weak_property() {
        let root = Thing()
        var target: Thing? = Thing()
        let width = Calls(root, \.weak?.size.width)
        root.weak = target
        #expect(width.new == 1)
        target?.size.width = 1
        #expect(width.new == 1)
        target = nil
        #expect(width.new == 1)
    }
}
