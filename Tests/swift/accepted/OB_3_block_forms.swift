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
        user.values(of: \.name).tell(self) { cell, name in cell.text = name }
        user.values(of: \.nickname).tell(self) { cell, name in cell.text = name }
        user.values(of: \.address?.zipCode).tell(self) { cell, code in cell.text = code }
        user.values(of: \.address?.number).tell(self) { cell, number in cell.number = number }
        user.values(of: \.address?.size.width).tell(self) { cell, width in cell.number = width }
        user.values(of: \.address).tell(self) { cell, address in cell.text = address?.zipCode }
        user.values(of: \.[text: "name"]).tell(self) { cell, name in cell.text = name as? String }
        user.changes(of: \.name).options([.immediate, .prior]).tell(self) { cell, change in
            if change.isPrior { cell.text = change.old }
        }
        user.changes(of: \.[text: "name"]).tell(self) { cell, change in
            cell.text = change.isReachable ? change.new as? String : nil
            let same: User? = change.object
            _ = same === user
        }
        user.record(of: \.[text: "name"], \.[text: "address.*"]).tell(self) { cell, record in
            cell.text = record.entries.first?.newValue as? String
        }
        user.record(of: \.name, \.address?.allProperties, limit: 4).tell(self) { cell, record in
            cell.number = record.missing > 0 ? record.missing : record.entries.count
        }
        user.record(of: \.address?.zipCode).tell(self) { cell, record in
            cell.text = record.entries[0].path
        }
        user.record(of: \.[text: "name"]).tell(self) { cell, record in
            cell.text = record.object?.name
        }
        user.record(of: \.name).tell(self) { _, _ in }
        user.tracking { user in user.address?.number ?? 0 }
            .tell(self) { cell, number in cell.number = number }
    }

    /// Of a class: what there is for an object, with an instance that may be none.
    func showEvery() {
        User.allInstances.instances(when: \.name).tell(self) { cell, user in cell.text = user?.name
        }
        User.allInstances.instances(when: \.address?.zipCode).tell(self) { cell, user in
            cell.text = user?.name
        }
        User.allInstances.changes(of: \.name).tell(self) { cell, change in
            cell.text = change?.object == nil ? nil : change?.new
        }
        User.allInstances.changes(of: \.address?.number).tell(self) { cell, change in
            cell.number = change?.new
        }
        User.allInstances.changes(of: \.[text: "name"]).tell(self) { cell, change in
            cell.text = change?.new as? String
        }
        User.allInstances.changes(of: \.nickname).tell(self) { cell, change in
            cell.text = change?.object?.name
        }
        User.allInstances.record(of: \.[text: "*"]).tell(self) { cell, record in
            cell.number = record?.entries.count
        }
        tokens = [
            User.allInstances.instances(when: \.name).onChange { [weak self] user in
                self?.text = user?.name
            },
            User.allInstances.changes(of: \.[text: "name"]).onChange { [weak self] in
                self?.text = $0?.new as? String
            },
            User.allInstances.changes(of: \.nickname).onChange { [weak self] change in
                self?.text = change?.object?.name ?? change?.new
            },
            User.allInstances.changes(of: \.address?.zipCode).map { $0?.new }
                .onChange { [weak self] code in self?.text = code },
            User.allInstances.changes(of: \.address?.number).onChange { [weak self] change in
                self?.number = (change?.new ?? 0) - (change?.old ?? 0)
            },
            User.allInstances.record(of: \.name).onChange { [weak self] in
                self?.number = $0?.entries.count
            },
        ]
    }

    func keep(_ user: User) {
        tokens = [
            user.changes(of: \.name).onChange { [weak self] change in
                self?.text = change.new ?? change.old
            },
            user.changes(of: \.address?.zipCode).onChange { [weak self] in self?.text = $0.old },
            user.changes(of: \.[text: "address.zipCode"]).onChange { [weak self] change in
                self?.text = change.wasReachable ? change.old as? String : "nowhere"
            },
            user.values(of: \.nickname).onChange { [weak self] name in self?.text = name },
            user.values(of: \.[text: "nickname"]).onChange { [weak self] in
                self?.text = $0 as? String
            },
            user.changes(of: \.address?.number).onChange { [weak self] change in
                self?.number = (change.new ?? 0) - (change.old ?? 0)
            },
            user.changes(of: \.[text: "name"]).onChange { [weak self] change in
                self?.text = change.new as? String ?? change.old as? String
            },
            user.record(of: \.name, \.nickname).onChange { [weak self] record in
                self?.number = record.entries.reduce(0) { $0 + $1.changes }
            },
            user.record(of: \.[text: "*"]).onChange { [weak self] record in
                self?.text = record.entries.last?.lastCause.file
            },
            user.record(of: \.name, limit: 1).onChange { _ in },
            user.tracking { user in (user.name, user.nickname) }.onChange { [weak self] names in
                self?.text = names.1 ?? names.0
            },
            user.onChange(of: \.name) { [weak self] user in self?.text = user.name },
            user.onChange(of: \.[text: "name"], \.[text: "nickname"]) { [weak self] user in
                self?.text = user.name
            },
            user.onChange(of: \.name, comparing: .alwaysDifferent) { _ in },
            user.values(of: \.name)
                .comparing(.by { (a: String, b: String) in a.lowercased() == b.lowercased() })
                .onChange { [weak self] name in self?.text = name },
        ]
    }

    func step(_ user: User, _ other: User) {
        tokens = [
            user.values(of: \.nickname).replaceUnreachable(with: "–")
                .onChange { [weak self] name in self?.text = name },
            user.values(of: \.nickname).compactMap { $0 }.filter { !$0.isEmpty }
                .map { "Dear \($0)" }.removeDuplicates()
                .on(.main).options(.keepsOwnChanges).named("greeting")
                .onChange { [weak self] greeting in self?.text = greeting },
            user.values(of: \.name).combined(with: other.values(of: \.address?.number)) {
                name, number in "\(name ?? "") \(number ?? 0)"
            }
            .onChange { [weak self] both in self?.text = both },
            [user, other].map { $0.values(of: \.name) }.combined()
                .onChange { [weak self] names in self?.number = names.count },
        ]
    }
}

func read(_ change: ObservedChange<User, String>) -> String { change.new ?? "" }
