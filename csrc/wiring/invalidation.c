/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invalidation. Marks are stores, in this order: dirty, stale, queued. A record
 * that is found queued is told by who has queued it: that thread takes the flag
 * away, then walks the record's list. A record that is found stale has been
 * told, or is queued.
 */
#include "wiring/invalidation.h"

#include "dispatch/batch.h"
#include "dispatch/delivery.h"
#include "model/above.h"
#include "model/node.h"
#include "wiring/leaves.h"
#include "wiring/path_instance.h"
#include "wiring/wiring.h"

/* Marking ------------------------------------------------------------------ */

static void queue(struct obv__marks *marks, struct obv__computed *computed)
{
    /* Seq_cst: between the store of the mark and the look at what depends on it;
       pairs with the fence of who evaluates one of these (evaluation.c). */
    if (obv__exchange_seq_cst(&computed->is_queued, (uint8_t)1)) {
        return;
    }
    computed->marked = NULL;
    if (marks->last) {
        marks->last->marked = computed;
    } else {
        marks->first = computed;
    }
    marks->last = computed;
}

void obv__mark(struct obv__marks *marks, struct obv__computed *computed,
               bool is_dirty)
{
    if (is_dirty) {
        obv__store_release(&computed->is_dirty, (uint8_t)1);
    }
    if (!obv__load_acquire(&computed->is_stale)) {
        obv__store_release(&computed->is_stale, (uint8_t)1);
        queue(marks, computed);
    }
}

bool obv__mark_dependents(struct obv__marks *marks, const uintptr_t *head,
                          bool is_dirty)
{
    bool has_others = false;
    for (struct obv__watcher *w = obv__first(head); w; w = obv__next(w)) {
        if (obv__is_edge(w)) {
            obv__mark(marks, w->of, is_dirty);
        } else {
            has_others = true;
        }
    }
    return has_others;
}

/* Telling ------------------------------------------------------------------ */

/* What one record tells. */
struct told_mark {
    struct obv__computed *computed;
    struct obv__work_list *work;
    uint64_t since;
    bool is_awaited; /* somebody waits for an answer already */
    bool is_needed;  /* at the end of the change */
};

/* What a batch of this thread has put aside of an observation, or NULL. */
static const struct obv__aside *aside_of(struct obv__thread *thread,
                                         struct obv__watcher *observation)
{
    const struct obv__batch *batch = obv__batch_of(thread);
    return batch ? obv__batch_find(batch, observation) : NULL;
}

static bool is_perhaps(struct obv__thread *thread,
                       struct obv__watcher *observation)
{
    const struct obv__aside *aside = aside_of(thread, observation);
    uint64_t word = obv__item_word(obv__item(observation));
    return (aside && aside->is_perhaps) || (word & OBV__ITEM_PERHAPS);
}

static void tell_pair(struct told_mark *telling, struct obv__watcher *pair)
{
    struct obv__watcher *observation = obv__observation(pair);
    if (obv__came_since(pair, telling->since, obv__registration_epoch())) {
        return;
    }
    if (obv__is_immediate(observation)) {
        telling->is_needed = true;
        return;
    }
    telling->is_awaited =
        telling->is_awaited || is_perhaps(telling->work->thread, observation);
    obv__work_list_add_perhaps(telling->work, pair);
}

/* All that a path leads to through the property. */
static void tell_binding(struct told_mark *telling,
                         const struct obv__watcher *binding)
{
    const struct obv__path_instance *instance = binding->of;
    struct obv__work_list below;
    obv__work_list_init(&below, telling->work->thread, telling->work->context);
    obv__leaves_add_below(instance->node, &below, telling->since);
    for (size_t i = 0; i < below.count; i++) {
        tell_pair(telling, below.items[i]);
    }
    obv__work_list_forget(&below);
}

