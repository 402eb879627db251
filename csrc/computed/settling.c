/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settling. The records that a pair follows are found from the root on, each once
 * in a settling: what a property in the middle leads to is only known once that
 * was computed.
 */
#include "computed/settling.h"

#include "computed/evaluation.h"
#include "dispatch/batch.h"
#include "dispatch/delivery.h"
#include "dispatch/work_list.h"
#include "edit/edit.h"
#include "model/value.h"
#include "wiring/claim.h"
#include "wiring/invalidation.h"
#include "wiring/path_instance.h"

/* Settlings of the process are numbered; any thread. */
static uint32_t settlings;

/* What a search looks for. */
struct record_search {
    struct obv__thread *self;
    uint32_t number; /* of the settling: what it has found it finds no more; 0:
                        it is only asked whether anything is due again */
    bool is_due;     /* the answer */
    bool was_called; /* right before */
    struct obv__watcher *begun; /* the observation that begins, or gets more
                                   pairs; or NULL */
    uint64_t since;             /* pairs of it that have come since have waited
                                   for nothing; 0: none of its pairs has */
    bool is_dropped;            /* it is the one that has changed this */
    const struct obv__computed *reader; /* whose check it is, to which nobody
                                           matters who waits; or NULL */
    bool is_left;              /* it has found one before that is not valid */
    bool is_of_end;            /* that is all there is to it: a pair ends */
    struct obv_object *object; /* found, under a hazard pointer */
    uint32_t slot;
    uintptr_t told; /* who had told of what was found */
};

static bool is_awaited(const struct obv__computed *computed)
{
    return obv__load_acquire(&computed->first_state) != OBV__FIRST_NONE;
}

/* The handler that has just been called may have seen another value than it was
   called for: what it compares with next time is not known. Where no other thread
   marks, the change was its own, or the drain has settled it. */
static void forget_first(const struct obv__thread *self,
                         struct obv__computed *computed)
{
    if (!obv__computed_is_shared(computed)) {
        return;
    }
    /* Looked at first. Who has claimed it has perhaps stored what the handler has
       seen, and is about to keep the value before that. */
    bool is_claimed = obv__computed_is_claimed(computed);
    uint8_t state = obv__load_seq_cst(&computed->first_state);
    if (state != OBV__FIRST_KEPT &&
        !(state == OBV__FIRST_IS_NOW && is_claimed)) {
        return;
    }
    if (obv__marker(computed->context) ==
        (uintptr_t)self->slots[OBV__THREAD_NUMBER]) {
        (void)obv__exchange_seq_cst(&computed->is_trusted, (uint8_t)1);
    } else {
        (void)obv__cas_seq_cst(&computed->first_state, &state,
                               (uint8_t)OBV__FIRST_UNKNOWN);
    }
}

/* Whether somebody has claimed it who knows that we wait: he tells when he gives
   it back. In this order, and behind what has made the item idle: he gives it
   back, looks whether anybody waits, and takes that away before he tells. */
static bool is_to_be_told(const struct obv__computed *computed)
{
    return obv__load_seq_cst(&computed->is_waited) &&
           obv__computed_is_claimed(computed);
}

/* Whether there may be something to tell of a record that has told, while the item
   was pending still: it is marked; or somebody waits for an answer, and another
   thread has taken the mark away; or that has refused it to us, and has computed
   nothing. After a failure there is nothing to be had until it is marked. */
static bool is_due_again(const struct obv__computed *computed)
{
    if (obv__load_acquire(&computed->stale)) {
        return true;
    }
    bool is_claimed = obv__computed_is_claimed(computed);
    unsigned unsound = obv__computed_unsound(computed);
    return is_awaited(computed)
               ? is_claimed || !(unsound & OBV__FAILED)
               : (unsound & (OBV__FAILED | OBV__NO_VALUE)) == OBV__NO_VALUE;
}

