/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batches. A change inside one claims its observations, as always, and holds
 * their ends; it is only the push that waits for the end. So an observation is
 * pending once, wherever it was claimed, and no change is lost: a thread that
 * finds it claimed leaves its change to the call that this end will push.
 *
 * Notes of an observation that a batch has made due ripen at its end: no call
 * takes some of a batch's changes without the others (RE-3). Where it was
 * pending before, and is delivered while the batch is open, that call takes
 * what is ripe, and leaves the observation claimed; who ripens its last notes
 * pushes it. So it is pending as long as it has unripe notes.
 *
 * How that is certain. Notes have a lock; under it a batch enters, ripens what
 * it has gathered and is out; and under it a claim ends (delivery.c,
 * end_claim()), be it by D3 of a call or taken back. Who ends a claim counts the
 * batches that are in, and either makes the item idle or leaves it claimed,
 * `is_kept`, before the lock is let go. A batch enters first, then schedules.
 *
 *   - The batch enters first: every claim that ends until it is out finds it,
 *     so an item that was pending when the batch had entered stays so.
 *   - The claim ends first: the batch finds the item idle, and claims it, or
 *     finds the next claim, which ends after it has entered.
 *   - It finds the item neither pending nor to be claimed: an end is gone, and
 *     the batch leaves. Not where another thread has claimed it since, and its
 *     call has counted the batch: that call has left its claim to the batch.
 *
 * So at the batch's end the item is pending. Either by a claim that is to end
 * yet: after it is idle its call takes the notes, which are ripe then. Or it is
 * kept, and the last batch pushes it. And the observation lives until its notes
 * are ripe: only an item that is idle is closed, and none is revoked that a
 * batch has entered. Who is to let go of one that is cancelled first sees to it
 * that no batch enters it any more (obv__notes_end()).
 *
 * What a claim holds is held once more before it is left, with no lock held; so
 * batches are counted, and counted again. A call's item is marked as called
 * before it is left: from then on it is the batch's, which may let go of it at
 * once, on its own thread. The root may be gone, where nothing holds it: then
 * the claim is left without.
 */
#include "batch.h"

#include "delivery.h"
#include "observation.h"
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
        obv__thread_set_unusual(self, true);
    }
    outermost->depth++;
}

static struct obv__noted *find_noted(const struct obv__batch *batch,
                                     const struct obv__notes *notes)
{
    /* Only who is in this batch has notes of it. */
    return obv__notes_are_of(notes, batch) ? batch->noted : NULL;
}

/* Enters an observation that has no notes of this batch yet; NULL: no memory, or
   it has ended. */
static struct obv__noted *enter_batch(struct obv__batch *batch,
                                      struct obv_context *context,
                                      struct obv__watcher *observation)
{
    struct obv__noted *made = obv__context_allocate(context, sizeof *made);
    struct obv__noted **last = &batch->noted;
    if (made && !obv__notes_enter(obv__notes_of(observation))) {
        obv__context_free(context, made, sizeof *made);
        return NULL;
    }
    if (made) {
        while (*last) {
            last = &(*last)->next;
        }
        *made = (struct obv__noted){.observation = observation,
                                    .place = batch->count};
        *last = made;
    }
    return made;
}

/* Nothing was scheduled: an end is gone. But others may have claimed it since,
   and the call may have found us in it: then we stay. */
static void leave_batch(struct obv__batch *batch, struct obv_context *context,
                        struct obv__noted *entry, struct obv__notes *notes)
{
    if (!obv__notes_forget_of(context, notes, batch)) {
        return;
    }
    struct obv__noted **place = &batch->noted;
    while (*place != entry) {
        place = &(*place)->next;
    }
    *place = entry->next;
    obv__context_free(context, entry, sizeof *entry);
}

void obv__batch_schedule(struct obv__thread *thread, struct obv__batch *batch,
                         struct obv_context *context, struct obv__watcher *via,
                         struct obv__note *first)
{
    struct obv__watcher *observation = obv__observation(via);
    struct obv__notes *notes = obv__notes_of(via);
    bool is_new = first && !find_noted(batch, notes);
    struct obv__noted *entry =
        is_new ? enter_batch(batch, context, observation) : NULL;
    /* Without memory for the entry they are ripe at once. */
    const struct obv__batch *of = is_new && !entry ? NULL : batch;
    while (first) {
        struct obv__note *next = first->next;
        first->batch = of;
        obv__notes_gather(context, notes, first);
        first = next;
    }
    (void)obv__schedule(thread, via);
    if (entry &&
        !obv__item_is_pending(obv__item_word(obv__item(observation)))) {
        leave_batch(batch, context, entry, notes);
    }
}

/* The notes of every observation, before the first is pushed. */
static void ripen(const struct obv__batch *batch, struct obv__noted *noted)
{
    for (struct obv__noted *at = noted; at; at = at->next) {
        struct obv_context *context = obv__observation_context(at->observation);
        at->is_ours =
            obv__notes_ripen(context, obv__notes_of(at->observation), batch);
    }
}

/* Pushes those that the batch has to, up to a place among what was put aside. */
static struct obv__noted *push_noted(struct obv__thread *self,
                                     struct obv__noted *noted, uint32_t place)
{
    while (noted && noted->place <= place) {
        struct obv__noted *next = noted->next;
        struct obv_context *context =
            obv__observation_context(noted->observation);
        if (noted->is_ours) {
            obv__push_claimed(self, obv__item(noted->observation));
        } else if (obv__has_state(noted->observation, OBV__CANCELLED)) {
            /* Cancelled in the batch, which it had to wait for. */
            obv__settle(context, noted->observation);
        }
        obv__context_free(context, noted, sizeof *noted);
        noted = next;
    }
    return noted;
}

/* What was put aside, in its order. No batch is open any more, so what wake
   hooks and releases change is scheduled as it comes. */
static void schedule_aside(struct obv__thread *self, struct obv__batch *batch,
                           const struct obv__batch *identity)
{
    struct obv_queue_node *node;
    struct obv__noted *noted = batch->noted;
    obv__section_enter(self);
    ripen(identity, noted);
    for (uint32_t place = 0;
         (node = obv_queue_chain_next(&batch->aside)) != NULL; place++) {
        noted = push_noted(self, noted, place);
        obv__push_claimed(self, (struct obv_coalescing_item *)(void *)node);
    }
    (void)push_noted(self, noted, UINT32_MAX);
    obv__section_leave(self);
}

void obv_batch_end(struct obv_batch *batch)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__batch *outermost = obv__batch_of(self);
    (void)batch;
    if (outermost && --outermost->depth == 0) {
        struct obv__batch ended = *outermost;
        self->slots[OBV__THREAD_BATCH] = NULL;
        obv__thread_set_unusual(self, false);
        schedule_aside(self, &ended, outermost);
    }
}
