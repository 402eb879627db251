// SPDX-License-Identifier: Apache-2.0

import CObservable

/// Typed paths as the core follows them, by their key paths and the root's class: what a key path is
/// takes a microsecond to find out, and a literal in a program is the same key path each time.
///
/// A path stands here if it consists of names alone. Those are what its key paths are on objects of
/// that class for good, and keep nothing that these have captured.
///
/// Of a key path only the memory is kept, so its address is no other's meanwhile: one that is found
/// is the one that was looked at.
enum KnownPaths {
    private struct Key: Hashable, @unchecked Sendable {
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

    private struct Known: @unchecked Sendable {
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
}
