/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work list of one edit.
 */
#include "dispatch/work_list.h"

#include "dispatch/batch.h"
#include "dispatch/delivery.h"
#include "dispatch/delivery_inline.h"
#include "model/above.h"
#include "model/computed.h"
#include "model/node.h"
#include "model/path_node.h"
#include "platform/membarrier.h"
#include "dispatch/trace.h"

/* Whether there is room for one more. */
static bool find_room(struct obv__work_list *work)
{
    if (work->count < work->capacity) {
        return true;
    }
    uintptr_t *grown =
        obv__context_grown(work->context, work->items, work->near,
                           &work->capacity, sizeof *work->items);
    work->items = grown ? grown : work->items;
    return grown != NULL;
}

static bool is_only_perhaps(uintptr_t due)
{
    return (due & OBV__DUE_PERHAPS) != 0;
}

/* Whether `a` comes before `b`: by the observation, then by its pair. */
static bool before(uintptr_t a, uintptr_t b)
{
    struct obv__watcher *left = obv__observation(obv__due_pair(a));
    struct obv__watcher *right = obv__observation(obv__due_pair(b));
    int32_t of_pairs =
        (int32_t)(obv__due_pair(a)->serial - obv__due_pair(b)->serial);
    if (left->serial != right->serial) {
        return (int32_t)(left->serial - right->serial) < 0;
    }
    if (left != right) {
        /* Instances of one class-level observation share its serial: their
           order is that in which they were attached. */
        return obv__is_instance(left) && obv__is_instance(right) &&
                       of_pairs != 0
                   ? of_pairs < 0
                   : left < right;
    }
    return of_pairs != 0 ? of_pairs < 0
                         : is_only_perhaps(b) && !is_only_perhaps(a);
}

static void sift_down(uintptr_t *items, size_t count, size_t at)
{
    for (;;) {
        size_t largest = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2; child++) {
            if (child < count && before(items[largest], items[child])) {
                largest = child;
            }
        }
        if (largest == at) {
            return;
        }
        uintptr_t moved = items[at];
        items[at] = items[largest];
        items[largest] = moved;
        at = largest;
    }
}

/* Heap sort, if there is anything to do: in place and without recursion. */
static void sort(struct obv__work_list *work)
{
    uintptr_t *items = work->items;
    size_t sorted = 1;
    while (sorted < work->count && !before(items[sorted], items[sorted - 1])) {
        sorted++;
    }
    if (sorted >= work->count) {
        return;
    }
    for (size_t at = work->count / 2; at-- > 0;) {
        sift_down(items, work->count, at);
    }
    for (size_t end = work->count; end-- > 1;) {
        uintptr_t last = items[0];
        items[0] = items[end];
        items[end] = last;
        sift_down(items, end, 0);
    }
}

/* Whether entry i has the observation of the entry before it: only the first
   registered pair of an observation is told. */
static bool repeats(const struct obv__work_list *work, size_t i)
{
    return i > 0 && obv__observation(obv__due_pair(work->items[i])) ==
                        obv__observation(obv__due_pair(work->items[i - 1]));
}

/* Whether a pair is called inside the edit. A settled edit is for drains alone,
   even if a waiting observation has turned immediate meanwhile. */
static bool is_called_now(const struct obv__work_list *work, uintptr_t due)
{
    return !is_only_perhaps(due) && work->edit.kind != OBV__EDIT_SETTLED &&
           obv__is_immediate(obv__observation(obv__due_pair(due)));
}

/* Takes the change records of an observation out of the list, in their order;
   or those of one pair, if that is not NULL. */
static struct obv__change_record *
take_those(struct obv__work_list *work, const struct obv__watcher *observation,
           const struct obv__watcher *pair)
{
    struct obv__change_record *taken = NULL, **last = &taken;
    struct obv__change_record **place = &work->records;
    while (*place) {
        struct obv__change_record *record = *place;
        if (pair ? record->via == pair
                 : obv__observation(record->via) == observation) {
            *place = record->next;
            record->next = NULL;
            *last = record;
            last = &record->next;
        } else {
            place = &record->next;
        }
    }
    return taken;
}

/* Takes the change records of an observation, ready for its handler, without
   those of pairs whose root is at its end (LT-10). */
