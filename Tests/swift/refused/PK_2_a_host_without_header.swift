// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

// expect: type 'Row' does not conform to protocol 'ObservableHost'
final class Row: ObservableHost {
    @Observed var title = ""
}
