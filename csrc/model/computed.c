/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computed properties of an object: their records, and edges.
 */
#include "model/computed.h"

#include "model/class_dependencies.h"
#include "model/owned.h"
#include "model/value.h"
#include "platform/pause_point.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* The memory lent to the reclaim is aligned as it asks for. */
static_assert(offsetof(struct obv__edge, retired) % 16 == 0 &&
                  offsetof(struct obv__computed, own.retired) % 16 == 0,
              "the words that are lent");

/* Records ------------------------------------------------------------------ */

/* Whether values are words that are compared as such, or doubles. */
static bool is_plain_word(const struct obv_property *property)
{
    return obv__is_word(property) ||
           ((obv__keeps_word(property) || property->kind == OBV_KIND_f64) &&
            !property->equal && !(property->flags & OBV_ALWAYS_DIFFERENT));
}

static uint32_t first_flags(const struct obv_class *cls,
                            const struct obv_property *property)
{
    uint32_t flags = OBV__DIRTY | OBV__NO_VALUE | OBV__ALWAYS;
    flags |= property->computed->flags & OBV_LAZY ? OBV__LAZY : 0;
    flags |= property->computed->flags & OBV_EAGER ? OBV__EAGER : 0;
    flags |= is_plain_word(property) ? 0 : OBV__IS_OWNED;
    flags |= property->size == sizeof(uint32_t) ? OBV__IS_SHORT_WORD : 0;
    flags |= cls->retain ? OBV__IS_HELD : 0;
    flags |= obv__property_declares(property) ? OBV__DECLARES : 0;
    return flags;
}

static bool has_watcher(struct obv_detail_node *node, uint32_t slot)
{
    const uintptr_t *every = obv__every(node);
    return obv__first(obv__list(node, slot)) || (every && obv__first(every));
}

struct obv__computed *obv__computed_make(struct obv_object *object,
                                         uint32_t slot)
{
    const struct obv_class *cls = obv__class_of(object);
    struct obv__computed *made = obv__computed_of(object, slot);
    if (made || obv__object_is_ending(object) ||
        !obv__list_prepare(object, cls, slot)) {
        return made;
    }
    made = obv__context_allocate_zeroed(cls->context, sizeof *made);
    if (made) {
        struct obv_detail_node *node = obv__node(object);
        made->object = object;
        made->property = obv__property_in(cls, slot);
        made->slot = (uint16_t)slot;
        made->flags = first_flags(cls, made->property);
        made->watched = has_watcher(node, slot);
        made->field = made->property->custom
                          ? &made->kept
                          : obv__field(object, made->property);
        obv__store_relaxed(&obv__slot(node, slot)->all_pending_at,
                           (uint64_t)(uintptr_t)made);
        /* A set of the property has to mark its readers. */
        obv__list_slow(object, slot);
    }
    return made;
}

struct obv__computed_more *obv__computed_more(struct obv__computed *computed)
{
    if (!computed->more) {
        struct obv__computed_more *made = obv__context_allocate_zeroed(
            obv__computed_context(computed), sizeof *made);
        obv__store_release(&computed->more, made);
    }
    return computed->more;
}

static void note_watched(void *context, struct obv__computed *computed)
{
    (void)context;
    obv__store_relaxed(&computed->watched, (uint8_t)1);
    if (obv__flags(computed) & OBV__FOREIGN) {
        /* Looked at anew, for the loop of the new watcher. */
        obv__store_relaxed(&computed->more->inbound_sets, UINT64_MAX);
    }
}

void obv__computed_unwatched(struct obv__computed *computed)
{
    struct obv_object *object = computed->object;
    struct obv__lock *stripe = obv__lock_stripe(object);
    obv__lock_enter(stripe);
    if (!has_watcher(obv__node(object), computed->slot)) {
        obv__store_relaxed(&computed->watched, (uint8_t)0);
    }
    obv__lock_leave(stripe);
}

void obv__computed_watched(const struct obv_class *cls,
                           struct obv_detail_node *node, uint32_t slot)
{
    if (slot == OBV__SLOT_EVERY) {
        obv__each_computed(cls, node, note_watched, NULL);
    } else if (obv__slot_is_computed(cls, slot)) {
        struct obv__computed *computed = obv__computed_in(node, slot);
        if (computed) {
            note_watched(NULL, computed);
        }
    }
}

