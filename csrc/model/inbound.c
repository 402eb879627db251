/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records kept for inbound edits, by object and slot.
 */
#include "model/inbound.h"

#include "model/value.h"

#include <string.h>

uint64_t obv__inbound_sets;

/* Finding and making ------------------------------------------------------- */

static struct obv__inbound *find(const struct obv_detail_node *node,
                                 uint32_t slot)
{
    const struct obv__more *more = node ? obv__more(node) : NULL;
    /* Acquire, pairs with make_one(). */
    struct obv__inbound *at = more ? obv__load_acquire(&more->inbound) : NULL;
    while (at && at->slot != slot) {
        at = at->next_of_object;
    }
    return at;
}

struct obv__inbound *obv__inbound_of(const struct obv_object *object,
                                     uint32_t slot)
{
    return find(obv__node(object), slot);
}

/* Makes the inbound edit of a slot, if there is none. Of two threads that race,
   the later one finds the other's. */
static bool make_one(struct obv_object *object, struct obv__more *more,
                     uint32_t slot)
{
    struct obv_context *context = obv__class_of(object)->context;
    struct obv__inbound *made = NULL;
    struct obv__inbound *first = obv__load_acquire(&more->inbound);
    do {
        if (find(obv__node(object), slot)) {
            obv__context_free(context, made, sizeof *made);
            return true;
        }
        made =
            made ? made : obv__context_allocate_zeroed(context, sizeof *made);
        if (!made) {
            return false;
        }
        made->next_of_object = first;
        made->object = object;
        made->property = obv__property_at(object, slot);
        made->slot = slot;
        TAILQ_INIT(&made->left.list);
        /* Release publishes it. */
    } while (!obv__cas_acq_rel(&more->inbound, &first, made));
    return true;
}

struct obv__inbound *obv__inbound_make(struct obv_object *object, uint32_t slot)
{
    struct obv__more *more = obv__more_ensure(object);
    return more && make_one(object, more, slot) ? obv__inbound_of(object, slot)
                                                : NULL;
}

bool obv__inbound_prepare(struct obv_object *object, uint32_t slot)
{
    const struct obv_class *cls = obv__class_of(object);
    uint32_t first = slot, end = slot + 1;
    if (slot == OBV__SLOT_EVERY) {
        first = 0;
        end = cls->property_count;
    }
    for (; first < end; first++) {
        if (obv__slot_is_any_thread(cls, first) &&
            !obv__inbound_make(object, first)) {
            return false;
        }
    }
    return true;
}

/* Values ------------------------------------------------------------------- */

static const struct obv_value_kind *
custom_of(const struct obv_property *property)
{
    return obv__is_read_by_binding(property) ? property->custom : NULL;
}

static union obv__told_value read_stored(const struct obv__inbound *inbound)
{
    const struct obv_property *property = inbound->property;
    const struct obv_value_kind *custom = custom_of(property);
    union obv__told_value value = {.scalar = 0};
    if (!custom) {
        (void)obv__property_stored(inbound->object, property, &value.scalar);
    } else if (custom->copy && custom->value_of) {
        value.box = custom->copy(property, inbound->object, NULL);
    }
    return value;
}

static bool is_equal(const struct obv__inbound *inbound,
                     const union obv__told_value *a,
                     const union obv__told_value *b)
{
    const struct obv_property *property = inbound->property;
    if (!custom_of(property)) {
        return obv__value_equal(property, a, b);
    }
    return !(property->flags & OBV_ALWAYS_DIFFERENT) && a->box && b->box &&
           a->box->equal(a->box, b->box, OBV_COMPARE_DECLARED);
}

static void drop(const struct obv__inbound *inbound,
                 union obv__told_value *value)
{
    if (custom_of(inbound->property) && value->box) {
        value->box->release(value->box);
        value->box = NULL;
    }
}

static const void *value_of(const struct obv__inbound *inbound,
                            const union obv__told_value *value)
{
    const struct obv_value_kind *custom = custom_of(inbound->property);
    return !custom ? value : value->box ? custom->value_of(value->box) : NULL;
}

