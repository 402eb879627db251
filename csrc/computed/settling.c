/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settling: the records that a pair follows are found and brought up to date
 * one by one, since only a computed value in the middle says what is behind it.
 */
#include "computed/settling.h"

#include "computed/dependencies.h"
#include "computed/evaluation.h"
#include "dispatch/delivery.h"
#include "dispatch/record_search.h"
#include "dispatch/work_list.h"
#include "edit/edit.h"
#include "model/value.h"
#include "wiring/invalidation.h"
#include "wiring/leaves.h"
#include "model/path_node.h"

/* Whether a record's value is another than `first`, which observers compare
   with. */
static bool is_another(struct obv__computed *computed, const void *first)
{
    uint32_t state = obv__first_state(computed);
    return state == OBV__FIRST_UNKNOWN ||
           (state == OBV__FIRST_KEPT && first &&
            !obv__value_equal(computed->property, first, computed->field));
}

/* The registration epoch since when pairs are not told the answer. A pair that
   was added to an observation which waits is not told if it came after the
   change; all other pairs wait for the answer. */
static uint64_t told_since(const struct obv__record_search *search,
                           const struct obv__computed *computed)
{
    if (search->added_since == 0 ||
        obv__first_state(computed) != OBV__FIRST_KEPT) {
        return obv__registration_epoch();
    }
    return search->added_since > computed->more->first_until
               ? search->added_since
               : computed->more->first_until;
}

/* Gives everybody who waits for a record the answer: a call, if the value is
   another. `is_batchs`: the batch of this thread has marked the record. */
static void answer(const struct obv__record_search *search,
                   struct obv__computed *computed, bool is_batchs)
{
    struct obv__work_list work;
    bool is_own;
    /* It is the value before also for whom another one counts. */
    const void *first = obv__first_borrow(computed, &is_own);
    obv__work_list_init(&work, search->self, obv__computed_context(computed));
    work.edit.kind = OBV__EDIT_SETTLED;
    work.edit.is_batchs = is_batchs;
    if (is_another(computed, first)) {
        work.since = told_since(search, computed);
        obv__edit_collect_computed(&work, computed->object, computed->slot,
                                   first, OBV__EDIT_SETTLED, work.since);
    }
    obv__work_list_deliver(&work);
    obv__first_return(computed, is_own);
    obv__first_answered(search->self, computed);
}

/* Answers, unless the record has no value, or its function runs and has called
   for this drain: then IS_WAITED has it tell once there is a value. */
static void answer_or_wait(const struct obv__record_search *search,
                           struct obv__computed *computed, bool is_batchs)
{
    obv__graph_enter(search->self);
    bool waits =
        (computed->flags & (OBV__RUNS | OBV__FAILED | OBV__NO_VALUE)) != 0;
    obv__flags_add(computed, waits ? OBV__IS_WAITED : 0u);
    obv__graph_leave(search->self);
    if (!waits) {
        answer(search, computed, is_batchs);
    }
}

/* Holds the object found, and keeps the search from finding it again by this
   slot. False: it is at its end. */
static bool take_found(struct obv__record_search *search, bool *held)
{
    struct obv_object *object = search->object;
    bool lives = obv__object_hold_or_go_on(object, held) &&
                 (*held || !obv__object_is_ending(object));
    obv__hazard_clear(search->self);
    search->seen[search->count] = object;
    search->seen_slots[search->count++] = search->slot;
    return lives;
}

/* Brings the record found up to date, and answers for it; false: there is none,
   so the search cannot go on. */
static bool settle_found(struct obv__record_search *search)
{
    struct obv_object *object = search->object;
    struct obv__computed *computed = NULL;
    bool held;
    if (take_found(search, &held)) {
        computed = obv__computed_of(object, search->slot);
        bool is_batchs = computed && obv__marked_in_batch(search->self);
        obv__bring_path_up_to_date(object, search->slot, NULL);
        computed = obv__computed_of(object, search->slot);
        if (computed && !(obv__flags(computed) & OBV__ENDED)) {
            answer_or_wait(search, computed, is_batchs);
        }
    }
    obv__object_let_go(object, held);
    return computed != NULL;
}

/* Brings all records that a pair follows up to date. */
static void settle_pair(struct obv__thread *self, struct obv__watcher *pair,
                        uint64_t added_since)
{
    struct obv__record_search search;
    obv__record_search_begin(&search, self);
    search.added_since = added_since;
    while (obv__record_search_find(&search, pair) && settle_found(&search)) {
    }
}

