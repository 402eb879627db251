// SPDX-License-Identifier: Apache-2.0
//
// Stopping in all its forms (ST), re-entrancy (RE) and labels (DB-6).

import Foundation
import ObservableSwift
import Testing

/// An observer that stops in its own deinit.
private final class StopsAtItsEnd {
    let link: Link

    init(_ link: Link) {
        self.link = link
    }

    deinit {
        link.stopTelling(self)
    }
}

/// The same as a model.
private final class ModelThatStops: ObservableModel {
    let link: Link
    @Observed var count = 0

    init(_ link: Link) {
        self.link = link
    }

    deinit {
        link.stopTelling(self)
        stopTelling(self)
    }
}

@Suite struct StoppingTests {
    private let loop = DeliveryLoop()

    // MARK: - Forms

    private func observed(_ link: Link, _ observer: PlainObserver) -> ObservationHandle {
        link.tell(observer, when: \.count, \.next?.count, on: loop) { observer, link in
            observer.seen.append(link.count)
        }
    }

    @Test func ST_9_every_stop_form_takes_typed_paths() {
        let forms: [(name: String, stop: (Link, ObservationHandle, PlainObserver) -> Void)] = [
            ("one", { link, _, observer in link.stopTelling(observer, about: \.count) }),
            ("text", { link, _, observer in link.stopTelling(observer, about: \.[text: "count"]) }),
            (
                "a list",
                { link, _, observer in link.stopTelling(observer, about: \.count) }
            ),
            (
                "a list of texts",
                { link, _, observer in
                    let paths: [TextPath] = ["count"]
                    link.stopTelling(observer, about: .any(of: paths.map { \.[text: $0] }))
                }
            ),
            ("the handle", { link, handle, _ in handle.stop(about: \.count, of: link) }),
            (
                "the handle, text",
                { link, handle, _ in handle.stop(about: \.[text: "count"], of: link) }
            ),
            ("the handle, any root", { _, handle, _ in handle.stop(about: "count") }),
        ]
        for form in forms {
            let link = Link(next: Link())
            let observer = PlainObserver()
            let handle = observed(link, observer)
            form.stop(link, handle, observer)
            #expect(!handle.hasEnded, "\(form.name)")
            #expect(link.allObservedProperties == ["next"], "\(form.name)")
            link.count = 1
            #expect(loop.drain() == 0, "\(form.name)")
            link.next?.count = 2
            #expect(loop.drain() == 1, "\(form.name)")
            link.stopTelling(observer, about: \.next?.count)
            #expect(handle.hasEnded, "\(form.name)")
            #expect(link.allObservedProperties == [], "\(form.name)")
            #expect(link.next?.allObservedProperties == [], "\(form.name)")
        }
    }

    @Test func ST_9_several_typed_paths_in_one_call() {
        let link = Link(next: Link(next: Link()))
        let observer = PlainObserver()
        let first = observed(link, observer)
        let second = link.tell(observer, when: \.[text: "next.next.count"], on: .main) { _, _ in }
        link.stopTelling(observer, about: \.count, \.next?.next?.count)
        #expect(!first.hasEnded)
        #expect(second.hasEnded)
        link.stopTelling(observer, about: \.next?.count, \.weakNext, \.next)
        #expect(first.hasEnded)
        #expect(link.allObservedProperties == [])
    }

    @Test func ST_9_text_stops_what_was_observed_by_typed_path_and_the_reverse() {
        let far = Link()
        let link = Link(next: Link())
        link.next?.weakNext = far
        let observer = PlainObserver()
        // What the key paths name has been shown by objects; from here on there are none.
        link.tell(observer, when: \.next?.weakNext?.count, on: .main) { _, _ in }.stop()
        link.next = nil
        let typed = link.tell(observer, when: \.next?.weakNext?.count, on: .main) { _, _ in }
        link.stopTelling(observer, about: \.[text: "next.weakNext.count"])
        #expect(typed.hasEnded)
        let text = link.tell(observer, when: \.[text: "next.weakNext.count"], on: .main) { _, _ in }
        link.stopTelling(observer, about: \.next?.weakNext?.count)
        #expect(text.hasEnded)
        let any = link.tell(observer, when: \.[text: "*"], on: .main) { _, _ in }
        link.stopTelling(observer, about: \.allProperties)
        #expect(any.hasEnded)
    }