enum obv__waits obv__computed_waits(const struct obv__computed *computed,
                                    const void *now)
{
    const struct obv_property *property = computed->property;
    uint32_t state = obv__first_state(computed);
    bool holds_objects = property->kind == OBV_KIND_object ||
                         (property->custom && property->custom->child_of);
    bool held = false, is_own = false;
    if (!holds_objects) {
        return OBV__WAITS_WITH_OBJECT;
    }
    const void *first = state == OBV__FIRST_IS_NOW ? now
                        : state == OBV__FIRST_KEPT
                            ? obv__first_borrow(computed, &is_own)
                            : NULL;
    struct obv_object *object =
        first ? obv__value_object(property, first, &held) : NULL;
    obv__first_return(computed, is_own);
    if (held) {
        obv__class_of(object)->release(object);
    }
    return object || (!first && state != OBV__FIRST_UNKNOWN)
               ? OBV__WAITS_WITH_OBJECT
           : first ? OBV__WAITS_WITH_NIL
                   : OBV__WAITS_UNKNOWN;
}

/* Values kept -------------------------------------------------------------- */

bool obv__raw_keep(struct obv_context *context,
                   const struct obv_property *property, const void *value,
                   union obv__raw *raw)
{
    void *place = raw;
    if (property->size > sizeof *raw) {
        place = raw->far = obv__context_allocate(context, property->size);
    }
    if (place) {
        memcpy(place, value, property->size);
    }
    return place != NULL;
}

/* Only bytes, which own nothing, lie far. */
void obv__raw_drop(struct obv_context *context,
                   const struct obv_property *property, union obv__raw *raw)
{
    if (property->size > sizeof *raw) {
        obv__context_free(context, raw->far, property->size);
    } else {
        obv__value_disown(context, property, raw);
    }
}

const void *obv__first_borrow(const struct obv__computed *computed,
                              bool *is_own)
{
    struct obv__computed_more *more = computed->more;
    uint8_t own = OBV__FIRST_IS_OWN;
    *is_own = more && obv__cas_acq_rel(&more->has_first, &own,
                                       (uint8_t)OBV__FIRST_IS_LENT);
    return more && (*is_own || own == OBV__FIRST_IS_LENT)
               ? obv__raw_value(computed->property, &more->first)
               : NULL;
}

void obv__first_return(const struct obv__computed *computed, bool is_own)
{
    if (is_own) {
        obv__store_release(&computed->more->has_first,
                           (uint8_t)OBV__FIRST_IS_OWN);
    }
}

bool obv__first_take(struct obv__computed *computed, union obv__raw *first)
{
    struct obv__computed_more *more = obv__load_acquire(&computed->more);
    uint8_t own = OBV__FIRST_IS_OWN;
    bool is_there = more && obv__cas_acq_rel(&more->has_first, &own,
                                             (uint8_t)OBV__FIRST_IS_LENT);
    if (is_there) {
        *first = more->first;
        obv__store_release(&more->has_first, (uint8_t)OBV__FIRST_IS_NONE);
    }
    return is_there;
}

/* Edges -------------------------------------------------------------------- */

static struct obv__hub *hub_in(const uintptr_t *head)
{
    struct obv__watcher *w = obv__first(head);
    while (w && !obv__is_edge(w)) {
        w = obv__next(w);
    }
    return (struct obv__hub *)(void *)w;
}

/* NULL: no memory, or the object is at its end. */
static struct obv__hub *make_hub(struct obv_object *object, uint32_t slot)
{
    const struct obv_class *cls = obv__class_of(object);
    struct obv__hub *hub = (struct obv__hub *)(void *)obv__watcher_allocate(
        cls->context, sizeof *hub, OBV__BINDING | OBV__IS_EDGE);
    if (!hub) {
        return NULL;
    }
    hub->watcher.state = OBV__SLOW;
    if (obv__slot_is_any_thread(cls, slot)) {
        hub->watcher.type |= OBV__AT_ANY_THREAD;
        hub->inbound =
            slot <= OBV__SLOT_LAST ? obv__inbound_of(object, slot) : NULL;
        hub->version =
            hub->inbound ? obv__load_acquire(&hub->inbound->version) : 0;
    }
    if (obv__hang(object, slot, &hub->watcher) != OBV_OK) {
        obv__context_free(cls->context, hub, sizeof *hub);
        return NULL;
    }
    /* Makes an all-pending stamp stale: the slot has to tell from now on. */
    obv__advance_registration_epoch();
    return hub;
}

