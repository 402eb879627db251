/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches. A change inside one claims its observations, as always, and holds
 * their ends; it is only the push that waits for the end. So an observation is
 * pending once, wherever it was claimed, and no change is lost: a thread that
 * finds it claimed leaves its change to the call that this end will push.
 */
#include "batch.h"

#include "delivery.h"
#include "queue.h"

_Static_assert(sizeof(struct obv__batch) <= sizeof(struct obv_batch),
               "a batch lies in the program's memory");

void obv_batch_begin(struct obv_batch *batch)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__batch *outermost = obv__batch_of(self);
    if (!outermost) {
        outermost = (struct obv__batch *)(void *)batch;
        *outermost = (struct obv__batch){.depth = 0};
        self->slots[OBV__THREAD_BATCH] = outermost;
    }
    outermost->depth++;
}

/* What was put aside, in its order. No batch is open any more, so what wake
   hooks and releases change is scheduled as it comes. */
static void schedule_aside(struct obv__thread *self,
                           struct obv_queue_chain *aside)
{
    struct obv_queue_node *node;
    obv__section_enter(self);
    while ((node = obv_queue_chain_next(aside)) != NULL) {
        obv__push_claimed(self, (struct obv_coalescing_item *)(void *)node);
    }
    obv__section_leave(self);
}

void obv_batch_end(struct obv_batch *batch)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__batch *outermost = obv__batch_of(self);
    (void)batch;
    if (outermost && --outermost->depth == 0) {
        struct obv_queue_chain aside = outermost->aside;
        self->slots[OBV__THREAD_BATCH] = NULL;
        schedule_aside(self, &aside);
    }
}
