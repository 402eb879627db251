/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The element `*`: every property of a model, inherited ones included, but
 * nothing below their values (WC-1). It hangs in the list that is told of every
 * edit, so it reads no property that it need not follow; when an object is
 * replaced the properties of the two are compared by name.
 */
#include "model/computed.h"
#include "model/node.h"
#include "model/value.h"
#include "wiring/matcher.h"

static uint32_t any_slot(const struct obv_element *element,
                         const struct obv_class *cls)
{
    (void)element;
    (void)cls;
    return OBV__SLOT_EVERY;
}

/* Of a model -------------------------------------------------------------- */

static bool model_next(struct obv_object *container, enum obv__which which,
                       struct obv__child *child, bool *out_of_memory)
{
    (void)out_of_memory;
    const struct obv_class *cls = obv__class_of(container);
    uint32_t i = child->slot + 1;
    uint32_t count = obv__slots_by_now(cls);
    while (i < count &&
           !(obv__must_follow(cls, i, which == OBV__WHICH_LEAD_ON) &&
             obv__property_name(cls, i) != OBV_NAME_NONE)) {
        i++;
    }
    if (i >= count) {
        return false;
    }
    *child = (struct obv__child){i, obv__property_name(cls, i)};
    return true;
}

static bool model_has(struct obv_object *container, uint32_t key)
{
    const struct obv_class *cls = obv__class_of(container);
    int32_t found = obv__class_find(cls, key);
    return found >= 0 && obv__must_follow(cls, (uint32_t)found, true);
}

static bool model_differs(struct obv_object *before, struct obv_object *after,
                          const struct obv__edited *edited)
{
    const struct obv_class *class_before = obv__class_of(before);
    const struct obv_class *class_after = obv__class_of(after);
    bool same = class_before->property_count == class_after->property_count;
    for (uint32_t i = 0; same && i < class_before->property_count; i++) {
        if (obv__slot_is_computed(class_before, i)) {
            continue; /* takes no part (WC-6) */
        }
        int32_t found =
            obv__class_find(class_after, obv__property_name(class_before, i));
        same = found >= 0 &&
               !obv__slots_differ(before, i, after, (uint32_t)found, edited);
    }
    return !same;
}

static const struct obv__each of_model = {.next = model_next,
                                          .has = model_has,
                                          .object = obv__slot_child,
                                          .differs = model_differs};

/* Of anything ------------------------------------------------------------- */

static const struct obv__each *any_each(const struct obv_class *cls)
{
    return cls->each ? cls->each : &of_model;
}

static struct obv_object *any_child(const struct obv_element *element,
                                    struct obv_object *container, uint32_t slot,
                                    bool *held)
{
    (void)element;
    return any_each(obv__class_of(container))->object(container, slot, held);
}

static bool any_differs(const struct obv_element *element,
                        struct obv_object *before, struct obv_object *after,
                        const struct obv__edited *edited)
{
    (void)element;
    const struct obv__each *was = any_each(obv__class_of(before));
    return was != any_each(obv__class_of(after)) ||
           was->differs(before, after, edited);
}

const struct obv__matcher obv__matcher_any = {.slot = any_slot,
                                              .child = any_child,
                                              .each = any_each,
                                              .differs = any_differs};
