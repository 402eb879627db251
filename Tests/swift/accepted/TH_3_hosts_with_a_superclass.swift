// SPDX-License-Identifier: Apache-2.0
//
// Classes with a superclass of their own, with and without an isolation.

import ObservableSwift

class Row {
    var height = 1
}

final class TitleRow: Row, ObservableHost {
    let observation = ObservationHeader()
    @Observed var title = ""
    @Observed var next: TitleRow?
}

@MainActor class View {
    var width = 1
}

final class Label: View, ObservableHost {
    nonisolated let observation = ObservationHeader()
    @Observed var text = ""
}

@MainActor func observe(_ row: TitleRow, _ label: Label) {
    row.tell(label, when: \.next?.title) { label, row in label.text = row.title }
    row.tell(label, when: \.[text: "title"], label: "rows") { label, row in
        label.width += row.height
    }
    label.tell(row, when: \.text) { row, label in row.height = label.width }
    row.stopTelling(label)
}
