/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of an object, and its number.
 *
 * The end, in order: it is marked, so that nothing new hangs at it; what it
 * observes ends; the paths rooted at it end, letting go of every object along
 * them (LT-4); what hangs in its own slots is taken out, one by one: pairs
 * rooted here end, bindings of other roots' paths let go and tell that what was
 * reachable is not (LT-6). Then no thread has a hazard pointer to it, and the
 * header says "ended": in this order, since a thread that compares the object
 * under a hazard pointer (wiring.c) needs its class. The node waits in the
 * reclaim for threads that still walk it. At last the end is told: what it has
 * changed is scheduled, observers that asked for deaths are told
 * (deallocation_notice.c), immediate handlers are called.
 */
#include "computed/evaluation.h"
#include "dispatch/inbound_queue.h"
#include "dispatch/work_list.h"
#include "model/recorder.h"
#include "edit/edit.h"
#include "model/misuse.h"
#include "model/class.h"
#include "model/container.h"
#include "model/node.h"
#include "model/owned.h"
#include "model/value.h"
#include "dispatch/deallocation_notice.h"
#include "observe/observation.h"
#include "wiring/invalidation.h"
#include "wiring/paths.h"
#include "wiring/wiring.h"

#include <string.h>

uint64_t obv_object_identity(struct obv_object *object)
{
    return obv__class_or_null(object) ? obv__object_number(object, true) : 0;
}

struct ending {
    struct obv_object *object;
    struct obv_class *cls;
    struct obv_detail_node *node;
    struct obv__work_list work;
    struct obv__marks marks;     /* what depends on it */
    struct obv__notices notices; /* of this death */
};

/* Follows the removal of a pair rooted here, or of a hub, from its list. */
static void pair_ended(void *context, struct obv__watcher *pair)
{
    struct ending *ending = context;
    if (obv__is_edge(pair)) {
        struct obv__hub *hub = (struct obv__hub *)(void *)pair;
        obv__marks_enter(&ending->marks);
        obv__mark_edges(&ending->marks, hub->edges, OBV__DIRTY);
        obv__edges_orphan(&hub->edges);
        obv__marks_spread(&ending->marks);
        obv__watcher_retire(ending->cls->context, pair);
        return;
    }
    obv__notice_take(pair, &ending->notices);
    obv__pair_ended(ending->cls->context, pair, OBV__BY_DEATH);
}

static void pair_ends(void *context, struct obv__watcher *pair)
{
    (void)context;
    if (!obv__is_edge(pair)) {
        obv__keep_call(pair);
    }
}

/* Takes the first watcher of a list out, if it is that still. */
static bool take_first(const struct ending *ending, const uintptr_t *head,
                       struct obv__watcher *first)
{
    struct obv__lock *stripe = obv__lock_stripe(ending->object);
    obv__lock_enter(stripe);
    bool is_first = obv__first(head) == first;
    if (is_first) {
        (void)obv__unlink_locked(first);
        obv__store_release(&first->place, (uintptr_t)0);
        obv__fetch_and_seq_cst(&first->state, (uint8_t)~OBV__LINKED);
    }
    obv__lock_leave(stripe);
    return is_first;
}

static void empty_list(void *context, uint32_t slot, uintptr_t *head)
{
    struct ending *ending = context;
    struct obv__watcher *first;
    (void)slot;
    /* A cell for whose node there was no memory has no list. */
    while (head && (first = obv__first(head)) != NULL) {
        if (obv__is_binding(first)) {
            obv__let_go(first, ending->object, &ending->work);
            continue;
        }
        pair_ends(ending, first);
        if (take_first(ending, head, first)) {
            pair_ended(ending, first);
        }
    }
}

/* Waits for a thread that has taken the last watcher of a list away: it holds
   the lock until it is through with the object. */
static void let_others_through(const struct ending *ending)
{
    obv__lock_await_leave(obv__lock_stripe(ending->object));
}

/* A cell goes with its last watcher, all of which hang in its one list. */
static void empty_cells(struct ending *ending)
{
    struct obv_object *container = ending->object, *cell;
    while ((cell = obv__place_behind(container, container)) != NULL) {
        ending->object = cell;
        empty_list(ending, 0, obv__list(obv__node(ending->object), 0));
        let_others_through(ending);
        /* A cell read by a computed property alone goes with no watcher. */
        obv__lock_enter(&ending->cls->context->paths);
        if (!obv__cell(cell)->is_dropped) {
            obv__cell_drop_if_idle_locked(obv__cell(cell));
        }
        obv__lock_leave(&ending->cls->context->paths);
    }
    ending->object = container;
}

