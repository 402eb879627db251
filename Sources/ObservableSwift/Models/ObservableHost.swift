// SPDX-License-Identifier: Apache-2.0

public import CObservable
public import Synchronization

/// An object whose properties can be observed.
///
/// ``ObservableModel`` conforms. Conform yourself where the superclass is another one, and for
/// actors; the only thing to write is the header:
///
///     nonisolated let observation = ObservationHeader()
///
/// Properties are observable by ``Observed``, ``ObservedWeak``, ``ObservedAtomic`` and
/// ``ObservedAs``. Constants (`let`) may stand in paths; what else is stored may not.
///
/// The requirements whose names begin with an underscore have defaults; leave them alone.
public protocol ObservableHost: AnyObject, SendableMetatype, _ReadByPath {
    /// The header word, declared before the observed properties, so that it ends before them.
    nonisolated var observation: ObservationHeader { get }

    /// Properties that text cannot find by itself: computed ones without a wrapper, and all where the
    /// program is built without reflection metadata. See ``NamedProperty``.
    nonisolated static var namedProperties: [NamedProperty] { get }

    nonisolated var _observationWord: UInt { get }
    nonisolated var _observationObject: UnsafeMutablePointer<obv_object> { get }
}

extension ObservableHost {
    public nonisolated static var namedProperties: [NamedProperty] { [] }

    @inlinable
    public nonisolated var _observationWord: UInt {
        observation.word.load(ordering: .acquiring)
    }

    @inlinable
    public nonisolated var _observationObject: UnsafeMutablePointer<obv_object> {
        observation.address
    }

    /// The object's end for whatever observes it. For a `deinit`, where the header lies behind the
    /// observed properties and so would end after them.
    @inlinable @inline(__always)
    public nonisolated func _endObservation() {
        if _observationWord & 1 == 0 {
            _ = obv_object_deinit(_observationObject)
        }
    }
}

/// A property that a class states by name and key path, for programs that are built without
/// reflection metadata (`-disable-reflection-metadata`, `-disable-reflection-names`), where text
/// paths could not find it otherwise:
///
///     override class var namedProperties: [NamedProperty] {
///         [NamedProperty("name", \User.name), NamedProperty("age", \User.age)]
///     }
///
/// What reflection finds need not be listed; listed twice is the same property.
///
/// So that text finds a computed property without a wrapper, too, whether its getter says
/// ``ObservableHost/computed(function:file:line:column:_:)`` or is any that reads observed properties:
///
///     [NamedProperty("gross", \Order.gross), NamedProperty("selected", \Order.selected)]
///
/// These are looked at when the first object of exactly the class is met, with those that its
/// superclasses list: each of the getters is called then, once or twice, inside of whatever meets
/// that object first. So one that stops the program for some state of it is not to be listed.
public struct NamedProperty: @unchecked Sendable {
    let name: String
    let reader: ComponentReader

    /// - Parameters:
    ///   - name: as text paths write it.
    ///   - keyPath: to an observed or computed property of the class or of a superclass of it.
    public init<Host: ObservableHost, Value>(_ name: String, _ keyPath: KeyPath<Host, Value>) {
        self.name = name
        reader = PropertyReader<Host, Value>(keyPath)
    }
}
