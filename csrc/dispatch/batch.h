/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches: the observations that a thread has put aside until its batch ends.
 */
#ifndef OBV_BATCH_H
#define OBV_BATCH_H

#include "model/misuse.h"
#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "dispatch/change_records.h"

#include <observable/batch.h>

/* An observation that a change in a batch has made due. */
struct obv__aside {
    struct obv_hash_entry entry;      /* must stand first; by the observation */
    struct obv__aside *next;          /* in the order of the first changes */
    struct obv__watcher *observation; /* NULL: scheduled, or it had ended */
    struct obv_context *context;      /* its own */
    struct obv__held held;            /* its two ends, for the call */
    struct obv__change_record *records; /* gathered, until they are committed
                                           (change_records.h) */
    bool is_by_hand; /* for change records: the call is by hand; any thread */
    bool is_perhaps; /* nothing but a post "perhaps" has come yet; any thread */
    bool asks;       /* one has come: what is computed is to be settled; any
                        thread */
};

/* The outermost batch of a thread, in the memory of its obv_batch. Written by
   its thread, under the lock of batch.c. */
struct obv__batch {
    struct obv__aside *first, *last;
    struct obv_hash_table table; /* its memory is the first one's context's */
    struct obv__batch *next;     /* another thread's; written by any thread */
    struct obv__inbound_queue inbound; /* edits of any-thread properties */
    uint32_t depth;
    uint32_t drains; /* by its thread, outside of handlers */
};

/* Batches that are open, on all threads. */
extern uint32_t obv__open_batches OBV__HIDDEN;

/** The batch that this thread is in, or NULL. */
static inline struct obv__batch *obv__batch_of(const struct obv__thread *thread)
{
    return thread->slots[OBV__THREAD_BATCH];
}

/** Counts a drain that begins inside a batch: many mean that the batch was left
    open. */
static inline void obv__batch_note_drain(struct obv__thread *thread,
                                         struct obv_context *context)
{
    struct obv__batch *batch =
        OBV__CHECKS_MISUSE ? obv__batch_of(thread) : NULL;
    /* A few of them may be meant. */
    if (batch && obv__thread_is_idle(thread) && ++batch->drains == 100) {
        obv__tell_misuse(context, OBV__BATCH_LEFT_OPEN, NULL, NULL);
    }
}

/** Whether any thread is in a batch: then no mark may stand for a slot, for a
    set inside the batch has to put aside what is pending already. */
static inline bool obv__batches_are_open(void)
{
    /* Seq_cst, pairs with the addition in obv_batch_begin(). */
    return obv__load_seq_cst(&obv__open_batches) != 0;
}

/** The entry that a batch has put aside for an observation, or NULL. */
struct obv__aside *obv__batch_find(const struct obv__batch *batch,
                                   const struct obv__watcher *observation);

/** The entry that this thread's batch has put aside for an observation; NULL:
    there is none, or no batch. */
static inline struct obv__aside *
obv__aside_of(const struct obv__thread *thread,
              const struct obv__watcher *observation)
{
    const struct obv__batch *batch = obv__batch_of(thread);
    return batch ? obv__batch_find(batch, observation) : NULL;
}

/** Puts an observation aside whose ends are held, which are given away. False:
    there is no memory. In an epoch section, no lock held. */
bool obv__batch_put_aside(struct obv__batch *batch,
                          struct obv__watcher *observation,
                          const struct obv__held *held, bool is_perhaps);

/** The questions about an observation that batches of any thread have put
    aside. */
enum obv__aside_query {
    OBV__IS_ASIDE, /* the end of its batch finalizes it, not its own end */
    OBV__ASIDE_ASKS,
    OBV__ASIDE_COMES /* what was put aside "perhaps" is to come from here on */
};

/** The rest of obv__batches_have(). */
bool obv__batches_look(const struct obv__watcher *observation,
                       enum obv__aside_query query);

static inline bool obv__batches_have(const struct obv__watcher *observation,
                                     enum obv__aside_query query)
{
    return OBV__UNLIKELY(obv__batches_are_open()) &&
           obv__batches_look(observation, query);
}

#endif
