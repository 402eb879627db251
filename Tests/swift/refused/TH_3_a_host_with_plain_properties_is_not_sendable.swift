// SPDX-License-Identifier: Apache-2.0
//
// Only a host whose observed properties are all for any thread may vouch for itself.

import ObservableSwift

final class Mixed: ObservableHost, Sendable {
    let observation = ObservationHeader()
    @Observed var name = ""  // expect: stored property '_name' of 'Sendable'-conforming class
    @ObservedAtomic var level = 0
}
