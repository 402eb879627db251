// SPDX-License-Identifier: Apache-2.0

import CGLib

let source = obv_glib_main_queue_source()
g_source_attach(source, nil)

// The main actor's work, begun by a task and ended by a block of the library, goes by GLib's loop alone.
let loop = g_main_loop_new(nil, 0)
let work = Work { g_main_loop_quit(loop) }
let task = Task { @MainActor in
    await Task.yield()
    work.begin()
}
g_main_loop_run(loop)

// Nothing is left to do, so nothing wakes it; then a block of the queue does, by itself.
precondition(g_main_context_pending(nil) == 0, "the source is ready, and the queue is empty")
let last = Task { @MainActor in
    MainActor.preconditionIsolated()
    g_main_loop_quit(loop)
}
g_main_loop_run(loop)
g_source_destroy(source)
g_source_unref(source)
g_main_loop_unref(loop)
