// SPDX-License-Identifier: Apache-2.0
//
// Old and new value are those of one path; several paths have records.

import ObservableSwift

final class User: ObservableModel {
    @Observed var name = ""
    @Observed var age = 0
}

func observe(_ user: User, _ observer: User) {
    // expect: is unavailable: values are those of one path; several have `record(of:)`
    user.values(of: \.name, \.age).tell(observer) { _, _ in }
    _ = user.changes(of: \.name, \.age).onChange { _ in }
    _ = user.values(of: \.[text: "name"], \.[text: "age"]).map { $0 }.onChange { _ in }
}
