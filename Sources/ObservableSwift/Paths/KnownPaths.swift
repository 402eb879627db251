// SPDX-License-Identifier: Apache-2.0

import CObservable

/// Typed paths as the core follows them, by the root's class and the key paths of their components, or by
/// themselves. What a key path is takes a microsecond to find out; that of a component is a literal which
/// captures nothing, most often, and so the same each time.
///
/// A path stands here if it consists of names alone. Those are what its key paths are on objects of
/// that class for good, and keep nothing that these have captured.
///
/// Of a key path only the memory is kept, so its address is no other's meanwhile: one that is found
/// is the one that was looked at.
enum KnownPaths {
    private struct Key: Hashable {
        let cls: OpaquePointer
        let keyPaths: [ObjectIdentifier]

        /// Nil: it has elements that are no properties, or no root.
        init?(_ path: [PathComponent], _ root: HeaderPointer?) {
            guard let root else { return nil }
            var keyPaths: [ObjectIdentifier] = []
            keyPaths.reserveCapacity(path.count)
            for component in path {
                guard case .reader(let reader) = component else { return nil }
                for keyPath in reader.keyPaths { keyPaths.append(ObjectIdentifier(keyPath)) }
            }
            self.keyPaths = keyPaths
            cls = obv_object_class(root)
        }
    }

    private struct Known {
        let path: CompiledPath
        let keyPaths: [IdleKeyPath]
    }

    private struct Table {
        var known: [Key: Known] = [:]
        /// At so many, those whose key paths are gone are taken out.
        var limit = 64
    }

    private static let table = Locked<Table>(Table())

    static func find(_ path: [PathComponent], from root: HeaderPointer?) -> CompiledPath? {
        guard let key = Key(path, root) else { return nil }
        return table.withLock { $0.known[key]?.path }
    }

    /// Cost: a look at every path, once in as many additions as there are paths.
    static func keep(
        _ compiled: CompiledPath, of path: [PathComponent], from root: HeaderPointer?
    ) {
        guard compiled.isOfNames, let key = Key(path, root) else { return }
        let keyPaths = path.flatMap { component -> [IdleKeyPath] in
            guard case .reader(let reader) = component else { return [] }
            return reader.keyPaths.map(IdleKeyPath.init)
        }
        let known = Known(path: compiled, keyPaths: keyPaths)
        let others = table.withLock { table -> [Known] in
            var others = table.known.updateValue(known, forKey: key).map { [$0] } ?? []
            if table.known.count > table.limit {
                let gone = table.known.filter { $0.value.keyPaths.contains(where: \.isGone) }
                for key in gone.keys { table.known[key] = nil }
                table.limit = max(64, 2 * table.known.count)
                others += gone.values
            }
            return others
        }
        for other in others { for keyPath in other.keyPaths { keyPath.forget() } }
    }

    // MARK: - By the path itself

    /// A path that was asked for recently. So one that the program keeps is found without a look at its
    /// components; a literal is made anew each time that it is evaluated.
    private struct Recent {
        let cls: OpaquePointer
        let keyPath: IdleKeyPath
        /// Nil of one that was asked for once.
        let path: CompiledPath?
    }

    private static let slots = 64
    private static let recent = Locked<[Recent?]>(Array(repeating: nil, count: slots))

    private static func slot(_ keyPath: AnyKeyPath) -> Int {
        Int(UInt(bitPattern: ObjectIdentifier(keyPath)) / 16 % UInt(slots))
    }

    static func find(_ keyPath: AnyKeyPath, from root: HeaderPointer) -> CompiledPath? {
        let (cls, slot) = (obv_object_class(root), slot(keyPath))
        return recent.withLock { recent in
            guard let known = recent[slot], known.keyPath.isMemory(of: keyPath), known.cls == cls
            else { return nil }
            return known.path
        }
    }

    /// Takes the place of another.
    static func keep(_ compiled: CompiledPath, of keyPath: AnyKeyPath, from root: HeaderPointer) {
        guard compiled.isOfNames else { return }
        let slot = slot(keyPath)
        let once = Recent(
            cls: obv_object_class(root), keyPath: IdleKeyPath(keyPath), path: nil)
        let again = Recent(cls: once.cls, keyPath: once.keyPath, path: compiled)
        let old = recent.withLock { recent in
            let old = recent[slot]
            let isAgain = old?.keyPath == once.keyPath && old?.cls == once.cls
            recent[slot] = isAgain ? again : once
            return old
        }
        old?.keyPath.forget()
    }
}
