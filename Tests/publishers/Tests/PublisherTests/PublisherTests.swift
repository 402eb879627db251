// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import ObservableOpenCombine
import ObservableSwift
import OpenCombine
import Synchronization
import Testing

private final class Address: ObservableModel {
    @Observed var zipCode: String?

    init(_ zipCode: String?) {
        self.zipCode = zipCode
    }
}

private final class User: ObservableModel {
    @Observed var name = "Ada"
    @Observed var age = 36
    @Observed var address: Address?
}

private final class Gauge: ObservableHost, @unchecked Sendable {
    let observation = ObservationHeader()
    @ObservedAtomic var level = 0
}

/// Demands what it is told to, and notes what comes.
private final class Consumer<Input>: Subscriber, @unchecked Sendable {
    typealias Failure = Never

    private(set) var subscription: (any Subscription)?
    private(set) var seen: [Input] = []
    private(set) var ends = 0
    private let first: Subscribers.Demand
    var next: (Consumer<Input>) -> Subscribers.Demand = { _ in .none }

    init(_ first: Subscribers.Demand) {
        self.first = first
    }

    func receive(subscription: any Subscription) {
        self.subscription = subscription
        if first > .none { subscription.request(first) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        seen.append(input)
        return next(self)
    }

    func receive(completion: Subscribers.Completion<Never>) { ends += 1 }

    func cancel() {
        subscription?.cancel()
        subscription = nil
    }
}

/// Keeps the object that it publishes.
private actor Keeper {
    private let user = User()

    func publish(to consumer: Consumer<Int?>) {
        user.publisher(of: \.age).subscribe(consumer)
    }
}

@Suite struct PublisherTests {
    private let loop = DeliveryLoop {}

    @Test func BI_7_the_present_value_and_each_change_are_published() {
        let user = User()
        var seen: [String?] = []
        let cancellable = user.publisher(of: \.address?.zipCode, on: loop).sink {
            seen.append($0)
        }
        #expect(seen == [nil])
        user.address = Address("1")
        user.address?.zipCode = "2"
        loop.drain()
        #expect(seen == [nil, "2"])
        user.address = Address("3")
        loop.drain()
        #expect(seen == [nil, "2", "3"])
        cancellable.cancel()
        user.address = nil
        #expect(loop.drain() == 0)
        #expect(seen == [nil, "2", "3"])
    }

    @Test func BI_7_changes_are_published_with_both_values() {
        let user = User()
        var seen: [ObservedChange<User, Int>] = []
        let cancellable = user.changePublisher(of: \.age, on: loop).sink { seen.append($0) }
        #expect(seen.isEmpty)
        user.age = 37
        user.age = 38
        loop.drain()
        #expect(seen.map(\.old) == [36])
        #expect(seen.map(\.new) == [38])
        withExtendedLifetime(cancellable) {}
    }

    @Test func BI_7_operators_of_theirs_follow() {
        let user = User()
        var seen: [String] = []
        let cancellable = user.publisher(of: \.age, on: loop)
            .map { "\(($0 ?? 0) / 10)0s" }
            .removeDuplicates()
            .sink { seen.append($0) }
        for age in [37, 41, 42] {
            user.age = age
            loop.drain()
        }
        #expect(seen == ["30s", "40s"])
        withExtendedLifetime(cancellable) {}
    }

    @Test func BI_7_the_newest_waits_while_nothing_is_demanded() {
        let user = User()
        let consumer = Consumer<Int?>(.none)
        user.publisher(of: \.age, on: loop).subscribe(consumer)
        for age in [1, 2, 3] {
            user.age = age
            loop.drain()
        }
        #expect(consumer.seen == [])
        consumer.subscription?.request(.max(2))
        #expect(consumer.seen == [3])
        for age in [4, 5, 6] {
            user.age = age
            loop.drain()
        }
        #expect(consumer.seen == [3, 4])
        // Demanded while it receives.
        consumer.next = { consumer in consumer.seen.count < 4 ? .max(1) : .none }
        consumer.subscription?.request(.max(1))
        #expect(consumer.seen == [3, 4, 6])
        for age in [7, 8] {
            user.age = age
            loop.drain()
        }
        #expect(consumer.seen == [3, 4, 6, 7])
        consumer.cancel()
    }

