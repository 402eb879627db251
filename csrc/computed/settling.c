/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settling. The records that a pair follows are found from the root on, each
 * once in a settling: what a property in the middle leads to is only known once
 * that was computed.
 */
#include "computed/settling.h"

#include "computed/dependencies.h"
#include "computed/evaluation.h"
#include "dispatch/delivery.h"
#include "dispatch/work_list.h"
#include "edit/edit.h"
#include "model/value.h"
#include "wiring/invalidation.h"
#include "wiring/leaves.h"
#include "model/path_node.h"

/* The target of a search. */
struct record_search {
    struct obv__thread *self;
    bool only_asks; /* whether anything is due again */
    bool only_kept; /* what has kept a value for those who wait; any thread */
    bool is_due;    /* the answer */
    bool is_of_end; /* that is all there is to it: a pair ends */
    /* Pairs were added from then on, for which it is not that others wait; 0:
       none. */
    uint64_t added_since;
    struct obv_object *object; /* found */
    uint32_t slot;
    size_t count; /* of those that were found already */
    const struct obv_object *seen[OBV_PATH_COUNT_MAX];
    uint32_t seen_slots[OBV_PATH_COUNT_MAX];
};

static void search_begin(struct record_search *search, struct obv__thread *self)
{
    search->self = self;
    search->only_asks = search->only_kept = false;
    search->is_due = search->is_of_end = false;
    search->added_since = 0;
    search->count = 0;
}

static bool is_awaited(const struct obv__computed *computed)
{
    return obv__first_state(computed) != 0;
}

/* Whether there may be something to tell `watcher`, which hangs at a record, of what
   it was told while the item was pending still: not if the value is the one to
   compare with, or stood there already when it came. After a failure there is
   nothing to be had until the record is marked. */
static bool is_due_again(const struct record_search *search,
                         const struct obv__computed *computed,
                         const struct obv__watcher *watcher)
{
    uint32_t flags = obv__flags(computed);
    /* The end of its object has marked it as well. */
    bool is_stale =
        (flags & OBV__STALE) && (!(flags & OBV__ENDED) || is_awaited(computed));
    bool is_open =
        search->is_of_end || (obv__first_state(computed) != OBV__FIRST_IS_NOW &&
                              !obv__computed_has_come_later(computed, watcher));
    bool is_due = is_stale || (is_awaited(computed)
                                   ? is_open && !(flags & OBV__FAILED)
                                   : (flags & (OBV__FAILED | OBV__NO_VALUE)) ==
                                         OBV__NO_VALUE);
    /* A function that runs, and has called for the drain, tells when it has a
       value. */
    return is_due && (search->is_of_end || !(flags & OBV__RUNS));
}

static bool was_seen(const struct record_search *search,
                     const struct obv_object *object, uint32_t slot)
{
    size_t i = 0;
    while (i < search->count &&
           (search->seen[i] != object || search->seen_slots[i] != slot)) {
        i++;
    }
    return i < search->count;
}

/* The slot of an object where a watcher hangs. */
static bool look_at_slot(struct record_search *search,
                         struct obv_object *object,
                         const struct obv__watcher *watcher)
{
    uint32_t slot = watcher->slot;
    if (!object || slot > OBV__SLOT_LAST ||
        !obv__slot_is_computed(obv__class_of(object), slot)) {
        return false;
    }
    struct obv__computed *computed = obv__computed_of(object, slot);
    if (search->only_asks) {
        search->is_due = search->is_due ||
                         (computed && is_due_again(search, computed, watcher));
        return false;
    }
    bool is_meant = search->only_kept
                        ? computed && obv__first_is_kept(computed)
                        : !computed || !obv__computed_is_valid(computed) ||
                              is_awaited(computed);
    bool found = is_meant && search->count < OBV_PATH_COUNT_MAX &&
                 !was_seen(search, object, slot);
    if (found) {
        search->object = object;
        search->slot = slot;
    }
    return found;
}

/* The paths lock is held. */
static bool look_at_instances(struct record_search *search,
                              struct obv__path_node *node)
{
    struct obv__path_instance *instance = obv__path_instance_next(node, NULL);
    bool found = false;
    while (instance && !found) {
        const struct obv__watcher *binding = instance->binding;
        found = binding &&
                look_at_slot(search, obv__binding_place(binding), binding);
        instance = obv__path_instance_next(node, instance);
    }
    return found;
}

