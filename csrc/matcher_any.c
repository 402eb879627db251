/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The element `*` at the end of a path: every property of a model, inherited
 * ones included, but nothing below their values (WC-1). It hangs in the list
 * that is told of every edit, so it reads no property until an object is
 * replaced; then the properties of the two are compared by name.
 */
#include "matcher.h"

#include "node.h"
#include "value.h"

static uint32_t any_slot(const struct obv_element *element,
                         const struct obv_class *cls)
{
    (void)element;
    (void)cls;
    return OBV__SLOT_EVERY;
}

/* Whether `other` has the property, with an equal value. */
static bool has_equal(struct obv_object *object, const struct obv_class *cls,
                      uint32_t index, struct obv_object *other,
                      const struct obv_class *other_class)
{
    int32_t found =
        obv__class_find(other_class, obv__property_name(cls, index));
    return found >= 0 &&
           obv__property_equal(object, cls->properties[index], other,
                               other_class->properties[found]);
}

static bool any_differs(const struct obv_element *element,
                        struct obv_object *before, struct obv_object *after)
{
    (void)element;
    const struct obv_class *class_before = obv__class_of(before);
    const struct obv_class *class_after = obv__class_of(after);
    bool same = class_before->property_count == class_after->property_count;
    for (uint32_t i = 0; same && i < class_before->property_count; i++) {
        same = has_equal(before, class_before, i, after, class_after);
    }
    return !same;
}

static bool any_declared(const struct obv_element *element,
                         const struct obv_class *cls, struct obv_class **behind)
{
    (void)element;
    (void)cls;
    *behind = NULL;
    return true;
}

const struct obv__matcher obv__matcher_any = {.slot = any_slot,
                                              .child = NULL,
                                              .differs = any_differs,
                                              .declared = any_declared};
