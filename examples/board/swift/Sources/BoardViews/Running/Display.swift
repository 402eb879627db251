// SPDX-License-Identifier: Apache-2.0

/// Where the views show what they show: a terminal, or plain lines.
@MainActor protocol Display: AnyObject {
    /// A drain is over: what its views did is written in one go.
    func finishDrain(_ statistics: Statistics)
    /// Nothing more is shown; what stands on a terminal is taken away.
    func close()
}
