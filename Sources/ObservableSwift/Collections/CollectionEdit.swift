// SPDX-License-Identifier: Apache-2.0

import CObservable

/// An edit of an array, as it was made.
public enum CollectionEdit: Hashable, Sendable {
    /// In the place of the elements of a range stand so many others; of an empty range: they have
    /// come, of none: the range has gone.
    case replaced(Range<Int>, inserted: Int)
    /// The elements of a range stand elsewhere: `to` counts after they were taken out.
    case moved(Range<Int>, to: Int)
    /// Those of a range stand in another order: what was the i-th of them stands at `order[i]` now,
    /// counted from the range's beginning.
    case reordered(Range<Int>, order: [Int])

    init(_ edit: obv_container_edit) {
        let from = edit.position
        if edit.moved == 0 {
            self = .replaced(from..<from + edit.removed, inserted: edit.inserted)
        } else if let order = edit.order {
            self = .reordered(
                from..<from + edit.moved,
                order: Array(UnsafeBufferPointer(start: order, count: edit.moved)))
        } else {
            self = .moved(from..<from + edit.moved, to: edit.to)
        }
    }
}

extension _ObservableArray {
    /// The edits that the running block is called for, one after the other:
    ///
    ///     songs.tell(view, when: \.[text: "*"], options: .immediate) { view, songs in
    ///         songs.forEachEdit { view.show($0) }
    ///     }
    ///
    /// A call may have several. Each counts from what those before it have left, while the array is
    /// as all of them have left it: elements that have come are read behind the last.
    ///
    /// Of an immediate block; of a delayed one there are none, and `differences()` hands over what
    /// has become of the array since its last call. A block that edits the array is behind the edit
    /// it was called for: whoever is called after it is told of the second edit first. Whoever keeps
    /// a copy in step has `differences()` as well.
    public func forEachEdit(_ body: (CollectionEdit) throws -> Void) rethrows {
        var count = 0
        let edits = obv_container_edits(_observationObject.container, &count)
        for index in 0..<count {
            try body(CollectionEdit(edits![index]))
        }
    }
}
