// SPDX-License-Identifier: Apache-2.0
//
// What is derived from collections, in properties whose types nobody has written.

import ObservableSwift

final class RankedSong: ObservableModel {
    @Observed var rank = 0
}

nonisolated struct Derived {
    let sorted = ObservableArray([1]).sorting()
    let sortedTwice = ObservableArray([1]).sorting().sorting()
    let filtered = ObservableArray([1]).filtering { $0 > 1 }.filtering { $0 > 1 }
    let groups = ObservableArray([1]).grouping { $0 }
    let groupsOfSorted = ObservableArray([1]).sorting().grouping { $0 }
    let listOfGroups = ObservableArray([1]).grouping { $0 }.listing()
    let groupsOfMembers = ObservableSet([1]).listing().grouping { $0 }
    let first = ObservableArray([1]).sorting().first
    let slice = ObservableArray([1]).sorting()[0...]
    let joined = ObservableArray([1]) + [2]
    let pair = ObservableDictionary(["a": 1]).first
}

@MainActor struct Ranked {
    let songs = ObservableDictionary<String, RankedSong>().listing()
        .refreshing(when: \.rank).sorting { $0.rank < $1.rank }
}
