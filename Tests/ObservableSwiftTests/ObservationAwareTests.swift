// SPDX-License-Identifier: Apache-2.0
//
// OS-1: what scripts cannot say of models that are told of being observed.

import Foundation
import ObservableSwift
import Testing

/// What a model was told, and what it does then.
private final class Told: @unchecked Sendable {
    private var noted: [String] = []
    private let lock = NSLock()
    var then: ((String) -> Void)?

    var words: [String] { lock.withLock { noted } }

    func note(_ sign: String, _ property: String) {
        let word = sign + property
        lock.withLock { noted.append(word) }
        then?(word)
    }
}

private class Photo: ObservableModel, ObservationAware {
    @Observed var image: String?
    @Observed var size = Size()
    let told = Told()

    struct Size: Equatable {
        var width = 0
        var height = 0
    }

    func didBecomeObserved(_ property: String) { told.note("+", property) }
    func didBecomeUnobserved(_ property: String) { told.note("-", property) }
}

private final class Portrait: Photo {
    @Observed var name = ""

    override func didBecomeObserved(_ property: String) {
        super.didBecomeObserved(property + "!")
    }
}

/// Conforms where its superclass does not.
private class Plain: ObservableModel {
    @Observed var title = ""
}

private final class Listener: Plain, ObservationAware {
    @Observed var photo: Photo?
    let told = Told()

    func didBecomeObserved(_ property: String) { told.note("+", property) }
    func didBecomeUnobserved(_ property: String) { told.note("-", property) }
}

private class Foreign {
    var tag = [1, 2, 3]
}

private final class Host: Foreign, ObservableHost, ObservationAware {
    let observation = ObservationHeader()
    @Observed var count = 0
    @Observed var next: Host?
    let told = Told()

    func didBecomeObserved(_ property: String) { told.note("+", property) }
    func didBecomeUnobserved(_ property: String) { told.note("-", property) }
}

private actor Account: ObservationAware {
    nonisolated let observation = ObservationHeader()
    @Observed private(set) var balance = 0
    let told = Told()

    nonisolated func didBecomeObserved(_ property: String) { told.note("+", property) }
    nonisolated func didBecomeUnobserved(_ property: String) { told.note("-", property) }
}

/// A model of any thread.
private final class Station: ObservableHost, ObservationAware, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var level = 0
    @ObservedAtomic var other = 0
    private let isTelling = Shared(false)
    /// By property: whether it was told so last.
    let last = Shared([String: Bool]())
    let faults = Shared(0)

    func didBecomeObserved(_ property: String) { note(property, true) }
    func didBecomeUnobserved(_ property: String) { note(property, false) }

    private func note(_ property: String, _ isObserved: Bool) {
        isTelling.change { isTelling in
            faults.value += isTelling ? 1 : 0
            isTelling = true
        }
        last.change { last in
            faults.value += (last[property] ?? false) == isObserved ? 1 : 0
            last[property] = isObserved
        }
        isTelling.value = false
    }
}

@Suite struct ObservationAwareTests {
    private let loop = DeliveryLoop()

    // MARK: - Which models

    @Test func OS_1_a_model_is_told_of_the_first_observer_and_the_last() {
        let photo = Photo()
        let observer = PlainObserver()
        let handle = photo.tell(observer, when: \.image, on: loop) { _, _ in }
        let other = photo.tell(observer, when: \.[text: "image"], on: loop) { _, _ in }
        handle.stop()
        #expect(photo.told.words == ["+image"])
        other.stop()
        #expect(photo.told.words == ["+image", "-image"])
    }

    @Test func OS_1_a_token_that_goes_tells() {
        let photo = Photo()
        var token: ObservationToken? = photo.onChange(of: \.allProperties, on: loop) { _ in }
        #expect(photo.told.words == ["+*"])
        _ = token
        token = nil
        #expect(photo.told.words == ["+*", "-*"])
    }

    @Test func OS_1_a_subclass_is_told_by_what_it_overrides() {
        let portrait = Portrait()
        let token = portrait.onChange(of: \.name, \.image, on: loop) { _ in }
        token.cancel()
        #expect(portrait.told.words.sorted() == ["+image!", "+name!", "-image", "-name"])
    }

    @Test func OS_1_a_class_conforms_where_its_superclass_does_not() {
        let listener = Listener()
        let plain = Plain()
        let observer = PlainObserver()
        listener.tell(observer, when: \.title, on: loop) { _, _ in }
        plain.tell(observer, when: \.title, on: loop) { _, _ in }
        listener.stopTelling(observer)
        #expect(listener.told.words == ["+title", "-title"])
        #expect(plain.numberOfObservers(of: "title") == 1)
    }

