// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ObservableSwift

private final class Page: ObservableModel {
    @Observed var text = ""
}

private final class Folder: ObservableModel {
    @Observed var pages: ObservableArray<Page> = [Page()]
    @Observed var byName: ObservableDictionary<String, Page> = [:]
    @Observed var tags: ObservableSet<String> = []
    @Observed var plain: [Page] = [Page()]
}

@Suite struct CollectionMemoryTests {
    /// The core's memory of a collection's elements goes with the collection, though nobody observed
    /// more of it than one.
    @Test func LT_4_a_collection_goes_with_all_that_was_kept_of_it() async {
        await #expect(processExitsWith: .success) {
            CoreMemory.begin()
            let paths: [TypedPath<Folder>] = [
                \.pages[0].text, \.pages[following: 0].text, \.byName["one"]?.text,
                \.tags[member: "one"], \.plain[following: 0].text,
            ]
            for path in paths {
                func begin() {
                    let folder = Folder()
                    let token = folder.onChange(of: path, on: .main) { _ in }
                    #expect(token.unresolvedPaths == [] && !token.hasEnded, "\(path)")
                    token.cancel()
                }
                begin()
                let blocks = CoreMemory.blocks
                begin()
                begin()
                #expect(CoreMemory.blocks == blocks, "\(path)")
            }
        }
    }
}
