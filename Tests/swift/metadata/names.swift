// SPDX-License-Identifier: Apache-2.0

// How a program observes that is built with or without reflection metadata, and with LISTED or
// without: check.sh. Prints a line for each path: how often it was called, and what was unresolved.

import ObservableSwift

class Base: ObservableModel {
    @Observed var first = 0
    @Observed private var hidden = 0
    @Observed var next: Base?
    let fixed: Base?

    init(_ fixed: Base? = nil) { self.fixed = fixed }

    func change() {
        first += 1
        hidden += 1
    }

    #if LISTED
        override class var namedProperties: [NamedProperty] {
            [
                NamedProperty("first", \Base.first), NamedProperty("hidden", \Base.hidden),
                NamedProperty("next", \Base.next),
                // Twice is once.
                NamedProperty("first", \Base.first),
            ]
        }
    #endif
}

final class Derived: Base {
    @Observed var second = ""
    @ObservedAtomic var atomic = 0
    @ObservedAs<AlwaysDifferent<Int>> var every = 0
    @ObservedWeak var weak: Base?

    override func change() {
        super.change()
        second += "x"
        atomic += 1
        every = 0
        weak = self
    }

    #if LISTED
        override class var namedProperties: [NamedProperty] {
            super.namedProperties + [
                NamedProperty("second", \Derived.second),
                NamedProperty("atomic", \Derived.atomic),
                NamedProperty("every", \Derived.every),
                NamedProperty("weak", \Derived.weak),
            ]
        }
    #endif
}

class Foreign {
    var plain = 0
}

final class Row: Foreign, ObservableHost {
    let observation = ObservationHeader()
    @Observed var title = ""
    @Observed var child: Row?

    #if LISTED
        static var namedProperties: [NamedProperty] {
            [NamedProperty("title", \Row.title), NamedProperty("child", \Row.child)]
        }
    #endif
}

final class Cell<Value>: ObservableModel {
    @Observed var value: Value
    init(_ value: Value) { self.value = value }

    #if LISTED
        override class var namedProperties: [NamedProperty] {
            [NamedProperty("value", \Cell<Value>.value)]
        }
    #endif
}

final class Counter {
    var calls = 0
    let loop = DeliveryLoop()
}

func follow<Root: ObservableHost>(
    _ name: String, _ root: Root, _ texts: [TextPath], _ typed: [TypedPath<Root>],
    _ change: () -> Void
) {
    let (byText, byType) = (Counter(), Counter())
    let text = root.tell(byText, when: .any(of: texts.map { \.[text: $0] }), on: byText.loop) {
        counter, _ in counter.calls += 1
    }
    let types = root.tell(byType, when: .any(of: typed), on: byType.loop) { counter, _ in
        counter.calls += 1
    }
    change()
    byText.loop.drain()
    byType.loop.drain()
    print(
        "\(name): \(byText.calls) by text, \(byType.calls) typed, unresolved",
        text.unresolvedPaths, types.unresolvedPaths.count)
}

@main struct Names {
    static func main() {
        ObservationDiagnostics.setHandler { report in
            if report.path == nil { print("report: \(report.text)") }
        }
        let derived = Derived()
        follow("first", derived, ["first"], [\.first]) { derived.change() }
        follow("second", derived, ["second"], [\.second]) { derived.change() }
        follow("hidden", derived, ["hidden"], []) { derived.change() }
        follow("atomic", derived, ["atomic"], [\.atomic]) { derived.change() }
        follow("every", derived, ["every"], [\.every]) { derived.change() }
        derived.weak = nil
        follow("weak", derived, ["weak"], [\.weak]) { derived.change() }
        derived.weak = nil
        follow("next", derived, ["next.first"], [\.next?.first]) {
            derived.next = Base()
        }
        follow("below", derived, ["next.first"], [\.next?.first]) {
            derived.next?.change()
        }
        // A property with a name that nothing has.
        follow("missing", derived, ["missing"], []) { derived.change() }
        let base = Base()
        follow("base", base, ["first", "second"], [\.first]) { base.change() }
        let row = Row()
        follow("title", row, ["title"], [\.title]) { row.title = "a" }
        row.child = Row()
        follow("row below", row, ["child.title"], [\.child?.title]) {
            row.child?.title = "b"
        }
        let (cell, text) = (Cell(1), Cell("a"))
        follow("cell", cell, ["value"], [\.value]) { cell.value = 2 }
        follow("text", text, ["value"], [\.value]) { text.value = "b" }
    }
}
