// SPDX-License-Identifier: Apache-2.0

import ObservableSwift

final class PipeAddress: ObservableModel {
    @Observed var zipCode: String? = "10115"
    @Observed var floor = 1
}

final class PipeUser: ObservableModel {
    @Observed var first = "Ann"
    @Observed var last = "Bee"
    @Observed var nick: String?
    @Observed var age = 30
    @Observed var address: PipeAddress?
    var name: String { computed { "\(first) \(last)" } }
    let probe: Probe?

    init(probe: Probe? = nil) {
        self.probe = probe
    }
}

final class PipeLabel: ObservableModel {
    @Observed var text = ""
    @Observed var hint: String?
    @Observed var number = 0
    @Observed var detail: PipeLabel?
    let fixed = ""
    var layouts = 0
    let probe: Probe?

    init(probe: Probe? = nil) {
        self.probe = probe
    }

    func layout() {
        layouts += 1
    }
}

/// What a step throws.
struct Unwanted: Error {}

extension DeliveryLoop {
    /// Until there is nothing left to call.
    func settle() {
        while drain() > 0 {}
    }
}
