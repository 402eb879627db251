// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

/// A place in the ranking. Its row observes `\.process?.name` and so on once and for all; whichever
/// process stands here, the library follows it.
@MainActor final class Place: CountedModel, Sendable {
    @Observed var process: Process?
}
