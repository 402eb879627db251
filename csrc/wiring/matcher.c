/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The meaning of each kind of element on a container.
 */
#include "wiring/matcher.h"

#include "model/computed.h"
#include "model/context.h"
#include "model/copy.h"
#include "model/node.h"
#include "model/value.h"

/* Slots ------------------------------------------------------------------- */

/* `#n`, `n`, `&h` and keys hang at a cell, whose only property they are. */
static uint32_t slot_in_container(const struct obv_element *element,
                                  const struct obv_class *cls)
{
    const struct obv__container_class *container = cls->container;
    return cls->is_cell ? 0
           : container && container->elements->has(container->kind, element)
               ? OBV__SLOT_ELEMENT
               : OBV__NO_SLOT;
}

/* `count` is on a model the property of that name. */
uint32_t obv__slot_on_class(const struct obv_element *element,
                            const struct obv_class *cls)
{
    if (obv__matcher_is_name(element) &&
        (!cls->container || element->kind == OBV_ELEMENT_COUNT)) {
        int32_t index =
            element->name ? obv__class_find(cls, element->name) : -1;
        return index < 0 ? OBV__NO_SLOT : (uint32_t)index;
    }
    return element->kind == OBV_ELEMENT_ANY ? OBV__SLOT_EVERY
           : element->kind == OBV_ELEMENT_COMPONENT
               ? obv__component_slot(element, cls)
               : slot_in_container(element, cls);
}

bool obv__matcher_declared(const struct obv_element *element,
                           const struct obv_class *cls,
                           struct obv_class **behind)
{
    if (element->kind == OBV_ELEMENT_ANY ||
        element->kind == OBV_ELEMENT_COMPONENT) {
        return true;
    }
    uint32_t slot = obv__slot_on_class(element, cls);
    if (slot != OBV__NO_SLOT) {
        *behind = slot == OBV__SLOT_ELEMENT
                      ? obv__class_behind(cls->container->cells, 0)
                      : obv__class_behind(cls, slot);
    }
    return slot != OBV__NO_SLOT;
}

bool obv__matcher_misfits(const struct obv_element *element,
                          const struct obv_class *cls)
{
    if (obv__element_is_of_container(element->kind)) {
        return !cls->container ||
               !cls->container->elements->has(cls->container->kind, element);
    }
    return element->kind == OBV_ELEMENT_NAME && cls->container &&
           obv__slot_on_class(element, cls) == OBV__NO_SLOT;
}

enum obv_status obv__fail_misfit(const struct obv_class *cls,
                                 struct obv_error *error)
{
    return obv__fail(
        error, OBV_E_KIND,
        cls->container
            ? cls->container->elements->words
            : "an object has properties: neither positions nor members");
}

/* The element `*` on a model: every property, inherited ones included, but
   nothing below their values (WC-1). It hangs in the list that is told of every
   edit, so it reads no property that it need not follow; when an object is
   replaced the properties of the two are compared by name. */

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

