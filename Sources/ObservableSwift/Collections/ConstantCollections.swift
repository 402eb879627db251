// SPDX-License-Identifier: Apache-2.0

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
        // Copies of a value have one word, which leads to the storage that they share.
        Representatives.ensure(Self.self, unsafeBitCast(self, to: UInt.self)) { place in
            let made = ConstantContainer(self, place)
            return made.adoptedAsChild == nil ? nil : made
        }
    }
}

/// Stands for a value, which it keeps: so the value's word is no other's.
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
