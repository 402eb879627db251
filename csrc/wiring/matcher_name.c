/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The element `name`: one property of a model, or the key of a dictionary.
 * `count` is on a model the property of that name.
 */
#include "wiring/matcher.h"

#include "model/node.h"
#include "model/value.h"

static uint32_t name_slot(const struct obv_element *element,
                          const struct obv_class *cls)
{
    if (OBV__UNLIKELY(cls->container != NULL) &&
        element->kind == OBV_ELEMENT_NAME) {
        return obv__slot_of_element(element, cls);
    }
    int32_t index = element->name ? obv__class_find(cls, element->name) : -1;
    return index < 0 ? OBV__NO_SLOT : (uint32_t)index;
}

static bool name_declared(const struct obv_element *element,
                          const struct obv_class *cls,
                          struct obv_class **behind)
{
    uint32_t index = name_slot(element, cls);
    if (index == OBV__NO_SLOT) {
        return false;
    }
    if (index == OBV__SLOT_ELEMENT) {
        *behind = obv__class_behind(cls->container->cells, 0);
        return true;
    }
    *behind = obv__class_behind(cls, index);
    return true;
}

const struct obv__matcher obv__matcher_name = {.slot = name_slot,
                                               .declared = name_declared};