static void look_behind_call(struct record_search *search,
                             struct obv__computed *computed)
{
    if (search->was_called) {
        forget_first(search->self, computed);
    }
    bool is_due = is_due_again(computed);
    if (is_due && !search->is_of_end) {
        /* Whose function runs on this thread, and has called for the drain, tells
           when it has a value. */
        is_due =
            !obv__computed_runs(computed, obv__thread_number(search->self)) &&
            !is_to_be_told(computed);
    }
    search->is_due = search->is_due || is_due;
}

/* Whether a record, or NULL, is one to settle. */
static bool is_to_settle(const struct record_search *search,
                         const struct obv__computed *computed)
{
    if (search->is_of_end) {
        return computed && is_awaited(computed) &&
               obv__load_relaxed(&computed->settled) != search->number;
    }
    return !computed ||
           ((!obv__computed_is_valid(computed) || is_awaited(computed)) &&
            obv__load_relaxed(&computed->settled) != search->number);
}

/* The same for a check. Whatever another check has found since this one began is
   found: that one is within this, or another thread's. Numbers grow. */
static bool is_to_check(struct record_search *search,
                        const struct obv__computed *computed)
{
    if (computed &&
        (computed == search->reader || obv__computed_is_valid(computed))) {
        return false;
    }
    bool is_new = !computed || (int32_t)(obv__load_relaxed(&computed->found) -
                                         search->number) < 0;
    search->is_left = search->is_left || !is_new;
    return is_new;
}

