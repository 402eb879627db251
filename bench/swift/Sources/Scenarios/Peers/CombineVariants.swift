// SPDX-License-Identifier: Apache-2.0
//
// Every scenario by OpenCombine.

#if OPENCOMBINE
    import BenchSupport
    import OpenCombine

    func combineVariants() -> [Variant] {
        (0..<Int(BENCH_PLACES)).flatMap(unobserved) + [coalesced(), delivered(), appended()]
            + observed("P2", 1) + observed("P5a", 10) + observed("P5b", 100) + added("P6a", 0)
            + added("P6b", 100) + chainVariants("OpenCombine @Published", PublishedChain.self)
    }

    private func unobserved(_ place: Int) -> [Variant] {
        [
            Variant(id: "P1a", name: "OpenCombine @Published") {
                let user = PublishedUser()
                return .sets(of: user, by: PublishedUser.setter, at: place) { user.age == $0 }
            },
            Variant(id: "P1a", name: "OpenCombine subject") {
                let user = SubjectUser()
                return .sets(of: user, by: SubjectUser.setter, at: place) { user.age.value == $0 }
            },
            Variant(id: "P1b", name: "OpenCombine @Published") {
                let user = PublishedUser()
                let tally = Tally()
                let sink = user.$size.dropFirst().sink { tally.add($0) }
                return .sets(of: user, by: PublishedUser.setter, at: place) { last in
                    withExtendedLifetime(sink) { user.age == last && tally.sawNothing }
                }
            },
            Variant(id: "P1b", name: "OpenCombine subject") {
                let user = SubjectUser()
                let tally = Tally()
                let sink = user.size.dropFirst().sink { tally.add($0) }
                return .sets(of: user, by: SubjectUser.setter, at: place) { last in
                    withExtendedLifetime(sink) { user.age.value == last && tally.sawNothing }
                }
            },
        ]
    }

    private func observed(_ id: String, _ observers: Int) -> [Variant] {
        [
            Variant(id: id, name: "OpenCombine @Published") {
                let watcher = PublishedWatcher(observers: observers)
                return .sets(of: watcher.user, by: PublishedUser.setter) {
                    watcher.tally.sawEach(to: $0, observers: observers)
                }
            },
            Variant(id: id, name: "OpenCombine subject") {
                let watcher = SubjectWatcher(observers: observers)
                return .sets(of: watcher.user, by: SubjectUser.setter) {
                    watcher.tally.sawEach(to: $0, observers: observers)
                }
            },
        ]
    }

    private func coalesced() -> Variant {
        Variant(id: "P3", name: "OpenCombine @Published", step: burst) {
            let watcher = PublishedFlag()
            return .bursts(of: watcher.user, by: PublishedUser.setter) {
                watcher.deliver()
            } verify: {
                watcher.tally.sawLastOfEachBurst(to: $0)
            }
        }
    }

    private func delivered() -> Variant {
        Variant(id: "P4", name: "OpenCombine receive(on:)") {
            let watcher = PublishedOnQueue()
            return .sets(of: watcher, by: PublishedOnQueue.setAndDrain) {
                watcher.tally.sawEach(to: $0)
            }
        }
    }

    private func added(_ id: String, _ others: Int) -> [Variant] {
        [
            Variant(id: id, name: "OpenCombine @Published") {
                let watcher = PublishedWatcher(observers: others)
                let tally = Tally()
                return .operations { _ in
                    watcher.user.$age.sink { tally.add($0) }.cancel()
                } verify: {
                    tally.calls == $0
                }
            },
            Variant(id: id, name: "OpenCombine subject") {
                let watcher = SubjectWatcher(observers: others)
                let tally = Tally()
                return .operations { _ in
                    watcher.user.age.sink { tally.add($0) }.cancel()
                } verify: {
                    tally.calls == $0
                }
            },
        ]
    }

    private final class PublishedList: ObservableObject, AppendableList {
        @Published var items = fullList()
        static var append: Setter {
            { context, value in context.with(PublishedList.self) { $0.items.append(value) } }
        }
    }

    private func appended() -> Variant {
        Variant(id: "P11b1", name: "OpenCombine @Published", limit: 4 * listBatch) {
            .appends(to: PublishedList())
        }
    }
#endif
