/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of matchers, by kind of element.
 */
#include "wiring/matcher.h"

#include "model/computed.h"
#include "model/context.h"
#include "model/copy.h"
#include "model/node.h"
#include "model/value.h"

/* Kind of element, its matcher: obv__matcher_..., in matcher_....c. */
#define MATCHERS(X)                                                            \
    X(OBV_ELEMENT_ANY, any)                                                    \
    X(OBV_ELEMENT_NAME, name)                                                  \
    X(OBV_ELEMENT_COUNT, name)                                                 \
    X(OBV_ELEMENT_POSITION, element)                                           \
    X(OBV_ELEMENT_OCCURRENCE, occurrence)                                      \
    X(OBV_ELEMENT_MEMBER, member)                                              \
    X(OBV_ELEMENT_COMPONENT, component)                                        \
    X(OBV_ELEMENT_KEY, element)

#define DECLARE(kind, matcher)                                                 \
    extern const struct obv__matcher obv__matcher_##matcher;
MATCHERS(DECLARE)

#define ENTRY(kind, matcher) [kind] = &obv__matcher_##matcher,
static const struct obv__matcher *const matchers[OBV_ELEMENT_KEY + 1] = {
    MATCHERS(ENTRY)};

void obv__element_by_name(struct obv_context *context,
                          struct obv_element *element, uint32_t name)
{
    bool is_count = name == obv__names_find(context->names, "count", 5);
    element->kind = is_count ? OBV_ELEMENT_COUNT : OBV_ELEMENT_NAME;
    element->name = name;
    element->number = 0;
}

const struct obv__matcher *obv__matcher(const struct obv_element *element)
{
    return matchers[element->kind]; /* a path has no other kinds */
}

bool obv__matcher_misfits(const struct obv_element *element,
                          const struct obv_class *cls)
{
    if (obv__element_is_of_container(element->kind)) {
        return !cls->container ||
               !cls->container->elements->has(cls->container->kind, element);
    }
    return element->kind == OBV_ELEMENT_NAME && cls->container &&
           obv__matcher(element)->slot(element, cls) == OBV__NO_SLOT;
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

/* The object that stands for an element of a container, or NULL: of `n` what
   stands there now. */
static struct obv_object *element_of(const struct obv_element *element,
                                     const struct obv_object *container,
                                     bool *held)
{
    const struct obv__container_class *cls =
        obv__class_of(container)->container;
    const void *field =
        obv__may_hold_object(&cls->element)
            ? cls->elements->find(obv__container(container), element)
            : NULL;
    return field ? obv__value_object(&cls->element, field, held) : NULL;
}

struct obv_object *obv__matcher_read(const struct obv_element *element,
                                     struct obv_object *container,
                                     uint32_t slot, bool *held)
{
    const struct obv__matcher *matcher = obv__matcher(element);
    *held = false;
    return slot == OBV__SLOT_ELEMENT ? element_of(element, container, held)
           : matcher->child ? matcher->child(element, container, slot, held)
                            : obv__slot_child(container, slot, held);
}

bool obv__matcher_copy(const struct obv_element *element,
                       struct obv_context *context,
                       struct obv_object *container, uint32_t slot,
                       const void *value, struct obv_value *copy)
{
    const struct obv__matcher *matcher = obv__matcher(element);
    if (slot != OBV__SLOT_ELEMENT) {
        return matcher->copy
                   ? matcher->copy(element, context, container, slot, value,
                                   copy)
                   : obv__slot_copy(context, container, slot, value, copy);
    }
    const struct obv__container_class *cls =
        obv__class_of(container)->container;
    const void *field = cls->elements->find(obv__container(container), element);
    return obv__value_copy(context, container, &cls->element,
                           field ? field : &obv__missing, copy);
}

struct obv_object *obv__matcher_child(const struct obv_element *element,
                                      struct obv_object *container,
                                      uint32_t slot, bool *held,
                                      bool *out_of_memory)
{
    struct obv__thread *self = obv__thread_self();
    uint8_t outer_said = self->child_said;
    self->child_said = 0;
    struct obv_object *child =
        obv__matcher_read(element, container, slot, held);
    *out_of_memory = !child && (self->child_said & OBV__CHILD_IS_SHORT);
    self->child_said = outer_said;
    return child;
}

struct obv__children obv__children_of(const struct obv_element *element,
                                      struct obv_object *container,
                                      uint32_t slot, enum obv__which which)
{
    const struct obv__matcher *matcher = obv__matcher(element);
    bool is_many = matcher->each != NULL;
    return (struct obv__children){
        .each = is_many && container ? matcher->each(obv__class_of(container))
                                     : NULL,
        .container = container,
        .which = which,
        .is_begun = is_many,
        .child = {is_many ? OBV__NO_SLOT : slot, 0}};
}

bool obv__children_have(const struct obv__children *children, uint32_t key)
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

uint32_t obv__slot_on(const struct obv_element *element,
                      const struct obv_object *container)
{
    return obv__matcher(element)->slot(element, obv__class_of(container));
}
