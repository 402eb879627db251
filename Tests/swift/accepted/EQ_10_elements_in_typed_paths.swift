// SPDX-License-Identifier: Apache-2.0
//
// Elements and ranges of collections are written as Swift writes them.

import ObservableSwift

nonisolated struct Item {
    var name = ""
    var note: String?
    var parts: [Int] = []
}

nonisolated struct Matrix {
    subscript(row: Int, column: String) -> Int { row }
}

nonisolated final class Shelf: ObservableModel {
    @Observed var items: [Item] = []
    @Observed var maybe: [Item?] = []
    @Observed var numbers: [Int] = []
    @Observed var maybeNumbers: [Int?] = []
    @Observed var table: [String: Item] = [:]
    @Observed var shelves: [Shelf] = []
    @Observed var maybeShelves: [Shelf?] = []
    @Observed var list: [Item]?
    @Observed var text = ""
    @Observed var matrix = Matrix()
    @Observed var name = ""
}

nonisolated func observe(_ shelf: Shelf, _ index: Int, _ letter: String.Index) {
    shelf.tell(shelf, when: \.items[3].name) { _, _ in }
    shelf.tell(shelf, when: \.items[index].name, \.items[2]) { _, _ in }
    shelf.tell(shelf, when: \.items[index].note) { _, _ in }
    shelf.tell(shelf, when: \.items[index].note?.count) { _, _ in }
    shelf.tell(shelf, when: \.items[index].parts[2]) { _, _ in }
    shelf.tell(shelf, when: \.maybe[index]?.name) { _, _ in }
    shelf.tell(shelf, when: \.maybeNumbers[index]) { _, _ in }
    shelf.tell(shelf, when: \.table["a"]?.name) { _, _ in }
    shelf.tell(shelf, when: \.shelves[0].shelves[1].name) { _, _ in }
    shelf.tell(shelf, when: \.shelves[0].allProperties) { _, _ in }
    shelf.tell(shelf, when: \.maybeShelves[0]?.name) { _, _ in }
    shelf.tell(shelf, when: \.list?[2].name) { _, _ in }
    shelf.tell(shelf, when: \.text[letter]) { _, _ in }
    shelf.tell(shelf, when: \.matrix[index, "b"]) { _, _ in }
    shelf.tell(shelf, when: \.numbers[1..<index]) { _, _ in }
    shelf.tell(shelf, when: \.numbers[1...index].first) { _, _ in }
    shelf.tell(shelf, when: \.items.first?.name, \.items.last?.name) { _, _ in }
    shelf.stopTelling(shelf, about: \.items[3].name)
    let paths: [TypedPath<Shelf>] = [
        \.items[3].name, \.maybe[index]?.name, \.numbers[0],
        \.maybeNumbers[0],
    ]
    shelf.tell(shelf, when: .any(of: paths)) { _, _ in }
    let token = shelf.onChange(of: \.items[3].name) { _ in }
    token.cancel()
}
