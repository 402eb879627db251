/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop on a queue of libdispatch (DR-14): its handlers run there, one after
 * the other on a serial queue. On Linux the headers of libdispatch are for
 * clang; they come with the toolchain of Swift.
 *
 *     dispatch_source_t source;
 *     if (obv_dispatch_source(loop, dispatch_get_main_queue(), &source) ==
 *         OBV_OK) {
 *         dispatch_main();
 *     }
 *
 * The source sleeps while nothing is scheduled. It keeps its queue, and the
 * memory of the loop until libdispatch has finalized the source:
 * dispatch_source_cancel(), dispatch_release(). Then what is scheduled stays
 * so, and obv_loop_drain() delivers it. If the loop is destroyed first, the
 * source does nothing more. It is finalized before the context of the loop
 * ends.
 */
#ifndef OBSERVABLE_LOOPS_DISPATCH_H
#define OBSERVABLE_LOOPS_DISPATCH_H

#include <observable/loop.h>

#include <dispatch/dispatch.h>
#include <stdlib.h>

OBV_BEGIN_DECLS

struct obv_detail_dispatch {
    struct obv_loop *OBV_NONNULL loop;
    dispatch_source_t OBV_NONNULL source; /* no reference */
};

static inline void obv_detail_dispatch_drain(void *OBV_NONNULL context)
{
    struct obv_detail_dispatch *piece = (struct obv_detail_dispatch *)context;
    if (obv_loop_drain(piece->loop) == OBV_E_THREAD) {
        dispatch_source_cancel(piece->source);
    }
}

static inline void obv_detail_dispatch_finalize(void *OBV_NONNULL context)
{
    struct obv_detail_dispatch *piece = (struct obv_detail_dispatch *)context;
    obv_loop_release(piece->loop);
    free(piece);
}

/**
 * Makes a source that drains a loop on a queue, and resumes it.
 *
 * @param queue   kept by the source.
 * @param source  receives it, with the caller's reference.
 * @return OBV_OK; OBV_E_ARGUMENT for NULL; OBV_E_MEMORY; as
 *         obv_loop_descriptor(). On error there is none.
 *
 * Threads: any; of a bound loop its own. A loop that is bound to another thread
 *          than the queue runs on is not drained: the source cancels itself
 *          (dispatch_source_testcancel()), and what is scheduled waits for that
 *          thread.
 */
static inline enum obv_status
obv_dispatch_source(struct obv_loop *OBV_NULLABLE loop,
                    dispatch_queue_t OBV_NULLABLE queue,
                    dispatch_source_t OBV_NULLABLE *OBV_NULLABLE source)
{
    int descriptor;
    if (!loop || !queue || !source) {
        return OBV_E_ARGUMENT;
    }
    enum obv_status status = obv_loop_descriptor(loop, &descriptor);
    if (status != OBV_OK) {
        return status;
    }
    struct obv_detail_dispatch *piece =
        (struct obv_detail_dispatch *)malloc(sizeof *piece);
    dispatch_source_t made =
        piece ? dispatch_source_create(DISPATCH_SOURCE_TYPE_READ,
                                       (uintptr_t)descriptor, 0, queue)
              : NULL;
    if (!made) {
        free(piece);
        return OBV_E_MEMORY;
    }
    piece->loop = obv_loop_retain(loop);
    piece->source = made;
    dispatch_set_context(made, piece);
    dispatch_source_set_event_handler_f(made, obv_detail_dispatch_drain);
    dispatch_set_finalizer_f(made, obv_detail_dispatch_finalize);
    dispatch_resume(made);
    *source = made;
    return OBV_OK;
}

OBV_END_DECLS

#endif
