// SPDX-License-Identifier: Apache-2.0

import CObservable

/// The edits of a collection since the list was last taken, as the core records them.
package final class EditList<Collection: _RecordedCollection> {
    private let list: OpaquePointer
    /// The collection that the list turned to. It is kept, so that its elements can be told as gone
    /// when the list turns away.
    private var followed: Collection?

    /// Records edits from the present content on, without keeping the collection.
    package init(of collection: Collection) {
        list = Self.make(try? collection.adopt(), nil)
    }

    /// A list that follows no collection yet.
    init() {
        list = Self.make(nil, try? ModelClasses.of(Collection.self))
    }

    private static func make(_ header: HeaderPointer?, _ cls: OpaquePointer?) -> OpaquePointer {
        var list: OpaquePointer?
        _ = obv_edit_list_create(cls, header?.container, &list, nil)
        guard let list else { noMemory() }
        return list
    }

    deinit {
        obv_edit_list_release(list)
    }

    /// Goes on with another collection, or with none. The elements of the collection before count
    /// as removed, those of the new one as inserted.
    func turn(to collection: Collection?) {
        let header = collection.flatMap { try? $0.adopt() }
        if (header == nil) != (collection == nil)
            || obv_edit_list_turn_to(list, header?.container, nil) != OBV_OK
        {
            noMemory()
        }
        followed = collection
    }

    /// - Parameter collection: the collection that the list follows.
    package func take(_ collection: Collection?) -> Collection.Difference {
        var edits = obv_edits()
        if obv_edit_list_take(list, &edits, nil) != OBV_OK { noMemory() }
        defer { obv_edits_deinit(&edits) }
        return Collection._difference(_RecordedEdits(edits: edits), collection)
    }
}

/// `OBV_NOWHERE` as an `Int`, which a `size_t` is here.
private let nowhere = Int(bitPattern: OBV_NOWHERE)

private func noMemory() -> Never {
    fatalError("there is no memory for what happens to a collection")
}

// MARK: - What each collection makes of it

/// A collection whose edits are told: ``ObservableArray``, ``ObservableDictionary``, ``ObservableSet``,
/// ``DerivedArray`` and ``DerivedDictionary``.
public protocol _RecordedCollection: ObservableContainer {
    /// What has happened to it.
    associatedtype Difference
    static func _difference(_ edits: _RecordedEdits, _ collection: Self?) -> Difference
}

/// As the core hands it over.
public struct _RecordedEdits {
    let edits: obv_edits

    fileprivate var runs: UnsafeBufferPointer<obv_edit_run> {
        UnsafeBufferPointer(start: edits.runs, count: edits.run_count)
    }

    fileprivate var keys: UnsafeBufferPointer<obv_key_edit> {
        UnsafeBufferPointer(start: edits.keys, count: edits.key_count)
    }
}

extension ObservableArray: _RecordedCollection {}
extension DerivedArray: _RecordedCollection {}

extension _ObservableArray {
    public static func _difference(
        _ edits: _RecordedEdits, _ array: Self?
    ) -> CollectionDifference<Element> {
        typealias Change = CollectionDifference<Element>.Change
        let content = array?._content ?? []
        var changes: [Change] = []
        for run in edits.runs {
            let (wasThere, isThere) = (run.before != nowhere, run.now != nowhere)
            for i in 0..<run.count {
                // A moved element is a removal and an insertion, each with the offset of the other.
                let before = wasThere ? run.before + i : nil
                let now = isThere ? run.now + i : nil
                let element: Element =
                    run.gone.map { ChangeValue($0[i]).value()! } ?? content[run.now + i]
                if let before {
                    changes.append(.remove(offset: before, element: element, associatedWith: now))
                }
                if let now {
                    changes.append(.insert(offset: now, element: element, associatedWith: before))
                }
            }
        }
        // Not nil: each offset of the content before and after stands here once, as the initializer
        // requires.
        return CollectionDifference(changes)!
    }
}

extension ObservableDictionary: _RecordedCollection {}
extension DerivedDictionary: _RecordedCollection {}

extension _ObservableDictionary {
    /// Of each key that was set or removed the value before and after; nil: there was none, there is
    /// none.
    public static func _difference(
        _ edits: _RecordedEdits, _ dictionary: Self?
    ) -> [_Key: (old: _Each?, new: _Each?)] {
        var difference: [_Key: (old: _Each?, new: _Each?)] = [:]
        for edit in edits.keys {
            let key = edit.key!.assumingMemoryBound(to: _Key.self).pointee
            difference[key] = (
                edit.was_there ? ChangeValue(edit.value).value() : nil, dictionary?._item(key)
            )
        }
        return difference
    }
}

extension ObservableSet: _RecordedCollection {
    /// The members that really have come, and those that have gone.
    public static func _difference(
        _ edits: _RecordedEdits, _: ObservableSet?
    ) -> (insertions: Set<Element>, removals: Set<Element>) {
        var difference = (insertions: Set<Element>(), removals: Set<Element>())
        for edit in edits.keys {
            let member: Element = ChangeValue(edit.value).value()!
            if edit.is_there {
                difference.insertions.insert(member)
            } else {
                difference.removals.insert(member)
            }
        }
        return difference
    }
}
