/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Last-notified values of properties that any thread may set.
 */
#include "wiring/last_notified.h"

#include "model/slot.h"
#include "platform/pause_point.h"

#include <string.h>

/* Values that the kind takes for one have one number (EQ-6). */
static uint64_t alike(const struct obv_property *property, uint64_t scalar)
{
    if (property->equal) {
        return scalar;
    }
    switch (property->kind) {
#define FLOATING_ALIKE(kind_name, type)                                        \
    case OBV_KIND_##kind_name: {                                               \
        type number;                                                           \
        memcpy(&number, &scalar, sizeof number);                               \
        return number != number ? UINT64_MAX : number == 0 ? 0 : scalar;       \
    }
        OBV_FLOATING_KINDS(FLOATING_ALIKE)
#undef FLOATING_ALIKE
    default:
        return scalar;
    }
}

bool obv__last_notified_alike(const struct obv_property *property, uint64_t a,
                              uint64_t b)
{
    return alike(property, a) == alike(property, b);
}

static uint64_t stamp_of(struct obv_object *object,
                         const struct obv_property *property)
{
    uint64_t scalar = 0;
    if (property->custom) {
        return property->custom->stamp(property, object);
    }
    obv__must_live(object);
    (void)obv__property_stored(object, property, &scalar);
    return scalar;
}

/* By odd factors, so that no change of one property alone leaves the sum. */
static uint64_t stamp_of_all(struct obv_object *object,
                             const struct obv_class *cls)
{
    uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < cls->property_count; i++) {
        const struct obv_property *property = obv__property_in(cls, i);
        if (property->flags & OBV_ANY_THREAD) {
            sum += factor * alike(property, stamp_of(object, property));
        }
        factor += 2;
    }
    return sum;
}

static uint64_t stamp_at(const struct obv__watcher *binding,
                         struct obv_object *object)
{
    return binding->slot == OBV__SLOT_EVERY
               ? stamp_of_all(object, obv__class_of(object))
               : stamp_of(object, obv__property_at(object, binding->slot));
}

void obv__last_notified_update(struct obv__watcher *binding,
                               struct obv_object *object)
{
    uint64_t stored = stamp_at(binding, object);
    while (!obv__has_state(binding, OBV__HAS_LAST_NOTIFIED) ||
           obv__load_seq_cst(&binding->with.last_notified) != stored) {
        /* Seq_cst, an exchange: who writes after us has us before its second
           look at the value, and finds there what we have found. */
        (void)obv__exchange_seq_cst(&binding->with.last_notified, stored);
        obv__fetch_or_acq_rel(&binding->state, OBV__HAS_LAST_NOTIFIED);
        obv__pause_point("last notified: updated");
        stored = stamp_at(binding, object);
    }
}

bool obv__last_notified_is_stored(const struct obv__watcher *binding,
                                  struct obv_object *object)
{
    uint64_t stored = stamp_at(binding, object);
    uint64_t last_notified = obv__load_seq_cst(&binding->with.last_notified);
    if (binding->slot != OBV__SLOT_EVERY && stored != last_notified) {
        const struct obv_property *property =
            obv__property_at(object, binding->slot);
        stored = alike(property, stored);
        last_notified = alike(property, last_notified);
    }
    return obv__has_state(binding, OBV__HAS_LAST_NOTIFIED) &&
           stored == last_notified;
}

const void *obv__last_notified_value(const struct obv__watcher *binding,
                                     const struct obv_object *object,
                                     uint64_t *room)
{
    if (binding->slot == OBV__SLOT_EVERY ||
        obv__property_at(object, binding->slot)->custom) {
        return NULL;
    }
    *room = obv__load_seq_cst(&binding->with.last_notified);
    return room;
}