/* Told values -------------------------------------------------------------- */

/* Notes the stored value for a watcher that has come after the last edit. A
   scalar that equals the told one needs no note; boxes only the program
   compares. */
static void join_told(struct obv__inbound *inbound)
{
    bool is_box = custom_of(inbound->property) != NULL;
    union obv__told_value now = {.scalar = 0};
    if (inbound->joins == 0) {
        now = read_stored(inbound);
        if (is_box || now.scalar != inbound->told.scalar) {
            inbound->joined = now;
            inbound->joins = 1;
        }
    } else if (is_box) {
        inbound->joins = 2;
    }
}

static void begin_one(struct obv__inbound *inbound, bool is_edge)
{
    if (inbound->property->computed) {
        return;
    }
    if (!inbound->is_told) {
        inbound->told = read_stored(inbound);
        obv__store_release(&inbound->is_told, (uint8_t)1);
    } else if (!is_edge) {
        join_told(inbound);
    }
}

void obv__inbound_begin_locked(struct obv_object *object, uint32_t slot,
                               const struct obv__watcher *watcher)
{
    const struct obv__more *more = obv__more(obv__node(object));
    struct obv__inbound *at = more ? obv__load_acquire(&more->inbound) : NULL;
    if (at) {
        /* Before the value is read: a set whose value is not read here finds
           the watcher. */
        obv__advance_registration_epoch();
    }
    for (; at; at = at->next_of_object) {
        if (slot == OBV__SLOT_EVERY || at->slot == slot) {
            begin_one(at, obv__is_edge(watcher));
        }
    }
}

void obv__inbound_begin_before(struct obv_object *object, uint32_t slot,
                               const void *old)
{
    struct obv__inbound *inbound = obv__inbound_of(object, slot);
    union obv__told_value value = {.scalar = 0}, left;
    if (!inbound) {
        return;
    }
    if (!custom_of(inbound->property)) {
        memcpy(&value, old, inbound->property->size);
    } else if (inbound->property->custom->copy) {
        value.box =
            inbound->property->custom->copy(inbound->property, object, old);
    }
    struct obv__lock *stripe = obv__lock_stripe(object);
    obv__lock_enter(stripe);
    left = inbound->is_told ? inbound->told : value;
    inbound->told = inbound->is_told ? value : inbound->told;
    obv__lock_leave(stripe);
    drop(inbound, &left);
}

void obv__inbound_name(const struct obv__watcher *watcher, uint32_t loop)
{
    const struct obv_object *object =
        (const struct obv_object *)obv__load_relaxed(&watcher->place);
    const struct obv__more *more = obv__more(obv__node(object));
    struct obv__inbound *at = more ? obv__load_acquire(&more->inbound) : NULL;
    for (; at; at = at->next_of_object) {
        if (watcher->slot == OBV__SLOT_EVERY || at->slot == watcher->slot) {
            obv__store_relaxed(&at->loop, loop);
        }
    }
}

bool obv__inbound_is_told(const struct obv_detail_node *node, uint32_t slot)
{
    const struct obv__inbound *inbound = find(node, slot);
    return inbound && obv__load_acquire(&inbound->is_told);
}

static void take_told_locked(struct obv__inbound *inbound,
                             struct obv__inbound_change *change)
{
    change->is_known = inbound->is_told;
    change->joins = inbound->joins;
    change->old = inbound->told;
    change->joined = inbound->joined;
    inbound->told.scalar = inbound->joined.scalar = 0;
    inbound->joins = 0;
}

bool obv__inbound_forget(struct obv__inbound *inbound)
{
    struct obv_detail_node *node = obv__node(inbound->object);
    struct obv__lock *stripe = obv__lock_stripe(inbound->object);
    struct obv__inbound_change change = {.is_same = true};
    obv__lock_enter(stripe);
    bool is_so = !obv__list_is_slow(obv__list(node, inbound->slot)) &&
                 !obv__list_is_slow(obv__list(node, OBV__SLOT_EVERY));
    if (is_so && inbound->is_told) {
        take_told_locked(inbound, &change);
        obv__store_release(&inbound->is_told, (uint8_t)0);
        obv__list_refresh_locked(node, obv__class_of(inbound->object),
                                 obv__list(node, inbound->slot), inbound->slot);
    }
    obv__lock_leave(stripe);
    obv__inbound_leave(inbound, &change);
    return is_so;
}

