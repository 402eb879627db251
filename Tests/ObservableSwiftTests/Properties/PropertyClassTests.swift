// SPDX-License-Identifier: Apache-2.0

import ModelsElsewhere
import ObservableSwift
import Testing

private class Base: ObservableModel {
    @Observed var first = 0
    @Observed var child: Base?
}

private class Middle: Base {
    @Observed var second = ""
}

private final class Last: Middle {
    @Observed var third: Double?
}

/// Adds nothing.
private final class Same: Base {}

private class Cell<Value>: ObservableModel {
    @Observed var value: Value
    @Observed var values: [Value] = []
    @Observed var next: Cell<Value>?
    @Observed var number = 0
    init(_ value: Value) { self.value = value }
}

private final class TextCell: Cell<String> {
    @Observed var language = ""
}

private final class TaggedCell<Tag, Value>: Cell<Value> {
    @Observed var tag: Tag
    init(_ tag: Tag, _ value: Value) {
        self.tag = tag
        super.init(value)
    }
}

private protocol Titled: ObservableHost {
    var title: String { get set }
    var pages: [Int] { get set }
    var author: Base? { get }
}

private final class Book: ObservableModel, Titled {
    @Observed var title = ""
    @Observed var pages: [Int] = []
    @Observed var author: Base?
}

private class Foreign {
    var plain = 1
    var padding: (Int, UInt8) = (0, 0)
}

private class Row: Foreign, ObservableHost {
    let observation = ObservationHeader()
    @Observed var title = ""
    @Observed var child: Row?
    @Observed var model: Base?
    @ObservedWeak var weak: Row?
    @ObservedAtomic var atomic = 0
    @ObservedAs<AlwaysDifferent<Int>> var every = 0
}

private final class WideRow: Row {
    @Observed var width = 0
}

private final class Door: ObservableHost {
    let observation = ObservationHeader()
    @Observed var isOpen = false
}

@MainActor private final class Screen: ObservableModel, Sendable {
    @Observed var title = ""
    @Observed var child: Screen?
    @Observed var lines: [String] = []
}

private actor Store: ObservableHost {
    nonisolated let observation = ObservationHeader()
    @Observed var stock = 0
    @Observed var names: [String] = []
    private var seen: [Int] = []

    func add(_ count: Int) { stock += count }

    /// All of it happens in the actor. By text: key paths to what an actor isolates are none.
    func observed() -> [Int] {
        let loop = DeliveryLoop()
        let observer = Same()
        tell(observer, when: \.[text: "stock"], on: loop) { _, _ in }
        tell(observer, when: \.[text: "stock"], options: .immediate) { [self] _, _ in
            seen.append(stock)
        }
        stock = 1
        stock = 1
        stock += 1
        names.append("a")
        let called = loop.drain()
        let observers = numberOfObservers(of: "stock")
        stopTelling(observer)
        stock = 7
        return seen + [called, observers, numberOfObservers(of: "stock")]
    }
}

private class Truck: Vehicle {
    @Observed var load = 0
    override var name: String {
        didSet { renamed += 1 }
    }
    var renamed = 0
}

private final class Crate: Container<Int> {
    @Observed var weight = 0.0
}

@Suite struct PropertyClassTests {
    @Test func PK_1_subclasses() {
        let last = Last()
        let first = BothSpellings(last, "first", \.first)
        let second = BothSpellings(last, "second", \.second)
        let third = BothSpellings(last, "third", \.third)
        let all = Calls(last, "*")
        last.first = 1
        #expect(first.new == 1 && second.new == 0 && third.new == 0 && all.new == 1)
        last.second = "a"
        #expect(first.new == 0 && second.new == 1 && third.new == 0 && all.new == 1)
        last.third = 1
        #expect(first.new == 0 && second.new == 0 && third.new == 1 && all.new == 1)
        (last as Base).first = 2
        #expect(first.new == 1)
        #expect(last.allObservedProperties == ["first", "second", "third", "*"])
    }

    @Test func PK_1_subclasses_below_a_path() {
        let root = Base()
        let calls = BothSpellings(root, "child.first", \.child?.first)
        let second = Calls(root, "child.second")
        for child in [Base(), Middle(), Last(), Same()] {
            child.first = calls.text.new + 10
            root.child = child
            _ = calls.new
            _ = second.new
            child.first += 1
            #expect(calls.new == 1)
            #expect(second.new == 0)
            (child as? Middle)?.second += "x"
            #expect(second.new == (child is Middle ? 1 : 0))
        }
    }

