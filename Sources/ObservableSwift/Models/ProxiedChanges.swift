// SPDX-License-Identifier: Apache-2.0

import CObservable

// What a proxy does when it is told of a change: as the setter of a model, but for the value, which
// is the object's.

/// Where a key path leads in a proxy, as the core sees it.
struct ProxiedPlace {
    let header: HeaderPointer
    let slot: Int
    /// On into the value of the slot's property.
    let isPart: Bool

    var offset: Int { ProxiedClass.offset(of: slot) }

    /// Who looks at the property, and which it is if anybody does.
    var look: (look: UInt32, property: UInt32) {
        var property: UInt32 = 0
        let look = obv_detail_look_first(header, UInt32(offset), &property)
        return (look, property)
    }
}

/// What is compared with after a change, which gives it back.
struct ProxiedBefore {
    /// The value of the slot's property.
    let whole: BoxPointer
    /// Of a key path that leads on into that, where it ends.
    let part: BoxPointer?

    func letGo() {
        whole.pointee.release(whole)
        part.map { $0.pointee.release($0) }
    }
}

extension ObservableProxy {
    /// The proxy for the core, if anybody may observe it: itself, or every one of its class.
    nonisolated var headerIfObserved: HeaderPointer? {
        obv_detail_may_observe(_observationWord) ? adoptedInChange : nil
    }

    /// Where a key path leads, if anybody may look.
    nonisolated func place<Value>(of keyPath: KeyPath<Object, Value>) -> ProxiedPlace? {
        guard let header = headerIfObserved else { return nil }
        guard let target = Self.proxied.target(of: keyPath) else {
            Self.proxied.reportIfPart(keyPath)
            return nil
        }
        return ProxiedPlace(header: header, slot: target.slot, isPart: target.isPart)
    }

    /// Before a change; nil: nobody looks at the property.
    nonisolated func before<Value>(_ keyPath: KeyPath<Object, Value>) -> ProxiedBefore? {
        guard let place = place(of: keyPath) else { return nil }
        var (look, property) = place.look
        if look & OBV_DETAIL_LOOK_FIRST.rawValue != 0 {
            // What the change will leave behind is not known yet.
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

    /// After the change, once. Who began to look in the middle of it is told that there was one.
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
            // Inside an object that the property holds.
            tellChanged(place)
        }
    }

    /// Whether a key path leads to a value like this one now.
    nonisolated func holds<Value>(
        _ keyPath: KeyPath<Object, Value>, _ value: UnsafeRawPointer, _ place: ProxiedPlace
    ) -> Bool {
        ProxiedRead.access(keyPath, slot: place.slot).holds(value, at: field(place))
    }

    private nonisolated func field(_ place: ProxiedPlace) -> UnsafeRawPointer {
        UnsafeRawPointer(objectAddress + place.offset)
    }

    /// - Parameter old: the property's value before, of the slot's type.
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