static void tell_observers(struct told_mark *telling)
{
    const struct obv__computed *computed = telling->computed;
    for (struct obv__watcher *w = obv__first(computed->head); w;
         w = obv__next(w)) {
        if (obv__is_binding(w)) {
            tell_binding(telling, w);
        } else if (!obv__is_edge(w)) {
            tell_pair(telling, w);
        }
    }
}

/* Who is told of all hears of a change. What leads on through the property lets
   go. */
static void tell_every(struct told_mark *telling, const uintptr_t *every)
{
    struct obv__work_list *work = telling->work;
    const struct obv__computed *computed = telling->computed;
    const struct obv__edit outer = work->edit;
    bool held;
    struct obv_object *object =
        obv__computed_hold(work->thread, computed, &held);
    if (!object) {
        return;
    }
    work->edit = (struct obv__edit){.at = {object, computed->slot, NULL},
                                    .kind = OBV__EDIT_INVALID};
    for (struct obv__watcher *w = obv__first(every); w; w = obv__next(w)) {
        if (obv__came_since(w, telling->since, obv__registration_epoch())) {
            continue;
        }
        if (obv__is_binding(w)) {
            obv__rewire(w, work, telling->since);
        } else {
            obv__work_list_add(work, w);
        }
    }
    work->edit = outer;
    if (held) {
        obv__class_of(object)->release(object);
    }
}

/* What observes every instance of the class begins to follow this one. It is told
   of this invalidation: it will compare with the last value. */
OBV__NOINLINE static void meet_class(struct told_mark *telling)
{
    struct obv__thread *self = telling->work->thread;
    bool held;
    struct obv_object *object =
        obv__computed_hold(self, telling->computed, &held);
    uint32_t slot = telling->computed->slot;
    if (object && obv__above.class_awaits(object, slot)) {
        (void)obv__above.attach_class(object, slot, false, NULL);
        telling->since = obv__registration_epoch();
    }
    if (held) {
        obv__class_of(object)->release(object);
    }
}

static void tell_record(struct obv__computed *computed,
                        struct obv__marks *marks, struct obv__work_list *work,
                        uint64_t since)
{
    const struct obv__more *more = obv__more(computed->node);
    struct told_mark telling = {
        .computed = computed, .work = work, .since = since};
    if (OBV__UNLIKELY(obv__class_subscriptions_exist()) &&
        obv__load_acquire(&computed->has_value)) {
        meet_class(&telling);
    }
    if (obv__mark_dependents(marks, computed->head, false)) {
        tell_observers(&telling);
        if (!telling.is_awaited ||
            obv__load_acquire(&computed->first_state) == OBV__FIRST_NONE) {
            obv__store_release(&computed->asks_first, (uint8_t)1);
        }
    }
    if (telling.is_needed) {
        obv__work_list_add_invalid(work, computed);
    }
    if (more && obv__first(&more->every) &&
        obv__load_acquire(&computed->has_value) &&
        obv__load_relaxed(&computed->outcome) == OBV__SOUND) {
        tell_every(&telling, &more->every);
    }
}

void obv__marks_tell(struct obv__marks *marks, struct obv__work_list *work,
                     uint64_t since)
{
    struct obv__computed *computed;
    while ((computed = marks->first) != NULL) {
        marks->first = computed->marked;
        marks->last = marks->first ? marks->last : NULL;
        obv__exchange_seq_cst(&computed->is_queued, (uint8_t)0);
        tell_record(computed, marks, work, since);
    }
}

/* Edits of computed properties --------------------------------------------- */

bool obv__edit_is_for(const struct obv__edit *edit, struct obv__watcher *pair)
{
    struct obv__watcher *observation = obv__observation(pair);
    switch (edit->kind) {
    case OBV__EDIT_COMPUTED:
        return obv__is_immediate(observation);
    case OBV__EDIT_SETTLED:
        return !obv__is_immediate(observation) &&
               (obv__item_is_pending(obv__item_word(obv__item(observation))) ||
                aside_of(obv__thread_self(), observation));
    default:
        return true;
    }
}
