// SPDX-License-Identifier: Apache-2.0

import ObservableSwift
import Testing

@Suite struct ManyPathsTests {
    /// As many texts as one likes, on the small stack of a thread.
    @Test func KP_13_thirty_thousand_paths_in_one_call() async {
        await #expect(processExitsWith: .success) {
            onOtherThread {
                let link = Link()
                let observer = PlainObserver()
                let loop = DeliveryLoop()
                let few: [TextPath] = ["count", "next.count", "next.next.count"]
                let paths = (0..<30_000).map { few[$0 % few.count] }
                let handle = link.tell(
                    observer, when: .any(of: paths.map { \.[text: $0] }), on: loop
                ) { observer, link in
                    observer.seen.append(link.count)
                }
                #expect(handle.failure == nil)
                #expect(link.numberOfObservers(of: "count") == 1)
                link.count = 1
                #expect(loop.drain() == 1)
                link.stopTelling(observer, about: .any(of: paths.map { \.[text: $0] }))
                #expect(handle.hasEnded)
            }
        }
    }

    @Test func KP_13_no_path_and_paths_of_many_bytes() throws {
        let link = Link()
        let observer = PlainObserver()
        let none: [TextPath] = []
        let handle = link.tell(
            observer, when: .any(of: none.map { \.[text: $0] }), on: DeliveryLoop()
        ) { _, _ in }
        link.stopTelling(observer, about: .any(of: none.map { \.[text: $0] }))
        #expect(!handle.hasEnded)
        let strange = ["é", "日本.語", "count", String(repeating: "x", count: 1000)]
        let other = link.tell(
            observer,
            when: .any(of: try strange.map { try TextPath(parsing: $0) }.map { \.[text: $0] }),
            on: DeliveryLoop()
        ) { _, _ in }
        #expect(other.unresolvedPaths == ["é", "日本.語", strange[3]])
    }
}
