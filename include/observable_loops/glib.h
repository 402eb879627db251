/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop as a source of GLib (DR-14): its handlers run in a main context of
 * GLib, and so of GTK. Needs GLib 2.36 or newer (pkg-config glib-2.0).
 *
 *     GSource *source;
 *     if (obv_glib_source(obv_context_loop(NULL), &source) == OBV_OK) {
 *         g_source_attach(source, NULL);
 *         g_main_loop_run(main_loop);
 *         g_source_destroy(source);
 *         g_source_unref(source);
 *     }
 *
 * The source sleeps while nothing is scheduled. It keeps the memory of the
 * loop, and lets go of it when the source is destroyed. So either may end
 * first:
 *
 *     the main context   what is scheduled stays so; obv_loop_drain(), or
 *                        another source, delivers it
 *     the loop           the source does nothing more, until it is destroyed
 *
 * The source is destroyed before the context of the loop ends.
 *
 * A handler that runs a main loop of GLib inside, as a modal dialog does, is
 * called alone: GLib does not dispatch a source inside itself. For calls in
 * there the handler drains (obv_loop_drain()).
 */
#ifndef OBSERVABLE_LOOPS_GLIB_H
#define OBSERVABLE_LOOPS_GLIB_H

#include <observable/loop.h>

#include <glib-unix.h>
#include <glib.h>

OBV_BEGIN_DECLS

static inline gboolean
obv_detail_glib_drain(gint descriptor, GIOCondition condition, gpointer loop)
{
    (void)descriptor;
    (void)condition;
    if (obv_loop_drain((struct obv_loop *)loop) == OBV_E_THREAD) {
        g_warning("observable: the loop is bound to another thread than this "
                  "main context's; the source ends");
        return G_SOURCE_REMOVE;
    }
    return G_SOURCE_CONTINUE;
}

static inline void obv_detail_glib_release(gpointer loop)
{
    obv_loop_release((struct obv_loop *)loop);
}

/**
 * Makes a source that drains a loop, with GLib's default priority, attached to
 * no main context yet.
 *
 * @param source  receives it, with the caller's reference (g_source_unref()).
 * @return OBV_OK; OBV_E_ARGUMENT for NULL; as obv_loop_descriptor(). On error
 *         there is none.
 *
 * Threads:   any; of a bound loop its own. It is attached to the main context
 *            of the thread that is to run the handlers. Of a loop that is bound
 *            to another thread the source warns (g_warning()) and removes
 *            itself.
 */
static inline enum obv_status
obv_glib_source(struct obv_loop *OBV_NULLABLE loop,
                GSource *OBV_NULLABLE *OBV_NULLABLE source)
{
    int descriptor;
    if (!loop || !source) {
        return OBV_E_ARGUMENT;
    }
    enum obv_status status = obv_loop_descriptor(loop, &descriptor);
    if (status == OBV_OK) {
        *source = g_unix_fd_source_new(descriptor, G_IO_IN);
        /* As G_SOURCE_FUNC(), which GLib has since 2.58. */
        g_source_set_callback(
            *source, (GSourceFunc)(void (*)(void))obv_detail_glib_drain,
            obv_loop_retain(loop), obv_detail_glib_release);
        g_source_set_name(*source, "observable");
    }
    return status;
}

OBV_END_DECLS

#endif
