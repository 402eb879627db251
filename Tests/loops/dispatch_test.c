/* SPDX-License-Identifier: Apache-2.0 */
/* <observable_loops/dispatch.h>, on a queue of libdispatch. */
#include "pieces.h"

#include <observable_loops/dispatch.h>

struct foreign {
    dispatch_queue_t queue;
    dispatch_source_t source;
    int turned;
};

/* A refused one leaves what there is. */
static enum obv_status foreign_begin(struct foreign *foreign,
                                     struct obv_loop *loop)
{
    dispatch_source_t source;
    dispatch_queue_t queue = dispatch_queue_create("pieces", NULL);
    enum obv_status status = obv_dispatch_source(loop, queue, &source);
    if (status == OBV_OK) {
        foreign->queue = queue;
        foreign->source = source;
    } else {
        dispatch_release(queue);
    }
    return status;
}

static void note_turn(void *foreign)
{
    ((struct foreign *)foreign)->turned++;
}

/* The queue turns by itself: a turn is whatever stands in it by now. */
static void foreign_turn(struct foreign *foreign, bool may_sleep)
{
    (void)may_sleep;
    dispatch_sync_f(foreign->queue, foreign, note_turn);
}

static void finalize(void *finalized)
{
    dispatch_semaphore_signal((dispatch_semaphore_t)finalized);
}

/* Once the source was finalized the loop is nobody else's: the queue is, after
   everything that it had to do, and its memory goes when the source has. */
static void foreign_end_loop(struct foreign *foreign)
{
    dispatch_semaphore_t finalized = dispatch_semaphore_create(0);
    dispatch_set_context(foreign->queue, finalized);
    dispatch_set_finalizer_f(foreign->queue, finalize);
    dispatch_source_cancel(foreign->source);
    dispatch_release(foreign->source);
    dispatch_release(foreign->queue);
    (void)dispatch_semaphore_wait(finalized, DISPATCH_TIME_FOREVER);
    dispatch_release(finalized);
}

static void foreign_end(struct foreign *foreign)
{
    foreign_end_loop(foreign);
}

static bool foreign_has_stopped(const struct foreign *foreign)
{
    return dispatch_source_testcancel(foreign->source) != 0;
}

#include "pieces_tests.h"
