// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The values that the core hands over with a call.
enum HandedValues {
    case nothing
    /// The old and the new value of one path.
    case values
    /// A record with so many entries at most.
    case record(_ limit: Int)
}

/// A block of the program as a handler calls it, whatever it is handed.
struct Callback {
    /// Takes the observer, or nil if there is none; the object, or nil if the call is for none; and
    /// the call of the core.
    typealias Call = (AnyObject?, AnyObject?, obv_call) -> Void

    /// The isolation of the program's block.
    let isolation: (any Actor)?
    let handed: HandedValues
    let call: Call

    /// - Parameter call: of a function that has this isolation.
    init(_ isolation: (any Actor)?, _ handed: HandedValues = .nothing, _ call: @escaping Call) {
        self.isolation = isolation
        self.handed = handed
        self.call = call
    }
}
