// SPDX-License-Identifier: Apache-2.0

import Synchronization

// Swift's own arrays, dictionaries and sets, which text paths may lead into:
//
//     final class Poll: ObservableModel {
//         @Observed var answers: [Answer] = []
//     }
//
//     poll.tell(self, when: \.[text: "answers.#0.votes"]) { … }
//
// They are values: never edited, each is replaced by another one, and the elements are compared
// then. The core is handed a container in place of one, which it holds while it follows something
// there.

/// `Array`, `Dictionary` or `Set`.
protocol ConstantCollection {
    associatedtype Elements: ObservableContainer

    /// An observable collection with the same elements.
    func makeElements() -> Elements
}

extension Array: ConstantCollection {
    /// O(1): they share the buffer.
    func makeElements() -> ObservableArray<Element> { ObservableArray(self) }
}

extension Dictionary: ConstantCollection {
    func makeElements() -> ObservableDictionary<Key, Value> { ObservableDictionary(self) }
}

extension Set: ConstantCollection {
    func makeElements() -> ObservableSet<Element> { ObservableSet(self) }
}

extension ConstantCollection {
    static var containerType: ObservableContainer.Type { ConstantContainer<Self>.self }

    /// The container that stands for this value, one for all copies of it; nil: there is no memory,
    /// which the core is told.
    func container() -> ObservableContainer? {
        let place = ConstantContainers.Place(
            type: ObjectIdentifier(Self.self), word: unsafeBitCast(self, to: UInt.self))
        return ConstantContainers.ensure(place) { ConstantContainer(self, place, serial: $0) }
    }
}

/// Stands for a value, which it keeps: so the value's word is no other's.
private final class ConstantContainer<Value: ConstantCollection>: ObservableContainer {
    private let value: Value
    private let elements: Value.Elements
    private let place: ConstantContainers.Place
    private let serial: UInt64

    init(_ value: Value, _ place: ConstantContainers.Place, serial: UInt64) {
        self.value = value
        self.place = place
        self.serial = serial
        elements = value.makeElements()
        super.init(())
    }

    deinit {
        ConstantContainers.forget(place, serial)
    }

    override var elementCount: Int { elements.elementCount }

    override func address(at position: Int) -> UnsafeRawPointer {
        elements.address(at: position)
    }

    override func address(ofKey key: UnsafeRawPointer) -> UnsafeRawPointer? {
        elements.address(ofKey: key)
    }

    override func next(_ index: Int) -> (key: UnsafeRawPointer?, element: UnsafeRawPointer)? {
        elements.next(index)
    }

    override func hash(of element: UnsafeRawPointer) -> UInt64 { elements.hash(of: element) }

    override func member(_ hash: UInt64, _ index: Int) -> UnsafeRawPointer? {
        elements.member(hash, index)
    }

    override class var containerForm: ContainerForm {
        var form = Value.Elements.containerForm
        form.isConstant = true
        return form
    }
}

/// The containers that there are.
private enum ConstantContainers {
    /// Copies of a value have one word, which leads to the storage that they share.
    struct Place: Hashable {
        let type: ObjectIdentifier
        let word: UInt
    }

    private struct Known: @unchecked Sendable {
        weak var container: ObservableContainer?
        let serial: UInt64
    }

    private static let known = Locked<[Place: Known]>([:])
    private static let serials = Atomic<UInt64>(0)

    static func ensure(
        _ place: Place, make: (_ serial: UInt64) -> ObservableContainer
    ) -> ObservableContainer? {
        var found = find(place)
        if let container = found.container {
            return container
        }
        let serial = serials.add(1, ordering: .relaxed).newValue
        let made = make(serial)
        guard made.adoptedAsChild != nil else { return nil }
        while !publish(Known(container: made, serial: serial), place, after: found.serial) {
            // Another thread was quicker.
            found = find(place)
            if let container = found.container {
                return container
            }
        }
        return made
    }

    /// The container is taken outside of the lock: its last reference may be ours. One that is at
    /// its end and has yet to forget itself is found without it.
    private static func find(
        _ place: Place
    ) -> (container: ObservableContainer?, serial: UInt64?) {
        let found = known.withLock { $0[place] }
        return (found?.container, found?.serial)
    }

    private static func publish(_ made: Known, _ place: Place, after serial: UInt64?) -> Bool {
        known.withLock { known in
            guard known[place]?.serial == serial else { return false }
            known[place] = made
            return true
        }
    }

    static func forget(_ place: Place, _ serial: UInt64) {
        known.withLock { known in
            if known[place]?.serial == serial {
                known[place] = nil
            }
        }
    }
}
