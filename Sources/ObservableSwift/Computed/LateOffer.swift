// SPDX-License-Identifier: Apache-2.0

import CObservable

/// How a property without a wrapper is computed, for as long as somebody on the stack knows it: its
/// reader, who has brought its body along; or a key path, whose getter will come to that body.
struct LateOffer {
    /// Makes a box with the value; nil: it is a request.
    private let make: (() -> BoxPointer)?
    /// Of a request: the body runs, or has run.
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

    /// Calls `perform` while the body is asked for, and hands it out as well.
    ///
    /// - Returns: a box with what the body has made; nil: `perform` has not come to it.
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

    /// A box by the body that the innermost reader has brought; nil: it is not for this property.
    static func make(_ header: HeaderPointer, _ property: UInt32) -> BoxPointer? {
        innermost(header, property)?.pointee.make?()
    }

    // MARK: - For the getter

    /// The request for this property, if its body has not begun.
    static func request(
        _ header: HeaderPointer, _ property: UInt32
    ) -> UnsafeMutablePointer<LateOffer>? {
        guard let offer = innermost(header, property), offer.pointee.make == nil,
            !offer.pointee.isBegun
        else { return nil }
        return offer
    }

    /// Runs the body for a request, which is looked at by whatever that reads.
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