    @Test func OS_1_a_host_is_told() {
        let host = Host()
        let next = Host()
        let observer = PlainObserver()
        host.tell(observer, when: \.next?.count, on: loop) { _, _ in }
        host.next = next
        #expect(host.told.words == ["+next"])
        #expect(next.told.words == ["+count"])
        host.next = nil
        #expect(next.told.words == ["+count", "-count"])
        host.stopTelling(observer)
        #expect(host.told.words == ["+next", "-next"])
    }

    @Test func OS_1_an_actor_is_told_outside_of_it() async {
        let account = Account()
        let observer = PlainObserver()
        account.tell(observer, when: \.[text: "balance"], on: loop) { _, _ in }
        account.stopTelling(observer)
        #expect(account.told.words == ["+balance", "-balance"])
    }

    // MARK: - Paths

    @Test func OS_1_a_part_of_a_value_observes_its_property() {
        let photo = Photo()
        let listener = Listener()
        let observer = PlainObserver()
        listener.photo = photo
        listener.tell(observer, when: \.photo?.size.width, on: loop) { _, _ in }
        listener.tell(observer, when: \.photo?.size.height, on: loop) { _, _ in }
        #expect(listener.told.words == ["+photo"])
        #expect(photo.told.words == ["+size"])
        listener.stopTelling(observer, about: \.photo?.size.width)
        #expect(photo.told.words == ["+size"])
        listener.stopTelling(observer)
        #expect(photo.told.words == ["+size", "-size"])
    }

    @Test func OS_1_what_loads_on_demand_has_loaded_for_immediate_blocks() {
        let photo = Photo()
        let listener = Listener()
        photo.told.then = { [unowned photo] word in
            photo.image = word == "+image" ? "loaded" : nil
        }
        var seen: [String?] = []
        let token = listener.onChange(of: \.photo?.image, options: .immediate) { listener in
            seen.append(listener.photo?.image)
        }
        listener.photo = photo
        #expect(seen == ["loaded", "loaded"])  // the hook's own set, and the photo's coming
        token.cancel()
        #expect(photo.image == nil)
    }

    // MARK: - Ends

    @Test func OS_1_LT_7_a_dying_model_is_told_nothing() {
        let told: Told
        let observer = PlainObserver()
        do {
            let photo = Photo()
            told = photo.told
            photo.tell(observer, when: \.image, on: loop) { _, _ in }
        }
        #expect(told.words == ["+image"])
    }

    @Test func OS_1_LT_7_stopping_in_its_own_deinit_tells_nothing() {
        final class Stopping: ObservableModel, ObservationAware {
            @Observed var count = 0
            let told: Told
            var handle: ObservationHandle?

            init(_ told: Told) {
                self.told = told
                super.init()
            }

            func didBecomeObserved(_ property: String) { told.note("+", property) }
            func didBecomeUnobserved(_ property: String) { told.note("-", property) }

            deinit { handle?.stop() }
        }
        let told = Told()
        let observer = PlainObserver()
        do {
            let model = Stopping(told)
            model.handle = model.tell(observer, when: \.count, on: loop) { _, _ in }
        }
        #expect(told.words == ["+count"])
    }

    @Test func OS_1_LT_3_the_end_of_an_observer_is_told_when_it_is_found() {
        let photo = Photo()
        var observer: PlainObserver? = PlainObserver()
        photo.tell(observer!, when: \.image, on: loop) { _, _ in }
        observer = nil
        photo.image = "other"
        #expect(photo.told.words == ["+image", "-image"])
        var model: Link? = Link()
        photo.tell(model!, when: \.image, on: loop) { _, _ in }
        model = nil  // a model's own end ends it at once
        #expect(photo.told.words == ["+image", "-image", "+image", "-image"])
    }

    @Test func OS_1_LT_3_the_end_of_an_observer_is_told_when_it_is_asked_for() {
        let photo = Photo()
        var observer: PlainObserver? = PlainObserver()
        let handle = photo.tell(observer!, when: \.image, on: loop) { _, _ in }
        #expect(!handle.hasEnded)
        observer = nil
        #expect(photo.told.words == ["+image"])
        #expect(handle.hasEnded)
        #expect(photo.told.words == ["+image", "-image"])

        observer = PlainObserver()
        photo.tell(observer!, when: \.image, on: loop) { _, _ in }
        observer = nil
        #expect(photo.numberOfObservers(of: "image") == 0)
        #expect(photo.told.words == ["+image", "-image", "+image", "-image"])
    }

