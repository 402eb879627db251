/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computed properties of an object: their records, and edges.
 */
#include "model/inbound.h"
#include "model/computed.h"

#include "model/above.h"
#include "model/class_dependencies.h"
#include "model/owned.h"
#include "model/value.h"
#include "platform/bias.h"

#include <stddef.h>
#include <string.h>

/* Records ------------------------------------------------------------------ */

/* Whether values are compared by their bits, of which there are as many as these
   have. */
static bool is_word(const struct obv_property *property)
{
    return property->kind <= OBV_KIND_pointer && !property->equal &&
           !(property->flags & OBV_ALWAYS_DIFFERENT) &&
           (property->size == sizeof(uint32_t) ||
            property->size == sizeof(uint64_t));
}

static struct obv__computed *make_record(struct obv_object *object,
                                         uint32_t slot)
{
    const struct obv_class *cls = obv__class_of(object);
    const struct obv_property *property = obv__property_in(cls, slot);
    struct obv_detail_node *node = obv__node(object);
    struct obv__computed *made =
        obv__context_allocate_zeroed(cls->context, sizeof *made);
    if (made) {
        made->object = object;
        made->property = property;
        made->context = cls->context;
        made->node = node;
        made->head = obv__list(node, slot);
        made->slot = (uint16_t)slot;
        made->state = OBV__NO_VALUE;
        made->bias = OBV__BIAS_UNSET;
        made->value = property->custom ? (void *)&made->box
                                       : obv__field(object, property);
        made->is_lazy = (property->computed->flags & OBV_LAZY) != 0;
        made->is_eager = (property->computed->flags & OBV_EAGER) != 0;
        made->is_word = is_word(property);
        made->is_held = cls->retain != NULL;
        made->declares = obv__property_declares(property);
    }
    return made;
}

struct obv__computed *obv__computed_make(struct obv_object *object,
                                         uint32_t slot)
{
    struct obv__computed *found = obv__computed_of(object, slot);
    if (found || obv__object_is_ending(object) || !obv__node_ensure(object) ||
        !obv__list_prepare(object, slot)) {
        return found;
    }
    struct obv__computed *made = make_record(object, slot);
    uint64_t none = 0;
    if (!made) {
        return NULL;
    }
    /* Release publishes it; two threads that race keep the first. */
    if (!obv__cas_acq_rel(&obv__slot(made->node, slot)->all_pending_at, &none,
                          (uint64_t)(uintptr_t)made)) {
        obv__context_free(obv__class_of(object)->context, made, sizeof *made);
    }
    return obv__computed_of(object, slot);
}

enum obv__waits obv__computed_waits(const struct obv__computed *computed,
                                    const void *now)
{
    const struct obv_property *property = computed->property;
    uint8_t state = obv__load_acquire(&computed->first_state);
    const void *first = state == OBV__FIRST_IS_NOW ? now : NULL;
    bool held, holds_objects = property->kind == OBV_KIND_object ||
                               (property->custom && property->custom->child_of);
    if (state == OBV__FIRST_KEPT && computed->has_first) {
        first = obv__raw_value(computed, &computed->first);
    }
    if (!first || !holds_objects) {
        return state == OBV__FIRST_UNKNOWN && holds_objects
                   ? OBV__WAITS_UNKNOWN
                   : OBV__WAITS_WITH_OBJECT;
    }
    struct obv_object *object = obv__value_object(property, first, &held);
    if (held) {
        obv__class_of(object)->release(object);
    }
    return object ? OBV__WAITS_WITH_OBJECT : OBV__WAITS_WITH_NIL;
}

struct obv_object *
obv__computed_hold_reference(struct obv__thread *self,
                             const struct obv__computed *computed, bool *held)
{
    struct obv_object *object = computed->object;
    obv__hazard_set(self, object);
    /* The node is there in an epoch section. An end that begins after this look
       waits for the hazard pointer. */
    bool is_there = !obv__node_is_ending(computed->node);
    *held = is_there && obv__object_hold(object);
    is_there = *held || (is_there && !obv__class_of(object)->retain);
    obv__hazard_clear(self);
    return is_there ? object : NULL;
}

/* Values kept -------------------------------------------------------------- */

/* Bytes, which own nothing, are all that can lie far. */
void obv__raw_drop(struct obv_context *context,
                   const struct obv_property *property, union obv__raw *raw)
{
    if (property->size > sizeof *raw) {
        obv__context_free(context, raw->far, property->size);
    } else {
        obv__value_disown(context, property, raw);
    }
}

bool obv__first_take(struct obv__computed *computed, union obv__raw *first)
{
    /* An exchange: an object without references may end on another thread, which
       lets go of it too. */
    bool is_there =
        obv__exchange_acq_rel(&computed->has_first,
                              (uint8_t)OBV__FIRST_IS_NONE) == OBV__FIRST_IS_OWN;
    if (is_there) {
        *first = computed->first;
    }
    return is_there;
}

/* Edges -------------------------------------------------------------------- */