static bool look_at_slot(struct record_search *search,
                         struct obv_object *object, uint32_t slot)
{
    if (!object || slot > OBV__SLOT_LAST ||
        !obv__slot_is_computed(obv__class_of(object), slot)) {
        return false;
    }
    struct obv__computed *computed = obv__computed_of(object, slot);
    bool found = search->number != 0 &&
                 (search->reader ? is_to_check(search, computed)
                                 : is_to_settle(search, computed));
    if (found) {
        search->object = object;
        search->slot = slot;
    } else if (search->number == 0 && computed) {
        look_behind_call(search, computed);
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
        found = binding && look_at_slot(search, obv__binding_place(binding),
                                        binding->slot);
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
    bool found = is_there && look_at_slot(search, root, pair->slot);
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

/* Whether the value is another than the one to compare with. The record is
   claimed. */
static bool is_another(const struct obv__computed *computed, uint8_t state,
                       const void *first)
{
    return state == OBV__FIRST_UNKNOWN ||
           (state == OBV__FIRST_KEPT && first &&
            !obv__value_equal(computed->property, first, computed->value));
}

/* One that begins is told of what was changed since by who was told that it does. */
static bool has_begun(const struct record_search *search,
                      struct obv__watcher *pair)
{
    return obv__observation(pair) == search->begun &&
           (search->since == 0 ? !obv__waits(search->begun)
                               : obv__came_since(pair, search->since,
                                                 obv__registration_epoch()));
}

/* What has just begun has waited for nothing. */
static void leave_out(const struct record_search *search,
                      struct obv__work_list *work)
{
    size_t count = 0;
    for (size_t i = 0; i < work->count; i++) {
        if (!has_begun(search, work->items[i])) {
            work->items[count++] = work->items[i];
        }
    }
    work->count = count;
}

/* The first answer since another thread has begun to mark: a handler may have seen
   a change of that one's before the mark, while forget_first() knew of one thread
   alone. */
static void meet_markers(struct obv__computed *computed)
{
    if (OBV__UNLIKELY(obv__load_acquire(&computed->is_trusted)) &&
        obv__marker(computed->context) == OBV__MANY_MARKERS) {
        obv__store_relaxed(&computed->is_trusted, (uint8_t)0);
        obv__first_unknown(computed);
    }
}

/* Whether the batch of this thread has marked what was found, perhaps. */
static bool is_of_batch(const struct record_search *search)
{
    const struct obv__thread *self = search->self;
    return self->batch != 0 && (search->told == self->batch ||
                                obv__load_relaxed(&self->batch_shares));
}

/* The answer, to everybody who waits for it. */
static void answer(const struct record_search *search,
                   struct obv__computed *computed)
{
    meet_markers(computed);
    const void *first =
        computed->has_first ? obv__raw_value(computed, &computed->first) : NULL;
    uint8_t state = obv__load_acquire(&computed->first_state);
    struct obv__work_list work;
    obv__work_list_init(&work, search->self, computed->context);
    work.edit.kind = OBV__EDIT_SETTLED;
    work.edit.is_batchs = is_of_batch(search);
    if (is_another(computed, state, first)) {
        obv__edit_collect_computed(&work, computed->object, computed->slot,
                                   first, OBV__EDIT_SETTLED);
        if (search->begun) {
            leave_out(search, &work);
        }
    }
    obv__work_list_deliver(&work);
    /* Another thread has changed it as well, and told the one that is left out. */
    if (!search->is_dropped || state != OBV__FIRST_UNKNOWN) {
        obv__first_answered(computed->context, computed, state);
    }
}

/* While another thread has it, or a function of this one that has called for the
   drain, there is no answer, nor while it has no value. */
static void answer_or_wait(const struct record_search *search,
                           struct obv__computed *computed)
{
    if (!obv__claim_or_wait(search->self, computed)) {
        if (search->begun) {
            obv__first_unknown(computed);
        }
        return;
    }
    if (obv__computed_unsound(computed) & (OBV__FAILED | OBV__NO_VALUE)) {
        obv__wait(computed);
    } else {
        answer(search, computed);
    }
    obv__give_back(search->self, computed);
}

/* From here on what another thread tells of it may be in its value already, before
   that thread has marked it. Before the value is computed. */
static void hide_change(const struct record_search *search,
                        struct obv__computed *computed)
{
    if (search->is_dropped && computed && obv__computed_is_shared(computed)) {
        (void)obv__exchange_seq_cst(&computed->hidden_by,
                                    obv__thread_number(search->self));
    }
}

/* Brings up to date what was found; false: that cannot be, and would be found
   again. */
static bool settle_found(struct record_search *search)
{
    struct obv_object *object = search->object;
    const struct obv_class *cls = obv__class_of(object);
    bool held = obv__object_hold(object);
    bool lives = held || (!cls->retain && !obv__object_is_ending(object));
    struct obv__computed *computed = NULL;
    obv__hazard_clear(search->self);
    if (lives) {
        computed = obv__computed_of(object, search->slot);
        hide_change(search, computed);
        search->told = computed ? obv__load_acquire(&computed->stale) : 0;
        if (!computed ||
            !obv__computed_runs(computed, obv__thread_number(search->self))) {
            (void)obv__compute(object, search->slot, NULL);
            computed = obv__computed_of(object, search->slot);
        }
    }
    if (computed) {
        obv__store_relaxed(&computed->settled, search->number);
        answer_or_wait(search, computed);
    }
    if (held) {
        cls->release(object);
    }
    return computed != NULL;
}

uint32_t obv__settling_number(void)
{
    uint32_t number = obv__fetch_add_relaxed(&settlings, 1u) + 1;
    return number ? number : obv__settling_number();
}

struct obv__computed *obv__settling_find(struct obv__thread *self,
                                         const struct obv__computed *reader,
                                         uint32_t number,
                                         const struct obv__watcher *leaf,
                                         bool *is_left, bool *is_short)
{
    struct record_search search = {
        .self = self, .number = number, .reader = reader};
    bool is_there = search_pair(&search, leaf);
    *is_left = *is_left || search.is_left;
    if (!is_there) {
        return NULL;
    }
    struct obv__computed *found =
        obv__computed_make(search.object, search.slot);
    if (found) {
        obv__store_relaxed(&found->found, number);
    }
    *is_short = !found && !obv__object_is_ending(search.object);
    obv__hazard_clear(self);
    return found;
}

static void settle_all(struct record_search *search,
                       const struct obv__watcher *pair)
{
    while (search_pair(search, pair) && settle_found(search)) {
    }
}

static void settle_pair(struct obv__thread *self, uint32_t number,
                        const struct obv__watcher *pair,
                        struct obv__watcher *begun, uint64_t since)
{
    struct record_search search = {
        .self = self, .number = number, .begun = begun, .since = since};
    settle_all(&search, pair);
}

void obv__settle(struct obv__thread *self, struct obv__watcher *observation)
{
    uint32_t number = obv__settling_number();
    struct obv__watcher *pair = obv__pair_next(observation, NULL);
    while (pair) {
        settle_pair(self, number, pair, NULL, 0);
        pair = obv__pair_next(observation, pair);
    }
}

bool obv__follows_invalid(struct obv__thread *self,
                          const struct obv__watcher *pair)
{
    struct record_search search = {.self = self, .is_of_end = true};
    (void)search_pair(&search, pair);
    return search.is_due;
}

void obv__settle_begun(struct obv__thread *self, struct obv__watcher *pair)
{
    settle_pair(self, obv__settling_number(), pair, obv__observation(pair), 0);
}

void obv__settle_dropped(struct obv__thread *self, struct obv__watcher *pair)
{
    struct record_search search = {.self = self,
                                   .number = obv__settling_number(),
                                   .begun = obv__observation(pair),
                                   .is_dropped = true};
    settle_all(&search, pair);
}

void obv__settle_kept(struct obv__thread *self, struct obv__computed *computed)
{
    struct record_search search = {.self = self,
                                   .told = obv__load_acquire(&computed->stale)};
    obv__epoch_enter(self);
    if (obv__claim(self, computed)) {
        answer(&search, computed);
        obv__give_back(self, computed);
    }
    obv__epoch_leave(self);
}

void obv__settle_added(struct obv__thread *self,
                       struct obv__watcher *observation, uint64_t since)
{
    uint32_t number = obv__settling_number();
    struct obv__watcher *pair = obv__pair_next(observation, NULL);
    while (pair) {
        if (obv__came_since(pair, since, obv__registration_epoch())) {
            settle_pair(self, number, pair, observation, since);
        }
        pair = obv__pair_next(observation, pair);
    }
}

/* Runs code of the program. */
static void let_first_go(struct record_search *search,
                         const struct obv__watcher *pair)
{
    struct obv_object *object = search->object;
    struct obv__computed *computed = obv__computed_of(object, search->slot);
    bool held = obv__object_hold(object);
    bool lives = held || !obv__class_of(object)->retain;
    obv__hazard_clear(search->self);
    obv__store_relaxed(&computed->settled, search->number);
    if (lives && obv__claim(search->self, computed)) {
        obv__first_of_ended(search->self, computed, pair);
        if (obv__load_acquire(&computed->first_state) != OBV__FIRST_KEPT) {
            obv__first_drop(computed->context, computed);
        }
        obv__give_back(search->self, computed);
    }
    if (held) {
        obv__class_of(object)->release(object);
    }
}

/* Whether anything may have been kept for an observation. */
static bool may_have_waited(struct obv__watcher *observation)
{
    return obv__asks(observation) || obv__batches_are_open();
}

void obv__settle_ended(struct obv__thread *self, struct obv__watcher *pair)
{
    if (!may_have_waited(obv__observation(pair)) ||
        !obv__has_state(pair, OBV__LINKED)) {
        return;
    }
    struct record_search search = {
        .self = self, .number = obv__settling_number(), .is_of_end = true};
    while (search_pair(&search, pair)) {
        let_first_go(&search, pair);
    }
}

struct obv__watcher *obv__first_invalid(struct obv__watcher *observation,
                                        bool was_called)
{
    struct record_search search = {.self = obv__thread_self(),
                                   .was_called = was_called};
    struct obv__watcher *first = NULL;
    struct obv__watcher *pair = obv__pair_next(observation, NULL);
    while (pair) {
        (void)search_pair(&search, pair);
        if (!first && search.is_due) {
            first = pair;
        }
        pair = obv__pair_next(observation, pair);
    }
    return first;
}
