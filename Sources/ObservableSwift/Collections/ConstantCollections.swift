// SPDX-License-Identifier: Apache-2.0

// Swift's own arrays, dictionaries and sets, which text paths may lead into:
//
//     final class Poll: ObservableModel {
//         @Observed var answers: [Answer] = []
//     }
//
//     poll.tell(self, when: \.[text: "answers.#0.votes"]) { … }
//
// Such a collection is a value: it is never edited but replaced by another one, and then the
// elements are compared. The core gets a container that stands for the value, and holds the
// container while it follows an element there.

/// `Array`, `Dictionary` or `Set`.
protocol ConstantCollection {
    associatedtype Elements: ObservableContainer

    /// An observable collection with the same elements.
    func makeElements() -> Elements
}

extension Array: ConstantCollection {
    /// Cost: O(1), since both share the buffer.
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

    /// The container that stands for this value and all copies of it; nil: there is no memory,
    /// which is reported to the core.
    func container() -> ObservableContainer? {
        // All copies of a value consist of the same word: the address of the storage that they
        // share.
        Representatives.ensure(Self.self, unsafeBitCast(self, to: UInt.self)) { place in
            let made = ConstantContainer(self, place)
            return made.adoptedAsChild == nil ? nil : made
        }
    }
}

/// Stands for a value, and keeps it, so that no other value gets its word.
private final class ConstantContainer<Value: ConstantCollection>: ObservableContainer {
    private let value: Value
    private let elements: Value.Elements
    private let place: Representatives.Place

    init(_ value: Value, _ place: Representatives.Place) {
        self.value = value
        self.place = place
        elements = value.makeElements()
        super.init(())
    }

    deinit {
        Representatives.forget(place)
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