/* Whether the object lives, and the edge hangs there. */
static bool link_edge(struct obv_object *object, uint32_t slot,
                      struct obv__edge *edge)
{
    struct obv__lock *stripe = obv__lock_stripe(object);
    obv__lock_enter(stripe);
    bool lives = !obv__object_is_ending(object);
    if (lives) {
        obv__link_locked(object, slot, &edge->watcher);
    }
    obv__lock_leave(stripe);
    return lives;
}

bool obv__edge_make(struct obv__computed *reader, struct obv_object *object,
                    uint32_t slot, struct obv__edge **made)
{
    const struct obv_class *cls = obv__class_of(object);
    /* The reader's, whose edges they are: the object may be of another one. */
    struct obv_context *context = reader->context;
    struct obv__computed *source = NULL;
    *made = NULL;
    if (obv__object_is_ending(object)) {
        return true;
    }
    if (OBV__UNLIKELY(cls->context != context)) {
        /* Whose properties any thread may set, now or later. */
        obv__above.allow_any_thread(context);
    }
    bool is_prepared = obv__slot_is_computed(cls, slot)
                           ? (source = obv__computed_make(object, slot)) != NULL
                           : obv__node_ensure(object) &&
                                 obv__list_prepare(object, slot) &&
                                 (!(cls->flags & OBV_ANY_THREAD) ||
                                  obv__inbound_prepare(object, slot));
    if (!is_prepared) {
        return obv__object_is_ending(object);
    }
    struct obv__watcher *watcher = obv__watcher_allocate(
        context, sizeof(struct obv__edge), OBV__BINDING | OBV__IS_EDGE);
    if (!watcher) {
        return false;
    }
    struct obv__edge *edge = (struct obv__edge *)(void *)watcher;
    watcher->state = OBV__SLOW;
    watcher->of = reader;
    if (obv__slot_is_any_thread(cls, slot)) {
        watcher->type |= OBV__AT_ANY_THREAD;
        edge->inbound = obv__inbound_of(object, slot);
    } else {
        edge->source = source;
    }
    if (link_edge(object, slot, edge)) {
        *made = edge;
    } else {
        obv__context_free(context, edge, sizeof *edge);
    }
    /* A slot that was marked "all are pending" has to tell from now on. */
    obv__advance_registration_epoch();
    return true;
}

/* As every watcher: the object's end may take it out at the same time. */
static void unlink_edge(struct obv__edge *edge)
{
    uintptr_t place = obv__load_acquire(&edge->watcher.place);
    if (place != 0) {
        struct obv__lock *stripe =
            obv__lock_stripe((const struct obv_object *)place);
        obv__lock_enter(stripe);
        /* Relaxed: written under the stripe. */
        if (obv__load_relaxed(&edge->watcher.place) == place) {
            obv__unlink_locked(&edge->watcher);
        }
        obv__lock_leave(stripe);
    }
}

void obv__edge_end(struct obv_context *context, struct obv__edge *edge)
{
    unlink_edge(edge);
    obv__watcher_retire(context, &edge->watcher);
}

/* The end ------------------------------------------------------------------ */

void obv__edges_end(struct obv_context *context, struct obv__computed *computed)
{
    struct obv__edge *edge = computed->dependencies;
    computed->dependencies = NULL;
    while (edge) {
        struct obv__edge *next = obv__edge_next(edge);
        obv__edge_end(context, edge);
        edge = next;
    }
}

void obv__each_computed(struct obv_class *cls, struct obv_detail_node *node,
                        void (*visit)(struct obv_context *context,
                                      struct obv__computed *computed))
{
    for (uint32_t i = 0; i < obv__slots_by_now(cls); i++) {
        struct obv__computed *computed =
            obv__slot_is_computed(cls, i) ? obv__computed_in(node, i) : NULL;
        if (computed) {
            visit(cls->context, computed);
        }
    }
}

/* While its function runs, which has ended the object, they are who runs that's to
   take away. */
static void end_edges(struct obv_context *context,
                      struct obv__computed *computed)
{
    unsigned phase = obv__computed_phase(computed);
    if (phase == OBV__RUNS || phase == OBV__CHECKS) {
        computed->happened |= OBV__HAS_ENDED;
    }
    if (phase != OBV__RUNS) {
        obv__edges_end(context, computed);
    }
}

void obv__computed_end(struct obv_class *cls, struct obv_detail_node *node)
{
    obv__each_computed(cls, node, end_edges);
}

static void retire(struct obv_context *context, struct obv__computed *computed)
{
    obv__retire(&context->retired, &computed->retired, OBV__RETIRED_COMPUTED);
}

void obv__computed_retire(struct obv_class *cls, struct obv_detail_node *node)
{
    obv__each_computed(cls, node, retire);
}

void obv__computed_free(struct obv_context *context, struct obv__retired *block)
{
    struct obv__computed *computed = (struct obv__computed *)(void *)block;
    obv__context_free(context, computed, sizeof *computed);
}