    @Test func BI_7_changes_that_wait_are_one() {
        let user = User()
        let consumer = Consumer<ObservedChange<User, Int>>(.none)
        user.changePublisher(of: \.age, on: loop).subscribe(consumer)
        for age in [1, 2, 3] {
            user.age = age
            loop.drain()
        }
        consumer.subscription?.request(.unlimited)
        #expect(consumer.seen.map(\.old) == [36])
        #expect(consumer.seen.map(\.new) == [3])
        user.age = 4
        loop.drain()
        #expect(consumer.seen.map(\.old) == [36, 3])
        consumer.cancel()
    }

    @Test func BI_7_LT_4_it_finishes_when_the_object_is_gone() {
        var user: User? = User()
        weak let weakUser = user
        let consumer = Consumer<Int?>(.max(1))
        user!.publisher(of: \.age, on: loop).subscribe(consumer)
        #expect(consumer.seen == [36])
        user!.age = 1
        loop.drain()
        user = nil
        #expect(weakUser == nil)
        // Behind the element that waits.
        #expect(consumer.ends == 0)
        consumer.subscription?.request(.max(1))
        #expect(consumer.seen == [36, 1])
        #expect(consumer.ends == 1)
        consumer.subscription?.request(.max(1))
        consumer.cancel()
        #expect(consumer.ends == 1)
    }

    /// Nothing can be called in its isolation any more.
    @Test func BI_7_LT_4_it_finishes_when_the_object_goes_with_its_actor() async {
        for demand in [Subscribers.Demand.unlimited, .none] {
            let consumer = Consumer<Int?>(demand)
            var keeper: Keeper? = Keeper()
            weak let weakKeeper = keeper
            await keeper!.publish(to: consumer)
            keeper = nil
            while weakKeeper != nil { await Task.yield() }
            if demand == .none {
                #expect(consumer.ends == 0)
                consumer.subscription?.request(.max(1))
            }
            #expect(consumer.seen == [36])
            #expect(consumer.ends == 1)
        }
    }

    @Test func BI_7_a_subscriber_may_demand_and_change_inside_of_what_it_receives() {
        let user = User()
        for options in [[], .immediate] as [ObservationOptions] {
            user.age = 1
            let consumer = Consumer<Int?>(.max(1))
            var inside = 0
            consumer.next = { consumer in
                inside += 1
                #expect(inside == 1)
                if user.age < 5 { user.age += 1 }
                consumer.subscription?.request(.max(1))
                inside -= 1
                return .none
            }
            user.publisher(of: \.age, on: loop, options: options).subscribe(consumer)
            while loop.drain() > 0 {}
            #expect(consumer.seen == [1, 2, 3, 4, 5])
            consumer.next = { consumer in
                consumer.cancel()
                user.age += 1
                return .unlimited
            }
            user.age = 6
            while loop.drain() > 0 {}
            #expect(consumer.seen == [1, 2, 3, 4, 5, 6])
            #expect(consumer.ends == 0)
            #expect(ObservationInspector(user).numberOfObservers(of: "age") == 0)
        }
    }

    @Test func BI_7_the_end_comes_once_when_the_object_goes_inside_of_what_is_received() {
        var user: User? = User()
        let consumer = Consumer<Int?>(.unlimited)
        consumer.next = { _ in
            user = nil
            return .none
        }
        user!.publisher(of: \.age, on: loop).subscribe(consumer)
        while loop.drain() > 0 {}
        #expect(user == nil)
        #expect(consumer.seen == [36])
        #expect(consumer.ends == 1)
    }

    @Test func BI_7_what_is_refused_finishes_at_once() {
        let consumer = Consumer<Int?>(.unlimited)
        let ended = DeliveryLoop {}
        ended.invalidate()
        User().publisher(of: \.age, on: ended).subscribe(consumer)
        #expect(consumer.ends == 1)
    }

    @Test func BI_7_a_subscriber_may_cancel_when_it_is_subscribed_and_when_it_receives() {
        let user = User()
        var seen = 0
        let first = user.publisher(of: \.age, on: loop).prefix(1).sink { _ in seen += 1 }
        user.age += 1
        loop.drain()
        #expect(seen == 1)
        let consumer = Consumer<Int?>(.unlimited)
        consumer.next = { consumer in
            consumer.cancel()
            return .none
        }
        user.publisher(of: \.age, on: loop).subscribe(consumer)
        user.age += 1
        loop.drain()
        #expect(consumer.seen.count == 1)
        #expect(ObservationInspector(user).numberOfObservers(of: "age") == 0)
        let none = user.publisher(of: \.age, on: loop).prefix(0).sink { _ in seen += 1 }
        #expect(ObservationInspector(user).numberOfObservers(of: "age") == 0)
        withExtendedLifetime((first, none)) {}
    }