static void end_paths(struct ending *ending)
{
    struct obv__more *more = obv__more(ending->node);
    struct obv__paths *paths = more ? obv__load_acquire(&more->paths) : NULL;
    struct obv__paths *none = NULL;
    while (paths) {
        struct obv__paths *next = paths->next;
        obv__paths_end(paths, pair_ends, pair_ended, ending);
        paths = next;
    }
    if (more) {
        obv__store_release(&more->paths, none);
    }
}

static void tear_down(struct ending *ending)
{
    struct obv__lock *stripe = obv__lock_stripe(ending->object);
    /* Under the stripe: a thread that links here looks at the flag under it. */
    obv__lock_enter(stripe);
    obv__fetch_or_acq_rel(&ending->node->flags, OBV__NODE_ENDING);
    obv__lock_leave(stripe);
    obv__inbounds_withdraw(ending->node);
    obv__observer_ends(ending->object);
    end_paths(ending);
    if (obv__class_has_computed(ending->cls)) {
        obv__computed_end(ending->cls, ending->node, &ending->marks);
    }
    uint64_t since = obv__registration_epoch();
    obv__each_list(ending->node, empty_list, ending);
    let_others_through(ending);
    obv__marks_tell(&ending->marks, since);
}

/* Frees the strings and releases the objects that an object held, which has
   ended. */
static void drop_values(struct obv_object *object, const struct obv_class *cls)
{
    const struct obv_property *property;
    for (uint32_t i = 0; (property = obv__property_in(cls, i)); i++) {
        void *field = obv__field(object, property), *value;
        if (obv__kind_owns(property->kind)) {
            memcpy(&value, field, sizeof value);
            memset(field, 0, sizeof value);
            if (obv__is_owed(property, property->kind, &value)) {
                obv__owned_drop(cls->context, property->kind, &value);
            }
        }
    }
}

enum obv_status obv_object_deinit(struct obv_object *object)
{
    struct obv__thread *self = obv__thread_self();
    if (!object || obv__word(object) == 0) {
        return OBV_E_ARGUMENT;
    }
    if (obv__object_is_ending(object)) {
        return OBV_E_ENDED;
    }
    if (!obv__class_of(object)) {
        /* The library has never met it. */
        obv__object_end(object);
        return OBV_OK;
    }
    struct ending ending = {.object = object,
                            .cls = obv__class_of(object),
                            .node = obv__node(object)};
    obv__epoch_enter(self);
    obv__work_list_init(&ending.work, self, ending.cls->context);
    obv__marks_begin(&ending.marks, &ending.work);
    ending.marks.is_of_end = ending.marks.is_alone = true;
    if (ending.node) {
        tear_down(&ending);
    }
    if (ending.cls->container) {
        empty_cells(&ending);
    }
    if (ending.node || ending.cls->container) {
        (void)obv__wait_for_hazards(object);
    }
    struct obv__recorder *recorders = NULL;
    if (ending.cls->container) {
        recorders = obv__recorders_end(obv__container(object));
        obv__lock_enter(&ending.cls->context->paths);
        obv__elements_free_locked(obv__container(object));
        obv__lock_leave(&ending.cls->context->paths);
    }
    obv__object_end(object);
    if (ending.cls->container) {
        /* Code of the program lets go of what they held: it meets a container
           that has ended. */
        obv__recorders_let_go(recorders);
        obv__members_let_go(ending.cls->context);
        obv__keys_free_gone(ending.cls->context);
    }
    if (ending.node && obv__class_has_computed(ending.cls)) {
        obv__computed_values_end(ending.cls, ending.node);
    }
    if (ending.node) {
        if (OBV__CHECKS_MISUSE) {
            (void)obv__misuse_unobserved(object);
        }
        obv__inbounds_end(ending.node);
        obv__node_retire(ending.cls, ending.node);
    }
    if (ending.notices.first) {
        obv__work_list_schedule(&ending.work);
        obv__notices_give(self, &ending.notices);
    }
    obv__work_list_deliver(&ending.work);
    obv__epoch_leave(self);
    if (!ending.cls->is_foreign) { /* whose properties are another's */
        drop_values(object, ending.cls);
    }
    return OBV_OK;
}

void obv_class_know_objects(struct obv_class *cls)
{
    cls->knows_objects = true;
}

enum obv_status obv_object_deinit_word(uintptr_t word)
{
    if (word & OBV_DETAIL_NO_NODE) {
        return OBV_OK;
    }
    if (word == 0) {
        return OBV_E_ARGUMENT;
    }
    const struct obv_detail_node *node =
        (const struct obv_detail_node *)(word & ~OBV_DETAIL_HAS_SLOTS);
    return obv_object_deinit(obv__node_object(node));
}
