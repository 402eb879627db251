// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A way to evaluate a property without a wrapper, known only to a caller on the stack. An offer
/// comes from a reader, which brings the body along. A request comes from a key path, whose getter
/// will reach the body.
struct LateOffer {
    /// Evaluates the body to a box; nil: this is a request.
    private let make: (() -> BoxPointer)?
    /// Of a request: whether the body has begun to run.
    private var isBegun = false
    private(set) var box: BoxPointer?

    /// Calls `perform` while `body` is offered.
    static func offering<Value, Result>(
        _ body: () -> Value, _ header: HeaderPointer, _ property: UInt32, _ perform: () -> Result
    ) -> Result {
        withoutActuallyEscaping(body) { body in
            var offer = LateOffer { Boxed<_ByDeclaredType<Value>>.make(body()) }
            return offer.withOffer(header, property, perform)
        }
    }

    /// Calls `perform`, a getter, with a request for the value of the body that the getter reaches.
    ///
    /// - Returns: a box with the body's value, or the box of `perform` if the getter has not
    ///   reached the body.
    static func asking(
        _ header: HeaderPointer, _ property: UInt32, _ perform: () -> BoxPointer?
    ) -> BoxPointer? {
        var request = LateOffer(make: nil)
        let returned = request.withOffer(header, property, perform)
        guard let box = request.box else { return returned }
        returned?.pointee.release(returned!)
        return box
    }

    private init(make: (() -> BoxPointer)?) {
        self.make = make
    }

    private mutating func withOffer<Result>(
        _ header: HeaderPointer, _ property: UInt32, _ perform: () -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &self) { offer in
            var link = obv_late_offer(
                object: header, property: property, context: offer, outer: nil)
            return withUnsafeMutablePointer(to: &link) { link in
                obv_late_offer_begin(link)
                defer { obv_late_offer_end(link) }
                return perform()
            }
        }
    }

    // MARK: - For who computes

    /// A box with the value of the innermost offer on the stack; nil: there is no offer of this
    /// property.
    static func make(_ header: HeaderPointer, _ property: UInt32) -> BoxPointer? {
        innermost(header, property)?.pointee.make?()
    }

    // MARK: - For the getter

    /// The request for this property, if the body has not begun to run for it.
    static func request(
        _ header: HeaderPointer, _ property: UInt32
    ) -> UnsafeMutablePointer<LateOffer>? {
        guard let offer = innermost(header, property), offer.pointee.make == nil,
            !offer.pointee.isBegun
        else { return nil }
        return offer
    }

    /// Runs the body for a request, and leaves a box with the value in the request.
    static func answer<Value>(
        _ request: UnsafeMutablePointer<LateOffer>, _ body: () -> Value
    ) -> Value {
        request.pointee.isBegun = true
        let value = body()
        request.pointee.box = Boxed<_ByDeclaredType<Value>>.make(value)
        return value
    }

    private static func innermost(
        _ header: HeaderPointer, _ property: UInt32
    ) -> UnsafeMutablePointer<LateOffer>? {
        obv_late_offered(header, property)?.pointee.context?
            .assumingMemoryBound(to: LateOffer.self)
    }
}
