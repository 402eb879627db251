// SPDX-License-Identifier: Apache-2.0

import CObservable

// Cutting off the binders that set properties of an object, at the object that they set.

extension ObservableHost {
    /// Ends the binders that set properties of this object; of those that go both ways, at whichever end.
    /// Binders that only read it go on.
    ///
    ///     label.cutOff()
    ///     label.cutOff(\.text)
    ///     label.cutOff(from: user)
    ///
    /// - Parameters:
    ///   - path: of one property alone, however its path is spelt; nil: of all.
    ///   - source: of those alone that follow this object; of several sources one is enough.
    ///
    /// Threads: any. On another thread a step may still be running, and its value arrive. Cost: in
    /// proportion to all that is observed from this object. Calls `obv_cut_off`.
    public func cutOff(_ path: TypedPath<Self>? = nil, from source: (any ObservableHost)? = nil) {
        ObservationDiagnostics.tellingRefused { () throws(ObservationError) in
            let header = try adopt()
            let from = try source?.adopt()
            let compiled = try path.map { path throws(ObservationError) in
                try CompiledPath(PathComponent.list(path), from: header)
            }
            _ = obv_cut_off_compiled(header, compiled?.pointer, from)
            withExtendedLifetime((self, source, compiled)) {}
        }
    }
}
