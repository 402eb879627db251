// SPDX-License-Identifier: Apache-2.0

import BoardViews
import Foundation

/// Returns when the program is asked to end.
@MainActor func interruption() async {
    let signals = SignalHandlers()
    let ending = Ending()
    signals.on(SIGINT, SIGTERM, SIGHUP) { ending.come() }
    await ending.wait()
    signals.cancel()
}
