// SPDX-License-Identifier: Apache-2.0

/// The classes that objects of a class may lead to, by the declared types of their fields.
enum DeclaredWays {
    /// Whether an object of the optional's class may lead to another of its class, so that a getter
    /// that reads on from there (`parent?.parent`) has the same type as one that does not
    /// (`parent`). False if the optional declares no class.
    static func leadBack(_ optional: Any.Type) -> Bool {
        guard let type = HostValues.declaredClass(optional) else { return false }
        var seen: Set<ObjectIdentifier> = []
        return leads(from: type as AnyClass, to: type as AnyClass, &seen)
    }

    private static func leads(
        from type: AnyClass, to end: AnyClass, _ seen: inout Set<ObjectIdentifier>
    ) -> Bool {
        guard seen.insert(ObjectIdentifier(type)).inserted else { return false }
        let inherited = _getSuperclass(type).map { leads(from: $0, to: end, &seen) } ?? false
        return inherited
            || Fields.declared(by: type).contains { field in
                let value = ValueKinds.access(of: field.kind).valueType
                guard HostValues.mayHold(value) else { return false }
                guard let next: AnyClass = HostValues.declaredClass(value) else { return true }
                return isBelow(next, end) || isBelow(end, next)
                    || leads(from: next, to: end, &seen)
            }
    }

    private static func isBelow(_ type: AnyClass, _ other: AnyClass) -> Bool {
        var at: AnyClass? = type
        while let type = at, type != other { at = _getSuperclass(type) }
        return at != nil
    }
}