static bool look_along_path(struct record_search *search,
                            struct obv__path_node *leaf)
{
    struct obv__path_node *nodes[OBV_PATH_COUNT_MAX];
    size_t count = 0;
    bool found = false;
    for (struct obv__path_node *node = leaf; node;
         node = obv__path_node_parent(node)) {
        nodes[count++] = node;
    }
    obv__lock_paths(leaf);
    while (count != 0 && !found) {
        found = look_at_instances(search, nodes[--count]);
    }
    if (found) {
        /* Its end has to take away first what hangs there, and then to wait. */
        obv__hazard_set(search->self, search->object);
    }
    obv__unlock_paths(leaf);
    return found;
}

/* The pair hangs at its root itself. */
static bool look_at_root(struct record_search *search,
                         const struct obv__watcher *pair)
{
    struct obv_object *root = obv__root(pair);
    if (!root || pair->slot > OBV__SLOT_LAST) {
        return false;
    }
    obv__hazard_set(search->self, root);
    /* A pair that has ended keeps the address of its root. */
    bool is_there =
        obv__root(pair) == root && obv__has_state(pair, OBV__LINKED);
    bool found = is_there && look_at_slot(search, root, pair);
    if (!found) {
        obv__hazard_clear(search->self);
    }
    return found;
}

/* Whether a pair follows one, which is held then by its hazard pointer. */
static bool search_pair(struct record_search *search,
                        const struct obv__watcher *pair)
{
    uintptr_t place = obv__load_acquire(&pair->place);
    return place & OBV__PATH_NODE_TAG
               ? look_along_path(search, obv__path_node_of(place))
               : look_at_root(search, pair);
}

/* Whether the value is another than the one to compare with; that of before. */
static bool is_another(struct obv__computed *computed, const void *first)
{
    uint32_t state = obv__first_state(computed);
    return state == OBV__FIRST_UNKNOWN ||
           (state == OBV__FIRST_KEPT && first &&
            !obv__value_equal(computed->property, first,
                              obv__computed_value(computed)));
}

/* Pairs that have come since then are not told: those that are added, if they came
   behind the change. All others wait for it. */
static uint64_t told_since(const struct record_search *search,
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

/* The answer, to everybody who waits for it. `is_batchs`: the batch of this
   thread has marked it. */
static void answer(const struct record_search *search,
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

/* While its function runs, which has called for the drain, there is no answer,
   nor while it has no value. */
static void answer_or_wait(const struct record_search *search,
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

/* Holds what was found, which is not found again; false: it is at its end. */
static bool take_found(struct record_search *search, bool *held)
{
    struct obv_object *object = search->object;
    bool lives = obv__object_hold_or_go_on(object, held) &&
                 (*held || !obv__object_is_ending(object));
    obv__hazard_clear(search->self);
    search->seen[search->count] = object;
    search->seen_slots[search->count++] = search->slot;
    return lives;
}

/* Brings up to date what was found; false: that cannot be, and would be found
   again. */
static bool settle_found(struct record_search *search)
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

/* A pair has all that it follows brought up to date. */
static void settle_pair(struct obv__thread *self, struct obv__watcher *pair,
                        uint64_t added_since)
{
    struct record_search search;
    search_begin(&search, self);
    search.added_since = added_since;
    while (search_pair(&search, pair) && settle_found(&search)) {
    }
}

void obv__settle_pair(struct obv__thread *self, struct obv__watcher *pair)
{
    settle_pair(self, pair, 0);
    obv__leaves_close_record(pair);
}

bool obv__follows_invalid(struct obv__thread *self,
                          const struct obv__watcher *pair, bool is_of_end)
{
    struct record_search search;
    search_begin(&search, self);
    search.only_asks = true;
    search.is_of_end = is_of_end;
    (void)search_pair(&search, pair);
    return search.is_due;
}

/* Answers those who wait for another value than the last one. */
static void settle_kept(struct obv__thread *self,
                        struct obv__computed *computed)
{
    struct record_search search;
    search_begin(&search, self);
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
        /* Of a path, once that has met an object with computed properties. */
        if (obv__came_since(pair, since, obv__registration_epoch()) &&
            (!(place & OBV__PATH_NODE_TAG) ||
             obv__load_relaxed(&obv__path_node_of(place)->paths->may_wait))) {
            settle_pair(self, pair, since);
        }
        pair = obv__pair_next(observation, pair);
    }
}

/* Runs code of the program. */
static void let_first_go(struct record_search *search,
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
    struct record_search search;
    search_begin(&search, self);
    search.only_kept = true;
    while (obv__has_state(pair, OBV__LINKED) && search_pair(&search, pair)) {
        let_first_go(&search, pair);
    }
}

struct obv__watcher *obv__first_invalid(struct obv__watcher *observation)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__watcher *pair = obv__pair_next(observation, NULL);
    while (pair && !obv__follows_invalid(self, pair, false)) {
        pair = obv__pair_next(observation, pair);
    }
    return pair;
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
