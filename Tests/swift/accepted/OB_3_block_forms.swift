// SPDX-License-Identifier: Apache-2.0
//
// What a block may be handed, and of which type it is.

import ObservableSwift

final class Address: ObservableModel {
    @Observed var zipCode: String?
    @Observed var number = 0
    @Observed var size = Size(width: 0, height: 0)
}

struct Size: Equatable {
    var width: Int
    var height: Int
}

final class User: ObservableModel {
    @Observed var name = ""
    @Observed var nickname: String?
    @Observed var address: Address?
}

@MainActor
final class Cell {
    var text: String?
    var number: Int?
    private var tokens: [ObservationToken] = []

    func show(_ user: User) {
        user.tell(self, when: \.name) { cell, user in cell.text = user.name }
        user.tell(self, valueOf: \.name) { cell, _, name in cell.text = name }
        user.tell(self, valueOf: \.nickname) { cell, _, name in cell.text = name }
        user.tell(self, valueOf: \.address?.zipCode) { cell, _, code in cell.text = code }
        user.tell(self, valueOf: \.address?.number) { cell, _, number in cell.number = number }
        user.tell(self, valueOf: \.address?.size.width) { cell, _, width in cell.number = width }
        user.tell(self, valueOf: \.address) { cell, _, address in cell.text = address?.zipCode }
        user.tell(self, valueOfText: "name") { cell, _, name in cell.text = name as? String }
        user.tell(self, of: \.name, options: [.immediate, .prior]) { cell, _, change in
            if change.isPrior { cell.text = change.old }
        }
        user.tell(self, ofText: "name") { cell, user, change in
            cell.text = change.isReachable ? change.new as? String : nil
            let same: User = change.object
            _ = same === user
        }
        user.tell(self, recordOfText: "name", "address.*") { cell, _, record in
            cell.text = record.entries.first?.last as? String
        }
        user.tell(self, recordOf: \.name, \.address?.anyProperty, limit: 4) { cell, _, record in
            cell.number = record.isTruncated ? record.missing : record.entries.count
        }
        user.tell(self, recordOf: \.address?.zipCode) { cell, _, record in
            cell.text = record.entries[0].way
        }
        user.tell(self, recordOfAnyText: ["name"]) { cell, _, record in
            cell.text = record.object.name
        }
        user.tell(self, recordOfAny: [\.name]) { _, _, _ in }
    }

    /// Of a class: what there is for an object, with an instance that may be none.
    func showEvery() {
        User.anyInstance.tell(self, when: \.name) { cell, user in cell.text = user?.name }
        User.anyInstance.tell(self, when: \.address?.zipCode) { cell, user in cell.text = user?.name
        }
        User.anyInstance.tell(self, valueOf: \.name) { cell, user, name in
            cell.text = user == nil ? nil : name
        }
        User.anyInstance.tell(self, valueOf: \.address?.number) { cell, _, number in
            cell.number = number
        }
        User.anyInstance.tell(self, valueOfText: "name") { cell, _, name in
            cell.text = name as? String
        }
        User.anyInstance.tell(self, of: \.nickname) { cell, change in
            cell.text = change?.object.name
        }
        User.anyInstance.tell(self, recordOfText: "*") { cell, record in
            cell.number = record?.entries.count
        }
        let block = ClassObservationBlock { (cell: Cell, user: User?) in cell.text = user?.name }
        User.anyInstance.tell(self, when: \.address?.zipCode, block: block)
        tokens = [
            User.anyInstance.onChange(when: \.name) { [weak self] user in self?.text = user?.name },
            User.anyInstance.onChange(ofText: "name") { [weak self] in
                self?.text = $0?.new as? String
            },
            User.anyInstance.onChange(valueOf: \.nickname) { [weak self] user, name in
                self?.text = user?.name ?? name
            },
            User.anyInstance.onChange(valueOf: \.address?.zipCode) { [weak self] in self?.text = $1
            },
            User.anyInstance.onChange(valuesOf: \.address?.number) { [weak self] _, old, new in
                self?.number = (new ?? 0) - (old ?? 0)
            },
            User.anyInstance.onChange(valuesOfText: "name") { [weak self] user, old, new in
                self?.text = new as? String ?? user?.name
            },
            User.anyInstance.onChange(recordOf: \.name) { [weak self] in
                self?.number = $0?.entries.count
            },
        ]
    }

    func keep(_ user: User) {
        tokens = [
            user.onChange(of: \.name) { [weak self] change in
                self?.text = change.new ?? change.old
            },
            user.onChange(of: \.address?.zipCode) { [weak self] in self?.text = $0.old },
            user.onChange(ofText: "address.zipCode") { [weak self] change in
                self?.text = change.wasReachable ? change.old as? String : "nowhere"
            },
            user.onChange(valueOf: \.nickname, options: .initial) { [weak self] name in
                self?.text = name
            },
            user.onChange(valueOfText: "nickname") { [weak self] in self?.text = $0 as? String },
            user.onChange(valuesOf: \.address?.number) { [weak self] old, new in
                self?.number = (new ?? 0) - (old ?? 0)
            },
            user.onChange(valuesOfText: "name") { [weak self] old, new in
                self?.text = new as? String ?? old as? String
            },
            user.onChange(recordOf: \.name, \.nickname) { [weak self] record in
                self?.number = record.entries.reduce(0) { $0 + $1.changes }
            },
            user.onChange(recordOfText: "*") { [weak self] record in
                self?.text = record.entries.last?.lastCause.file
            },
            user.onChange(recordOfAny: [\.name], limit: 1) { _ in },
            user.onChange(when: \.name) { [weak self] user in self?.text = user.name },
            user.onChange(whenText: "name", "nickname") { [weak self] user in self?.text = user.name
            },
            user.onChange(whenAny: [\.name], comparing: .alwaysDifferent) { _ in },
            user.onChange(
                of: \.name,
                comparing: .by { (a: String, b: String) in a.lowercased() == b.lowercased() }
            ) { [weak self] change in self?.text = change.new },
        ]
    }
}

func read(_ change: ObservedChange<User, String>) -> String { change.new ?? "" }