    @Test func ST_9_a_stop_finds_paths_of_a_superclass_root() {
        class Base: ObservableModel { @Observed var count = 0 }
        final class Derived: Base { @Observed var more = 0 }
        let derived = Derived()
        let observer = PlainObserver()
        let handle = (derived as Base).tell(observer, when: \.count, on: .main) { _, _ in }
        derived.stopTelling(observer, about: \.count)
        #expect(handle.hasEnded)
        let other = derived.tell(observer, when: \.count, on: .main) { _, _ in }
        (derived as Base).stopTelling(observer, about: \.count)
        #expect(other.hasEnded)
    }

    @Test func ST_1_every_matching_registration_ends_in_one_call() {
        let link = Link()
        let observer = PlainObserver()
        let other = PlainObserver()
        let handles = (0..<3).map { index in
            link.tell(observer, when: \.count, on: .main, options: index == 1 ? .immediate : []) {
                _, _ in
            }
        }
        let stays = link.tell(other, when: \.count, on: .main) { _, _ in }
        link.stopTelling(observer)
        #expect(handles.map(\.hasEnded) == [true, true, true])
        #expect(!stays.hasEnded)
        #expect(link.numberOfObservers(of: "count") == 1)
    }

    @Test func ST_2_only_rooted_observations_match() {
        let link = Link()
        let root = Link(next: link)
        let observer = PlainObserver()
        let handle = root.tell(observer, when: \.next?.count, on: .main) { _, _ in }
        link.stopTelling(observer)
        link.stopTelling(observer, about: \.count)
        #expect(!handle.hasEnded)
        #expect(link.numberOfObservers(of: "count") == 1)
    }

    @Test func ST_3_stopping_what_was_never_begun_or_twice() {
        let link = Link()
        let observer = PlainObserver()
        link.stopTelling(observer)
        link.stopTelling(observer, about: \.[text: "no.such.path"])
        let none: [TextPath] = []
        link.stopTelling(observer, about: .any(of: none.map { \.[text: $0] }))
        let handle = observed(link, observer)
        link.stopTelling(observer, about: .any(of: none.map { \.[text: $0] }))
        #expect(!handle.hasEnded)
        handle.stop(about: "next.next")
        handle.stop(about: \.next?.next, of: link)
        handle.stop(about: \.count, of: Link())
        #expect(!handle.hasEnded)
        handle.stop()
        handle.stop()
        handle.stop(about: "count")
        link.stopTelling(observer)
        #expect(handle.hasEnded)
    }

    @Test func ST_1_a_handle_and_a_token_are_stopped_and_not_taken_for_observers() {
        let link = Link()
        let observer = PlainObserver()
        let handle = observed(link, observer)
        let token = link.onChange(of: \.count, on: .main) { _ in }
        link.stopTelling(handle)
        #expect(handle.hasEnded)
        #expect(!token.hasEnded)
        link.stopTelling(token)
        #expect(token.hasEnded)
    }

    @Test func ST_1_a_handle_or_a_token_loses_single_paths_by_its_object() {
        let link = Link(), other = Link()
        let observer = PlainObserver()
        let handle = link.tell(observer, when: \.count, \.next, on: .main) { _, _ in }
        let token = link.onChange(of: \.count, \.next, on: .main) { _ in }
        for observation in [handle, token] as [AnyObservation] {
            other.stopTelling(observation, about: \.count)
            link.stopTelling(observation, about: \.[text: "next"])
            #expect(!observation.hasEnded)
            link.stopTelling(observation, about: \.count)
            #expect(observation.hasEnded)
        }
    }

    @Test func ST_1_a_class_ends_a_handle_or_a_token() {
        let observer = PlainObserver()
        let begin = {
            [
                Link.allInstances.instances(when: \.count).on(.main).tell(observer) { _, _ in },
                Link.allInstances.instances(when: \.count).on(.main).onChange { _ in },
            ] as [AnyObservation]
        }
        for observation in begin() {
            Link.allInstances.stopTelling(observation, about: \.next)
            #expect(!observation.hasEnded)
            Link.allInstances.stopTelling(observation, about: \.count)
            #expect(observation.hasEnded)
        }
        for observation in begin() {
            Link.allInstances.stopTelling(observation)
            #expect(observation.hasEnded)
        }
    }