    @Test func PK_1_generic_classes() {
        let number = Cell(1)
        let list = Cell([1])
        let model = Cell<Base?>(nil)
        let numbers = BothSpellings(number, "value", \.value)
        let lists = BothSpellings(list, "value", \.value)
        let models = BothSpellings(model, "value.first", \.value?.first)
        let next = BothSpellings(number, "next.next.number", \.next?.next?.number)
        number.value = 1
        #expect(numbers.new == 0)
        number.value += 1
        #expect(numbers.new == 1)
        number.values.append(1)
        #expect(numbers.new == 0)
        list.value.append(2)
        #expect(lists.new == 1)
        model.value = Base()
        #expect(models.new == 1)
        model.value?.first = 2
        #expect(models.new == 1)
        number.next = Cell(2)
        #expect(next.new == 0)
        number.next?.next = Cell(3)
        #expect(next.new == 1)
        number.next?.next?.number = 4
        #expect(next.new == 1)
    }

    /// The same through code that does not know the type.
    @Test func PK_1_generic_code() {
        func check<Value>(_ cell: Cell<Value>, _ value: Value) {
            let calls = BothSpellings(cell, "value", \.value)
            let values = BothSpellings(cell, "values", \.values)
            cell.value = value
            cell.values.append(value)
            #expect(calls.new == 1 && values.new == 1)
        }
        check(Cell(1), 2)
        check(Cell("a"), "b")
        check(Cell<Base?>(nil), Base())
        check(TextCell("a"), "b")
        check(Cell<any Sendable>(1), 2)
    }

    @Test func PK_1_subclasses_of_generic_classes() {
        let text = TextCell("a")
        let value = BothSpellings(text, "value", \.value)
        let language = BothSpellings(text, "language", \.language)
        text.value = "b"
        #expect(value.new == 1 && language.new == 0)
        text.language = "c"
        #expect(value.new == 0 && language.new == 1)
        let tagged = TaggedCell(1 as UInt8, "a")
        let tag = BothSpellings(tagged, "tag", \.tag)
        let content = BothSpellings(tagged, "value", \.value)
        let wide = TaggedCell("tag", 0.5)
        let wideTag = BothSpellings(wide, "tag", \.tag)
        tagged.tag = 2
        #expect(tag.new == 1 && content.new == 0 && wideTag.new == 0)
        tagged.value = "b"
        #expect(tag.new == 0 && content.new == 1)
        wide.tag = "other"
        #expect(wideTag.new == 1 && tag.new == 0)
    }

    @Test func PK_1_classes_in_functions() {
        func first() -> (ObservableModel, () -> Void) {
            final class Local: ObservableModel { @Observed var number = 0 }
            let local = Local()
            let typed = Calls(local, \.number)
            local.number = 1
            #expect(typed.new == 1)
            return (local, { local.number += 1 })
        }
        func second() -> (ObservableModel, () -> Void) {
            final class Local: ObservableModel {
                @Observed var text = ""
                @Observed var number = 0.0
            }
            let local = Local()
            return (local, { local.number += 1 })
        }
        for (local, change) in [first(), second(), first()] {
            let calls = Calls(local, "number")
            change()
            #expect(calls.new == 1)
        }
    }

    @MainActor @Test func PK_1_classes_of_the_main_actor() {
        let screen = Screen()
        let title = BothSpellings(screen, "title", \.title)
        let child = BothSpellings(screen, "child.title", \.child?.title)
        let lines = BothSpellings(screen, "lines", \.lines)
        screen.title = "a"
        #expect(title.new == 1)
        screen.child = Screen()
        #expect(child.new == 1)
        screen.child?.title = "b"
        #expect(child.new == 1)
        screen.lines.append("c")
        #expect(lines.new == 1)
    }

    @Test func PK_1_witnesses_of_a_protocol() {
        let book = Book()
        let titled: any Titled = book
        let title = BothSpellings(book, "title", \.title)
        let pages = BothSpellings(book, "pages", \.pages)
        let author = BothSpellings(book, "author.first", \.author?.first)
        titled.title = "a"
        #expect(title.new == 1 && titled.title == "a")
        titled.pages.append(1)
        #expect(pages.new == 1 && book.pages == [1])
        book.author = Base()
        #expect(author.new == 1)
        titled.author?.first = 3
        #expect(author.new == 1)
        func generic<Some: Titled>(_ some: Some) {
            some.title = "b"
            some.pages.append(2)
        }
        generic(book)
        #expect(title.new == 1 && pages.new == 1)
        titled.title = "b"
        #expect(title.new == 0)
    }

    /// Observed through the protocol: typed paths are those of its requirements.
    @Test func PK_1_KP_19_typed_paths_of_a_protocol() {
        func observe<Some: Titled>(_ some: Some) -> (BothSpellings, BothSpellings) {
            (
                BothSpellings(some, "title", \.title),
                BothSpellings(some, "author.first", \.author?.first)
            )
        }
        let book = Book()
        let (title, author) = observe(book)
        #expect(book.numberOfObservers(of: "title") == 2)
        book.title = "a"
        book.author = Base()
        #expect(title.new == 1 && author.new == 1)
        book.author?.first = 1
        #expect(title.new == 0 && author.new == 1)
    }

