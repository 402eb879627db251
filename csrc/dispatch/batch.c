/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches. A change inside one puts its observations aside, with both ends
 * held, and schedules them at the end, whatever has become of them meanwhile.
 * So a batch claims nothing: what is pending already is called as ever, by a
 * drain inside the batch or on another thread, and another thread's change
 * schedules as ever; the batch's own changes are scheduled by its end in either
 * case.
 *
 * Change records of an observation that a batch has made due are the batch's,
 * and are committed at its end: no call takes some of a batch's changes without
 * the others (RE-3).
 *
 * Stamps. A setter that finds a slot's all-pending stamp tells nobody. So no
 * stamp may stand while a batch is open: its sets have to come here. A batch
 * counts itself open, then raises the registration epoch, which makes every
 * stamp stale. A walk reads the registration epoch, then looks whether a batch
 * is open, then stamps the slot with the epoch that it has read. If it finds
 * none open, it has read the registration epoch before that was raised.
 *
 * An observation put aside lives. An observation that has ended is finalized by
 * whoever may be the last with it (delivery.c); that thread looks here first,
 * and leaves an observation that a batch has put aside to the batch's end. It
 * clears LINKED before it looks; the batch puts aside, then looks at LINKED;
 * both under one lock, so one of the two sees the other. It looks only where a
 * batch is open: the batch has said so, seq_cst, before it puts anything aside,
 * and LINKED is cleared seq_cst before that is asked.
 *
 * A call that was taken back meanwhile lets go of its ends at the batch's end.
 */
#include "dispatch/batch.h"

#include "dispatch/delivery_inline.h"
#include "dispatch/inbound_queue.h"
#include "model/computed.h"
#include "model/node.h"

_Static_assert(sizeof(struct obv__batch) <= sizeof(struct obv_batch),
               "a batch lies in the program's memory");

uint32_t obv__open_batches;

/* The open batches. Of a program only its allocator runs under the lock. */
static struct {
    struct obv__lock lock;
    struct obv__batch *first;
} batches;

void obv_batch_begin(struct obv_batch *memory)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__batch *batch = obv__batch_of(self);
    if (!batch) {
        batch = (struct obv__batch *)(void *)memory;
        *batch = (struct obv__batch){.depth = 0};
        TAILQ_INIT(&batch->inbound.list);
        self->batch_marks = false;
        self->slots[OBV__THREAD_BATCH] = batch;
        obv__thread_set_unusual(self, true);
        obv__lock_enter(&batches.lock);
        batch->next = batches.first;
        batches.first = batch;
        obv__lock_leave(&batches.lock);
        obv__fetch_add_seq_cst(&obv__open_batches, 1);
        obv__advance_registration_epoch();
    }
    batch->depth++;
}

/* Finding ----------------------------------------------------------------- */

struct obv__aside *obv__batch_find(const struct obv__batch *batch,
                                   const struct obv__watcher *observation)
{
    struct obv_hash_entry *entry =
        obv__hash_table_find(&batch->table, (uintptr_t)observation);
    struct obv__aside *aside = (struct obv__aside *)entry;
    while (aside && aside->observation != observation) {
        entry = obv__hash_table_find_next(&aside->entry);
        aside = (struct obv__aside *)entry;
    }
    return aside;
}

/* Putting aside ----------------------------------------------------------- */

/* Takes an observation out of a batch. From here on the thread that ends the
   observation finalizes it; if it has ended before, that thread may have left
   the finalizing to the batch. */
static void forget_aside(struct obv__aside *aside)
{
    struct obv__watcher *observation = aside->observation;
    obv__lock_enter(&batches.lock);
    aside->observation = NULL;
    obv__lock_leave(&batches.lock);
    if (!obv__has_state(observation, OBV__LINKED)) {
        obv__finalize(aside->context, observation);
    }
}

