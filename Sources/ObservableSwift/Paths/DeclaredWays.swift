// SPDX-License-Identifier: Apache-2.0

/// Where objects of a class may lead, by the declared types of their fields.
enum DeclaredWays {
    /// Whether what an optional holds may lead to another of its kind, so that a getter which goes on
    /// from there (`parent?.parent`) has the same type. Of a value, and of what is no class, nothing
    /// says so.
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