    @Test func PK_1_a_foreign_superclass() {
        let row = Row()
        let title = BothSpellings(row, "title", \.title)
        let deep = BothSpellings(row, "child.model.first", \.child?.model?.first)
        let weak = BothSpellings(row, "weak.title", \.weak?.title)
        let atomic = BothSpellings(row, "atomic", \.atomic)
        let every = BothSpellings(row, "every", \.every)
        row.plain = 2
        row.title = "a"
        #expect(title.new == 1)
        row.child = Row()
        #expect(deep.new == 0)
        row.child?.model = Base()
        #expect(deep.new == 1)
        row.child?.model?.first = 1
        #expect(deep.new == 1)
        row.weak = row.child
        #expect(weak.new == 1)
        row.child?.title = "b"
        #expect(weak.new == 1)
        row.atomic = 1
        row.every = 0
        #expect(atomic.new == 1 && every.new == 1)
        row.child = WideRow()
        #expect(deep.new == 1)
        // The old one died: what lies below is out of reach.
        #expect(weak.new == 1 && row.weak == nil)
    }

    @Test func PK_1_subclasses_of_a_class_with_its_own_header() {
        let row = WideRow()
        let width = BothSpellings(row, "width", \.width)
        let title = BothSpellings(row, "title", \.title)
        row.width = 1
        #expect(width.new == 1 && title.new == 0)
        row.title = "a"
        #expect(width.new == 0 && title.new == 1)
        let door = Door()
        let open = BothSpellings(door, "isOpen", \.isOpen)
        door.isOpen.toggle()
        #expect(open.new == 1)
    }

    @Test func PK_1_actors() async {
        let store = Store()
        #expect(await store.observed() == [1, 2, 1, 2, 0])
        await store.add(1)
    }

    @Test func PK_1_open_and_public_classes_of_another_module() {
        let person = Person("a")
        let vehicle = Vehicle(name: "b", maker: person)
        let name = BothSpellings(vehicle, "name", \.name)
        let wheels = BothSpellings(vehicle, "wheels", \.wheels)
        let distance = BothSpellings(vehicle, "distance", \.distance)
        let owner = BothSpellings(vehicle, "owner.friend.name", \.owner?.friend?.name)
        let weak = BothSpellings(vehicle, "previousOwner", \.previousOwner)
        let signal = BothSpellings(vehicle, "signal", \.signal)
        let beats = BothSpellings(vehicle, "beats", \.beats)
        let maker = BothSpellings(vehicle, "maker.name", \.maker?.name)
        // Private there: text names it all the same.
        let serial = Calls(vehicle, "serial")
        vehicle.name = "c"
        vehicle.wheels += 1
        vehicle.drive(2)
        vehicle.owner = person
        vehicle.previousOwner = person
        vehicle.signal = 1
        vehicle.beats = 0
        vehicle.renumber("x")
        #expect(name.new == 1 && wheels.new == 1 && distance.new == 1 && owner.new == 0)
        #expect(weak.new == 1 && signal.new == 1 && beats.new == 1 && serial.new == 1)
        person.friend = Person("d")
        #expect(owner.new == 1 && maker.new == 0)
        person.friend?.name = "e"
        person.name = "f"
        #expect(owner.new == 1 && maker.new == 1)
    }

    @Test func PK_1_subclasses_of_another_module_s_classes() {
        let truck = Truck(name: "a")
        let name = BothSpellings(truck, "name", \.name)
        let load = BothSpellings(truck, "load", \.load)
        let beats = BothSpellings(truck, "beats", \.beats)
        truck.name = "b"
        #expect(name.new == 1 && truck.renamed == 1)
        truck.load = 5
        truck.beats = 0
        #expect(name.new == 0 && load.new == 1 && beats.new == 1)
        let crate = Crate(1)
        let content = BothSpellings(crate, "content", \.content)
        let inner = BothSpellings(crate, "inner.content", \.inner?.content)
        let weight = BothSpellings(crate, "weight", \.weight)
        crate.content = 2
        #expect(content.new == 1 && weight.new == 0)
        crate.weight = 3
        crate.inner = Container(4)
        #expect(content.new == 0 && weight.new == 1 && inner.new == 1)
        crate.inner?.content = 5
        #expect(inner.new == 1)
    }

    /// A model that this module cannot name: by text; and by typed paths of the other module.
    @Test func PK_1_internal_classes_of_another_module() {
        let book = LedgerBook()
        let keeper = Person("a")
        let total = Calls(book.model, "total")
        let name = Calls(book.model, "keeper.name", "keeper.secret")
        let loop = DeliveryLoop()
        let observer = Door()
        var calls = 0
        _ = book.tell(observer, on: loop) { calls += 1 }
        book.add(3)
        loop.drain()
        #expect(total.new == 1 && name.new == 0 && calls == 1)
        book.setKeeper(keeper)
        loop.drain()
        #expect(total.new == 0 && name.new == 1 && calls == 2)
        keeper.name = "b"
        keeper.whisper(4)
        loop.drain()
        #expect(name.new == 1 && calls == 3)
    }
}
