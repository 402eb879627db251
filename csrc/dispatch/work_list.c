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

#include <string.h>

static bool grow_work_list(struct obv__work_list *work)
{
    size_t size = work->capacity * sizeof *work->items;
    struct obv__watcher **items =
        obv__context_allocate(work->context, 2 * size);
    if (!items) {
        return false;
    }
    memcpy(items, work->items, size);
    if (work->items != work->near) {
        obv__context_free(work->context, work->items, size);
    }
    work->items = items;
    work->capacity *= 2;
    return true;
}

/* Whether `a` comes before `b`: by the observation, then by its pair. */
static bool before(struct obv__watcher *a, struct obv__watcher *b)
{
    const struct obv__watcher *left = obv__observation(a);
    const struct obv__watcher *right = obv__observation(b);
    if (left == right) {
        return (int32_t)(a->serial - b->serial) < 0;
    }
    if (left->serial != right->serial) {
        return (int32_t)(left->serial - right->serial) < 0;
    }
    /* Instances of one class that one edit makes due: as they were attached. */
    if (obv__is_instance(obv__observation(a)) &&
        obv__is_instance(obv__observation(b)) && a->serial != b->serial) {
        return (int32_t)(a->serial - b->serial) < 0;
    }
    return left < right;
}

static void sift_down(struct obv__watcher **items, size_t count, size_t at)
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
        struct obv__watcher *moved = items[at];
        items[at] = items[largest];
        items[largest] = moved;
        at = largest;
    }
}

/* Heap sort: in place and without recursion, whatever the order was. */
static void heap_sort(struct obv__watcher **items, size_t count)
{
    for (size_t at = count / 2; at-- > 0;) {
        sift_down(items, count, at);
    }
    for (size_t end = count; end-- > 1;) {
        struct obv__watcher *last = items[0];
        items[0] = items[end];
        items[end] = last;
        sift_down(items, end, 0);
    }
}

static void sort(struct obv__work_list *work)
{
    for (size_t i = 1; i < work->count; i++) {
        if (before(work->items[i], work->items[i - 1])) {
            heap_sort(work->items, work->count);
            return;
        }
    }
}

/* Only the first registered pair of an observation is told. */
static bool repeats(const struct obv__work_list *work, size_t i)
{
    return i > 0 && obv__observation(work->items[i]) ==
                        obv__observation(work->items[i - 1]);
}

/* Whether a pair is called with the edit. What was settled is for drains, also if an
   observation that waited was turned immediate meanwhile. */
static bool is_called_now(const struct obv__work_list *work,
                          struct obv__watcher *via)
{
    return work->edit.kind != OBV__EDIT_SETTLED &&
           obv__is_immediate(obv__observation(via));
}

/* Takes those out of a list, in their order, which `is_one` says. */
static struct obv__change_record *take_those(
    struct obv__change_record **list,
    bool (*is_one)(const struct obv__change_record *record, void *argument),
    void *argument)
{
    struct obv__change_record *taken = NULL, **last = &taken;
    while (*list) {
        struct obv__change_record *record = *list;
        if (is_one(record, argument)) {
            *list = record->next;
            record->next = NULL;
            *last = record;
            last = &record->next;
        } else {
            list = &record->next;
        }
    }
    return taken;
}

static bool is_of_pair(const struct obv__change_record *record, void *via)
{
    return record->via == via;
}

static bool is_of_observation(const struct obv__change_record *record,
                              void *observation)
{
    return obv__observation(record->via) == observation;
}

/* The observation that was asked last. */
struct asked_root {
    struct obv__thread *thread;
    const struct obv__watcher *via;
    bool lives;
};

static bool is_dying(const struct obv__change_record *record, void *argument)
{
    struct asked_root *asked = argument;
    if (record->via != asked->via) {
        asked->via = record->via;
        asked->lives = obv__has_living_root(asked->thread, record->via);
    }
    return !asked->lives;
}

/* The change records of an observation, without those of pairs whose root is at
   its end (LT-10). */
static struct obv__change_record *take_records(struct obv__work_list *work,
                                               struct obv__watcher *observation)
{
    struct asked_root asked = {.thread = work->thread};
    struct obv__change_record *taken =
        take_those(&work->records, is_of_observation, observation);
    obv__change_records_destroy(work->context,
                                take_those(&taken, is_dying, &asked));
    return taken;
}

/* The first of several pairs of one observation, from the i-th on, whose root
   can be held: if one is at its end, another's change counts as ever. */
static struct obv__watcher *pick(const struct obv__work_list *work, size_t i)
{
    while (i + 1 < work->count && repeats(work, i + 1) &&
           !obv__has_living_root(work->thread, work->items[i])) {
        i++;
    }
    return work->items[i];
}

/* What computed properties ask for. ---------------------------------------- */

