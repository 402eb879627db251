/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main queue of libdispatch, and with it the main actor of Swift, in a
 * program whose main loop is GLib's, and so GTK's (DR-14). Linux, with GLib 2.36
 * or newer (pkg-config glib-2.0) and the libdispatch of a Swift toolchain.
 *
 *     GSource *source = obv_glib_main_queue_source();
 *     g_source_attach(source, NULL);
 *     g_main_loop_run(main_loop);
 *     g_source_destroy(source);
 *     g_source_unref(source);
 *
 * From here on `Task { @MainActor in … }`, DispatchQueue.main.async and the
 * blocks of the library's main loop run in g_main_loop_run(). The source sleeps
 * while the queue is empty.
 *
 * libdispatch exports what this needs for the run loop of CoreFoundation, which
 * turns the queue in the same way; no header of it declares them.
 *
 * A block that runs a main loop of GLib inside, as a modal dialog does, is
 * called alone: the queue is serial, and goes on when that block has returned.
 * RunLoop.main.run() and dispatchMain() are not called beside it.
 */
#ifndef OBSERVABLE_LOOPS_GLIB_MAIN_QUEUE_H
#define OBSERVABLE_LOOPS_GLIB_MAIN_QUEUE_H

#include <observable/base.h>

#include <glib-unix.h>
#include <glib.h>

#include <stdint.h>
#include <unistd.h>

OBV_BEGIN_DECLS

/* A descriptor that is readable while the queue has work: an eventfd. */
int _dispatch_get_main_queue_handle_4CF(void);
/* Runs that work. */
void _dispatch_main_queue_callback_4CF(void *OBV_NULLABLE message);

static inline gboolean obv_detail_glib_run_main_queue(gint descriptor,
                                                      GIOCondition condition,
                                                      gpointer unused)
{
    uint64_t count;
    (void)condition;
    (void)unused;
    /* Before the work: what comes meanwhile makes it readable again. */
    if (read(descriptor, &count, sizeof count) == (ssize_t)sizeof count) {
        _dispatch_main_queue_callback_4CF(NULL);
    }
    return G_SOURCE_CONTINUE;
}

/**
 * Makes a source that runs the main queue, with GLib's default priority,
 * attached to no main context yet. It is attached to that of the main thread.
 *
 * @return the source, with the caller's reference (g_source_unref()).
 *
 * Threads: the main thread.
 */
static inline GSource *OBV_NONNULL obv_glib_main_queue_source(void)
{
    GSource *source =
        g_unix_fd_source_new(_dispatch_get_main_queue_handle_4CF(), G_IO_IN);
    /* As G_SOURCE_FUNC(), which GLib has since 2.58. */
    g_source_set_callback(
        source, (GSourceFunc)(void (*)(void))obv_detail_glib_run_main_queue,
        NULL, NULL);
    g_source_set_name(source, "main queue");
    return source;
}

OBV_END_DECLS

#endif
