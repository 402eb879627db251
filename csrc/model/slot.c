/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots: their values compared, and as they are declared.
 */
#include "model/slot.h"

bool obv__slots_differ(struct obv_object *before, uint32_t slot_before,
                       struct obv_object *after, uint32_t slot_after,
                       const struct obv__edited *edited)
{
    const struct obv_property *was = obv__property_at(before, slot_before);
    const struct obv_property *is = obv__property_at(after, slot_after);
    if (!edited || edited->slot != slot_before) {
        return !obv__property_equal(before, was, after, is);
    }
    return !edited->old || !obv__property_has(after, is, was, edited->old);
}

struct obv_class *obv__class_behind(const struct obv_class *cls, uint32_t slot)
{
    const struct obv_property *property = obv__property_in(cls, slot);
    if (property->custom) {
        return property->custom->declared ? property->custom->declared(property)
                                          : NULL;
    }
    return property->type ? obv__class_named(cls->context, property->type)
                          : NULL;
}
