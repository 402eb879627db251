// SPDX-License-Identifier: Apache-2.0
//
// P7: the path a.b.c, one immediate observer.
//
//     P7a  set the leaf
//     P7b  replace b
//     P7c  replace a
//
// Two objects take turns where one is replaced; their leaves differ. The floor is P2's.

import ObservableSwift
import Observation

/// What a library needs to show for it.
protocol Chain: AnyObject {
    init()
    var tally: Tally { get }
    func setLeaf(_ value: Int)
    func replaceB(_ value: Int)
    func replaceA(_ value: Int)
}

func paths() -> [Variant] {
    chainVariants("ours", OurChain.self) + chainVariants("Observation", ObservationChain.self)
}

func chainVariants<C: Chain>(_ name: String, _ type: C.Type) -> [Variant] {
    [
        variant("P7a", name, type, { $0.setLeaf($1) }, sees: { last in last * (last + 1) / 2 }),
        variant("P7b", name, type, { $0.replaceB($1) }, sees: turns),
        variant("P7c", name, type, { $0.replaceA($1) }, sees: turns),
    ]
}

/// What was seen of leaves that are 1 and 2 in turns, 1 first.
private func turns(_ last: Int) -> Int {
    last / 2 * 3 + last % 2
}

private func variant<C: Chain>(
    _ id: String, _ name: String, _ type: C.Type, _ operation: @escaping (C, Int) -> Void,
    sees: @escaping (Int) -> Int
) -> Variant {
    Variant(id: id, name: name) {
        let chain = C()
        return .operations {
            operation(chain, $0)
        } verify: { last in
            chain.tally.calls == last && chain.tally.sum == sees(last)
        }
    }
}

// MARK: - Ours

private final class OurB: ObservableModel {
    @Observed var c: Int
    init(_ c: Int) { self.c = c }
}

private final class OurA: ObservableModel {
    @Observed var b: OurB
    init(_ c: Int) { b = OurB(c) }
}

private final class OurRoot: ObservableModel {
    @Observed var a = OurA(0)
}

private final class OurChain: Chain {
    private let root = OurRoot()
    private let bs = [OurB(2), OurB(1)]
    private let heads = [OurA(2), OurA(1)]
    private let watcher = ModelWatcher()
    var tally: Tally { watcher.tally }

    init() {
        root.tell(watcher, when: \.a.b.c, options: .immediate) { watcher, root in
            watcher.tally.add(root.a.b.c)
        }
    }

    @inline(never) func setLeaf(_ value: Int) { root.a.b.c = value }
    @inline(never) func replaceB(_ value: Int) { root.a.b = bs[value & 1] }
    @inline(never) func replaceA(_ value: Int) { root.a = heads[value & 1] }
}

// MARK: - Observation

@Observable
private final class ObservationB {
    var c: Int
    init(_ c: Int) { self.c = c }
}

@Observable
private final class ObservationA {
    var b: ObservationB
    init(_ c: Int) { b = ObservationB(c) }
}

@Observable
private final class ObservationRoot {
    var a = ObservationA(0)
}

private final class ObservationChain: Chain, @unchecked Sendable {
    private let root = ObservationRoot()
    private let bs = [ObservationB(2), ObservationB(1)]
    private let heads = [ObservationA(2), ObservationA(1)]
    private var isTold = false
    let tally = Tally()

    init() {
        observe()
        tally.calls = 0
    }

    private func observe() {
        withObservationTracking {
            tally.add(root.a.b.c)
        } onChange: { [unowned self] in
            isTold = true
        }
    }

    private func deliver() {
        guard isTold else { return }
        isTold = false
        observe()
    }

    @inline(never) func setLeaf(_ value: Int) {
        root.a.b.c = value
        deliver()
    }
    @inline(never) func replaceB(_ value: Int) {
        root.a.b = bs[value & 1]
        deliver()
    }
    @inline(never) func replaceA(_ value: Int) {
        root.a = heads[value & 1]
        deliver()
    }
}
