// SPDX-License-Identifier: Apache-2.0

import CObservable

extension ObservableHost {
    /// The observations that hold a property of this object, as the end or in the middle of their
    /// path, each once; those of every property included. For `*`: those of every property alone.
    /// 0 for a name that the class does not have.
    ///
    /// Threads: any. Cost: O(that number).
    public func numberOfObservers(of property: String) -> Int {
        guard isAdopted else { return 0 }
        return property.withCString { obv_observer_count(_observationObject, $0) }
    }

    /// The names of the observed properties, in the order of their declaration, `*` as one name.
    public var allObservedProperties: [String] {
        guard isAdopted else { return [] }
        var names: [String] = []
        withUnsafeMutablePointer(to: &names) { names in
            obv_observed_properties(
                _observationObject,
                { names, name in
                    names!.assumingMemoryBound(to: [String].self).pointee
                        .append(String(cString: name))
                }, names)
        }
        return names
    }
}
