/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The elements `#n`, `n` and `&h`, and keys that are no texts, which containers
 * alone have. Each hangs at a cell, whose only property it is.
 */
#include "model/children.h"
#include "wiring/matcher.h"

uint32_t obv__slot_of_element(const struct obv_element *element,
                              const struct obv_class *cls)
{
    const struct obv__container_class *container = cls->container;
    return cls->is_cell ? 0
           : container && container->elements->has(container->kind, element)
               ? OBV__SLOT_ELEMENT
               : OBV__NO_SLOT;
}

static bool element_declared(const struct obv_element *element,
                             const struct obv_class *cls,
                             struct obv_class **behind)
{
    bool has = obv__slot_of_element(element, cls) != OBV__NO_SLOT;
    *behind = has ? obv__class_behind(cls->container->cells, 0) : NULL;
    return has;
}

/* The members with a hash, which hang at its cell. */
static const struct obv__each *members_each(const struct obv_class *cls)
{
    return cls->is_cell ? cls->each : NULL;
}

static struct obv_object *member_child(const struct obv_element *element,
                                       struct obv_object *cell, uint32_t slot,
                                       bool *held)
{
    (void)element;
    return obv__class_of(cell)->each->object(cell, slot, held);
}

/* Of two cells. */
static bool members_differ(const struct obv_element *element,
                           struct obv_object *before, struct obv_object *after,
                           const struct obv__edited *edited)
{
    const struct obv__elements_kind *kind = obv__elements_kind(before);
    (void)element;
    return edited || kind != obv__elements_kind(after) ||
           !obv__elements_alike(before, after) ||
           !kind->behind_are_equal(obv__cell(before), obv__cell(after));
}

const struct obv__matcher obv__matcher_member = {.slot = obv__slot_of_element,
                                                 .child = member_child,
                                                 .each = members_each,
                                                 .differs = members_differ,
                                                 .declared = element_declared};
const struct obv__matcher obv__matcher_element = {.slot = obv__slot_of_element,
                                                  .declared = element_declared};
const struct obv__matcher obv__matcher_occurrence = {
    .slot = obv__slot_of_element,
    .declared = element_declared,
    .is_bound_once = true};