    @Test func BI_7_nothing_is_kept_and_nothing_is_left() {
        weak var consumer: Consumer<Int?>?
        let user = User()
        do {
            let made = Consumer<Int?>(.unlimited)
            consumer = made
            user.publisher(of: \.age, on: loop).subscribe(made)
            user.age += 1
            made.cancel()
        }
        #expect(consumer == nil)
        #expect(ObservationInspector(user).numberOfObservers(of: "age") == 0)
        // Not cancelled, it goes with the object.
        do {
            let object = User()
            let made = Consumer<Int?>(.none)
            consumer = made
            object.publisher(of: \.age, on: loop).subscribe(made)
            made.subscription?.request(.max(1))
            #expect(made.seen == [36])
        }
        #expect(consumer == nil)
    }

    @Test func BI_7_each_subscription_is_an_observation_of_its_own() {
        let user = User()
        let publisher = user.publisher(of: \.age, on: loop)
        var seen: [Int] = []
        var cancellables: Set<AnyCancellable> = []
        publisher.sink { seen.append($0 ?? 0) }.store(in: &cancellables)
        user.age = 1
        loop.drain()
        publisher.sink { seen.append(10 + ($0 ?? 0)) }.store(in: &cancellables)
        #expect(seen == [36, 1, 11])
        #expect(ObservationInspector(user).numberOfObservers(of: "age") == 2)
        cancellables = []
        #expect(ObservationInspector(user).numberOfObservers(of: "age") == 0)
    }

    @Test func BI_7_elements_come_on_the_loop_that_was_named() {
        let queue = DispatchQueue(label: "publisher")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let gauge = Gauge()
        let strays = Atomic<Int>(0)
        let arrived = DispatchSemaphore(value: 0)
        let cancellable = gauge.publisher(of: \.level, on: DeliveryLoop(queue: queue)).sink {
            level in
            if DispatchQueue.getSpecific(key: key) == nil { strays.add(1, ordering: .relaxed) }
            if level == 4_000 { arrived.signal() }
        }
        for _ in 0..<2 {
            Thread.detachNewThread {
                for level in 1..<2_000 { gauge.level = level }
                arrived.signal()
            }
        }
        arrived.wait()
        arrived.wait()
        gauge.level = 4_000
        arrived.wait()
        let stray = strays.load(ordering: .relaxed)
        #expect(stray == 0)
        cancellable.cancel()
    }

    @Test func BI_7_a_demand_from_elsewhere_is_met_on_the_loop() {
        let queue = DispatchQueue(label: "demand")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let gauge = Gauge()
        let consumer = Consumer<Int?>(.none)
        let arrived = DispatchSemaphore(value: 0)
        let wasThere = Atomic<Bool>(false)
        consumer.next = { _ in
            wasThere.store(DispatchQueue.getSpecific(key: key) ?? false, ordering: .relaxed)
            arrived.signal()
            return .none
        }
        gauge.publisher(of: \.level, on: DeliveryLoop(queue: queue)).subscribe(consumer)
        queue.sync {}
        consumer.subscription?.request(.max(1))
        arrived.wait()
        let isThere = wasThere.load(ordering: .relaxed)
        #expect(isThere)
        consumer.cancel()
    }

    @Test func BI_7_assign_sets_a_property_and_keeps_no_object() {
        let source = User()
        var target: User? = User()
        weak let weakTarget = target
        let seen = Mutex<[String]>([])
        let token = target!.values(of: \.name).on(loop).onChange { name in
            seen.withLock { $0.append(name ?? "") }
        }
        let cancellable = source.publisher(of: \.name, on: loop)
            .map { "\($0 ?? "")!" }
            .assign(to: \.name, of: target!)
        #expect(target?.name == "Ada!")
        source.name = "Grace"
        loop.drain()
        #expect(target?.name == "Grace!")
        loop.drain()
        #expect(seen.withLock { $0 }.last == "Grace!")
        target = nil
        loop.drain()
        #expect(weakTarget == nil)
        source.name = "Joan"
        loop.drain()
        #expect(ObservationInspector(source).numberOfObservers(of: "name") == 0)
        withExtendedLifetime((token, cancellable)) {}
    }
}
