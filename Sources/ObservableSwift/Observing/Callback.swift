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

/// A block of the program in the one form in which a handler calls it.
struct Callback {
    /// Takes the observer, or nil if there is none; the object, or nil if the call is for none; and
    /// the call of the core.
    typealias Call = (AnyObject?, AnyObject?, UnsafePointer<obv_call>) -> Void

    /// The isolation of the program's block.
    let isolation: (any Actor)?
    let handed: HandedValues
    let call: Call

    /// - Parameter call: calls the program's function, which has this isolation.
    init(_ isolation: (any Actor)?, _ handed: HandedValues = .nothing, _ call: @escaping Call) {
        self.isolation = isolation
        self.handed = handed
        self.call = call
    }
}

extension Callback {
    /// A block with an observer, which is handed no values.
    init<Observer: AnyObject, Root: AnyObject>(
        _ block: @escaping @isolated(any) (Observer, Root) -> Void
    ) {
        let plain = uncheckedIsolation(block, as: ((Observer, Root) -> Void).self)
        self.init(block.isolation) { observer, root, _ in
            plain(
                unsafeDowncast(observer!, to: Observer.self), unsafeDowncast(root!, to: Root.self))
        }
    }

    /// A block of a token, which is handed no values.
    init<Root: AnyObject>(_ block: @escaping @isolated(any) (Root) -> Void) {
        let plain = uncheckedIsolation(block, as: ((Root) -> Void).self)
        self.init(block.isolation) { _, root, _ in plain(unsafeDowncast(root!, to: Root.self)) }
    }
}
