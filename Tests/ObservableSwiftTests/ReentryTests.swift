// SPDX-License-Identifier: Apache-2.0
//
// RE-5: no lock of the library is held while code of the program runs. Everything of the program
// that the library may run takes every way back in; under a lock, one of them would wait for ever.

import ObservableSwift
import Testing

private final class Node: ObservableModel {
    @Observed var name = ""
    @Observed var next: Node?
}

/// Every way back in, over objects that the test goes on with.
private final class WaysIn {
    let node = Node()
    let observer = Node()
    let loop = DeliveryLoop()
    private(set) var taken = 0
    private var isInside = false

    func take() {
        guard !isInside else { return }
        isInside = true
        defer { isInside = false }
        let text = node.tell(observer, when: \.[text: "next.name"], \.[text: "*"], on: loop) {
            _, _ in
        }
        let typed = node.tell(self, when: \.next?.next?.name, on: loop) { _, _ in }
        let token = node.onChange(of: \.name, on: loop, options: .immediate) { _ in }
        node.next = Node()
        node.next?.next = node
        node.name += "."
        text.schedule()
        text.execute()
        loop.drain()
        _ = node.numberOfObservers(of: "name") + loop.pendingCount
        _ = node.allObservedProperties + text.unresolvedPaths
        _ = try? TextPath(parsing: "next.next").validate(for: Node.self)
        node.stopTelling(observer, about: \.[text: "next.name"])
        node.stopTelling(self, about: \.next?.next?.name)
        token.cancel()
        text.stop()
        typed.stop()
        node.next = nil
        DeliveryLoop().drain()
        taken += 1
    }
}

nonisolated(unsafe) private var ways: WaysIn?

/// A value whose comparison goes back in.
private struct Curious: Equatable {
    var number = 0

    static func == (a: Curious, b: Curious) -> Bool {
        ways?.take()
        return a.number == b.number
    }
}

private enum CuriousPolicy: ObservationPolicy {
    static func areEqual(_ a: Int, _ b: Int) -> Bool {
        ways?.take()
        return a == b
    }

    static func corrected(_ offered: consuming Int) -> Int {
        ways?.take()
        return offered
    }
}

private final class Farewell {
    deinit { ways?.take() }
}

private final class Leaf: ObservableModel {
    @Observed var value = Curious()
    @ObservedAs<CuriousPolicy> var level = 0
    @Observed var box: Farewell?
    var computed: Int {
        ways?.take()
        return level
    }
    deinit { ways?.take() }
}

private final class Root: ObservableModel {
    @Observed var leaf: Leaf?
}

@Suite(.serialized) struct ReentryTests {
    private let loop = DeliveryLoop()

    /// Runs `body` with the ways in; answers how often they were taken.
    private func taking(_ body: () -> Void) -> Int {
        ways = WaysIn()
        defer { ways = nil }
        body()
        return ways!.taken
    }

    private func leaf(_ number: Int) -> Leaf {
        let leaf = Leaf()
        leaf.value = Curious(number: number)
        return leaf
    }

    @Test func RE_5_in_a_comparison_of_the_setter_and_of_the_wiring() {
        let root = Root()
        let taken = taking {
            root.tell(root, when: \.[text: "leaf.value"], \.[text: "leaf.level"], on: loop) {
                _, _ in
            }
            root.leaf = leaf(1)
            root.leaf = leaf(1)
            root.leaf?.value = Curious(number: 2)
            root.leaf?.level = 5
            root.leaf?.level += 1
        }
        #expect(taken >= 4)
        #expect(loop.drain() == 1)
    }

    @Test func RE_5_in_blocks() {
        let root = Root()
        var immediate = 0
        let taken = taking {
            let token = root.onChange(of: \.leaf?.level, options: .immediate) { _ in
                immediate += 1
                ways?.take()
            }
            root.tell(root, when: \.leaf?.level, on: loop) { _, _ in ways?.take() }
            root.leaf = leaf(0)
            loop.drain()
            token.cancel()
        }
        #expect(immediate == 1)
        #expect(taken >= 2)
    }

    @Test func RE_5_in_deinits_of_values_objects_and_blocks() {
        let root = Root()
        let taken = taking {
            root.tell(root, when: \.leaf?.box, on: loop) { _, _ in }
            let leaf = leaf(0)
            root.leaf = leaf
            leaf.box = Farewell()
            leaf.box = nil
            let probe = Farewell()
            root.onChange(of: \.leaf, options: .immediate) { _ in _ = probe }.cancel()
        }
        #expect(taken >= 1)
        let last = taking {
            root.leaf = nil
            loop.drain()
        }
        #expect(last >= 1)
    }

    @Test func RE_5_in_a_getter_that_a_typed_path_reads() {
        let root = Root()
        let taken = taking {
            root.tell(root, when: \.leaf?.computed, on: loop) { _, _ in }
            root.leaf = leaf(0)
        }
        #expect(taken >= 1)
    }
}
