// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The observations of an object and through it: for tools, tests and the debugger's prompt.
///
///     print(ObservationInspector(user))
///     #expect(ObservationInspector(user).numberOfObservers(of: "name") == 1)
///
/// It keeps the object. What it answers is of the moment of the question.
public struct ObservationInspector {
    private let object: any ObservableHost

    public init(_ object: some ObservableHost) {
        self.object = object
    }

    /// Everything that observes the object, at each of its properties: in the order of their
    /// declaration, then `*`, then what holds no property.
    ///
    /// Threads: as a read of the object's properties; others may observe and stop meanwhile. Cost:
    /// O(observations of the object and through it).
    public var observers: [ObserverEntry] {
        guard object._observationWord & 1 == 0 else { return [] }
        var entries: [ObserverEntry] = []
        let status = withUnsafeMutablePointer(to: &entries) { entries in
            obv_debug_each_observer(
                object._observationObject,
                { entries, entry in
                    entries!.assumingMemoryBound(to: [ObserverEntry].self).pointee
                        .append(ObserverEntry(entry.pointee))
                }, entries)
        }
        if status != OBV_OK {
            ObservationDiagnostics.tell(
                .refused,
                "the observers cannot be shown: " + String(cString: obv_status_text(status)))
        }
        return entries
    }

    /// The observations that hold a property of the object, as the end or in the middle of their
    /// path, each once; those of every property included. For `*`: those of every property alone.
    /// 0 for a name that the class does not have.
    ///
    /// Threads: any. Cost: O(that number).
    public func numberOfObservers(of property: String) -> Int {
        guard object.isAdopted else { return 0 }
        return property.withCString { obv_observer_count(object._observationObject, $0) }
    }

    /// The names of the observed properties, in the order of their declaration, `*` as one name.
    ///
    /// Threads: any. Cost: O(properties).
    public var observedProperties: [String] {
        guard object.isAdopted else { return [] }
        var names: [String] = []
        withUnsafeMutablePointer(to: &names) { names in
            obv_observed_properties(
                object._observationObject,
                { names, name in
                    names!.assumingMemoryBound(to: [String].self).pointee
                        .append(String(cString: name))
                }, names)
        }
        return names
    }
}

extension ObservationInspector: CustomStringConvertible {
    /// ``observers`` as text, a line an entry. Names, labels and paths are escaped, so that none of them
    /// can drive a terminal or look like another line. An entry whose wiring does not match the
    /// stored value says so in capitals.
    public var description: String {
        var text =
            "\(escaped(String(describing: type(of: object)))) \(address(object.objectAddress))\n"
        let entries = observers
        var property: String??
        for entry in entries {
            if property != .some(entry.property) {
                text += "  \(entry.property.map(escaped) ?? "(no property)")\n"
                property = .some(entry.property)
            }
            text += "    \(entry)\n"
        }
        return entries.isEmpty ? text + "  nobody observes it\n" : text
    }
}
