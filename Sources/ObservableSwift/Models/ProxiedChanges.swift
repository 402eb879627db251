// SPDX-License-Identifier: Apache-2.0

import CObservable

// Telling a proxy of a change. The steps are those of a model's setter, but the value lies in the
// object, not in the proxy.

/// The slot of a proxy to which a key path leads.
struct ProxiedPlace {
    let header: HeaderPointer
    let slot: Int
    /// Whether the key path leads on into the value of the slot's property.
    let isPart: Bool

    var offset: Int { ProxiedClass.offset(of: slot) }

    /// The answer of `obv_detail_look_first()` for the slot, and the property's index if anybody
    /// watches it.
    var look: (look: UInt32, property: UInt32) {
        var property: UInt32 = 0
        let look = obv_detail_look_first(header, UInt32(offset), &property)
        return (look, property)
    }
}

/// The values before a change, to be compared with those after it.
struct ProxiedBefore {
    /// The value of the slot's property.
    let whole: BoxPointer
    /// The value at the key path's end, if it leads on into the property's value.
    let part: BoxPointer?

    func letGo() {
        whole.pointee.release(whole)
        part.map { $0.pointee.release($0) }
    }
}

extension ObservableProxy {
    /// The proxy's header, if anybody may observe the proxy or every proxy of its class; else nil.
    nonisolated var headerIfObserved: HeaderPointer? {
        obv_detail_may_observe(_observationWord) ? adoptedInChange : nil
    }

    /// The slot of a key path; nil: nobody may observe the proxy, or the key path has no slot.
    nonisolated func place<Value>(of keyPath: KeyPath<Object, Value>) -> ProxiedPlace? {
        guard let header = headerIfObserved else { return nil }
        guard let target = Self.proxied.target(of: keyPath) else {
            Self.proxied.reportIfPart(keyPath)
            return nil
        }
        return ProxiedPlace(header: header, slot: target.slot, isPart: target.isPart)
    }

    /// The values before a change; nil: nobody watches the property.
    nonisolated func before<Value>(_ keyPath: KeyPath<Object, Value>) -> ProxiedBefore? {
        guard let place = place(of: keyPath) else { return nil }
        var (look, property) = place.look
        if look & OBV_DETAIL_LOOK_FIRST.rawValue != 0 {
            // The change may leave an equal value behind; nobody knows yet, so `isSame` is false.
            look = obv_detail_attach(place.header, property, false)
        }
        let isWatched = OBV_DETAIL_LOOK_WATCHED.rawValue | OBV_DETAIL_LOOK_FIRST.rawValue
        guard look & isWatched != 0, let access = Self.proxied.access(of: place.slot) else {
            return nil
        }
        return ProxiedBefore(
            whole: access.box(at: field(place)),
            part: place.isPart
                ? ProxiedRead.access(keyPath, slot: place.slot).box(at: field(place)) : nil)
    }

    /// Tells of a change that is over, and releases the values before it. If there are none, since
    /// all observations began during the change, it is told as a change from an unknown value.
    nonisolated func changed<Value>(_ keyPath: KeyPath<Object, Value>, _ before: ProxiedBefore?) {
        defer { before?.letGo() }
        guard let place = place(of: keyPath) else { return }
        guard let before else {
            tellChanged(place)
            return
        }
        let whole = boxedAddress(before.whole)
        guard let part = before.part else {
            tell(place, whole)
            return
        }
        if holds(keyPath, boxedAddress(part), place) { return }
        if Self.proxied.access(of: place.slot)?.holds(whole, at: field(place)) == false {
            tell(place, whole)
        } else {
            // The part lies in an object that the property still holds, so the property's own value
            // is equal.
            tellChanged(place)
        }
    }

    /// Whether a key path leads to a value that equals `value` now.
    nonisolated func holds<Value>(
        _ keyPath: KeyPath<Object, Value>, _ value: UnsafeRawPointer, _ place: ProxiedPlace
    ) -> Bool {
        ProxiedRead.access(keyPath, slot: place.slot).holds(value, at: field(place))
    }

    private nonisolated func field(_ place: ProxiedPlace) -> UnsafeRawPointer {
        UnsafeRawPointer(objectAddress + place.offset)
    }

    /// - Parameter old: the property's value before the change, of the slot's type.
    nonisolated func tell(_ place: ProxiedPlace, _ old: UnsafeRawPointer) {
        let (look, property) = place.look
        if look != 0 { _ = obv_trigger(place.header, property, old, nil) }
    }

    nonisolated func tellChanged(_ place: ProxiedPlace) {
        let (look, property) = place.look
        if look & OBV_DETAIL_LOOK_FIRST.rawValue != 0 {
            var set = obv_detail_set(old: nil, isSame: false)
            obv_detail_was_set(place.header, property, &set)
        } else if look & OBV_DETAIL_LOOK_WATCHED.rawValue != 0 {
            obv_detail_changed(place.header, property)
        }
    }
}