bool obv__batch_put_aside(struct obv__batch *batch,
                          struct obv__watcher *observation,
                          const struct obv__held *held, bool is_perhaps)
{
    struct obv_context *context = obv__observation_context(observation);
    struct obv__aside *aside = obv__context_allocate(context, sizeof *aside);
    if (!aside) {
        return false;
    }
    *aside = (struct obv__aside){.observation = observation,
                                 .context = context,
                                 .held = *held,
                                 .is_perhaps = is_perhaps,
                                 .asks = is_perhaps};
    obv__lock_enter(&batches.lock);
    if (batch->last) {
        batch->last->next = aside;
    } else {
        batch->first = aside;
    }
    batch->last = aside;
    obv__hash_table_add(&batch->table, &batch->first->context->allocator,
                        &aside->entry, (uintptr_t)observation);
    obv__lock_leave(&batches.lock);
    /* Behind the lock: either we see that the observation has ended, or the
       thread that finalizes it sees that it is put aside. */
    if (!obv__has_state(observation, OBV__LINKED)) {
        forget_aside(aside);
        obv__let_ends_go(held);
    }
    return true;
}

/* Asking -------------------------------------------------------------- */

bool obv__batches_look(const struct obv__watcher *observation,
                       enum obv__aside_query query)
{
    bool found = false;
    obv__lock_enter(&batches.lock);
    for (const struct obv__batch *batch = batches.first; batch;
         batch = batch->next) {
        struct obv__aside *aside = obv__batch_find(batch, observation);
        found = found || (aside && (query == OBV__IS_ASIDE ||
                                    obv__load_relaxed(&aside->asks)));
        if (aside && query == OBV__ASIDE_COMES &&
            obv__load_relaxed(&aside->is_perhaps)) {
            obv__store_relaxed(&aside->is_perhaps, false);
            obv__store_relaxed(&aside->is_by_hand, true);
        }
    }
    obv__lock_leave(&batches.lock);
    return found;
}

/* The end ----------------------------------------------------------------- */

/* The change records of every observation, before the first is scheduled. */
static void commit_all(const struct obv__batch *batch)
{
    for (struct obv__aside *at = batch->first; at; at = at->next) {
        struct obv__change_records *records =
            at->observation && !obv__has_state(at->observation, OBV__CANCELLED)
                ? obv__change_records_of(at->observation)
                : NULL;
        if (records) {
            obv__change_records_gather(at->context, records, NULL, at->records,
                                       true);
            at->records = NULL;
            if (obv__load_relaxed(&at->is_by_hand)) {
                obv__change_records_by_hand(records);
            }
        }
    }
}

static void schedule_aside(struct obv__thread *self, struct obv__aside *aside)
{
    struct obv__watcher *observation = aside->observation;
    if (!observation) {
        return;
    }
    if (obv__load_relaxed(&aside->asks)) {
        /* Before a drain finds the item. */
        obv__coalescing_will_ask(obv__item(observation));
    }
    obv__schedule_held(self, observation, &aside->held,
                       obv__load_relaxed(&aside->is_perhaps));
    forget_aside(aside);
    /* If the post came too late, or a drain that has called meanwhile has left
       the paths to us, no call is to come. */
    obv__end_lost_paths(aside->context, observation);
}

/* No batch is open on the thread any more, so changes by wake hooks and
   releases are scheduled as they come. */
static void end_batch(struct obv__thread *self, struct obv__batch *batch)
{
    obv__epoch_enter(self);
    commit_all(batch);
    for (struct obv__aside *at = batch->first; at; at = at->next) {
        schedule_aside(self, at);
    }
    obv__inbound_end_batch(self, batch);
    obv__epoch_leave(self);
    obv__lock_enter(&batches.lock);
    struct obv__batch **place = &batches.first;
    while (*place != batch) {
        place = &(*place)->next;
    }
    *place = batch->next;
    obv__lock_leave(&batches.lock);
    /* Release: what it was to tell is told. */
    obv__fetch_add_seq_cst(&obv__open_batches, (uint32_t)-1);
    if (batch->first) {
        obv__hash_table_deinit(&batch->table,
                               &batch->first->context->allocator);
    }
    struct obv__aside *next;
    for (struct obv__aside *at = batch->first; at; at = next) {
        next = at->next;
        obv__change_records_destroy(at->context,
                                    at->records); /* of one that was stopped */
        obv__context_free(at->context, at, sizeof *at);
    }
}

void obv_batch_end(struct obv_batch *memory)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__batch *batch = obv__batch_of(self);
    (void)memory;
    if (batch && --batch->depth == 0) {
        self->slots[OBV__THREAD_BATCH] = NULL;
        obv__thread_set_unusual(self, false);
        end_batch(self, batch);
    }
}
