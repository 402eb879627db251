// SPDX-License-Identifier: Apache-2.0
//
// What a newcomer is told when the program runs: docs/messages.md, which quotes it. What the
// compiler says is tried in Tests/swift/refused.

import Dispatch
import ObservableSwift
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

private final class Note: ObservableModel {
    @Observed var title = ""
    @Observed var pages = 0
    @Observed var next: Note?
    var plain = 0
    lazy var words = 0
}

private final class Invoice: ObservableModel {
    @Observed var net = 1
    @Observed var rate = 1
    @Computed({ (invoice: Invoice) in invoice.right }) var left: Int
    @Computed({ (invoice: Invoice) in invoice.left }) var right: Int
    @Computed(Invoice.makeGross) var gross: Int
    @Computed(loader: Invoice.load) var number = 0
    @Computed({ (invoice: Invoice) in invoice.net }, dependsOn: \.[text: "nte"]) var misspelt: Int
    @Computed({ (invoice: Invoice) in invoice.net }, dependsOn: \.rate) var undeclared: Int
    @Computed({ (invoice: Invoice) in invoice.net }, dependsOn: \.net, \.rate) var unread: Int

    private func makeGross() -> Int {
        gross = net
        return net
    }

    private func load(_ property: String) -> Any? { "one" }
}

private final class Reader: Sendable {}

private struct Decimal: ValueConverter {
    func convert(_ value: Int) -> String { "\(value)" }
    func convertBack(_ value: String) -> Int { Int(value) ?? 0 }
}

/// What is said of each mistake, in its order.
private func said(_ mistakes: (Note, Reader) throws -> Void) -> [String] {
    let reports = Shared<[String]>([])
    ObservationDiagnostics.setHandler { report in reports.change { $0.append(report.text) } }
    do {
        try mistakes(Note(), Reader())
    } catch {
        reports.change { $0.append("\(error)") }
    }
    ObservationDiagnostics.setHandler(nil)
    return reports.value
}