void obv__settle_pair(struct obv__thread *self, struct obv__watcher *pair)
{
    settle_pair(self, pair, 0);
    obv__leaves_close_record(pair);
}

/* Answers observers that compare with a kept value, before a set stores over
   the present one. */
static void settle_kept(struct obv__thread *self,
                        struct obv__computed *computed)
{
    struct obv__record_search search;
    obv__record_search_begin(&search, self);
    obv__epoch_enter(self);
    answer(&search, computed, obv__marked_in_batch(self));
    obv__epoch_leave(self);
}

void obv__settle_added(struct obv__thread *self,
                       struct obv__watcher *observation, uint64_t since)
{
    struct obv__watcher *pair = obv__pair_next(observation, NULL);
    while (pair) {
        uintptr_t place = obv__load_acquire(&pair->place);
        /* A path is settled once it has met an object with computed
           properties. */
        if (obv__came_since(pair, since, obv__registration_epoch()) &&
            (!(place & OBV__PATH_NODE_TAG) ||
             obv__load_relaxed(&obv__path_node_of(place)->paths->may_wait))) {
            settle_pair(self, pair, since);
        }
        pair = obv__pair_next(observation, pair);
    }
}

/* Lets go of the value kept of the record found, unless another pair waits with
   it. Runs code of the program. */
static void let_first_go(struct obv__record_search *search,
                         const struct obv__watcher *pair)
{
    struct obv_object *object = search->object;
    union obv__raw first;
    bool held;
    if (take_found(search, &held)) {
        struct obv__computed *computed = obv__computed_of(object, search->slot);
        if (!obv__first_is_awaited(search->self, computed, pair) &&
            obv__first_take(computed, &first)) {
            obv__raw_drop(obv__class_of(object)->context, computed->property,
                          &first);
        }
    }
    obv__object_let_go(object, held);
}

void obv__settle_ended(struct obv__thread *self,
                       const struct obv__watcher *pair)
{
    struct obv__record_search search;
    obv__record_search_begin(&search, self);
    search.only_kept = true;
    while (obv__has_state(pair, OBV__LINKED) &&
           obv__record_search_find(&search, pair)) {
        let_first_go(&search, pair);
    }
}

void obv__computed_was_set(struct obv_object *object, uint32_t index,
                           bool is_same)
{
    struct obv__computed *computed = obv__computed_make(object, index);
    struct obv__thread *thread = obv__thread_self();
    struct obv_diagnostic diagnostic = {
        .kind = OBV_DIAGNOSTIC_MEMORY,
        .text =
            "a computed property was set, and will be computed all the same",
        .path = obv__property_at(object, index)->name};
    if (!computed) {
        obv__diagnose(obv__class_of(object)->context, &diagnostic);
        return;
    }
    if (obv__first_state(computed) == OBV__FIRST_KEPT &&
        (!is_same || (obv__edit_wants(object, index) & OBV__WANTS_SAME))) {
        settle_kept(thread, computed);
    }
    obv__graph_enter(thread);
    bool is_first =
        (computed->flags & (OBV__RUNS | OBV__SET_MEANWHILE)) == OBV__RUNS;
    if (computed->flags & OBV__RUNS) {
        obv__flags_add(computed, OBV__SET_MEANWHILE);
    }
    obv__flags_remove(computed, OBV__STALE | OBV__DIRTY | OBV__FAILED |
                                    OBV__SHORT | OBV__MOVED);
    bool declares = (computed->flags & OBV__DECLARES) != 0;
    obv__graph_leave(thread);
    if (OBV__UNLIKELY(declares)) {
        obv__declared_read_for_set(thread, computed);
    }
    if (obv__stamps_are_told()) {
        struct obv__computed_more *more = obv__computed_more(computed);
        uint64_t stamp = 0;
        if (more) {
            more->set_at = obv__stamp_of_change(&stamp);
            more->stamp = 0;
        }
    }
    obv__graph_enter(thread);
    bool is_short = (computed->flags & OBV__SHORT) != 0;
    obv__flags_set(computed,
                   (computed->flags & ~(uint32_t)(OBV__STALE | OBV__NO_VALUE)) |
                       OBV__WAS_SET | (is_short ? OBV__DIRTY : 0u));
    obv__graph_leave(thread);
    if (is_short) {
        obv__diagnose(obv__class_of(object)->context, &diagnostic);
    }
    if (is_first) {
        diagnostic.kind = OBV_DIAGNOSTIC_SET_IN_GETTER;
        diagnostic.text = "a computed property is set while it is computed: "
                          "this value stands";
        obv__diagnose(obv__class_of(object)->context, &diagnostic);
    }
}
