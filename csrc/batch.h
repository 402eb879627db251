/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread has put aside until its batch ends.
 */
#ifndef OBV_BATCH_H
#define OBV_BATCH_H

#include "loop.h"
#include "notes.h"

#include <observable/batch.h>

/* The outermost batch of a thread, in the memory of its obv_batch. What is put
   aside is claimed, and so pending, but in no loop's set: only this thread
   touches the chain. */
struct obv__batch {
    struct obv_queue_chain aside;
    struct obv__noted *noted; /* whose notes ripen at its end (notes.h) */
    uint32_t depth;
    uint32_t count; /* of what was put aside */
};

/* An observation with notes that a change in a batch has made due. It is
   pending from then until the batch's end, by whomever: so it is there. */
struct obv__noted {
    struct obv__noted *next;
    struct obv__watcher *observation;
    uint32_t place; /* so many were put aside before it */
    bool is_ours;   /* at the end: the batch's to push */
};

/** The batch that this thread is in, or NULL. */
static inline struct obv__batch *obv__batch_of(const struct obv__thread *thread)
{
    return thread->slots[OBV__THREAD_BATCH];
}

static inline void obv__batch_put_aside(struct obv__batch *batch,
                                        struct obv_coalescing_item *item)
{
    obv__chain_append(&batch->aside, &item->link);
    batch->count++;
}

/** Gathers what a change inside a batch has made of an observation's endpoints,
    and schedules it; the notes are given away. In a section, no lock held. */
void obv__batch_schedule(struct obv__thread *thread, struct obv__batch *batch,
                         struct obv_context *context, struct obv__watcher *via,
                         struct obv__note *notes);

#endif