/* Things in the order in which they came. */
struct pointers {
    void **items;
    size_t count, capacity;
};

struct obv__invalidated {
    struct pointers needed;  /* records that are to be computed in phase 5 */
    struct pointers perhaps; /* pairs to be scheduled so */
    struct pointers
        dropped; /* pairs that were not (DR-3): what they follow is to
                                be computed in phase 5 */
    struct pointers counted;   /* observations that were: once (DR-3) */
    struct replaced *replaced; /* the last one */
};

/* A value that a computed property had. */
struct replaced {
    struct replaced *before;
    const struct obv_property *property;
    union obv__raw value;
};

enum { POINTERS_LEAST = 16 };

static void free_pointers(struct obv_context *context,
                          const struct pointers *pointers)
{
    if (pointers->items) {
        obv__context_free(context, pointers->items,
                          pointers->capacity * sizeof *pointers->items);
    }
}

static bool grow_pointers(struct obv_context *context,
                          struct pointers *pointers)
{
    struct pointers grown = {.count = pointers->count};
    grown.capacity = pointers->items ? 2 * pointers->capacity : POINTERS_LEAST;
    grown.items =
        obv__context_allocate(context, grown.capacity * sizeof *grown.items);
    if (!grown.items) {
        return false;
    }
    if (grown.count != 0) {
        memcpy(grown.items, pointers->items, grown.count * sizeof *grown.items);
    }
    free_pointers(context, pointers);
    *pointers = grown;
    return true;
}

static bool add_pointer(struct obv_context *context, struct pointers *to,
                        void *pointer)
{
    if (to->count == to->capacity && !grow_pointers(context, to)) {
        return false;
    }
    to->items[to->count++] = pointer;
    return true;
}

/* Runs code of the program. */
static void free_invalidated(struct obv_context *context,
                             struct obv__invalidated *all)
{
    struct replaced *replaced = all->replaced;
    while (replaced) {
        struct replaced *before = replaced->before;
        obv__raw_drop(context, replaced->property, &replaced->value);
        obv__context_free(context, replaced, sizeof *replaced);
        replaced = before;
    }
    free_pointers(context, &all->needed);
    free_pointers(context, &all->perhaps);
    free_pointers(context, &all->dropped);
    free_pointers(context, &all->counted);
    obv__context_free(context, all, sizeof *all);
}

/* Those of a work list, made if there are none; NULL: no memory. */
static struct obv__invalidated *invalidated_of(struct obv__work_list *work)
{
    if (!work->invalidated) {
        work->invalidated = obv__context_allocate_zeroed(
            work->context, sizeof *work->invalidated);
    }
    return work->invalidated;
}

