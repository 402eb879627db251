// SPDX-License-Identifier: Apache-2.0

/// A piece of a line. Where there is no room for all, those of the greatest rank go first.
struct Part: Equatable {
    var text: String
    var style = Style.plain
    var rank = 0
    /// Is cut, down to a few cells, before it goes.
    var isElastic = false
    /// Stands at the right end.
    var isTrailing = false
}

extension Line {
    /// Writes parts side by side; those that are trailing from the right end. The last one that is
    /// left is cut if need be.
    mutating func put(_ parts: [Part], in range: Range<Int>) {
        let range = range.clamped(to: 0..<width)
        let fitted = PartFitting(parts, into: range.count, repertoire: repertoire)
        var begin = range.lowerBound
        var end = range.upperBound
        for (part, width) in fitted.parts where !part.isTrailing {
            put(part.text, in: begin..<min(begin + width, end), .left, part.style)
            begin = min(begin + width + PartFitting.gap, end)
        }
        for (part, width) in fitted.parts.reversed() where part.isTrailing {
            put(part.text, in: max(end - width, begin)..<end, .right, part.style)
            end = max(end - width - PartFitting.gap, begin)
        }
    }
}

/// Which parts of a line are shown, and in how many cells each.
private struct PartFitting {
    static let gap = 3
    private static let least = 8
    private(set) var parts: [(part: Part, width: Int)]

    init(_ parts: [Part], into room: Int, repertoire: Repertoire) {
        self.parts = parts.filter { !$0.text.isEmpty }
            .map { ($0, repertoire.width(of: $0.text)) }
        while excess(over: room) > 0, self.parts.count > 1 {
            let rank = self.parts.map(\.part.rank).max()
            let index = self.parts.lastIndex { $0.part.rank == rank }!
            let (part, width) = self.parts[index]
            if part.isElastic, width - excess(over: room) >= Self.least {
                self.parts[index].width -= excess(over: room)
            } else {
                self.parts.remove(at: index)
            }
        }
        if excess(over: room) > 0, !self.parts.isEmpty { self.parts[0].width = room }
    }

    private func excess(over room: Int) -> Int {
        parts.reduce(-Self.gap) { $0 + $1.width + Self.gap } - room
    }
}
