// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// Means over 1, 5 and 15 minutes, and the tasks at this moment.
@MainActor final class Load: CountedModel, Sendable {
    @Observed var one = 0.0
    @Observed var five = 0.0
    @Observed var fifteen = 0.0
    @Observed var running = 0
    @Observed var tasks = 0
}
