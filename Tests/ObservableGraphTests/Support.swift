// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

final class Page: ObservableModel {
    @Observed var text = ""
    @Observed var next: Page?
    @ObservedWeak var document: Document?
    @Observed var parent: Document?
    var length: Int { computed { text.count } }

    init(_ text: String = "") {
        self.text = text
    }
}

final class Document: ObservableModel {
    @Observed var title = ""
    @Observed var cover: Page?
    @Observed var size = 0.0
    @Observed var spare: [Page] = []
    let pages = ObservableArray<Page>()
    @Observed var names = ObservableDictionary<String, Page>()
    let tags = ObservableSet<String>()
    let numbers = ObservableArray<Double>()
    @ObservedAtomic var progress = 0
    @Observed var count = 0
    @Observed var any: Any = 0
    @Observed var host: (any ObservableHost)?
    @Observed var sendable: any Sendable = 0
    @Observed var twice: Int?? = .some(nil)
}

final class Library: ObservableModel {
    let pages = ObservableArray<Page>()
    let shown: DerivedArray<Page>

    override init() {
        shown = pages.filtering { _ in true }
    }
}

/// Does something when it ends.
final class Ending: ObservableModel {
    private let atEnd: () -> Void
    init(_ atEnd: @escaping () -> Void) { self.atEnd = atEnd }
    deinit { atEnd() }
}