@Suite struct MessagesTests {
    @Test func DB_6_a_property_that_is_not_observed() async {
        await #expect(processExitsWith: .success) {
            let texts = said { note, reader in
                note.tell(reader, when: \.plain, on: .main) { _, _ in }
                note.tell(reader, when: \.words, on: .main) { _, _ in }
                note.tell(reader, when: \.[text: "titel"], on: .main) { _, _ in }
            }
            #expect(texts.count == 3)
            #expect(
                texts.allSatisfy {
                    $0.hasPrefix("the root's class has no such observable property (class `")
                })
            #expect(texts.last?.hasSuffix("did you mean `title`?)") == true)
        }
    }

    @Test func CP_2_a_closure_that_edits_what_it_decides_on() async {
        let ended = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let numbers: ObservableArray = [1, 2, 3]
            numbers.removeAll {
                if $0 == 3 { numbers[0] = 99 }
                return $0 == 3
            }
        }
        let said = String(decoding: ended?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("a collection was edited by a closure that decides on an edit of it"))
    }

    @Test func DB_6_a_text_that_is_checked() {
        let error = #expect(throws: ObservationError.self) {
            try TextPath(parsing: "next.titel").validate(for: Note.self)
        }
        #expect(error?.message == "the declared class has no such property")
        let syntax = #expect(throws: ObservationError.self) { try TextPath(parsing: "next..title") }
        #expect(syntax?.description == "\"next..title\" at byte 5: an element is empty")
    }

    @Test func DB_6_what_is_asked_of_an_observation() async {
        await #expect(processExitsWith: .success) {
            let texts = said { note, reader in
                note.changes(of: \.allProperties).on(.main).tell(reader) { _, _ in }
                note.changes(of: \.title).on(.main).options(.prior).tell(reader) { _, _ in }
                note.changes(of: \.title).on(.main)
                    .options([.ignoresRestOfDrain, .keepsOwnChanges]).tell(reader) { _, _ in }
                note.tell(reader, when: \.self, on: .main) { _, _ in }
                note.tell(reader, when: \.[text: "#0"], on: .main) { _, _ in }
                let loop = DeliveryLoop()
                loop.invalidate()
                note.tell(reader, when: \.title, on: loop) { _, _ in }
                try note.tell(reader, when: \.title, on: .main) { _, _ in }.also(
                    note, when: \.pages)
            }
            #expect(
                texts == [
                    "values are of one path without `*` or `each`: ask for a record",
                    "only an immediate observation is called before the store",
                    "`.ignoresRestOfDrain` drops what `.keepsOwnChanges` keeps",
                    "a path leads on from its object: `\\.self` is none, `\\.allProperties` may be",
                    "an object has properties: neither positions nor members",
                    "the loop has ended",
                    "the observation was made without the option `.allowsMorePaths`",
                ])
        }
    }

    @Test func DB_6_where_a_block_belongs() async {
        await #expect(processExitsWith: .success) {
            let texts = Shared<[String]>([])
            TestThread {
                texts.value = said { note, reader in
                    note.tell(reader, when: \.title) { _, _ in }
                    DeliveryLoop(queue: DispatchQueue(label: "work")).drain()
                }
            }.join()
            texts.value += await MainActor.run {
                said { note, reader in
                    let loop = DeliveryLoop(queue: DispatchQueue(label: "work"))
                    note.tell(reader, when: \.title, on: loop) { @MainActor _, _ in }
                    _ = bind(note, \.pages, note, \.title, converting: Decimal(), on: loop) {
                        @MainActor _ in
                    }
                }
            }
            let gauge = Gauge()
            TestThread {
                texts.value += said { note, _ in _ = note.values(of: \.title).makeAsyncIterator() }
            }.join()
            TestThread {
                let source = Note()
                texts.value += said { note, _ in
                    _ = source.values(of: \.title)
                        .assign(to: \.title, of: note)
                }
                withExtendedLifetime(source) {}
            }.join()
            TestThread {
                texts.value += said { note, _ in
                    _ = AsyncStream<String> { nil }.assign(to: \.title, of: note)
                }
            }.join()
            let token = await MainActor.run {
                gauge.onChange(of: \.level, options: .immediate) { @MainActor _ in }
            }
            TestThread { texts.value += said { _, _ in gauge.level = 1 } }.join()
            token.cancel()
            #expect(
                texts.value == [
                    "a block without an isolation, begun elsewhere than on the main loop, needs the "
                        + "loop that its objects belong to: `on: DeliveryLoop(actor: self)` in an "
                        + "actor, `on: .main` for the main one",
                    "the delivery loop of the queue \"work\" was drained elsewhere; nothing was called",
                    "a block that is isolated to the main actor cannot be called on the queue "
                        + "\"work\": leave `on:` out",
                    "a block that is isolated to the main actor cannot be called on the queue "
                        + "\"work\": `on:` names the loop of both ends",
                    "a sequence without an isolation, made elsewhere than on the main loop, needs "
                        + "the loop that its object belongs to: `on: DeliveryLoop(actor: self)` in an "
                        + "actor, `on: .main` for the main one",
                    "a binder without an isolation, begun elsewhere than on the main loop, needs "
                        + "the loop that its target belongs to: `on: DeliveryLoop(actor: self)` in an "
                        + "actor, `on: .main` for the main one",
                    "a sequence is assigned in an actor, or on the main loop: its elements are set "
                        + "there",
                    "an immediate block of the main actor waits for it, since a change was made "
                        + "elsewhere (told once)",
                ])
        }
    }

    #if DEBUG
        /// A program of the command line that ends before its main loop has turned.
        @Test func DB_6_a_program_whose_main_loop_nobody_drains() async {
            let ended = await #expect(
                processExitsWith: .success, observing: [\.standardErrorContent]
            ) {
                await MainActor.run {
                    let (note, reader) = (Note(), Reader())
                    note.tell(reader, when: \.title) { _, _ in }
                    note.tell(reader, when: \.title, \.pages) { _, _ in }
                    note.title = "set"
                    exit(EXIT_SUCCESS)
                }
            }
            let said = String(decoding: ended?.standardErrorContent ?? [], as: UTF8.self)
            #expect(
                said.contains(
                    "the program ends with 2 of its calls scheduled and never made: nobody drained "
                        + "the main loop"))
        }
    #endif

    @Test func DB_6_what_a_trigger_or_a_set_by_path_is_given() async {
        await #expect(processExitsWith: .success) {
            let texts = said { note, reader in
                note.tell(reader, when: \.pages, on: .main) { _, _ in }
                note.trigger(\.plain, old: 1)
                note.trigger(\.[text: "pages"], old: "one")
                note.set(1, at: \.title.count)
            }
            #expect(
                texts == [
                    "the object there has no such observable property",
                    "a trigger needs values of the property's type, Int",
                    "a path that is set ends at one property that has a setter",
                ])
        }
    }

    @Test func DB_6_what_a_computed_property_does() async {
        await #expect(processExitsWith: .success) {
            let texts = said { _, _ in
                let invoice = Invoice()
                // The last valid values, which they have then.
                (invoice.left, invoice.right) = (1, 1)
                invoice.computedProperties.invalidate(\.left, \.right)
                #expect(invoice.left == 1)
                _ = invoice.gross
                _ = invoice.number
                _ = invoice.misspelt
                ObservationDiagnostics.checkDependencies()
                _ = (invoice.undeclared, invoice.unread)
            }
            #expect(
                texts == [
                    "computed properties need each other: none of them has a value",
                    "a computed property is set while it is computed: this value stands",
                    "the loader of Invoice returns String, not Int",
                    "a computed property depends on what is no observable property",
                    "a computed property reads what it does not declare",
                    "a computed property does not read what it declares",
                ])
        }
    }
}