static bool model_has(struct obv_object *container, uint64_t key)
{
    const struct obv_class *cls = obv__class_of(container);
    int32_t found =
        key <= UINT32_MAX ? obv__class_find(cls, (uint32_t)key) : -1;
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

static struct obv_object *model_object(struct obv_object *container,
                                       struct obv__child child, bool *held)
{
    return obv__slot_child(container, child.slot, held);
}

static const struct obv__each of_model = {.next = model_next,
                                          .has = model_has,
                                          .object = model_object,
                                          .differs = model_differs};

/* On a container the elements answer, and on a cell the members with a hash. */
static const struct obv__each *each_of(const struct obv_class *cls)
{
    return cls->each ? cls->each : &of_model;
}

/* Children ---------------------------------------------------------------- */

static struct obv_object *read_child(const struct obv_element *element,
                                     struct obv_object *container,
                                     struct obv__child child, bool *held)
{
    uint32_t slot = child.slot;
    if (OBV__UNLIKELY(slot == OBV__SLOT_ELEMENT) && child.key == 0) {
        /* Of `n` what stands there now. */
        const struct obv__container_class *cls =
            obv__class_of(container)->container;
        const void *field =
            obv__may_hold_object(&cls->element)
                ? cls->elements->find(obv__container(container), element)
                : NULL;
        return field ? obv__value_object(&cls->element, field, held) : NULL;
    }
    return element->kind == OBV_ELEMENT_COMPONENT
               ? obv__component_read(element, container, slot, held)
           : obv__matcher_is_many(element)
               ? each_of(obv__class_of(container))
                     ->object(container, child, held)
               : obv__slot_child(container, slot, held);
}

void obv_detail_report_value(void)
{
    obv__thread_self()->child_said |= OBV__CHILD_IS_VALUE;
}

void obv_detail_report_no_memory(void)
{
    obv__thread_self()->child_said |= OBV__CHILD_IS_SHORT;
}

struct obv_object *obv__matcher_child(const struct obv_element *element,
                                      struct obv_object *container,
                                      struct obv__child of, bool *held,
                                      uint8_t *said)
{
    struct obv__thread *self = obv__thread_self();
    uint8_t outer_said = self->child_said;
    self->child_said = 0;
    *held = false;
    struct obv_object *child = read_child(element, container, of, held);
    *said = child ? 0 : self->child_said;
    self->child_said = outer_said;
    return child;
}

struct obv__children obv__children_of(const struct obv_element *element,
                                      struct obv_object *container,
                                      uint32_t slot, enum obv__which which)
{
    bool is_many = obv__matcher_is_many(element);
    return (struct obv__children){
        .each = is_many && container ? each_of(obv__class_of(container)) : NULL,
        .container = container,
        .which = which,
        .is_begun = is_many,
        .child = {is_many ? OBV__NO_SLOT : slot, 0}};
}

bool obv__children_have(const struct obv__children *children, uint64_t key)
{
    return children->each && children->each->has(children->container, key);
}

bool obv__children_next(struct obv__children *children)
{
    if (children->each) {
        return children->each->next(children->container, children->which,
                                    &children->child, &children->out_of_memory);
    }
    bool is_first = !children->is_begun;
    children->is_begun = true;
    return is_first;
}

struct obv__child obv__child_in(const struct obv_element *element,
                                const struct obv_class *cls, uint32_t slot)
{
    return (struct obv__child){slot, obv__matcher_is_many(element)
                                         ? obv__property_name(cls, slot)
                                         : 0};
}

/* Values ------------------------------------------------------------------ */

/* Whether what is behind a hash differs between two cells. */
static bool members_differ(struct obv_object *before, struct obv_object *after,
                           const struct obv__edited *edited)
{
    const struct obv__elements_kind *kind = obv__elements_kind(before);
    return edited || kind != obv__elements_kind(after) ||
           !obv__elements_alike(before, after) ||
           !kind->behind_are_equal(obv__cell(before), obv__cell(after));
}

bool obv__matcher_differs(const struct obv_element *element,
                          struct obv_object *before, uint32_t slot_before,
                          struct obv_object *after, uint32_t slot_after,
                          const struct obv__edited *edited)
{
    const struct obv__each *each = each_of(obv__class_of(before));
    switch (element->kind) {
    case OBV_ELEMENT_ANY:
        return each != each_of(obv__class_of(after)) ||
               each->differs(before, after, edited);
    case OBV_ELEMENT_MEMBER:
        return members_differ(before, after, edited);
    case OBV_ELEMENT_COMPONENT:
        return obv__component_differs(element, before, slot_before, after,
                                      slot_after, edited);
    default:
        return obv__slots_differ(before, slot_before, after, slot_after,
                                 edited);
    }
}

bool obv__matcher_copy(const struct obv_element *element,
                       struct obv_context *context,
                       struct obv_object *container, uint32_t slot,
                       const void *value, struct obv_value *copy)
{
    if (slot != OBV__SLOT_ELEMENT) {
        return element->kind == OBV_ELEMENT_COMPONENT
                   ? obv__component_copy(element, context, container, slot,
                                         value, copy)
                   : obv__slot_copy(context, container, slot, value, copy);
    }
    const struct obv__container_class *cls =
        obv__class_of(container)->container;
    const void *field = cls->elements->find(obv__container(container), element);
    return obv__value_copy(context, container, &cls->element,
                           field ? field : &obv__missing, copy);
}