    @Test func OS_1_LT_3_an_observer_that_stops_in_its_deinit_is_told_of_at_once() {
        final class Leaving {
            let photo: Photo
            init(_ photo: Photo) { self.photo = photo }
            deinit { photo.stopTelling(self) }
        }
        let photo = Photo()
        var observer: Leaving? = Leaving(photo)
        let handle = photo.tell(observer!, when: \.image, on: loop) { _, _ in }
        photo.tell(observer!, when: \.[text: "size"], on: loop) { _, _ in }
        #expect(photo.told.words == ["+image", "+size"])
        observer = nil
        #expect(photo.told.words.suffix(2).sorted() == ["-image", "-size"])
        #expect(handle.hasEnded)
    }

    @Test func OS_1_who_looks_by_name_and_by_wildcard_is_told_of_both() {
        final class Counting: ObservableModel, ObservationAware {
            @Observed var image: String?
            private var reasons: Set<String> = []
            private(set) var isLoading = false

            func didBecomeObserved(_ property: String) {
                guard property == "image" || property == "*" else { return }
                if reasons.isEmpty { isLoading = true }
                reasons.insert(property)
            }
            func didBecomeUnobserved(_ property: String) {
                if reasons.remove(property) != nil && reasons.isEmpty { isLoading = false }
            }
        }
        let photo = Counting()
        let every = photo.onChange(of: \.allProperties, on: loop) { _ in }
        #expect(photo.isLoading)
        let one = photo.onChange(of: \.image, on: loop) { _ in }
        every.cancel()
        #expect(photo.isLoading)
        one.cancel()
        #expect(!photo.isLoading)
    }

    @Test func OS_1_the_last_reference_may_go_in_the_call() {
        let listener = Listener()
        let observer = PlainObserver()
        var photo: Photo? = Photo()
        weak let watched = photo
        let told = photo!.told
        told.then = { word in photo = word == "-image" ? nil : photo }
        listener.photo = photo
        listener.tell(observer, when: \.photo?.image, on: loop) { _, _ in }
        listener.photo = nil
        #expect(told.words == ["+image", "-image"])
        #expect(watched == nil)
    }

    // MARK: - Threads

    @Test func OS_1_the_call_comes_on_the_thread_that_observes() {
        let station = Station()
        let observer = Handed(PlainObserver())
        let loop = loop
        onOtherThread {
            station.tell(observer.value, when: \.level, on: loop) { _, _ in }
        }
        #expect(station.last.value == ["level": true])
        onOtherThread {
            station.stopTelling(observer.value)
        }
        #expect(station.last.value == ["level": false])
    }

    @Test func OS_1_calls_alternate_and_the_last_is_true_whatever_threads_do() {
        let station = Station()
        let loop = loop
        onThreads(4) { number in
            for round in 0..<500 {
                let token = station.onChange(
                    of: round.isMultiple(of: 2) ? \.level : \.other, on: loop
                ) { _ in }
                station.level = round
                if round % 3 == number % 3 {
                    let observer = PlainObserver()
                    station.tell(observer, when: \.allProperties, on: loop) { _, _ in }
                    station.stopTelling(observer)
                }
                token.cancel()
            }
        }
        loop.drain()
        #expect(station.faults.value == 0)
        #expect(station.last.value == ["level": false, "other": false, "*": false])
        let token = station.onChange(of: \.other, on: loop) { _ in }
        #expect(station.last.value == ["level": false, "other": true, "*": false])
        token.cancel()
    }

    /// The change that finds the observer gone is somebody else's.
    @Test func LT_3_a_gone_observer_of_many_models_lets_go_of_all() {
        let gallery = Gallery()
        let photos = (0..<1000).map { _ in Photo() }
        gallery.photos.append(contentsOf: photos)
        var observer: PlainObserver? = PlainObserver()
        gallery.tell(observer!, when: \.photos.each.image, on: loop) { _, _ in
            Issue.record("a gone observer is told")
        }
        func observed() -> Int { photos.count { $0.told.words.last == "+image" } }
        #expect(observed() == 1000)
        observer = nil
        photos[500].image = "sunset"
        #expect(observed() == 0)
        #expect(photos[999].numberOfObservers(of: "image") == 0)
    }
}

private final class Gallery: ObservableModel {
    @Observed var title = ""
    let photos = ObservableArray<Photo>()
}
