// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The start of an observation: paths from one or several objects, which are held weakly, or a path
/// from every instance of a class.
struct ObservationOrigin {
    /// The class of its roots.
    let type: AnyClass
    /// The bytes from a root to its header; nil: the number may differ from root to root.
    let rootOffset: Int?
    fileprivate let kind: Kind

    fileprivate enum Kind {
        case objects([(root: Root, paths: RequestedPaths)])
        case every(any ObservableHost.Type, RequestedPaths)
        case compiled(Root, OpaquePointer)
    }

    fileprivate struct Root {
        weak var object: (any ObservableHost)?

        func living() throws(ObservationError) -> any ObservableHost {
            if let object { return object }
            throw .objectIsGone
        }
    }

    init<Object: ObservableHost>(_ root: Object, _ paths: RequestedPaths) {
        (type, rootOffset) = (Object.self, root.headerOffset)
        kind = .objects([(Root(object: root), paths)])
    }

    init<Object: ObservableHost>(every type: Object.Type, _ path: RequestedPaths) {
        (self.type, rootOffset) = (type, nil)
        kind = .every(type, path)
    }

    /// - Parameter path: borrowed; the handler keeps the path.
    init<Object: ObservableHost>(_ root: Object, compiled path: OpaquePointer) {
        (type, rootOffset) = (Object.self, root.headerOffset)
        kind = .compiled(Root(object: root), path)
    }

    /// Joins origins of objects; nil: an origin is of every instance of a class, or of a tracked
    /// block.
    init?(joining origins: [ObservationOrigin]) {
        var all: [(root: Root, paths: RequestedPaths)] = []
        for origin in origins {
            guard case .objects(let objects) = origin.kind else { return nil }
            all += objects
        }
        (type, rootOffset) = (ObservableModel.self, nil)
        kind = .objects(all)
    }
}

extension Registration {
    mutating func observe(_ origin: ObservationOrigin) throws(ObservationError) {
        switch origin.kind {
        case .objects(let objects):
            if objects.count > 1 { becomeExtensible() }
            for (index, object) in objects.enumerated() {
                let root = try object.root.living()
                if index == 0 {
                    try observe(root, object.paths)
                } else {
                    try observeAlso(root, object.paths)
                }
            }
        case .every(let type, let path):
            try observe(every: type, path)
        case .compiled(let root, let path):
            try observe(try root.living(), compiled: path)
        }
    }
}

extension ObservationError {
    static let objectIsGone = ObservationError(.ended, "the object is gone")
}
