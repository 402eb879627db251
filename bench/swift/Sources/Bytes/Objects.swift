// SPDX-License-Identifier: Apache-2.0
//
// The observed object of each library: four ints.

import ObservableSwift
import Observation

final class PlainUser {
    var age = 0
    var size = 0
    var weight = 0
    var height = 0
}

final class User: ObservableModel {
    @Observed var age = 0
    @Observed var size = 0
    @Observed var weight = 0
    @Observed var height = 0
}

final class ModelWatcher: ObservableModel {
    var calls = 0
}

final class PlainWatcher {
    var calls = 0
}

@Observable
final class ObservationUser {
    var age = 0
    var size = 0
    var weight = 0
    var height = 0
}
