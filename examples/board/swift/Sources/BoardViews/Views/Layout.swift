// SPDX-License-Identifier: Apache-2.0

/// Which rows belong to which view. On a low screen the less important ones have none.
struct Layout: Equatable {
    private(set) var header = 0..<0
    private(set) var summary: [Range<Int>] = Array(repeating: 0..<0, count: 4)
    private(set) var table = 0..<0
    private(set) var notices = 0..<0
    private(set) var companion = 0..<0
    private(set) var statistics = 0..<0
    private(set) var keys = 0..<0

    /// - Parameter height: of the screen.
    /// - Parameter notices: lines that are to be shown, before any table.
    /// - Parameter hasCompanion: whether another program runs beside.
    init(height: Int, notices count: Int, hasCompanion: Bool) {
        var top = 0
        var bottom = height
        func fromTop(_ count: Int) -> Range<Int> {
            let begin = top
            top = min(top + count, bottom)
            return begin..<top
        }
        func fromBottom(_ count: Int) -> Range<Int> {
            let end = bottom
            bottom = max(bottom - count, top)
            return bottom..<end
        }
        header = fromTop(1)
        if height >= 4 { keys = fromBottom(1) }
        if height >= 6 { statistics = fromBottom(1) }
        notices = fromBottom(count)
        if hasCompanion, height >= 16 { companion = fromBottom(height >= 28 ? 8 : 5) }
        let isAiry = height >= 20
        if height >= 10 {
            if isAiry { _ = fromTop(1) }
            summary = (0..<4).map { _ in fromTop(1) }
            if isAiry { _ = fromTop(1) }
        }
        if isAiry { _ = fromBottom(1) }
        table = top..<bottom
    }
}
