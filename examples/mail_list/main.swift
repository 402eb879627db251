// SPDX-License-Identifier: Apache-2.0
//
// A mail client's list without its window: 10,000 messages of two accounts in one list, with search, order,
// groups, a selection and unread counts; undo, and saving when anything has changed.

import ObservableGraph
import ObservableSwift

// 1. The models are plain objects. What is counted or filtered is derived once, where it belongs, and follows.

final class Message: ObservableModel {
    let subject, sender: String
    let day: Int
    @Observed var isRead = false

    init(_ subject: String, from sender: String, day: Int) {
        (self.subject, self.sender, self.day) = (subject, sender, day)
    }
}

final class Folder: ObservableModel {
    let name: String
    let messages: ObservableArray<Message>
    private let unread: DerivedArray<Message>
    var unreadCount: Int { computed { unread.count } }

    init(_ name: String, _ messages: [Message]) {
        self.name = name
        self.messages = ObservableArray(messages)
        unread = self.messages.refreshing(when: \.isRead).filtering { !$0.isRead }
    }
}

final class Account: ObservableModel {
    let inbox, trash: Folder

    init(_ messages: [Message]) {
        (inbox, trash) = (Folder("Inbox", messages), Folder("Trash", []))
    }
}

final class Store: ObservableModel {
    let accounts = ObservableArray<Account>()
    var unreadCount: Int { computed { accounts.reduce(0) { $0 + $1.inbox.unreadCount } } }

    func delete(_ message: Message) {
        for account in accounts {
            if let place = account.inbox.messages.firstIndex(where: { $0 === message }) {
                account.trash.messages.append(account.inbox.messages.remove(at: place))
            }
        }
    }
}

// 2. The window's model: all inboxes as one list, what is searched for, in an order that can be exchanged.

final class MessageList: ObservableModel {
    @Observed var searchText = ""
    @Observed var selected: Message?
    private(set) lazy var rows: DerivedArray<Message> = store.accounts.flattening {
        $0.inbox.messages
    }
    .filtering(with: self, when: \.searchText) { message, list in
        list.searchText.isEmpty || message.subject.contains(list.searchText)
    }
    .sorting(by: .init(\.day, descending: true), .init(\.subject))
    private(set) lazy var senders = rows.grouping { $0.sender }
    var selectedRow: Int? { computed { selected.flatMap { rows.index(showing: $0) } } }
    private let store: Store

    init(of store: Store) {
        self.store = store
    }
}

let subjects = ["lunch", "report", "invoice", "party", "minutes"]
let senders = ["Ada", "Grace", "Edsger"]

@MainActor func messages(_ count: Int, every step: Int) -> [Message] {
    (0..<count).map { number in
        Message(
            "\(subjects[number % 5]) \(number)", from: senders[number % 3], day: number * step % 365
        )
    }
}

let store = Store()
store.accounts.append(Account(messages(6_000, every: 7)))
store.accounts.append(Account(messages(4_000, every: 11)))
let list = MessageList(of: store)

// 3. The window: each observation shows what has changed, once a turn of the loop.

var tokens: Set<ObservationToken> = []
list.rows.differences().onChange { difference in
    print("  rows: \(list.rows.count), \(difference.removals.count) gone,", terminator: " ")
    print("\(difference.insertions.count) come")
}.store(in: &tokens)
store.values(of: \.unreadCount).onChange { print("  unread: \($0 ?? 0)") }.store(in: &tokens)
list.changes(of: \.selectedRow).onChange { change in
    print("  selected row:", change.new.map(String.init) ?? "none")
}.store(in: &tokens)

// 4. Undo and saving see everything below the store, whatever its depth.

let history = UndoHistory(of: store)
var saves = 0
store.everything().onChange { _ in saves += 1 }.store(in: &tokens)

/// A user's action, and the turn of the loop behind it.
@MainActor func turn(_ what: String, _ action: () -> Void) {
    print(what)
    action()
    DeliveryLoop.main.drain()
}

turn("begin") {}
turn("search for invoices, letter by letter") {
    for length in 1...7 {
        list.searchText = String("invoice".prefix(length))
    }
}
print("  senders:", list.senders.keys.sorted().map { "\($0) \(list.senders[$0]!.count)" })
turn("select the third, and read it") {
    list.selected = list.rows[2]
    list.selected!.isRead = true
}
let oldest = list.rows[list.rows.count - 1]
turn("delete it, and mark the oldest read") {
    history.group("Delete") { store.delete(list.selected!) }
    history.group("Mark read") { oldest.isRead = true }
}
turn("undo \(history.undoName ?? "-")") { history.undo() }
turn("undo \(history.undoName ?? "-")") { history.undo() }
print("  the third is there:", list.rows[2] === list.selected!)
turn("redo \(history.redoName ?? "-")") { history.redo() }
turn("order by subject") { list.rows.replaceOrder { $0.subject < $1.subject } }
turn("all are read") {
    for account in store.accounts {
        for message in account.inbox.messages { message.isRead = true }
    }
}
turn("undo that") { history.undo() }
turn("search for nothing") { list.searchText = "" }
print("saved \(saves) times")
