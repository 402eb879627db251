// SPDX-License-Identifier: Apache-2.0
//
// P11b: append to an array of 30,000 that is an observed property, in place.
//
//     P11b1  nobody observes it
//     P11b2  one delayed observer, which is called after a batch of appends
//     P11b3  one immediate observer
//
// What a batch has appended is taken away between the batches, untimed.

import BenchSupport
import ObservableSwift
import Observation

/// The elements at the beginning, and as many as a batch appends.
let listLength = 30_000
let listBatch = 1_000

func fullList() -> [Int] {
    var items = [Int](repeating: 0, count: listLength)
    items.reserveCapacity(listLength + listBatch)
    return items
}

protocol AppendableList: AnyObject {
    var items: [Int] { get set }
    /// Appends to the list that is its context.
    static var append: Setter { get }
}

private final class PlainList: AppendableList {
    var items = fullList()
    static var append: Setter {
        { context, value in context.with(PlainList.self) { $0.items.append(value) } }
    }
}

private final class List: ObservableModel, AppendableList {
    @Observed var items = fullList()
    static var append: Setter {
        { context, value in context.with(List.self) { $0.items.append(value) } }
    }
}

@Observable
private final class ObservationList: AppendableList {
    var items = fullList()
    static var append: Setter {
        { context, value in context.with(ObservationList.self) { $0.items.append(value) } }
    }
}

func appendsInPlace() -> [Variant] {
    [
        Variant(id: "P11b1", name: "ours") { .appends(to: List()) },
        Variant(id: "P11b1", name: "floor") { .appends(to: PlainList()) },
        Variant(id: "P11b1", name: "Observation") { .appends(to: ObservationList()) },
        observed("P11b2", []) { tally, last in tally.calls >= last / listBatch },
        observed("P11b3", .immediate) { tally, last in tally.calls >= last },
    ]
}

private func observed(
    _ id: String, _ options: ObservationOptions, saw: @escaping (Tally, Int) -> Bool
) -> Variant {
    Variant(id: id, name: "ours") {
        let list = List()
        let loop = DeliveryLoop()
        let watcher = ModelWatcher()
        list.tell(watcher, when: \.items, on: loop, options: options) { watcher, list in
            watcher.tally.add(list.items.count)
        }
        return .appends(to: list) {
            loop.drain()
        } verify: { last in
            saw(watcher.tally, last)
        }
    }
}

extension Trial {
    static func appends<List: AppendableList>(
        to list: List, deliver: @escaping () -> Void = {},
        verify: @escaping (Int) -> Bool = { _ in true }
    ) -> Trial {
        let context = UnsafeRawPointer(Unmanaged.passUnretained(list).toOpaque())
        return Trial(
            run: { first, count in
                var time = 0.0
                for begin in stride(from: first, to: first + count, by: listBatch) {
                    let some = min(listBatch, first + count - begin)
                    time += timed { bench_sets(0, List.append, context, begin, some) }
                    guard list.items.count == listLength + some, list.items.last == begin + some - 1
                    else { fail("an append is missing") }
                    deliver()
                    list.items.removeLast(some)
                }
                return time
            },
            verify: verify)
    }
}