    @Test func ST_8_a_shared_block_stops_all_that_use_it() {
        let link = Link()
        let second = Link()
        let observers = [PlainObserver(), PlainObserver()]
        let model = Link()
        let block = ObservationBlock(on: loop) { (observer: PlainObserver, link: Link) in
            observer.seen.append(link.count)
        }
        let models = ObservationBlock(on: loop) { (_: Link, _: Link) in }
        let handles =
            observers.map { link.tell($0, when: \.[text: "count"], block: block) }
            + [link.tell(observers[0], when: \.next?.count, block: block)]
        let elsewhere = second.tell(observers[0], when: \.[text: "count"], block: block)
        let other = link.tell(observers[0], when: \.count, on: loop) { _, _ in }
        let byModel = link.tell(model, when: \.[text: "count"], block: models)
        link.count = 1
        #expect(loop.drain() == 4)
        link.stopTelling(block: block)
        #expect(handles.map(\.hasEnded) == [true, true, true])
        #expect(!elsewhere.hasEnded)
        #expect(!other.hasEnded)
        #expect(!byModel.hasEnded)
        link.stopTelling(block: models)
        #expect(byModel.hasEnded)
        link.stopTelling(block: block)
        second.count = 2
        #expect(loop.drain() == 1)
        #expect(observers[0].seen == [1, 2])
        second.stopTelling(block: block)
        #expect(elsewhere.hasEnded)
    }

    @Test func ST_8_a_shared_block_takes_observers_of_every_form() {
        let link = Link()
        let block = ObservationBlock(options: .immediate) { (observer: AnyObject, link: Link) in
            (observer as? Link)?.count += 1
            (observer as? PlainObserver)?.seen.append(link.count)
        }
        let plain = PlainObserver()
        let model = Link()
        link.tell(plain, when: \.[text: "count"], block: block)
        link.tell(model, when: \.[text: "count"], block: block)
        link.count = 5
        #expect(plain.seen == [5])
        #expect(model.count == 1)
        link.stopTelling(block: block)
        #expect(link.allObservedProperties == [])
    }

    // MARK: - Pending calls

    @Test func ST_4_a_stop_leaves_a_scheduled_call_and_a_token_takes_it_back() {
        let link = Link()
        let observer = PlainObserver()
        let handle = observed(link, observer)
        let cancelled = link.onChange(of: \.count, on: loop) { _ in observer.seen.append(-1) }
        var dropped: ObservationToken? = link.onChange(of: \.count, on: loop) { _ in
            observer.seen.append(-2)
        }
        link.count = 1
        handle.stop()
        link.count = 2
        cancelled.cancel()
        #expect(dropped?.hasEnded == false)
        dropped = nil
        #expect(loop.drain() == 1)
        #expect(observer.seen == [2])
        #expect(cancelled.hasEnded)
        #expect(link.allObservedProperties == [])
    }

    // MARK: - Stopping in blocks and deinits

    @Test func ST_5_stopping_in_its_own_deinit() {
        let link = Link()
        do {
            let observer = StopsAtItsEnd(link)
            link.tell(observer, when: \.count, on: .main) { _, _ in }
            let model = ModelThatStops(link)
            link.tell(model, when: \.count, on: .main) { _, _ in }
            model.tell(model, when: \.count, on: .main) { _, _ in }
            #expect(link.numberOfObservers(of: "count") == 2)
        }
        #expect(link.allObservedProperties == [])
    }

    @Test func ST_5_stopping_in_its_own_block() {
        for options in [[], .immediate] as [ObservationOptions] {
            let link = Link()
            let observer = PlainObserver()
            let handle = link.tell(observer, when: \.count, on: loop, options: options) {
                observer, link in
                observer.seen.append(link.count)
                link.stopTelling(observer)
                link.count += 1
            }
            link.count = 1
            loop.drain()
            loop.drain()
            #expect(observer.seen == [1])
            #expect(handle.hasEnded)
            #expect(link.allObservedProperties == [])
        }
    }