static bool prepare_stored(struct obv_object *object, uint32_t slot)
{
    return !obv__object_is_ending(object) && obv__node_ensure(object) &&
           obv__list_prepare(object, obv__class_of(object), slot) &&
           (!(obv__class_of(object)->flags & OBV_ANY_THREAD) ||
            obv__inbound_prepare(object, slot));
}

/* Whether edges of several owners may hang in a slot: any thread may set its
   property, or, for `*`, one of all. */
static bool may_be_shared(const struct obv_class *cls, uint32_t slot)
{
    return slot <= OBV__SLOT_LAST ? obv__slot_is_any_thread(cls, slot)
                                  : (cls->flags & OBV_ANY_THREAD) != 0;
}

struct obv__source obv__source_enter(struct obv__thread *self,
                                     struct obv_object *object, uint32_t slot,
                                     const struct obv__computed *reader)
{
    struct obv__source source = {.address = 0};
    struct obv__computed *computed = NULL;
    struct obv__hub *hub = NULL;
    bool is_computed = obv__slot_is_computed(obv__class_of(object), slot);
    bool is_stored = !is_computed && prepare_stored(object, slot);
    if (is_computed) {
        computed = obv__computed_make(object, slot);
    }
    source.is_alone = !reader || obv__reads_shared(reader) ||
                      (is_stored && may_be_shared(obv__class_of(object), slot));
    obv__graph_enter_as(self, source.is_alone);
    if (is_stored) {
        uintptr_t *head = obv__list(obv__node(object), slot);
        hub = hub_in(head);
        hub = hub ? hub : make_hub(object, slot);
        source.address = (uintptr_t)head;
    }
    if (hub) {
        source.list = &hub->edges;
        source.is_foreign = (hub->watcher.type & OBV__AT_ANY_THREAD) != 0;
    } else if (computed && !(computed->flags & OBV__ENDED)) {
        source.address = (uintptr_t)computed | OBV__SOURCE_COMPUTED;
        source.list = &computed->readers;
        source.is_foreign = (computed->flags & OBV__FOREIGN) != 0;
    } else {
        source.address = 0;
        source.is_short = !obv__object_is_ending(object);
    }
    return source;
}

const struct obv__hub *obv__source_hub(uintptr_t source)
{
    source &= ~OBV__SOURCE_BITS;
    return source ? hub_in((const uintptr_t *)source) : NULL;
}

struct obv_object *obv__source_object(uintptr_t source, uint32_t *slot)
{
    const struct obv__hub *hub = obv__source_hub(source);
    *slot = hub ? hub->watcher.slot : OBV__SLOT_NONE;
    return hub ? (struct obv_object *)obv__load_relaxed(&hub->watcher.place)
               : NULL;
}

void obv__edge_hang(struct obv__edge *edge, const struct obv__source *source)
{
    obv__store_relaxed(&edge->source, source->address);
    edge->place = source->list;
    edge->next_there = *source->list;
    if (edge->next_there) {
        edge->next_there->place = &edge->next_there;
    }
    obv__pause_point("an edge is hung");
    *source->list = edge;
}

struct obv__edge *obv__edge_make(struct obv__computed *reader,
                                 const struct obv__source *source)
{
    struct obv__edge *edge = &reader->own;
    if (edge->reader && edge->next_there != edge) {
        edge =
            obv__context_allocate(obv__computed_context(reader), sizeof *edge);
    }
    if (edge) {
        edge->reader = reader;
        edge->next = NULL;
        obv__edge_hang(edge, source);
    }
    return edge;
}

static void put_in_place(struct obv__edge *edge, const struct obv__edge *of)
{
    edge->source = of->source;
    edge->next_there = of->next_there;
    edge->place = of->place;
    *edge->place = edge;
    if (edge->next_there) {
        edge->next_there->place = &edge->next_there;
    }
}

void obv__edges_swap(struct obv__edge *a, struct obv__edge *b)
{
    const struct obv__edge before = *a;
    put_in_place(a, b);
    put_in_place(b, &before);
}

/* Takes a hub that has no edge any more out of its slot. If the end of the
   object has taken the hub out meanwhile, that end retires it. */
static void end_hub(struct obv_context *context, uintptr_t address)
{
    struct obv__hub *hub =
        hub_in((const uintptr_t *)(address & ~OBV__SOURCE_BITS));
    uintptr_t place = hub ? obv__load_relaxed(&hub->watcher.place) : 0;
    if (place == 0 || hub->edges) {
        return;
    }
    struct obv__lock *stripe = obv__lock_stripe((const void *)place);
    obv__lock_enter(stripe);
    bool is_there = obv__load_relaxed(&hub->watcher.place) == place;
    if (is_there) {
        (void)obv__unlink_locked(&hub->watcher);
        obv__store_release(&hub->watcher.place, (uintptr_t)0);
    }
    obv__lock_leave(stripe);
    if (is_there) {
        obv__watcher_retire(context, &hub->watcher);
    }
}

