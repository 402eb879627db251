/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that no object here can have: positions, occurrences and members.
 * They hold no slot, so a path that gets to one wires nothing there (KP-11).
 */
#include "wiring/matcher.h"

static uint32_t none_slot(const struct obv_element *element,
                          const struct obv_class *cls)
{
    (void)element;
    (void)cls;
    return OBV__NO_SLOT;
}

static struct obv_object *none_child(const struct obv_element *element,
                                     struct obv_object *container,
                                     uint32_t slot, bool *held)
{
    (void)element;
    (void)container;
    (void)slot;
    *held = false;
    return NULL;
}

static bool none_differs(const struct obv_element *element,
                         struct obv_object *before, struct obv_object *after,
                         const struct obv__edited *edited)
{
    (void)element;
    (void)before;
    (void)after;
    (void)edited;
    return false;
}

static bool none_copy(const struct obv_element *element,
                      struct obv_context *context, struct obv_object *container,
                      uint32_t slot, const void *value, struct obv_value *copy)
{
    (void)element;
    (void)context;
    (void)container;
    (void)slot;
    (void)value;
    *copy = (struct obv_value){.kind = OBV_KIND_unreachable};
    return true;
}

static bool none_declared(const struct obv_element *element,
                          const struct obv_class *cls,
                          struct obv_class **behind)
{
    (void)element;
    (void)cls;
    *behind = NULL;
    return false;
}

const struct obv__matcher obv__matcher_none = {.slot = none_slot,
                                               .child = none_child,
                                               .differs = none_differs,
                                               .copy = none_copy,
                                               .declared = none_declared};
