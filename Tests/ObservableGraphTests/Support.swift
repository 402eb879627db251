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
}