/* True also for a reader that is not FOREIGN, if memory was short, or the edge
   is of `*`. */
bool obv__edge_is_shared(const struct obv__edge *edge)
{
    uintptr_t source = obv__edge_source(edge);
    if (source == 0 || (source & OBV__SOURCE_COMPUTED)) {
        return false;
    }
    const struct obv__hub *hub = obv__source_hub(source);
    uintptr_t place = hub ? obv__load_relaxed(&hub->watcher.place) : 0;
    /* Taken out already: the end of the object is about to come in, alone. */
    return place == 0 ||
           may_be_shared(obv__class_of((const struct obv_object *)place),
                         hub->watcher.slot);
}

static void unhang(struct obv__edge *edge)
{
    uintptr_t source = obv__edge_source(edge);
    if (source == 0) {
        return;
    }
    obv__store_relaxed(&edge->source, (uintptr_t)0);
    struct obv__edge **place = edge->place;
    obv__pause_point("an edge is taken away");
    *place = edge->next_there;
    if (edge->next_there) {
        edge->next_there->place = edge->place;
    } else if (!(source & OBV__SOURCE_COMPUTED)) {
        end_hub(obv__computed_context(edge->reader), source);
    }
}

void obv__edge_unhang(struct obv__edge *edge)
{
    struct obv__thread *self = obv__thread_self();
    if (OBV__UNLIKELY(self->in_graph && obv__edge_is_shared(edge))) {
        obv__graph_leave(self);
        obv__graph_enter_alone(self);
        unhang(edge);
        obv__graph_leave_alone();
        obv__graph_enter(self);
    } else {
        unhang(edge);
    }
}

/* An edge is retired, since a walk of its reader may stand on it. A record's
   own edge can be hung again at once. */
void obv__edge_end(struct obv__edge *edge)
{
    const struct obv__computed *reader = edge->reader;
    obv__edge_unhang(edge);
    if (edge == &reader->own) {
        edge->next_there = edge;
    } else {
        obv__retire(&obv__computed_context(reader)->retired, &edge->retired,
                    OBV__RETIRED_EDGE);
    }
}

void obv__edges_orphan(struct obv__edge **list)
{
    while (*list) {
        struct obv__edge *edge = *list;
        *list = edge->next_there;
        obv__store_relaxed(&edge->source, (uintptr_t)0);
    }
}

void obv__sources_end(struct obv__computed *computed)
{
    struct obv__edge *edge = computed->sources;
    computed->sources = NULL;
    while (edge) {
        struct obv__edge *next = edge->next;
        obv__edge_end(edge);
        edge = next;
    }
}

/* The end ------------------------------------------------------------------ */

void obv__each_computed(
    const struct obv_class *cls, struct obv_detail_node *node,
    void (*visit)(void *context, struct obv__computed *computed), void *context)
{
    for (uint32_t i = 0; i < obv__slots_by_now(cls); i++) {
        struct obv__computed *computed =
            obv__slot_is_computed(cls, i) ? obv__computed_in(node, i) : NULL;
        if (computed) {
            visit(context, computed);
        }
    }
}

static void retire(void *context, struct obv__computed *computed)
{
    (void)context;
    obv__retire(&computed->context->retired, &computed->own.retired,
                OBV__RETIRED_COMPUTED);
}

void obv__computed_retire(const struct obv_class *cls,
                          struct obv_detail_node *node)
{
    obv__each_computed(cls, node, retire, cls->context);
}

void obv__computed_free(struct obv_context *context, struct obv__retired *block)
{
    struct obv__computed *computed =
        (struct obv__computed *)(void *)((char *)block -
                                         offsetof(struct obv__computed,
                                                  own.retired));
    if (computed->more) {
        obv__context_free(context, computed->more, sizeof *computed->more);
    }
    obv__context_free(context, computed, sizeof *computed);
}

void obv__edge_free(struct obv_context *context, struct obv__retired *block)
{
    struct obv__edge *edge =
        (struct obv__edge *)(void *)((char *)block -
                                     offsetof(struct obv__edge, retired));
    obv__context_free(context, edge, sizeof *edge);
}
