// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The access to a late property, which a class gets after its first objects: a getter with
/// `computed` in it, or any getter that a typed path or the class's list names. One object for
/// each, kept for the process.
class LateAccess: ComputingAccess, @unchecked Sendable {
    /// Whether the getter has no `computed` in it, and no list has given it a name.
    let isNameless: Bool
    private let sources = Locked<[Source]>([])

    /// The origin of a reader that leads to the property.
    private enum Source {
        /// A component of a typed path, which has a reader while it is in use.
        case component(Component)
        /// A reader from the class's list of named properties.
        case listed(ComponentReader)

        var reader: ComponentReader? {
            switch self {
            case .component(let component): component.reader?.property
            case .listed(let reader): reader
            }
        }
    }

    fileprivate init(flags: UInt32, isNameless: Bool) {
        self.isNameless = isNameless
        super.init(flags: flags)
    }

    // MARK: - Key paths

    func add(_ component: Component) {
        sources.withLock { sources in
            let isKnown = sources.contains {
                if case .component(let known) = $0 { known === component } else { false }
            }
            if !isKnown { sources.append(.component(component)) }
        }
    }

    func add(listed reader: ComponentReader) {
        sources.withLock { $0.append(.listed(reader)) }
    }

    /// Whether the class lists the property with this key path.
    func isListed(_ keyPath: AnyKeyPath) -> Bool {
        sources.withLock { $0 }.contains {
            if case .listed(let reader) = $0 { reader.keyPaths[0] == keyPath } else { false }
        }
    }

    private func reader(of object: AnyObject) -> ComponentReader? {
        sources.withLock { $0 }.lazy.compactMap(\.reader).first { $0.mayRead(object) }
    }

    // MARK: - For the core

    override func evaluate(
        _ header: HeaderPointer, _ property: UnsafePointer<obv_property>
    ) -> BoxPointer? {
        guard let box = make(header, property.pointee.offset - OBV_LATE_OFFSET) else { return nil }
        // A `computed` in a generic function may return several types; values of one of them are
        // kept.
        if contentType(of: box).valueType == valueType { return box }
        box.pointee.release(box)
        return nil
    }

    private func make(_ header: HeaderPointer, _ index: UInt32) -> BoxPointer? {
        if let box = LateOffer.make(header, index) { return box }
        let object = object(of: header)
        guard let reader = reader(of: object) else { return nil }
        return LateOffer.asking(header, index) { reader.box(in: object) }
    }
}

/// The access to a late property with values of one type.
final class TypedLateAccess<Value>: LateAccess, @unchecked Sendable {
    init(_ value: Value.Type, flags: UInt32 = 0, isNameless: Bool = false) {
        super.init(flags: flags, isNameless: isNameless)
    }

    override var valueType: Any.Type { Value.self }
}
