/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread has put aside until its batch ends.
 */
#ifndef OBV_BATCH_H
#define OBV_BATCH_H

#include "loop.h"

#include <observable/batch.h>

/* The outermost batch of a thread, in the memory of its obv_batch. What is put
   aside is claimed, and so pending, but in no loop's set: only this thread
   touches the chain. */
struct obv__batch {
    struct obv_queue_chain aside;
    size_t depth;
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
}

#endif