void obv__inbound_turn(struct obv__inbound *inbound,
                       struct obv__inbound_change *change)
{
    struct obv__lock *stripe = obv__lock_stripe(inbound->object);
    obv__lock_enter(stripe);
    take_told_locked(inbound, change);
    if (change->is_known) {
        inbound->told = change->now = read_stored(inbound);
    }
    obv__lock_leave(stripe);
    change->is_same = change->is_known && change->joins < 2 &&
                      is_equal(inbound, &change->old, &change->now) &&
                      (change->joins == 0 ||
                       is_equal(inbound, &change->joined, &change->now));
}

void obv__inbound_offer(struct obv__inbound *inbound,
                        void (*each)(void *context, const void *offered,
                                     bool is_same),
                        void *context)
{
    union obv__told_value now = read_stored(inbound);
    struct obv__lock *stripe = obv__lock_stripe(inbound->object);
    obv__lock_enter(stripe);
    const union obv__told_value told = inbound->told;
    obv__lock_leave(stripe);
    each(context, value_of(inbound, &now), is_equal(inbound, &told, &now));
    drop(inbound, &now);
}

const void *obv__inbound_old(const struct obv__inbound *inbound,
                             const struct obv__inbound_change *change)
{
    if (!change->is_known) {
        return NULL;
    }
    if (change->is_same || !is_equal(inbound, &change->old, &change->now)) {
        return value_of(inbound, &change->old);
    }
    /* The value is what it was, but watchers have come while it was another. */
    return change->joins == 0 ||
                   is_equal(inbound, &change->joined, &change->now)
               ? NULL
               : value_of(inbound, &change->joined);
}

void obv__inbound_leave(const struct obv__inbound *inbound,
                        struct obv__inbound_change *change)
{
    drop(inbound, &change->old);
    drop(inbound, &change->joined);
}

const void *obv__told_last(const struct obv_object *object, uint32_t slot,
                           union obv__told_value *told)
{
    if (!object || slot > OBV__SLOT_LAST ||
        !OBV__UNLIKELY(obv__class_of(object)->flags & OBV_ANY_THREAD)) {
        return NULL;
    }
    const struct obv__inbound *inbound = obv__inbound_of(object, slot);
    if (!inbound || !obv__load_acquire(&inbound->is_told)) {
        return NULL;
    }
    struct obv__lock *stripe = obv__lock_stripe(object);
    obv__lock_enter(stripe);
    bool is_told = inbound->is_told;
    *told = inbound->told;
    obv__lock_leave(stripe);
    return is_told ? value_of(inbound, told) : NULL;
}

bool obv__told_is_lost(const struct obv_object *object, uint32_t slot)
{
    const struct obv__inbound *inbound =
        slot <= OBV__SLOT_LAST &&
                OBV__UNLIKELY(obv__class_of(object)->flags & OBV_ANY_THREAD)
            ? obv__inbound_of(object, slot)
            : NULL;
    return inbound && !obv__load_acquire(&inbound->is_told);
}

/* The end ------------------------------------------------------------------ */

void obv__inbounds_end(struct obv_detail_node *node)
{
    const struct obv__more *more = obv__more(node);
    struct obv__inbound *at = more ? obv__load_acquire(&more->inbound) : NULL;
    for (; at; at = at->next_of_object) {
        if (at->is_told) {
            obv__store_release(&at->is_told, (uint8_t)0);
            drop(at, &at->told);
            drop(at, &at->joined);
        }
    }
}

void obv__inbounds_free(struct obv_context *context, struct obv__inbound *first)
{
    while (first) {
        struct obv__inbound *next = first->next_of_object;
        obv__context_free(context, first, sizeof *first);
        first = next;
    }
}
