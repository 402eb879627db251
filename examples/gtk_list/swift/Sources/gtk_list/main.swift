// SPDX-License-Identifier: Apache-2.0
//
// A list of GTK 4 over an observable array: rows come, go and move by recorded edits, and a row's
// label follows its song's title.
//
//     gtk_list            a window with buttons that edit the array
//     gtk_list --check    edits it by itself, and prints what the rows show

import CGtk
import ObservableSwift

/// The window, and what its buttons do.
final class Player {
    let songs = ["Blue", "Rain", "Dawn", "Home", "Moon"].map(Song.init)
    let playlist: ObservableArray<Song> = []
    let rows: Rows
    let list: Widget
    let window = gtk_window_new()!

    init(on loop: DeliveryLoop) {
        rows = Rows(playlist, on: loop)
        list = rows.makeList()
        let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)!
        add("Add", to: box) { player, _ in
            let player: Player = receiver(player)
            player.playlist.append(player.songs[player.playlist.count % player.songs.count])
        }
        add("Remove the first", to: box) { player, _ in
            let player: Player = receiver(player)
            _ = player.playlist.popFirst()
        }
        add("Sort", to: box) { player, _ in
            let player: Player = receiver(player)
            player.playlist.sort { $0.title < $1.title }
        }
        add("Turn round", to: box) { player, _ in
            let player: Player = receiver(player)
            player.playlist.reverse()
        }
        gtk_widget_set_vexpand(list, 1)
        gtk_box_append(box.cast(), list)
        gtk_window_set_child(window.cast(), box)
        gtk_window_set_default_size(window.cast(), 300, 500)
        gtk_window_present(window.cast())
    }

    private func add(
        _ text: String, to box: Widget,
        _ edit: @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
    ) {
        let button = gtk_button_new_with_label(text)!
        connect(button.raw, "clicked", self, edit)
        gtk_box_append(box.cast(), button)
    }

    // MARK: - What the rows show

    private var shown: [String] {
        let labelType = gtk_label_get_type()
        return sequence(first: gtk_widget_get_first_child(list)) {
            $0.map { gtk_widget_get_next_sibling($0) }
        }
        .prefix { $0 != nil }
        .compactMap { row in
            guard let label = gtk_widget_get_first_child(row), gtk_widget_get_mapped(row) != 0,
                g_type_check_instance_is_a(label.cast(), labelType) != 0
            else { return nil }
            return String(cString: gtk_label_get_text(label.opaque))
        }
    }

    /// Turns the loop until the rows show what stands in the array.
    func check(_ edit: String) {
        let end = g_get_monotonic_time() + 20_000_000
        while shown != playlist.map(\.title), g_get_monotonic_time() < end {
            g_main_context_iteration(nil, 1)
        }
        let titles = shown.map { " \($0)" }.joined()
        print(
            "\(edit):\(titles)  (-\(rows.removed) +\(rows.inserted), \(rows.moved) of them moved)")
        (rows.removed, rows.inserted, rows.moved) = (0, 0, 0)
    }

    func editByItself() {
        let waking = g_timeout_add(5, { _ in 1 }, nil)
        playlist.assign(songs[..<3])
        check("three come")
        playlist.insert(songs[3], at: 0)
        playlist.append(songs[4])
        check("one in front, one behind")
        songs[1].title = "Summer rain"
        check("another title")
        playlist.sort { $0.title < $1.title }
        check("sorted")
        playlist.move(from: 4, to: 0)
        playlist.remove(at: 2)
        check("the last in front, one gone")
        playlist.append(songs[0])
        playlist.removeLast()
        songs[3].title = "Dusk"
        check("there and back, and a title")
        playlist.removeAll()
        check("all gone")
        g_source_remove(waking)
    }
}

/// The library's calls come in GTK's own loop.
func deliverInMainLoop(_ loop: DeliveryLoop) throws {
    g_unix_fd_add(
        try loop.descriptor(), G_IO_IN,
        { _, _, loop in
            let loop: DeliveryLoop = receiver(loop!)
            loop.drain()
            return 1
        },
        Unmanaged.passRetained(loop).toOpaque())
}

gtk_init()
let loop = DeliveryLoop()
try deliverInMainLoop(loop)
let player = Player(on: loop)
if CommandLine.arguments.contains("--check") {
    player.editByItself()
} else {
    while g_list_model_get_n_items(gtk_window_get_toplevels()) > 0 {
        g_main_context_iteration(nil, 1)
    }
}
