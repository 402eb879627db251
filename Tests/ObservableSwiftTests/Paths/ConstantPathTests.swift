// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

private final class Part: ObservableModel {
    @Observed var number = 0
    @Observed var next: Part?
}

private class Whole: ObservableModel {
    let part: Part
    let maybe: Part?
    let text = "a"
    let existential: any ObservableHost
    @Observed var whole: Whole?
    @Observed var name = ""

    init(_ part: Part = Part(), _ maybe: Part? = nil) {
        self.part = part
        self.maybe = maybe
        existential = part
    }

    /// Reads one observed property of the same type: is that.
    var alias: Whole? { whole }
    /// Reads an observed property of an object that never changes.
    var deep: Part { part }
}

private final class Below: Whole {
    private let hidden = Part()
    func changeHidden() { hidden.number += 1 }
}

@Suite struct ConstantPathTests {
    @Test func KP_7_stored_constants() {
        let whole = Whole(Part(), Part())
        let part = BothSpellings(whole, "part.number", \.part.number)
        let maybe = BothSpellings(whole, "maybe.next.number", \.maybe?.next?.number)
        whole.part.number = 1
        #expect(part.new == 1 && maybe.new == 0)
        whole.maybe?.next = Part()
        #expect(part.new == 0 && maybe.new == 1)
        whole.maybe?.next?.number = 2
        #expect(maybe.new == 1)
        let existential = Calls(whole, "existential.number")
        whole.part.number = 2
        #expect(existential.new == 1 && part.new == 1)
        part.text.observation.stop(about: \.part.number, of: whole)
        part.typed.observation.stop(about: "part.number")
        existential.observation.stop()
        #expect(whole.part.allObservedProperties == [])
    }

    @Test func KP_7_constants_below_a_replaced_object() {
        let (root, first, second) = (Whole(), Whole(), Whole(Part(), Part()))
        let part = BothSpellings(root, "whole.part.number", \.whole?.part.number)
        let text = BothSpellings(root, "whole.text", \.whole?.text)
        let maybe = BothSpellings(root, "whole.maybe", \.whole?.maybe)
        root.whole = first
        #expect(part.new == 1 && text.new == 1 && maybe.new == 1)
        root.whole = second
        #expect(part.new == 0 && text.new == 0 && maybe.new == 1)
        first.part.number = 1
        #expect(part.new == 0)
        second.part.number = 1
        #expect(part.new == 1)
        root.whole = nil
        #expect(part.new == 1 && text.new == 1 && maybe.new == 1)
    }

    @Test func KP_7_private_constants_of_subclasses_by_text() {
        let below = Below()
        let calls = Calls(below, "hidden.number")
        below.changeHidden()
        #expect(calls.new == 1)
    }

    /// A constant is no observed property: it stands in no list.
    @Test func KP_7_constants_alone() {
        let whole = Whole()
        let part = BothSpellings(whole, "part", \.part)
        let text = BothSpellings(whole, "text", \.text)
        #expect(part.text.observation.unresolvedPaths == [])
        #expect(part.typed.observation.unresolvedPaths == [])
        whole.name = "b"
        #expect(part.new == 0 && text.new == 0)
    }

    @Test func KP_7_getters_in_the_middle_by_typed_paths() {
        let whole = Whole()
        let alias = Calls(whole, \.alias?.name)
        let deep = Calls(whole, \.deep.number)
        whole.whole = Whole()
        #expect(alias.new == 1)
        whole.whole?.name = "a"
        #expect(alias.new == 1)
        whole.part.number = 3
        #expect(deep.new == 1)
    }
}
