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
    // Behind the header word, as `struct obv_container` has them: the core's.
    final var toldCount = 0
    final var reserved: UInt = 0

    @usableFromInline
    init(_: Void) {
        super.init()
        Self.expect()
    }

    /// The core may keep something of its elements where it has no node.
    deinit {
        if reserved != 0 { _ = obv_object_deinit(_observationObject) }
    }

    /// Before there is one: the core looks for them from then on.
    static func expect() { areExpected }

    private static let areExpected: Void = obv_container_expect(Context.shared)

    /// Whether the core has to be told of edits.
    @inlinable final var _isTold: Bool {
        @inline(__always) get { _observationWord != 1 }
    }

    /// Whether somebody observes it or an element of it, or did. The core has written the third of
    /// its words, which the compiler does not know.
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

    /// Of an array: where an element lies.
    func address(at position: Int) -> UnsafeRawPointer { fatalError("abstract") }

    /// Of a dictionary: where the element of a key lies.
    func address(ofKey key: UnsafeRawPointer) -> UnsafeRawPointer? { fatalError("abstract") }

    /// Of a dictionary and a set: the next element, and its key if it has one.
    func next(_ index: Int) -> (key: UnsafeRawPointer?, element: UnsafeRawPointer)? {
        fatalError("abstract")
    }

    /// Of a set: the hash of an element that lies there.
    func hash(of element: UnsafeRawPointer) -> UInt64 { fatalError("abstract") }

    /// Of a set: the members with a hash, one after the other.
    func member(_ hash: UInt64, _ index: Int) -> UnsafeRawPointer? { fatalError("abstract") }

    class var containerForm: ContainerForm { fatalError("abstract") }

    // MARK: - Reading

    /// Whether a look at an element by its position is not told: of trivial ones, which a loop over
    /// positions may then take several at a time. What is computed depends on the content as soon as
    /// it reads the property that holds such an array.
    class var isReadUntold: Bool { false }

    /// Its content is read: what is computed right now depends on it.
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

    /// The element of a key is read, there or not: what is computed right now depends on that alone.
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

    /// As the core knows it, where reads are recorded.
    private final var recordedContainer: UnsafeMutablePointer<obv_container>? {
        Reads.areRecordedByClass ? adoptedInChange?.container : nil
    }

    // MARK: - Telling

    /// Before it meets the library, which goes by the count that it was told last.
    final func prepare() {
        toldCount = elementCount
    }

    /// Tells the core of edits that have been made. What they have removed is the caller's until
    /// then.
    final func tell(_ edits: UnsafeBufferPointer<obv_container_edit>) {
        var error = obv_error()
        let status = obv_container_edited(
            _observationObject.container, edits.baseAddress!, edits.count, &error)
        // Memory that is short is told to the diagnostics; in its deinit nobody is told any more.
        precondition(status != OBV_E_ARGUMENT, "an edit of a collection does not fit its content")
    }

    final func tell(_ edit: obv_container_edit) {
        withUnsafePointer(to: edit) { tell(UnsafeBufferPointer(start: $0, count: 1)) }
    }

    /// Of an array: one has come.
    @usableFromInline
    final func _tellInserted(at position: Int) {
        tell(obv_container_edit(at: position, inserted: 1))
    }

    /// Of an array: one has gone, which lies there until this returns.
    @usableFromInline
    final func _tellRemoved(at position: Int, _ element: UnsafeRawPointer) {
        tell(obv_container_edit(at: position, removed: 1, old: element))
    }
}

/// What a class of collections is to the core.
struct ContainerForm {
    enum Access {
        case positions
        case keys(UnsafePointer<obv_key_kind>)
        case hashes
    }

    let element: UnsafePointer<obv_value_kind>
    /// It stands for a value, which is never edited.
    var isConstant = false
    /// From one element to the next, where several lie one after the other.
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
    /// Of a collection: what the core has of it.
    var container: UnsafeMutablePointer<obv_container> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: obv_container.self)
    }
}
