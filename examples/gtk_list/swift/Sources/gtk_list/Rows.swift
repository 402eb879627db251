// SPDX-License-Identifier: Apache-2.0

import CGtk
import ObservableSwift

final class Song: ObservableModel {
    @Observed var title: String
    init(_ title: String) {
        self.title = title
        super.init()
    }
}

/// An array as rows: a GListModel, fed by what has become of the array.
final class Rows {
    /// An object for each element, which knows its song.
    let store: OpaquePointer = g_list_store_new(g_object_get_type())
    private let loop: DeliveryLoop
    private var token: ObservationToken?
    /// Of the last calls.
    var removed = 0, inserted = 0, moved = 0

    init(_ songs: ObservableArray<Song>, on loop: DeliveryLoop) {
        self.loop = loop
        token = songs.differences().on(loop).onChange { [unowned self] difference in
            show(difference)
        }
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(store))
    }

    private func show(_ difference: CollectionDifference<Song>) {
        // The row of an element that has moved goes with it.
        var rows: [Int: UnsafeMutableRawPointer] = [:]
        for change in difference {
            switch change {
            case .remove(let place, _, let to):
                let row = g_list_model_get_item(store, guint(place))!
                g_list_store_remove(store, guint(place))
                if let to { rows[to] = row } else { g_object_unref(row) }
                removed += 1
            case .insert(let place, let song, let from):
                let row = rows[place] ?? makeRow(song)
                g_list_store_insert(store, guint(place), row)
                g_object_unref(row)
                inserted += 1
                moved += from == nil ? 0 : 1
            }
        }
    }

    private func makeRow(_ song: Song) -> UnsafeMutableRawPointer {
        let row = g_object_new_with_properties(g_object_get_type(), 0, nil, nil)!
        keep(song, as: "song", in: row)
        return row.raw
    }

    // MARK: - A row's label follows the title

    func makeList() -> Widget {
        let factory = gtk_signal_list_item_factory_new()!
        let signals = UnsafeMutableRawPointer(factory)
        connect(signals, "setup", self) { _, item, _ in
            gtk_list_item_set_child(item, gtk_label_new(nil))
        }
        connect(signals, "bind", self) { _, item, rows in
            let rows: Rows = receiver(rows)
            rows.bind(item)
        }
        connect(signals, "unbind", self) { _, item, _ in
            keep(nil, as: "title", in: UnsafeMutablePointer(item))
        }
        let selection = gtk_single_selection_new(OpaquePointer(g_object_ref(.init(store))))
        return gtk_list_view_new(selection, factory)
    }

    private func bind(_ item: OpaquePointer) {
        let row: UnsafeMutablePointer<GObject> = gtk_list_item_get_item(item)
            .assumingMemoryBound(to: GObject.self)
        let song: Song = kept("song", in: row)!
        let label = gtk_list_item_get_child(item)!.opaque
        gtk_label_set_text(label, song.title)
        let title = song.changes(of: \.title).on(loop).onChange { change in
            gtk_label_set_text(label, change.new)
        }
        keep(title, as: "title", in: UnsafeMutablePointer(item))
    }
}
