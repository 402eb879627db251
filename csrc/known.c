/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of values that any thread may set.
 */
#include "known.h"

#include "platform/pause_point.h"
#include "value.h"

#include <string.h>

/* The values that a comparison takes for one have one number. */
static void make_alike(const struct obv_property *property, uint64_t *scalar)
{
    double number;
    if (property->kind != OBV_KIND_f64) {
        return;
    }
    memcpy(&number, scalar, sizeof number);
    if (number != number) {
        *scalar = UINT64_MAX; /* a NaN as well */
    } else if (number == 0) {
        *scalar = 0;
    }
}

static uint64_t stamp_of(struct obv_object *object,
                         const struct obv_property *property)
{
    uint64_t scalar = 0;
    if (property->custom) {
        return property->custom->stamp(property, object);
    }
    (void)obv__property_stored(object, property, &scalar);
    make_alike(property, &scalar);
    return scalar;
}

/* By odd factors, so that no change of one property alone leaves the sum. */
static uint64_t stamp_of_all(struct obv_object *object,
                             const struct obv_class *cls)
{
    uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < cls->property_count; i++) {
        if (cls->properties[i]->flags & OBV_ANY_THREAD) {
            sum += factor * stamp_of(object, cls->properties[i]);
        }
        factor += 2;
    }
    return sum;
}

static uint64_t stamp_at(const struct obv__watcher *binding,
                         struct obv_object *object)
{
    const struct obv_class *cls = obv__class_of(object);
    return binding->slot == OBV__SLOT_EVERY
               ? stamp_of_all(object, cls)
               : stamp_of(object, cls->properties[binding->slot]);
}

void obv__known_note(struct obv__watcher *binding, struct obv_object *object)
{
    uint64_t stored = stamp_at(binding, object);
    while (!obv__has_state(binding, OBV__KNOWN) ||
           obv__load_seq_cst(&binding->with.known) != stored) {
        /* Seq_cst, an exchange: who writes after us has us before its second
           look at the value, and finds there what we have found. */
        (void)obv__exchange_seq_cst(&binding->with.known, stored);
        obv__fetch_or_acq_rel(&binding->state, OBV__KNOWN);
        obv__pause_point("known: noted");
        stored = stamp_at(binding, object);
    }
}

bool obv__known_is_stored(const struct obv__watcher *binding,
                          struct obv_object *object)
{
    return obv__has_state(binding, OBV__KNOWN) &&
           stamp_at(binding, object) == obv__load_seq_cst(&binding->with.known);
}

const void *obv__known_value(const struct obv__watcher *binding,
                             const struct obv_object *object, uint64_t *room)
{
    if (binding->slot == OBV__SLOT_EVERY ||
        obv__class_of(object)->properties[binding->slot]->custom) {
        return NULL;
    }
    *room = obv__load_seq_cst(&binding->with.known);
    return room;
}
