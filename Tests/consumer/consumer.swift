// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A Swift program outside, which needs no more than the C module.
guard let context = obv_context_default() else {
    fatalError(String(cString: obv_status_text(OBV_E_MEMORY)))
}
let called = obv_loop_drain(obv_context_loop(context))
print("\(called) calls: \(String(cString: obv_status_name(OBV_OK)))")
precondition(called == 0)