void obv__work_list_add_invalid(struct obv__work_list *work,
                                struct obv__computed *computed)
{
    struct obv__invalidated *all = invalidated_of(work);
    if (!all || !add_pointer(work->context, &all->needed, computed)) {
        obv__above.compute_for(computed, work);
    }
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

/* Whether a drop has been counted, once a change and observation (DR-3): one may be
   due for certain and perhaps. Else it is now, if it is one. */
static bool is_counted(struct obv__work_list *work, struct obv__watcher *via)
{
    struct obv__watcher *observation = obv__observation(via);
    struct obv__invalidated *all = work->invalidated;
    if (!all || !obv__is_refused(work->thread, via)) {
        return false;
    }
    for (size_t i = 0; i < all->counted.count; i++) {
        if (all->counted.items[i] == observation) {
            return true;
        }
    }
    (void)add_pointer(work->context, &all->counted, observation);
    return false;
}

static void schedule_perhaps(struct obv__work_list *work,
                             struct obv__watcher *via)
{
    struct obv__invalidated *all = invalidated_of(work);
    bool is_dropped =
        obv__schedule_perhaps(work->thread, via, is_counted(work, via));
    if (is_dropped &&
        (!all || !add_pointer(work->context, &all->dropped, via))) {
        obv__above.settle_begun(work->thread, via);
    }
}

void obv__work_list_add_perhaps(struct obv__work_list *work,
                                struct obv__watcher *via)
{
    struct obv__invalidated *all = invalidated_of(work);
    if (!all || !add_pointer(work->context, &all->perhaps, via)) {
        schedule_perhaps(work, via);
    }
}

/* Whether a call of an observation is to come, by the end of this thread's batch. */
static bool is_to_come(const struct obv__work_list *work,
                       struct obv__watcher *observation)
{
    return obv__is_pending(observation) ||
           obv__aside_of(work->thread, observation);
}

/* Schedules those that come before a pair (NULL: all that are left), each
   observation by its first pair that can: not one that is dropped, or whose end is
   at its end. */
static void schedule_perhaps_before(struct obv__work_list *work, size_t *next,
                                    struct obv__watcher *due)
{
    const struct pointers *perhaps = &work->invalidated->perhaps;
    struct obv__watcher *last = NULL;
    while (*next < perhaps->count) {
        struct obv__watcher *via = perhaps->items[*next];
        if (due && !before(via, due)) {
            return;
        }
        if (obv__observation(via) != last || !is_to_come(work, last)) {
            schedule_perhaps(work, via);
            last = obv__observation(via);
        }
        (*next)++;
    }
}

static void sort_perhaps(struct obv__work_list *work)
{
    struct pointers *perhaps = &work->invalidated->perhaps;
    if (perhaps->count > 1) {
        heap_sort((struct obv__watcher **)(void *)perhaps->items,
                  perhaps->count);
    }
}

/* Scheduling. ------------------------------------------------------------- */

static void schedule_surely(struct obv__work_list *work,
                            struct obv__watcher *via)
{
    if (OBV__UNLIKELY(obv__edit_is_of_computed(&work->edit))) {
        obv__schedule_computed(work->thread, via, work->edit.is_batchs);
    } else if (!is_counted(work, via)) {
        (void)obv__schedule(work->thread, via);
    }
}

/* The batch that is to schedule it; or NULL, as in obv__schedule_computed(). */
static struct obv__batch *batch_for(const struct obv__work_list *work,
                                    struct obv__watcher *via)
{
    bool is_told = obv__edit_is_of_computed(&work->edit) &&
                   obv__is_pending(obv__observation(via));
    return is_told ? NULL : obv__batch_of(work->thread);
}

/* A call that is not to come leaves no change records behind. */
static void schedule_with_records(struct obv__work_list *work,
                                  struct obv__watcher *via,
                                  struct obv__change_records *records)
{
    struct obv__change_record *record =
        take_records(work, obv__observation(via));
    struct obv__batch *batch = batch_for(work, via);
    if (!obv__has_state(obv__observation(via), OBV__LINKED) ||
        obv__is_refused(work->thread, via)) {
        obv__change_records_destroy(work->context, record);
        record = NULL;
        batch = NULL;
    }
    if (batch && obv__change_records_are_kept(records)) {
        obv__batch_schedule(work->thread, batch, work->context, via, record);
        return;
    }
    while (record) {
        struct obv__change_record *next = record->next;
        obv__change_records_gather(work->context, records, NULL, record);
        record = next;
    }
    schedule_surely(work, via);
}

/* Delayed observations are taken out: a handler of this very change may turn
   one immediate (IM-3). */
static void schedule_all(struct obv__work_list *work)
{
    size_t left = 0, next = 0;
    bool asks = OBV__UNLIKELY(work->invalidated != NULL);
    if (asks) {
        sort_perhaps(work);
    }
    for (size_t i = 0; i < work->count; i++) {
        struct obv__watcher *via = work->items[i];
        if (is_called_now(work, via)) {
            work->items[left++] = via;
            continue;
        }
        if (repeats(work, i)) {
            continue;
        }
        via = pick(work, i);
        if (asks) {
            schedule_perhaps_before(work, &next, via);
        }
        struct obv__change_records *records = obv__change_records_of(via);
        if (records) {
            schedule_with_records(work, via, records);
        } else {
            schedule_surely(work, via);
        }
    }
    work->count = left;
    if (asks) {
        schedule_perhaps_before(work, &next, NULL);
        work->invalidated->perhaps.count = 0;
    }
}

struct telling {
    struct obv__work_list *work;
    struct obv__watcher *via;
};

static void call_with_told(void *argument, const struct obv__told *told)
{
    const struct telling *telling = argument;
    obv__call_immediate(telling->work->thread, telling->work->context,
                        telling->via, NULL, told);
}

static void call_with_records(struct obv__work_list *work,
                              struct obv__watcher *via,
                              struct obv__change_records *records)
{
    struct telling telling = {work, via};
    struct obv__taken taken = {
        .records = take_records(work, obv__observation(via)),
        .missing = obv__change_records_take_missed(records)};
    for (struct obv__change_record *at = taken.records; at; at = at->next) {
        obv__change_record_prepare(work->context, records, at);
    }
    obv__change_records_tell(work->context, records, &taken,
                             work->edit.is_prior, call_with_told, &telling);
    obv__change_records_destroy(work->context, taken.records);
}

static void call_all(struct obv__work_list *work)
{
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
}

void obv__work_list_schedule(struct obv__work_list *work)
{
    sort(work);
    schedule_all(work);
    obv__epoch_pay(work->thread);
}

static struct pointers take_pointers(struct pointers *pointers)
{
    struct pointers taken = *pointers;
    *pointers = (struct pointers){NULL, 0, 0};
    return taken;
}

/* Phase 5: getters run, and what follows joins the edit. What is to be freed once that
   has been delivered; or NULL. */
OBV__NOINLINE static struct obv__invalidated *
compute_invalidated(struct obv__work_list *work)
{
    struct obv__invalidated *all;
    /* Looked for each time: where memory is short this edit is delivered by what a
       getter tells, and what was found is gone. */
    while ((all = work->invalidated) != NULL &&
           (all->needed.count != 0 || all->dropped.count != 0)) {
        struct pointers needed = take_pointers(&all->needed);
        struct pointers dropped = take_pointers(&all->dropped);
        for (size_t i = 0; i < needed.count; i++) {
            obv__above.compute_for(needed.items[i], work);
        }
        for (size_t i = 0; i < dropped.count; i++) {
            obv__above.settle_begun(work->thread, dropped.items[i]);
        }
        free_pointers(work->context, &needed);
        free_pointers(work->context, &dropped);
        sort(work);
        schedule_all(work);
    }
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
    if (work->count == work->capacity && !grow_work_list(work)) {
        deliver(work);
    }
}

void obv__work_list_add(struct obv__work_list *work, struct obv__watcher *via)
{
    obv__work_list_make_room(work);
    work->items[work->count++] = via;
}

void obv__work_list_add_list(struct obv__work_list *work, const uintptr_t *head,
                             uint64_t since)
{
    uint64_t now = obv__registration_epoch();
    for (struct obv__watcher *w = obv__first(head); w; w = obv__next(w)) {
        if (!obv__came_since(w, since, now)) {
            obv__work_list_add(work, w);
        }
    }
}

/* An endpoint that one edit meets twice, in a cyclic graph, has changed once. */
static bool joins(struct obv__work_list *work,
                  struct obv__change_record *record)
{
    for (struct obv__change_record *at = work->records; at; at = at->next) {
        if (at->via == record->via && obv__change_record_is_like(at, record)) {
            struct obv_value last = at->last;
            at->last = record->last;
            record->last = last;
            if (at->is_touch) { /* what it was is known only now */
                struct obv_value first = at->first;
                at->first = record->first;
                record->first = first;
                at->misses_first = record->misses_first;
                at->is_touch = record->is_touch;
                at->changes = record->changes;
            }
            at->misses_last = at->misses_last || record->misses_last;
            return true;
        }
    }
    return false;
}

void obv__work_list_keep_record(struct obv__work_list *work,
                                struct obv__change_record *record)
{
    struct obv__change_record **last = &work->records;
    if (joins(work, record)) {
        obv__change_record_destroy(work->context, record);
        return;
    }
    while (*last) {
        last = &(*last)->next;
    }
    record->next = NULL;
    *last = record;
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
    const struct obv__invalidated *all = work->invalidated;
    bool found = false;
    for (size_t i = 0; all && !found && i < all->perhaps.count; i++) {
        found = all->perhaps.items[i] == via;
    }
    return found;
}

/* When a pair came: of an instance, when its class began to be observed. */
static bool was_registered(struct obv__watcher *via, uint32_t first,
                           uint32_t end)
{
    struct obv__watcher *observation = obv__observation(via);
    uint32_t serial =
        obv__is_instance(observation) ? observation->serial : via->serial;
    return serial - first < end - first;
}

void obv__work_list_pass_over(struct obv__work_list *work,
                              const struct obv__watcher *of, uint32_t first,
                              uint32_t end)
{
    size_t left = 0;
    for (size_t i = 0; i < work->count; i++) {
        struct obv__watcher *via = work->items[i];
        if ((!of || obv__observation(via) == of) &&
            was_registered(via, first, end)) {
            obv__change_records_destroy(
                work->context, take_those(&work->records, is_of_pair, via));
        } else {
            work->items[left++] = via;
        }
    }
    work->count = left;
}

/* Of one pair, and there is nothing to tell with it. */
static void deliver_one(struct obv__work_list *work, struct obv__watcher *via)
{
    if (!is_called_now(work, via)) {
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

void obv__work_list_deliver(struct obv__work_list *work)
{
    if (work->count == 1 && !work->records && !work->edit.is_prior &&
        work->items == work->near && !work->over && !work->invalidated &&
        !obv__change_records_of(work->items[0])) {
        deliver_one(work, work->items[0]);
        return;
    }
    if (OBV__UNLIKELY(work->over != NULL)) {
        /* Before an immediate block drains: that call is their last. */
        obv__work_list_schedule(work);
        obv__above.end_paths(work, OBV__SCHEDULED);
    }
    if (work->count != 0 || work->records || work->invalidated) {
        deliver(work);
    } else if (!work->edit.is_prior) {
        obv__epoch_pay(work->thread);
    }
    if (OBV__UNLIKELY(work->over != NULL)) {
        obv__above.end_paths(work, OBV__ALL_CALLED);
    }
    free_items(work);
}