static struct obv__change_record *
take_records(struct obv__work_list *work, struct obv__watcher *observation,
             const struct obv__change_records *records)
{
    struct obv__change_record *taken = take_those(work, observation, NULL);
    struct obv__change_record *dying = NULL, **place = &taken;
    while (*place) {
        struct obv__change_record *record = *place;
        if (!obv__has_living_root(work->thread, record->via)) {
            *place = record->next;
            record->next = dying;
            dying = record;
            continue;
        }
        if (records->flags & OBV_RECORDS) {
            obv__change_record_write_texts(work->context, record);
        }
        place = &record->next;
    }
    obv__change_records_destroy(work->context, dying);
    return taken;
}

/* From entry i on, the first pair of its observation that is due for certain
   and whose root can be held; else the last such pair. A root at its end must
   not hide the change of another pair. */
static struct obv__watcher *pick(const struct obv__work_list *work, size_t i)
{
    size_t last = i;
    do {
        if (!is_only_perhaps(work->items[i])) {
            last = i;
            if (i + 1 == work->count || !repeats(work, i + 1) ||
                obv__has_living_root(work->thread,
                                     obv__due_pair(work->items[i]))) {
                break;
            }
        }
    } while (++i < work->count && repeats(work, i));
    return obv__due_pair(work->items[last]);
}

/* Requests of computed properties ------------------------------------------ */

/* A value that a computed property had. */
struct replaced {
    struct replaced *before;
    const struct obv_property *property;
    union obv__raw value;
};

/* The list of phase 5, in the order of arrival: records to be computed; and,
   tagged, pairs whose call was dropped (DR-3), which are settled. Both stay until
   the end. */
struct obv__invalidated {
    uintptr_t *items;
    size_t count, done, capacity;
    struct replaced *replaced; /* the last one */
};

enum { DROPPED = 1 };

/* Brings a record up to date whose observers are immediate, or have been
   dropped. */
static void compute_record(struct obv__work_list *work,
                           struct obv__computed *computed)
{
    struct obv_object *object = NULL;
    bool held = false;
    obv__graph_enter(work->thread);
    if (computed->flags & OBV__RUNS) {
        /* Its function has set off a handler, which has marked it. */
        obv__flags_add(computed, OBV__WANTED_AGAIN);
    } else {
        object = obv__computed_hold(computed, &held);
    }
    obv__graph_leave(work->thread);
    if (object) {
        obv__above.bring_up_to_date(object, computed->slot, work);
    }
    obv__object_let_go(object, held);
}

static void compute_one(struct obv__work_list *work, uintptr_t item)
{
    if (item & DROPPED) {
        obv__above.settle(work->thread,
                          (struct obv__watcher *)(item & ~(uintptr_t)DROPPED));
    } else {
        compute_record(work, (struct obv__computed *)item);
    }
}

/* Runs code of the program. */
static void free_invalidated(struct obv_context *context,
                             struct obv__invalidated *all)
{
    while (all->replaced) {
        struct replaced *replaced = all->replaced;
        all->replaced = replaced->before;
        obv__raw_drop(context, replaced->property, &replaced->value);
        obv__context_free(context, replaced, sizeof *replaced);
    }
    if (all->items) {
        obv__context_free(context, all->items,
                          all->capacity * sizeof *all->items);
    }
    obv__context_free(context, all, sizeof *all);
}

/* The list of a work list, made if there is none; NULL: no memory. */
static struct obv__invalidated *invalidated_of(struct obv__work_list *work)
{
    if (!work->invalidated) {
        work->invalidated = obv__context_allocate_zeroed(
            work->context, sizeof *work->invalidated);
    }
    return work->invalidated;
}

/* Adds to the list of phase 5; without memory, computes the item at once. */
static void add_invalid(struct obv__work_list *work, uintptr_t item)
{
    struct obv__invalidated *all = invalidated_of(work);
    if (all && all->count == all->capacity) {
        uintptr_t *grown =
            obv__context_grown(work->context, all->items, NULL, &all->capacity,
                               sizeof *all->items);
        all->items = grown ? grown : all->items;
    }
    if (all && all->count < all->capacity) {
        all->items[all->count++] = item;
    } else {
        compute_one(work, item);
    }
}

void obv__work_list_add_invalid(struct obv__work_list *work,
                                struct obv__computed *computed)
{
    add_invalid(work, (uintptr_t)computed);
}

