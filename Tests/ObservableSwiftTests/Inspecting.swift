// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

// The two questions that most tests ask.

extension ObservableHost {
    nonisolated func numberOfObservers(of property: String) -> Int {
        ObservationInspector(self).numberOfObservers(of: property)
    }

    nonisolated var allObservedProperties: [String] {
        ObservationInspector(self).observedProperties
    }
}
