// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObservableSwift

/// Means over 1, 5 and 15 minutes, and the tasks at this moment: typed properties over what the
/// service answered. Each is looked up by its own name when it is first read, and again only after
/// another answer came; what the answer lacks is 0.
@MainActor final class Load: CountedModel, Sendable {
    @Observed var answer: [String: Double] = [:]
    @Computed(loader: Load.find) var one = 0.0
    @Computed(loader: Load.find) var five = 0.0
    @Computed(loader: Load.find) var fifteen = 0.0
    @Computed(loader: Load.find) var running = 0
    @Computed(loader: Load.find) var tasks = 0

    /// JSON knows one kind of number; as an NSNumber it is of whichever type the property has.
    private func find(_ property: String) -> Any? { answer[property].map(NSNumber.init(value:)) }
}