void obv__work_list_keep_replaced(struct obv__work_list *work,
                                  const struct obv_property *property,
                                  union obv__raw *value)
{
    struct obv__invalidated *all = invalidated_of(work);
    struct replaced *made =
        all ? obv__context_allocate(work->context, sizeof *made) : NULL;
    if (made) {
        *made = (struct replaced){all->replaced, property, *value};
        all->replaced = made;
    } else {
        obv__raw_drop(work->context, property, value);
    }
}

/* Whether the drop of an observation was counted already for this change
   (DR-3): an observation may be due for certain and perhaps. */
static bool is_counted(const struct obv__work_list *work,
                       struct obv__watcher *observation)
{
    const struct obv__invalidated *all = work->invalidated;
    size_t i = 0, count = all ? all->count : 0;
    while (i < count && (!(all->items[i] & DROPPED) ||
                         obv__observation((
                             struct obv__watcher *)(all->items[i] - DROPPED)) !=
                             observation)) {
        i++;
    }
    return i < count;
}

/* `is_first`: no other pair of the observation was scheduled before. */
static void schedule_perhaps(struct obv__work_list *work,
                             struct obv__watcher *via, bool is_first)
{
    bool counts = is_first && !is_counted(work, obv__observation(via));
    if (obv__schedule_perhaps(work->thread, via, !counts)) {
        add_invalid(work, (uintptr_t)via | DROPPED);
    }
}

void obv__work_list_add_perhaps(struct obv__work_list *work,
                                struct obv__watcher *via)
{
    if (find_room(work)) {
        work->items[work->count++] = (uintptr_t)via | OBV__DUE_PERHAPS;
    } else {
        schedule_perhaps(work, via, true);
    }
}

/* Scheduling. ------------------------------------------------------------- */

static void schedule_surely(struct obv__work_list *work,
                            struct obv__watcher *via)
{
    if (OBV__UNLIKELY(obv__edit_is_of_computed(&work->edit))) {
        obv__schedule_computed(work->thread, via, work->edit.is_batchs);
    } else if (!is_counted(work, obv__observation(via)) ||
               !obv__is_refused(work->thread, via)) {
        (void)obv__schedule(work->thread, via);
    }
}

/* An end that this thread's batch has changed already: what an inbound edit, made by
   a drain inside the batch, makes of it is told with that, as the later of both. The
   answer: the change records of other ends. */
static struct obv__change_record *
leave_to_batch(const struct obv__work_list *work, struct obv__watcher *via,
               struct obv__change_records *records,
               struct obv__change_record *record)
{
    struct obv__aside *aside =
        work->edit.is_inbound && work->passed
            ? obv__batch_find(work->passed, obv__observation(via))
            : NULL;
    struct obv__change_record *others = NULL, **end = &others;
    if (!aside) {
        return record;
    }
    while (record) {
        struct obv__change_record *next = record->next;
        record->next = NULL;
        if (*obv__change_record_place(&aside->records, record)) {
            obv__change_records_gather(work->context, records, &aside->records,
                                       record, false);
        } else {
            *end = record;
            end = &record->next;
        }
        record = next;
    }
    return others;
}

/* Schedules one observation by a pair that is due for certain. If no call is to
   come, no change records are left behind. */
static void schedule_certain(struct obv__work_list *work,
                             struct obv__watcher *via)
{
    struct obv__change_records *records = obv__change_records_of(via);
    if (!records) {
        schedule_surely(work, via);
        return;
    }
    struct obv__change_record *record =
        take_records(work, obv__observation(via), records);
    /* No batch where a pending call tells of it, as in
       obv__schedule_computed(). */
    struct obv__batch *batch = obv__edit_is_of_computed(&work->edit) &&
                                       obv__is_pending(obv__observation(via))
                                   ? NULL
                                   : obv__batch_of(work->thread);
    if (!obv__has_state(obv__observation(via), OBV__LINKED) ||
        obv__is_refused(work->thread, via)) {
        obv__change_records_destroy(work->context, record);
        record = NULL;
        batch = NULL;
    } else if (record) {
        record = leave_to_batch(work, via, records, record);
        if (!record) {
            return;
        }
    }
    struct obv__aside *aside = NULL;
    if (batch && obv__change_records_are_kept(records)) {
        (void)obv__schedule(work->thread, via);
        aside = obv__batch_find(batch, obv__observation(via));
    }
    /* Without memory to put the observation aside, it was scheduled at once,
       and that call may have come before the records: it is scheduled again. */
    obv__change_records_gather(work->context, records,
                               aside ? &aside->records : NULL, record, false);
    if (!aside) {
        schedule_surely(work, via);
    }
}

