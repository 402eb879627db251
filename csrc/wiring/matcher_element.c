/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The elements `#n`, `n` and `&h`, which containers alone have. Each hangs at a
 * cell, whose only property it is.
 */
#include "model/container.h"
#include "wiring/matcher.h"

static uint32_t element_slot(const struct obv_element *element,
                             const struct obv_class *cls)
{
    return cls->is_cell ? 0
           : cls->container && cls->container->elements->has(element)
               ? OBV__SLOT_ELEMENT
               : OBV__NO_SLOT;
}

static bool element_declared(const struct obv_element *element,
                             const struct obv_class *cls,
                             struct obv_class **behind)
{
    bool has = element_slot(element, cls) != OBV__NO_SLOT;
    *behind = has ? obv__class_behind(cls->container->cells, 0) : NULL;
    return has;
}

const struct obv__matcher obv__matcher_element = {.slot = element_slot,
                                                  .declared = element_declared};
const struct obv__matcher obv__matcher_occurrence = {
    .slot = element_slot, .declared = element_declared, .is_bound_once = true};
