/* SPDX-License-Identifier: Apache-2.0 */
/* <observable_loops/glib.h>, in a main context of GLib. */
#include "pieces.h"

#include <observable_loops/glib.h>

struct foreign {
    GMainContext *context;
    GSource *source;
};

/* A refused one leaves what there is. */
static enum obv_status foreign_begin(struct foreign *foreign,
                                     struct obv_loop *loop)
{
    GSource *source;
    enum obv_status status = obv_glib_source(loop, &source);
    if (status == OBV_OK) {
        foreign->source = source;
        foreign->context = g_main_context_new();
        CHECK(g_source_attach(source, foreign->context) != 0);
    }
    return status;
}

static void foreign_turn(struct foreign *foreign, bool may_sleep)
{
    (void)g_main_context_iteration(foreign->context, may_sleep);
}

static void foreign_end_loop(struct foreign *foreign)
{
    g_main_context_unref(foreign->context);
    CHECK(g_source_is_destroyed(foreign->source));
    g_source_unref(foreign->source);
}

static void foreign_end(struct foreign *foreign)
{
    g_source_destroy(foreign->source);
    g_source_unref(foreign->source);
    g_main_context_unref(foreign->context);
}

static bool foreign_has_stopped(const struct foreign *foreign)
{
    return g_source_is_destroyed(foreign->source);
}

#include "pieces_tests.h"