/* Tells the trace of an observation, before it is scheduled or called; from
   here on a drain of its loop tells of it as well. A settled edit was traced
   when the change was made. */
OBV__NOINLINE static void trace_due(const struct obv__work_list *work,
                                    uintptr_t due)
{
    struct obv__watcher *via = obv__due_pair(due);
    struct obv__watcher *observation = obv__observation(via);
    bool is_now = is_called_now(work, due);
    struct obv__traced traced = {.kind = OBV_TRACE_DUE,
                                 .is_perhaps = is_only_perhaps(due),
                                 .object = work->edit.at.object,
                                 .slot = work->edit.at.slot,
                                 .via = via,
                                 .context = work->context};
    if (work->edit.kind == OBV__EDIT_SETTLED) {
        return;
    }
    if (!is_now && obv__is_refused(work->thread, via)) {
        traced.kind = OBV_TRACE_DROPPED;
    } else if (!is_now && (obv__is_pending(observation) ||
                           obv__aside_of(work->thread, observation))) {
        traced.kind = OBV_TRACE_COALESCED;
    }
    if (!is_now) {
        obv__loop_make_traced(obv__loop_of(observation), true);
    }
    obv__trace(&traced);
}

static uint64_t later_stamp(const struct obv__change_record *record,
                            uint64_t stamp)
{
    return record->is_moved || record->last_cause.stamp != stamp
               ? stamp
               : obv__change_records_later(obv__change_records_of(record->via),
                                           stamp);
}

/* Gives all change records of one change one stamp (BI-1): what counts as later
   for one observation does so for all, and what goes round a ring ends. */
static void settle_stamps(struct obv__work_list *work)
{
    for (struct obv__change_record *at = work->records; at; at = at->next) {
        uint64_t stamp = at->last_cause.stamp;
        uint64_t later = later_stamp(at, stamp);
        struct obv__change_record *told = later != stamp ? at->next : NULL;
        for (; told; told = told->next) {
            uint64_t other = later_stamp(told, stamp);
            later = other > later ? other : later;
        }
        told = later != stamp ? work->records : NULL;
        for (; told; told = told->next) {
            if (told->last_cause.stamp == stamp) {
                told->last_cause.stamp = later;
            }
        }
    }
}

/* Schedules the delayed observations and takes them out of the list: a handler
   of this very change may turn one immediate (IM-3). Each is scheduled by its
   first pair that is due for certain and can be held; else "perhaps", by its
   first pair that is not dropped and can be held. */
static void schedule_all(struct obv__work_list *work)
{
    size_t left = 0;
    bool is_certain = false, is_tried = false; /* of its observation */
    settle_stamps(work);
    for (size_t i = 0; i < work->count; i++) {
        uintptr_t due = work->items[i];
        struct obv__watcher *via = obv__due_pair(due);
        if (!repeats(work, i)) {
            is_certain = is_tried = false;
            /* The immediate ones are traced by call_all(), when their list is
               complete. */
            if (obv__is_traced() && !is_called_now(work, due)) {
                trace_due(work, due);
            }
        }
        if (is_called_now(work, due)) {
            work->items[left++] = due;
        } else if (!is_only_perhaps(due)) {
            if (!is_certain) {
                schedule_certain(work, pick(work, i));
                is_certain = true;
            }
        } else if (!is_tried ||
                   (!obv__is_pending(obv__observation(via)) &&
                    !obv__aside_of(work->thread, obv__observation(via)))) {
            /* It is the first pair, or an earlier one has failed: no call is
               pending, nor put aside by this thread's batch. */
            schedule_perhaps(work, via, !is_certain && !is_tried);
            is_tried = true;
        }
    }
    work->count = left;
}

static void call_with_records(struct obv__work_list *work,
                              struct obv__watcher *via,
                              struct obv__change_records *records)
{
    struct obv__told told;
    struct obv__taken taken = {
        .records = take_records(work, obv__observation(via), records),
        .missing = obv__change_records_take_missed(records)};
    obv__told_begin(work->context, records, &taken, &told);
    told.is_prior = work->edit.is_prior;
    obv__call_immediate(work->thread, work->context, via, NULL, &told);
    obv__told_end(work->context, &told);
    obv__change_records_destroy(work->context, taken.records);
}

