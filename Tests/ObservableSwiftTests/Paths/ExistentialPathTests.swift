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

private protocol Feed<Item>: AnyObject {
    associatedtype Item
    var title: String { get }
    var last: Item { get }
}

private protocol Figure<Unit> {
    associatedtype Unit
    var name: String { get }
}

private final class Numbers: ObservableModel, Feed, Figure {
    typealias Unit = Int
    @Observed var title = ""
    @Observed var name = ""
    @Observed var last = 0
}

private struct Dot: Figure {
    typealias Unit = Int
    var name = ""
}

private final class Reader: ObservableModel {
    @Observed var feed: (any Feed<Int>)?
    @Observed var steady: any Feed<Int> = Numbers()
    @Observed var figure: any Figure<Int> = Dot()
}

@Suite struct ExistentialPathTests {
    @Test func KP_2_PK_1_protocols_with_arguments_are_followed() {
        let reader = Reader()
        let numbers = Numbers()
        let paths = BothSpellings(reader, "feed.title", \.feed?.title)
        let last = Calls(reader, "feed.last")
        reader.feed = numbers
        #expect(paths.new == 1)
        #expect(last.new == 1)
        numbers.title = "a"
        numbers.last = 1
        #expect(paths.new == 1)
        #expect(last.new == 1)
    }

    @Test func KP_12_a_value_of_a_protocol_with_arguments_is_reported() {
        let reader = Reader()
        let numbers = Numbers()
        let calls = Calls(reader, \.figure.name)
        #expect(calls.observation.unresolvedPaths.count == 1)
        reader.figure = numbers
        #expect(calls.new == 1)
        numbers.name = "a"
        #expect(calls.new == 1)
    }

    @Test func EQ_1_objects_of_a_protocol_with_arguments_are_compared_by_identity() {
        let reader = Reader()
        let numbers = Numbers()
        let feed = BothSpellings(reader, "feed", \.feed)
        let steady = BothSpellings(reader, "steady", \.steady)
        for calls in [1, 0] {
            reader.feed = numbers
            reader.steady = numbers
            #expect(feed.new == calls)
            #expect(steady.new == calls)
        }
    }

    @Test func KP_12_a_value_that_is_no_model_is_reported() {
        let drawing = Drawing()
        for path in [
            \.shape.area as TypedPath<Drawing>, \.shape.label?.text,
            \.shapes[0].area, \.shapes.first?.area,
        ] {
            let calls = Calls(drawing, path)
            #expect(calls.observation.unresolvedPaths.count == 1)
            #expect(!calls.observation.hasEnded)
            calls.observation.stop(about: path, of: drawing)
            #expect(calls.observation.hasEnded)
        }
    }

    /// Where one comes later, in place of nil or of a model.
    @Test func KP_12_a_value_that_comes_later_is_reported() {
        for value in [Square(), Plate()] as [any Shape] {
            let drawing = Drawing()
            drawing.shape = Round()
            let shape = Calls(drawing, \.shape.area)
            let other = Calls(drawing, \.other?.area)
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
        let calls = Calls(drawing, \.shape.area)
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
        let calls = Calls(drawing, \.other?.area, \.other?.label?.text)
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
        let calls = Calls(drawing, \.shape.area)
        #expect(ObservationInspector(drawing).observers.map(\.path) == ["shape.area"])
        drawing.shape = Square()
        #expect(calls.observation.unresolvedPaths == ["shape.area"])
        calls.observation.stop(about: "shape.area")
        #expect(calls.observation.hasEnded)
    }

    /// By text a value has no properties, and under a `*` not every property leads on.
    @Test func KP_11_KP_18_text_and_stars_are_not_reported() {
        let drawing = Drawing()
        let text = Calls(drawing, "shape.area", "other.area")
        let star = Calls(
            drawing, (\.allProperties as TypedPath<Drawing>).appending(\.area as TypedPath<Round>))
        drawing.other = Square()
        #expect(text.observation.unresolvedPaths == [])
        #expect(star.observation.unresolvedPaths == [])
    }
}
