/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots by their numbers: what stands in one. Code that has an object, or a
 * class, and a slot asks here; the table of a class's properties is the model's
 * alone.
 *
 * No lock is held: where a property is custom its binding answers.
 */
#ifndef OBV_SLOT_H
#define OBV_SLOT_H

#include "model/copy.h"
#include "model/edited.h"
#include "model/node.h"
#include "model/value.h"

/** The flags of the property in a slot; for `*` those that any property has;
    else 0. */
static inline uint32_t obv__slot_flags(const struct obv_class *cls,
                                       uint32_t slot)
{
    return slot <= OBV__SLOT_LAST    ? obv__property_in(cls, slot)->flags
           : slot == OBV__SLOT_EVERY ? cls->flags
                                     : 0;
}

/** Whether the property in a slot is weak, or, for `*`, any property is. */
static inline bool obv__slot_is_weak(const struct obv_class *cls, uint32_t slot)
{
    return OBV__UNLIKELY(cls->flags & OBV_WEAK) &&
           (obv__slot_flags(cls, slot) & OBV_WEAK);
}

/** Whether a property's slot may hold an object. */
static inline bool obv__slot_may_hold_object(const struct obv_class *cls,
                                             uint32_t slot)
{
    return obv__may_hold_object(obv__property_in(cls, slot));
}

/** The object in a property's slot, as obv__child() has it. */
static inline struct obv_object *obv__slot_child(struct obv_object *object,
                                                 uint32_t slot, bool *held)
{
    return obv__child(object, obv__property_at(object, slot), held);
}

/** Whether two objects, which both have the slot, have different values there;
    `edited`: what was stored over in `before`, or NULL. */
bool obv__slots_differ(struct obv_object *before, uint32_t slot_before,
                       struct obv_object *after, uint32_t slot_after,
                       const struct obv__edited *edited);

/** A copy of what stands in a property's slot, as obv__value_copy() makes it. */
static inline bool obv__slot_copy(struct obv_context *context,
                                  struct obv_object *object, uint32_t slot,
                                  const void *value, struct obv_value *copy)
{
    return obv__value_copy(context, object, obv__property_at(object, slot),
                           value, copy);
}

/** The class that a property's slot is declared to hold objects of, or NULL. */
struct obv_class *obv__class_behind(const struct obv_class *cls, uint32_t slot);

#endif