    @Test func RE_1_a_block_stops_the_next_one() {
        for options in [[], .immediate] as [ObservationOptions] {
            let link = Link()
            let first = PlainObserver()
            let second = PlainObserver()
            link.tell(first, when: \.count, on: loop, options: options) { first, link in
                first.seen.append(link.count)
                link.stopTelling(second)
            }
            link.tell(second, when: \.count, on: loop, options: options) { second, link in
                second.seen.append(link.count)
            }
            link.count = 1
            loop.drain()
            link.count = 2
            loop.drain()
            #expect(first.seen == [1, 2])
            // A call that was scheduled still comes, once.
            #expect(second.seen == (options == .immediate ? [] : [1]))
        }
    }

    @Test func RE_1_a_block_begins_to_observe() {
        let link = Link()
        let first = PlainObserver()
        let second = PlainObserver()
        link.tell(first, when: \.count, options: .immediate) { first, link in
            if first.seen.isEmpty {
                link.tell(second, when: \.count, options: .immediate) { second, link in
                    second.seen.append(link.count)
                }
            }
            first.seen.append(link.count)
        }
        link.count = 1
        #expect(second.seen == [])
        link.count = 2
        #expect(first.seen == [1, 2])
        #expect(second.seen == [2])
    }

    @Test func RE_2_a_token_is_dropped_inside_its_own_block() {
        for options in [[], .immediate] as [ObservationOptions] {
            let died = Shared(0)
            let link = Link()
            let kept = Shared<ObservationToken?>(nil)
            do {
                let probe = Probe(died)
                kept.value = link.onChange(of: \.count, on: loop, options: options) { link in
                    kept.value = nil
                    #expect(died.value == 0)
                    link.count += 1
                    probe.stay()
                }
            }
            link.count = 1
            loop.drain()
            loop.drain()
            #expect(link.count == 2)
            #expect(died.value == 1)
            #expect(link.allObservedProperties == [])
        }
    }

    @Test func RE_2_a_block_drops_the_object_that_it_is_called_for() {
        let died = Shared(0)
        let kept = Shared<Handed<Link>?>(nil)
        let observer = PlainObserver()
        do {
            let link = Link()
            link.atEnd = { _ in died.change { $0 += 1 } }
            link.tell(observer, when: \.count, options: .immediate) { observer, link in
                kept.value = nil
                link.count += link.count < 3 ? 1 : 0
                observer.seen.append(died.value)
            }
            kept.value = Handed(link)
        }
        kept.value?.value.count = 1
        #expect(observer.seen == [0, 0, 0])
        #expect(died.value == 1)
    }

    @Test func RE_2_a_block_drops_another_observer() {
        let link = Link()
        let first = PlainObserver()
        var second: PlainObserver? = PlainObserver()
        let seen = Shared<[Int]>([])
        link.tell(first, when: \.count, options: .immediate) { _, _ in second = nil }
        link.tell(second!, when: \.count, options: .immediate) { _, _ in
            seen.change { $0.append(2) }
        }
        link.count = 1
        link.count = 2
        #expect(seen.value == [])
        #expect(second == nil)
        #expect(link.numberOfObservers(of: "count") == 1)
    }

    @Test func RE_4_waiting_inside_a_block_is_refused() {
        let link = Link()
        let answers = Shared<[Bool]>([])
        let kept = Shared<ObservationToken?>(nil)
        kept.value = link.onChange(of: \.count, on: loop) { _ in
            answers.change { $0.append(kept.value?.cancelAndWait() ?? true) }
        }
        link.count = 1
        #expect(loop.drain() == 1)
        #expect(answers.value == [false])
        #expect(kept.value?.hasEnded == true)
        #expect(kept.value?.cancelAndWait() == true)
    }

    // MARK: - Addresses

    @Test func ST_6_a_new_object_at_the_address_of_a_dead_observer() {
        let link = Link()
        var reused = 0
        for _ in 0..<200 {
            let address: UnsafeMutableRawPointer
            do {
                let observer = PlainObserver()
                address = Unmanaged.passUnretained(observer).toOpaque()
                link.tell(observer, when: \.count, on: loop) { observer, _ in
                    observer.seen.append(1)
                }
            }
            let next = PlainObserver()
            // While its observation is there, the dead observer's memory is.
            #expect(Unmanaged.passUnretained(next).toOpaque() != address)
            let handle = link.tell(next, when: \.next, on: .main) { _, _ in }
            link.stopTelling(next, about: \.count)
            #expect(!handle.hasEnded)
            link.stopTelling(next)
            #expect(handle.hasEnded)
        }
        for _ in 0..<200 {
            let address: UnsafeMutableRawPointer
            do {
                let observer = Link()
                address = Unmanaged.passUnretained(observer).toOpaque()
                link.tell(observer, when: \.count, on: loop) { _, _ in }
            }
            let next = Link()
            reused += Unmanaged.passUnretained(next).toOpaque() == address ? 1 : 0
            let handle = link.tell(next, when: \.next, on: .main) { _, _ in }
            #expect(link.numberOfObservers(of: "count") == 0)
            #expect(!handle.hasEnded)
            link.stopTelling(next)
        }
        #expect(reused > 0, "the allocator has not given an address again")
        #expect(link.allObservedProperties == [])
    }

