// SPDX-License-Identifier: Apache-2.0
//
// Typed paths through properties whose type is a protocol: what they hold may be no model.

import ObservableSwift
import Testing

private protocol Shape {
    var area: Double { get }
    var label: Label? { get }
}

extension Shape {
    var label: Label? { nil }
}

private final class Label: ObservableModel {
    @Observed var text = ""
}

private struct Square: Shape {
    var area = 1.0
}

/// No model.
private final class Plate: Shape {
    var area = 1.0
}

private final class Round: ObservableModel, Shape {
    @Observed var area = 1.0
    @Observed var label: Label?
}

private final class Blot: ObservableModel, Shape {
    @Observed var ink = 0
    @Observed var area = 1.0
}

private final class Drawing: ObservableModel {
    @Observed var shape: any Shape = Square()
    @Observed var other: (any Shape)?
    @Observed var shapes: [any Shape] = [Square()]
}

@Suite struct ExistentialPathTests {
    @Test func KP_12_a_value_that_is_no_model_is_reported() {
        let drawing = Drawing()
        for path in [
            TypedPath<Drawing>(\.shape.area), TypedPath(\.shape.label?.text),
            TypedPath(\.shapes[0].area), TypedPath(\.shapes.first?.area),
        ] {
            let calls = Calls(drawing, path)
            #expect(calls.observation.unresolvedPaths.count == 1)
            #expect(!calls.observation.hasEnded)
            calls.observation.stop(path, of: drawing)
            #expect(calls.observation.hasEnded)
        }
    }

    /// Where one comes later, in place of nil or of a model.
    @Test func KP_12_a_value_that_comes_later_is_reported() {
        for value in [Square(), Plate()] as [any Shape] {
            let drawing = Drawing()
            drawing.shape = Round()
            let shape = Calls(drawing, TypedPath(\.shape.area))
            let other = Calls(drawing, TypedPath(\.other?.area))
            #expect(shape.observation.unresolvedPaths == [])
            #expect(other.observation.unresolvedPaths == [])
            drawing.shape = value
            drawing.other = value
            #expect(shape.new == 1)
            #expect(shape.observation.unresolvedPaths.count == 1)
            #expect(other.observation.unresolvedPaths.count == 1)
        }
    }

    @Test func KP_12_KP_11_a_model_in_its_place_is_followed() {
        let drawing = Drawing()
        let calls = Calls(drawing, TypedPath(\.shape.area))
        for _ in 0..<2 {
            let round = Round(), blot = Blot()
            drawing.shape = round
            #expect(calls.new == 1)
            #expect(calls.observation.unresolvedPaths == [])
            round.area += 1
            #expect(calls.new == 1)
            drawing.shape = blot
            #expect(calls.new == 1)
            blot.area += 1
            blot.ink += 1
            #expect(calls.new == 1)
            round.area += 1
            #expect(calls.new == 0)
            drawing.shape = Plate()
            #expect(calls.new == 1)
            #expect(calls.observation.unresolvedPaths.count == 1)
        }
    }

    @Test func KP_12_KP_2_nil_is_no_value() {
        let drawing = Drawing()
        let calls = Calls(drawing, TypedPath(\.other?.area), TypedPath(\.other?.label?.text))
        #expect(calls.observation.unresolvedPaths == [])
        let round = Round()
        drawing.other = round
        round.label = Label()
        #expect(calls.new == 1)
        #expect(calls.observation.unresolvedPaths == [])
    }

    @Test func KP_19_DB_1_a_model_has_shown_the_name() {
        let drawing = Drawing()
        drawing.shape = Round()
        let calls = Calls(drawing, TypedPath(\.shape.area))
        #expect(drawing.debugAllObservers.map(\.path) == ["shape.area"])
        drawing.shape = Square()
        #expect(calls.observation.unresolvedPaths == ["shape.area"])
        calls.observation.stop("shape.area")
        #expect(calls.observation.hasEnded)
    }

    /// By text a value has no properties, and under a `*` not every property leads on.
    @Test func KP_11_KP_18_text_and_stars_are_not_reported() {
        let drawing = Drawing()
        let text = Calls(drawing, "shape.area", "other.area")
        let star = Calls(
            drawing, TypedPath(\.anyProperty).appending(TypedPath<Round>(\.area)))
        drawing.other = Square()
        #expect(text.observation.unresolvedPaths == [])
        #expect(star.observation.unresolvedPaths == [])
    }
}
