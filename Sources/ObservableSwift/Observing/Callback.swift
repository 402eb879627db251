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

/// A block of the program that is handed what has changed: the form in which a handler calls it.
///
/// The initializers differ in the number of the block's parameters alone. A parameter pack would
/// need one, but Swift 6.3 cannot convert a function that has one.
struct Callback<Observer: AnyObject, Root: AnyObject> {
    /// Takes the observer, or nil if there is none; the object, or nil if the call is for none; and
    /// the call of the core.
    typealias Call = (Observer?, Root?, obv_call) -> Void

    /// The isolation of the program's block.
    let isolation: (any Actor)?
    let handed: HandedValues
    let call: Call

    init(_ block: @escaping @isolated(any) () -> Void) {
        let plain = uncheckedIsolation(block, as: (() -> Void).self)
        self.init(block.isolation, .nothing) { _, _, _ in plain() }
    }

    /// - Parameter arguments: makes the block's arguments of a call of the core.
    init<A>(
        _ block: @escaping @isolated(any) (A) -> Void, _ handed: HandedValues = .nothing,
        _ arguments: @escaping (Observer?, Root?, obv_call) -> A
    ) {
        let plain = uncheckedIsolation(block, as: ((A) -> Void).self)
        self.init(block.isolation, handed) { plain(arguments($0, $1, $2)) }
    }

    init<A, B>(
        _ block: @escaping @isolated(any) (A, B) -> Void, _ handed: HandedValues = .nothing,
        _ arguments: @escaping (Observer?, Root?, obv_call) -> (A, B)
    ) {
        let plain = uncheckedIsolation(block, as: ((A, B) -> Void).self)
        self.init(block.isolation, handed) {
            let (a, b) = arguments($0, $1, $2)
            plain(a, b)
        }
    }

    init<A, B, C>(
        _ block: @escaping @isolated(any) (A, B, C) -> Void, _ handed: HandedValues = .nothing,
        _ arguments: @escaping (Observer?, Root?, obv_call) -> (A, B, C)
    ) {
        let plain = uncheckedIsolation(block, as: ((A, B, C) -> Void).self)
        self.init(block.isolation, handed) {
            let (a, b, c) = arguments($0, $1, $2)
            plain(a, b, c)
        }
    }

    init<A, B, C, D>(
        _ block: @escaping @isolated(any) (A, B, C, D) -> Void, _ handed: HandedValues = .nothing,
        _ arguments: @escaping (Observer?, Root?, obv_call) -> (A, B, C, D)
    ) {
        let plain = uncheckedIsolation(block, as: ((A, B, C, D) -> Void).self)
        self.init(block.isolation, handed) {
            let (a, b, c, d) = arguments($0, $1, $2)
            plain(a, b, c, d)
        }
    }

    /// - Parameter call: of a function that has this isolation.
    init(_ isolation: (any Actor)?, _ handed: HandedValues, _ call: @escaping Call) {
        self.isolation = isolation
        self.handed = handed
        self.call = call
    }
}