OBV__NOINLINE static void trace_all_due(const struct obv__work_list *work)
{
    for (size_t i = 0; i < work->count; i++) {
        if (!repeats(work, i)) {
            trace_due(work, work->items[i]);
        }
    }
}

static void call_all(struct obv__work_list *work)
{
    struct obv__calls calls;
    if (obv__is_traced() && !work->edit.is_prior) {
        trace_all_due(work);
    }
    obv__calls_begin(work->thread, &calls);
    for (size_t i = 0; i < work->count; i++) {
        if (repeats(work, i)) {
            continue;
        }
        struct obv__watcher *via = pick(work, i);
        struct obv__change_records *records = obv__change_records_of(via);
        if (records) {
            call_with_records(work, via, records);
        } else {
            obv__call_immediate(work->thread, work->context, via, NULL, NULL);
        }
    }
    obv__calls_end(work->thread, &calls);
}

void obv__work_list_schedule(struct obv__work_list *work)
{
    sort(work);
    schedule_all(work);
    obv__epoch_pay(work->thread);
}

/* Phase 5: getters run, and what follows joins the edit. Answers the list to be
   freed once that has been delivered; or NULL. */
OBV__NOINLINE static struct obv__invalidated *
compute_invalidated(struct obv__work_list *work)
{
    struct obv__invalidated *all;
    /* The list is read anew each time: where memory is short, what a getter
       tells may deliver this edit, and free the list. */
    do {
        while ((all = work->invalidated) != NULL && all->done < all->count) {
            compute_one(work, all->items[all->done++]);
        }
        sort(work);
        schedule_all(work);
    } while ((all = work->invalidated) != NULL && all->done < all->count);
    work->invalidated = NULL;
    return all;
}

static void deliver(struct obv__work_list *work)
{
    struct obv__invalidated *all = NULL;
    sort(work);
    if (!work->edit.is_prior) {
        schedule_all(work);
        if (OBV__UNLIKELY(work->invalidated != NULL)) {
            all = compute_invalidated(work);
        }
        /* Objects that are observed now, or no more, hear of it before
           immediate handlers run: one that loads on demand has loaded. */
        obv__epoch_pay(work->thread);
    }
    call_all(work);
    obv__change_records_destroy(work->context, work->records);
    work->records = NULL;
    work->count = 0;
    if (OBV__UNLIKELY(all != NULL)) {
        free_invalidated(work->context, all);
    }
}

static void free_items(struct obv__work_list *work)
{
    if (work->items != work->near) {
        obv__context_free(work->context, work->items,
                          work->capacity * sizeof *work->items);
    }
}

void obv__work_list_forget(struct obv__work_list *work)
{
    if (work->invalidated) {
        free_invalidated(work->context, work->invalidated);
    }
    free_items(work);
}

void obv__work_list_make_room(struct obv__work_list *work)
{
    if (!find_room(work)) {
        deliver(work);
    }
}

void obv__work_list_add(struct obv__work_list *work, struct obv__watcher *via)
{
    obv__work_list_make_room(work);
    work->items[work->count++] = (uintptr_t)via;
}

void obv__work_list_add_list(struct obv__work_list *work, const uintptr_t *head,
                             uint64_t since)
{
    uint32_t first = (uint32_t)(since >> 32);
    uint32_t newcomers = (uint32_t)(obv__registration_epoch() >> 32) - first;
    for (struct obv__watcher *w = obv__first(head); w; w = obv__next(w)) {
        if (w->serial - first >= newcomers) {
            obv__work_list_add(work, w);
        }
    }
}

void obv__work_list_keep_record(struct obv__work_list *work,
                                struct obv__change_record *record)
{
    struct obv__change_record **place = &work->records;
    while (*place && ((*place)->via != record->via ||
                      !obv__change_record_is_like(*place, record))) {
        place = &(*place)->next;
    }
    if (*place) {
        /* In a cyclic graph one edit meets an endpoint twice, which has changed
           once. */
        uint64_t changes = (*place)->changes | record->changes;
        obv__change_record_join(*place, record);
        (*place)->changes = changes;
        obv__change_record_destroy(work->context, record);
    } else {
        record->next = NULL;
        *place = record;
    }
}

bool obv__work_list_has_record(const struct obv__work_list *work,
                               const struct obv__watcher *via)
{
    const struct obv__change_record *at = work->records;
    while (at && at->via != via) {
        at = at->next;
    }
    return at != NULL;
}

