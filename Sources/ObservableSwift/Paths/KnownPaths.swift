// SPDX-License-Identifier: Apache-2.0

import CObservable

/// A cache of compiled paths. Their keys are the root's class and either the components' key paths
/// or the path's own key path. Resolving a key path takes a microsecond. The cache hits since a
/// component's key path is most often a literal without captures, which is the same object at each
/// evaluation.
///
/// Only paths of names alone are kept. On objects of the class the names stand for the key paths
/// for good, and they keep nothing alive that the key paths have captured.
///
/// The cache keeps only the memory of a key path. No other key path gets that address meanwhile, so
/// a hit by address is the key path that was resolved.
enum KnownPaths {
    private struct Key: Hashable {
        let cls: OpaquePointer
        let keyPaths: [ObjectIdentifier]

        /// Nil: there is no root, or the path has elements that are no properties.
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
        /// The number of paths above which those whose key paths are gone are removed.
        var limit = 64
    }

    private static let table = Locked<Table>(Table())

    static func find(_ path: [PathComponent], from root: HeaderPointer?) -> CompiledPath? {
        guard let key = Key(path, root) else { return nil }
        return table.withLock { $0.known[key]?.path }
    }

    /// Cost: a look at every path, but only once in as many additions as there are paths.
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

    /// A path that was asked for recently, by its own key path. A path that the program keeps is
    /// found so without a look at its components. A literal path is not, since it is made anew at
    /// each evaluation.
    private struct Recent {
        let cls: OpaquePointer
        let keyPath: IdleKeyPath
        /// Nil until the path is asked for a second time.
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

    /// Puts a path into its slot, in place of another. The compiled path is kept from the second
    /// time on.
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