    @Test func ST_6_a_new_object_at_the_address_of_a_dead_root() {
        var reused = 0
        for _ in 0..<200 {
            let observer = PlainObserver()
            let address: UnsafeMutableRawPointer
            do {
                let link = Link()
                address = Unmanaged.passUnretained(link).toOpaque()
                link.tell(observer, when: \.count, on: loop) { observer, _ in
                    observer.seen.append(1)
                }
            }
            let next = Link()
            reused += Unmanaged.passUnretained(next).toOpaque() == address ? 1 : 0
            #expect(next.allObservedProperties == [])
            next.count = 1
            #expect(loop.drain() == 0)
        }
        #expect(reused > 0, "the allocator has not given an address again")
    }

    // MARK: - Refused, and said

    @Test func DB_6_the_label_stands_in_diagnostics() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let link = Link()
            let observer = PlainObserver()
            link.tell(observer, when: \.[text: "nothing.here"], on: .main, label: "of tell") {
                _, _ in
            }
            let token = link.onChange(of: \.[text: "nowhere"], on: .main, label: "of a token") {
                _ in
            }
            let block = ObservationBlock(on: .main, label: "of a block") {
                (_: PlainObserver, _: Link) in
            }
            link.tell(observer, when: \.[text: "none"], block: block)
            link.tell(observer, when: \.[text: "&1"], on: .main, label: "of what is refused") {
                _, _ in
            }
            link.tell(observer, when: \.[text: "without"], on: .main) { _, _ in }
            #expect(
                reports.value.map(\.label) == [
                    "of tell", "of a token", "of a block", "of what is refused", nil,
                ])
            #expect(
                reports.value.map(\.path) == ["nothing.here", "nowhere", "none", "&1", "without"])
            #expect(
                reports.value.map(\.kind) == [
                    .unresolvedPath, .unresolvedPath, .unresolvedPath, .refused, .unresolvedPath,
                ])
            #expect(token.unresolvedPaths == ["nowhere"])
        }
    }

    @Test func DB_1_each_report_of_an_observation_has_its_line() async {
        await #expect(processExitsWith: .success) { checkLines() }
    }

    @Test func KP_12_a_text_path_is_checked_by_the_declared_types() async {
        await #expect(processExitsWith: .success) { checkDeclaredTypes() }
    }

    // MARK: - Tokens in a bag

    @Test func OB_4_tokens_are_kept_in_a_set() {
        let link = Link()
        let loop = DeliveryLoop()
        let calls = Shared(0)
        var tokens: Set<ObservationToken> = []
        link.changes(of: \.count).on(loop).onChange { _ in calls.change { $0 += 1 } }.store(
            in: &tokens)
        link.changes(of: \.count).on(loop).onChange { _ in calls.change { $0 += 1 } }.store(
            in: &tokens)
        #expect(tokens.count == 2)
        let first = tokens.first!
        first.store(in: &tokens)
        #expect(tokens.count == 2 && tokens.contains(first) && first == first)
        link.count = 1
        #expect(loop.drain() == 2)
        // What is scheduled is taken back with them.
        link.count = 2
        tokens.remove(first)
        #expect(link.numberOfObservers(of: "count") == 2)
        tokens = []
        #expect(!first.hasEnded && link.numberOfObservers(of: "count") == 1)
        #expect(loop.drain() == 1)
        #expect(calls.value == 3)
    }

    @Test func OB_4_tokens_are_kept_in_an_array() {
        let link = Link()
        var tokens = [
            link.changes(of: \.count).on(.main).onChange { _ in },
            link.changes(of: \.next).on(.main).onChange { _ in },
        ]
        #expect(tokens[0] != tokens[1] && tokens[0].hashValue == tokens[0].hashValue)
        #expect(link.allObservedProperties.sorted() == ["count", "next"])
        tokens.removeAll()
        #expect(link.allObservedProperties == [])
    }

    @Test func DB_6_what_is_refused_of_a_typed_path_names_no_empty_one() async {
        await #expect(processExitsWith: .success) {
            let reports = Shared<[ObservationDiagnostics.Report]>([])
            ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
            let link = Link()
            let observer = PlainObserver()
            let loop = DeliveryLoop()
            loop.invalidate()
            link.tell(observer, when: \.count, on: loop) { _, _ in }
            #expect(reports.value.map(\.kind) == [.refused])
            #expect(reports.value.map(\.path) == [nil])
        }
    }

    @Test func DB_6_an_option_is_named_as_it_is_in_Swift() {
        let link = Link()
        let observer = PlainObserver()
        let handle = link.tell(observer, when: \.[text: "count"], on: .main) { _, _ in }
        let error = #expect(throws: ObservationError.self) {
            try handle.also(link, when: \.[text: "next"])
        }
        #expect(error?.kind == .options)
        #expect(error?.message.contains("`.allowsMorePaths`") == true)
        #expect(error?.message.contains("OBV_") == false)
    }

    @Test func DB_6_without_a_handler_it_is_said_on_standard_error() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            let link = Link()
            let observer = PlainObserver()
            link.tell(observer, when: \.[text: "nothing.here"], on: .main, label: "of tell") {
                _, _ in
            }
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("ObservableSwift: "))
        #expect(said.contains("\"nothing.here\" [of tell]"))
    }
}

