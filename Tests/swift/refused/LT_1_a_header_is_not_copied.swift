// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

final class User: ObservableModel {}

func take(_ header: consuming ObservationHeader) {}

func copy(_ user: User) {
    let header = user.observation  // expect: is borrowed and cannot be consumed
    _ = header
    take(User().observation)  // expect: is borrowed and cannot be consumed
}
