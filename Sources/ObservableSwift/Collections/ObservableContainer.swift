// SPDX-License-Identifier: Apache-2.0

public import CObservable
import ObservableRuntime

/// The superclass of the observable collections, ``ObservableArray``, ``ObservableDictionary`` and
/// ``ObservableSet``: objects that are observed like any model, by their `count` and their elements.
///
/// A collection belongs to whoever would own a plain object: it is not `Sendable`. It may be read
/// and edited inside any block; an iteration that is under way goes on over the elements that were
/// there when it began.
nonisolated public class ObservableContainer: ObservableModel {
    // The fields of `struct obv_container` behind the header word, in its order. They belong to the
    // core.
    final var toldCount = 0
    final var reserved: UInt = 0

    @usableFromInline
    init(_: Void) {
        super.init()
        Self.expect()
    }

    /// Ends what the core keeps for the elements (`reserved`). A container without a node may have
    /// such a thing too, but the superclass ends only objects that have a node.
    deinit {
        if reserved != 0 { _ = obv_object_deinit(_observationObject) }
    }

    /// Tells the core to look for containers from now on. Called before the first one exists.
    static func expect() { areExpected }

    private static let areExpected: Void = obv_container_expect(Context.shared)

    /// Whether the core has to be told of edits.
    @inlinable final var _isTold: Bool {
        @inline(__always) get { _observationWord != 1 }
    }

    /// Whether anybody observes the collection or an element, or ever did. The third word
    /// (`reserved`) is loaded by its address, since the compiler does not know that the core writes
    /// it.
    @inlinable final var _isWatched: Bool {
        @inline(__always) get {
            obv_detail_may_observe(_observationWord)
                || UnsafeRawPointer(_observationObject).load(
                    fromByteOffset: 2 * MemoryLayout<UInt>.size, as: UInt.self) != 0
        }
    }

    // MARK: - What the core asks

    /// How many elements there are.
    var elementCount: Int { fatalError("abstract") }

    /// The address of an array's element.
    func address(at position: Int) -> UnsafeRawPointer { fatalError("abstract") }

    /// The address of a dictionary's element with this key; nil: there is none.
    func address(ofKey key: UnsafeRawPointer) -> UnsafeRawPointer? { fatalError("abstract") }

    /// The element of a dictionary or set at an index of its own order, with the key if elements
    /// have keys.
    func next(_ index: Int) -> (key: UnsafeRawPointer?, element: UnsafeRawPointer)? {
        fatalError("abstract")
    }

    /// The hash of a set's member at an address.
    func hash(of element: UnsafeRawPointer) -> UInt64 { fatalError("abstract") }

    /// The address of a set's member by its hash; `index` counts the members with that hash.
    func member(_ hash: UInt64, _ index: Int) -> UnsafeRawPointer? { fatalError("abstract") }

    class var containerForm: ContainerForm { fatalError("abstract") }

    // MARK: - Reading

    /// Whether reads of elements by position are not reported. True for trivial elements, so that
    /// the compiler can vectorize a loop over positions. In return an evaluation depends on the
    /// content as soon as it reads the property that holds the array.
    class var isReadUntold: Bool { false }

    /// Reports a read of the content, on which an evaluation under way depends from now on.
    @inlinable
    final func _isRead() {
        if obv_detail_is_reading() {
            _noteContentRead()
        }
    }

    @usableFromInline @inline(never)
    final func _noteContentRead() {
        if let container = recordedContainer { obv_detail_read_content(container) }
    }

    /// Reports a read of a key's element, present or not. An evaluation under way depends on that
    /// element alone.
    @inlinable
    final func _isRead<Key>(at key: Key) {
        if obv_detail_is_reading() {
            withUnsafePointer(to: key) { _noteKeyRead($0) }
        }
    }

    @usableFromInline @inline(never)
    final func _noteKeyRead(_ key: UnsafeRawPointer) {
        if let container = recordedContainer { obv_detail_read_key(container, key) }
    }

    /// The same of the members with a hash.
    @inlinable
    final func _isRead(hash: Int) {
        if obv_detail_is_reading() {
            _noteHashRead(hash)
        }
    }

    @usableFromInline @inline(never)
    final func _noteHashRead(_ hash: Int) {
        if let container = recordedContainer {
            obv_detail_read_hash(container, UInt64(truncatingIfNeeded: hash))
        }
    }

    /// The collection as the core knows it; nil: no reads are recorded by class, or memory is
    /// short.
    private final var recordedContainer: UnsafeMutablePointer<obv_container>? {
        Reads.areRecordedByClass ? adoptedInChange?.container : nil
    }

    // MARK: - Telling

    /// Called before the core first knows the collection. From here on the core checks edits by
    /// this count.
    final func prepare() {
        toldCount = elementCount
    }

    /// Tells the core of edits that have been made. The caller keeps removed elements alive until
    /// this returns.
    final func tell(_ edits: UnsafeBufferPointer<obv_container_edit>) {
        var error = obv_error()
        let status = obv_container_edited(
            _observationObject.container, edits.baseAddress!, edits.count, &error)
        // Other errors need no answer: a lack of memory is reported, and at the object's end nobody
        // is told.
        precondition(status != OBV_E_ARGUMENT, "an edit of a collection does not fit its content")
    }

    final func tell(_ edit: obv_container_edit) {
        withUnsafePointer(to: edit) { tell(UnsafeBufferPointer(start: $0, count: 1)) }
    }

    /// Tells of an element that was inserted into an array.
    @usableFromInline
    final func _tellInserted(at position: Int) {
        tell(obv_container_edit(at: position, inserted: 1))
    }

    /// Tells of an element that was removed from an array, and which stays at `element` until this
    /// returns.
    @usableFromInline
    final func _tellRemoved(at position: Int, _ element: UnsafeRawPointer) {
        tell(obv_container_edit(at: position, removed: 1, old: element))
    }
}

/// How the core reads the collections of one class.
struct ContainerForm {
    enum Access {
        case positions
        case keys(UnsafePointer<obv_key_kind>)
        case hashes
    }

    let element: UnsafePointer<obv_value_kind>
    /// Whether the collections stand for values of the language, which are never edited.
    var isConstant = false
    /// The bytes from one element to the next, where several lie one after the other.
    let stride: Int
    let access: Access
}

extension obv_container_edit {
    init(
        at position: Int = 0, removed: Int = 0, inserted: Int = 0, old: UnsafeRawPointer? = nil,
        moved: Int = 0, to: Int = 0, order: UnsafePointer<Int>? = nil, key: UnsafeRawPointer? = nil
    ) {
        self.init(
            position: position, removed: removed, inserted: inserted, old: old, moved: moved,
            to: to, order: order, key: key)
    }
}

extension HeaderPointer {
    /// The header of a collection as the core's `struct obv_container`.
    var container: UnsafeMutablePointer<obv_container> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: obv_container.self)
    }
}