// MARK: - What runs in a process of its own, with lines of this file

private func checkLines() {
    let reports = Shared<[ObservationDiagnostics.Report]>([])
    ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
    let link = Link()
    let observer = PlainObserver()
    let ended = DeliveryLoop()
    ended.invalidate()
    let line = #line + 1
    link.tell(observer, when: \.[text: "nowhere"], on: .main) { _, _ in }
    link.tell(observer, when: \.[text: "&1"], on: .main) { _, _ in }
    link.tell(observer, when: \.count, on: ended) { _, _ in }
    let token = link.changes(of: \.[text: "nowhere"]).on(.main).onChange { _ in }
    Link.allInstances.instances(when: \.[text: "nowhere"]).on(.main).tell(observer) { _, _ in }
    // Not that of the change that shows it.
    link.tell(observer, when: \.next?.atEnd, on: .main) { _, _ in }
    withObservationCause { link.next = Link() }
    #expect(reports.value.map(\.line) == (0..<5).map { line + $0 } + [line + 6])
    #expect(reports.value.allSatisfy { $0.file?.hasSuffix("StoppingTests.swift") == true })
    // What is about no observation has none.
    link.trigger(\.[text: "nowhere"], old: 1)
    #expect(reports.value.last?.kind == .refused)
    #expect(reports.value.last?.line == nil && reports.value.last?.file == nil)
    withExtendedLifetime(token) {}
}

/// Only debug builds tell, which the tests are as well, or not, with the library.
private func checkDeclaredTypes() {
    let reports = Shared<[ObservationDiagnostics.Report]>([])
    ObservationDiagnostics.setHandler { report in reports.change { $0.append(report) } }
    let link = Link()
    let observer = PlainObserver()
    let line = #line + 1
    link.tell(observer, when: \.[text: "next.count.digits"], on: .main, label: "digits") { _, _ in }
    link.tell(observer, when: \.[text: "next.cuont"], on: .main) { _, _ in }
    link.tell(observer, when: \.[text: "next.next.count"], \.[text: "next.*.nobody"], on: .main) {
        _, _ in
    }
    #if DEBUG
        #expect(reports.value.map(\.kind) == [.declaredTypes, .declaredTypes])
        #expect(reports.value.map(\.path) == ["next.count.digits", "next.cuont"])
        #expect(reports.value.map(\.line) == [line, line + 1])
        #expect(reports.value.map(\.label) == ["digits", nil])
        #expect(reports.value[0].text.contains("`count`, its element 2, holds no object"))
        #expect(reports.value[1].text.contains("element 2 is no property of the class"))
    #else
        #expect(reports.value.isEmpty && line > 0)
    #endif
}
