// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// What the tests of collections keep in them.
final class Song: ObservableModel {
    @Observed var title: String

    init(_ title: String) {
        self.title = title
        super.init()
    }
}

final class Library: ObservableModel {
    @Observed var songs: ObservableArray<Song>? = []
    @Observed var numbers: ObservableArray<Int> = []
    @Observed var words: ObservableDictionary<String, Song> = [:]
    @Observed var ages: ObservableDictionary<Int, String> = [:]
    @Observed var tags: ObservableSet<String> = []
    @Observed var grid: ObservableArray<ObservableArray<Int>> = []
    @Observed var cells: ObservableArray<GridCell> = []
}

struct GridCell {
    var x = 0
}

/// The same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
