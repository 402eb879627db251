// SPDX-License-Identifier: Apache-2.0
//
// A wrapper in a class without the header.

import ObservableSwift

final class Plain {
    // expect: requires that 'Plain' conform to 'ObservableHost'
    @Observed var count = 0
}