bool obv__work_list_has_perhaps(const struct obv__work_list *work,
                                const struct obv__watcher *via)
{
    size_t i = 0;
    while (i < work->count &&
           work->items[i] != ((uintptr_t)via | OBV__DUE_PERHAPS)) {
        i++;
    }
    return i < work->count;
}

void obv__work_list_pass_over(struct obv__work_list *work, uint32_t first,
                              uint32_t end)
{
    size_t left = 0;
    for (size_t i = 0; i < work->count; i++) {
        struct obv__watcher *via = obv__due_pair(work->items[i]);
        /* An instance came when its class began to be observed. */
        struct obv__watcher *observation = obv__observation(via);
        uint32_t serial =
            obv__is_instance(observation) ? observation->serial : via->serial;
        if (!is_only_perhaps(work->items[i]) && serial - first < end - first) {
            obv__change_records_destroy(work->context,
                                        take_those(work, NULL, via));
        } else {
            work->items[left++] = work->items[i];
        }
    }
    work->count = left;
}

/* Delivers the only entry of a work list, which has no change records. */
static void deliver_one(struct obv__work_list *work, struct obv__watcher *via)
{
    if (!is_called_now(work, (uintptr_t)via)) {
        schedule_surely(work, via);
        obv__epoch_pay(work->thread);
        return;
    }
    obv__epoch_pay(work->thread);
    if (obv__is_solo(via)) {
        obv__call_immediate_here(work->thread, work->context, via, NULL, false);
    } else {
        obv__call_immediate(work->thread, work->context, via, NULL, NULL);
    }
}

/* Paths that are over ------------------------------------------------------- */

/* The observation that follows a path which is over. Such a path is bound once,
   so it has one leaf. NULL: the observation has been stopped. */
static struct obv__watcher *follower_of(const struct obv__path_node *node)
{
    obv__lock_paths(node);
    struct obv__watcher *leaf = obv__next_leaf_locked(NULL, node, NULL);
    obv__unlock_paths(node);
    return leaf ? obv__observation(leaf) : NULL;
}

/* Ends the paths that the edit has ended, where the observation has been
   scheduled, or (`are_called`) called. Either we see that no call is to come,
   or the drain sees that a path has ended: it makes the item idle before the
   call, and looks at the path after it. Paths that ended earlier cost no second
   membarrier. */
static void end_paths_over(struct obv__work_list *work, bool are_called)
{
    struct obv__path_node *node;
    struct obv__watcher *observation;
    bool any = false;
    for (node = work->over; node; node = node->next_over) {
        observation = follower_of(node);
        if (obv__load_relaxed(&node->end) == OBV__PATH_ENDED ||
            (!are_called && observation && obv__is_immediate(observation))) {
            continue;
        }
        any = true;
        /* Release, pairs with obv__path_node_furthest_end(). */
        obv__store_release(&node->end, (uint8_t)OBV__PATH_ENDED);
        if (observation) {
            obv__store_relaxed(&obv__group(observation)->has_path_over, true);
        }
    }
    if (!any) {
        return;
    }
    /* Pairs with the compiler barrier behind D3 (coalescing_set.c). */
    (void)obv__membarrier();
    for (node = work->over; node; node = node->next_over) {
        observation = follower_of(node);
        if (observation) {
            obv__above.end_called(work->context, observation);
        }
    }
}

void obv__work_list_deliver(struct obv__work_list *work)
{
    if (work->count == 1 && !work->records && !work->edit.is_prior &&
        work->items == work->near && !work->over && !work->invalidated &&
        !is_only_perhaps(work->items[0]) && !obv__is_traced() &&
        !obv__change_records_of(obv__due_pair(work->items[0]))) {
        deliver_one(work, obv__due_pair(work->items[0]));
        return;
    }
    if (OBV__UNLIKELY(work->over != NULL)) {
        /* Scheduled first: an immediate handler may drain, and that call is the
           last one of a path that is over. */
        obv__work_list_schedule(work);
        end_paths_over(work, false);
    }
    if (work->count != 0 || work->records || work->invalidated) {
        deliver(work);
    } else if (!work->edit.is_prior) {
        obv__epoch_pay(work->thread);
    }
    if (OBV__UNLIKELY(work->over != NULL)) {
        end_paths_over(work, true);
    }
    free_items(work);
}
