// SPDX-License-Identifier: Apache-2.0
//
// OpenCombine's P7: a path is a chain of publishers, each of which switches to the latest one.

#if OPENCOMBINE
    import OpenCombine

    final class PublishedB: ObservableObject {
        @Published var c: Int
        init(_ c: Int) { self.c = c }
    }

    final class PublishedA: ObservableObject {
        @Published var b: PublishedB
        init(_ c: Int) { b = PublishedB(c) }
    }

    final class PublishedRoot: ObservableObject {
        @Published var a = PublishedA(0)
    }

    final class PublishedChain: Chain {
        let root = PublishedRoot()
        let bs = [PublishedB(2), PublishedB(1)]
        let heads = [PublishedA(2), PublishedA(1)]
        var sink: AnyCancellable?
        let tally = Tally()

        init() {
            sink = root.$a.map(\.$b).switchToLatest().map(\.$c).switchToLatest().dropFirst()
                .sink { [tally] in tally.add($0) }
        }

        @inline(never) func setLeaf(_ value: Int) { root.a.b.c = value }
        @inline(never) func replaceB(_ value: Int) { root.a.b = bs[value & 1] }
        @inline(never) func replaceA(_ value: Int) { root.a = heads[value & 1] }
    }
#endif
