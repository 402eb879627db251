// SPDX-License-Identifier: Apache-2.0

import CObservable

// What sets a property of an object by itself, pipes and binders, is cut off at that object.

extension ObservableHost {
    /// Ends all pipes and binders that set a property of this object; of those that go both ways, at
    /// whichever end. Those that only read it go on.
    ///
    /// Threads: any. On another thread a step may still be running, and its value arrive. Cost: in
    /// proportion to all that is observed from this object. Calls `obv_cut_off`.
    public func cutOff() {
        cut(nil, nil)
    }

    /// The same for one property, however its path is spelt:
    ///
    ///     label.cutOff(\.text)
    public func cutOff(_ path: TypedPath<Self>) {
        cut(path, nil)
    }

    /// The same for what follows an object; of a pipe with several sources one of them is enough.
    ///
    ///     label.cutOff(from: user)
    public func cutOff(from source: some ObservableHost) {
        cut(nil, source)
    }

    /// The same for what follows an object and sets one property.
    public func cutOff(_ path: TypedPath<Self>, from source: some ObservableHost) {
        cut(path, source)
    }

    private func cut(_ path: TypedPath<Self>?, _ source: (any ObservableHost)?) {
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
