/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The element that a language binding supplies: a property whose name is not
 * known before an object shows it, or a view into a property's value.
 *
 * The meaning of a component on a class is asked once and remembered, so that
 * it can be looked at under a lock: for the first classes in words of the
 * component, one each, for further ones in a list of the class. Nothing is
 * forgotten between learning it and hanging a path node by it (wiring.c, W1),
 * but where memory is short: then a class gives way to the next, and is asked
 * about again.
 */
#include "model/context.h"
#include "model/node.h"
#include "wiring/matcher.h"

#include <observable/computed.h>

/* A remembered class: its number in the high half, in the low one the slot,
   with KNOWN set; 0 is none. */
#define KNOWN     ((uint64_t)1 << 31)
#define NOT_THERE ((uint32_t)65535)
/* Instead of the slot: the class has nothing of the kind, unless by name. */
#define LACKING    ((uint32_t)1 << 30)
#define KNOWN_MASK (KNOWN - 1)

static uint64_t word_of(const struct obv_class *cls, uint32_t slot)
{
    return (uint64_t)cls->number << 32 | KNOWN | slot;
}

/* The word about a class, or 0. */
static uint64_t known_of(const struct obv_component *component,
                         const struct obv_class *cls)
{
    for (size_t i = 0; i < sizeof component->known / sizeof(uint64_t); i++) {
        /* Relaxed: one word says all, and the class is known already. */
        uint64_t word = obv__load_relaxed(&component->known[i]);
        if (word != 0 && word >> 32 == cls->number) {
            return word;
        }
    }
    /* Acquire, pairs with remember(): the entry is whole. */
    for (const struct obv__learned *at = obv__load_acquire(&cls->learned); at;
         at = at->next) {
        if (at->component == component) {
            return word_of(cls, at->slot);
        }
    }
    return 0;
}

static void remember(struct obv_component *component, struct obv_class *cls,
                     uint32_t slot)
{
    uint64_t word = word_of(cls, slot);
    size_t count = sizeof component->known / sizeof(uint64_t);
    if (known_of(component, cls) != 0) {
        return; /* another thread was faster; of two at once both may stay */
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t none = 0;
        if (obv__cas_acq_rel(&component->known[i], &none, word)) {
            return;
        }
    }
    struct obv__learned *entry =
        obv__context_allocate(cls->context, sizeof *entry);
    if (!entry) {
        obv__store_relaxed(&component->known[cls->number % count], word);
        return;
    }
    struct obv__learned *first = obv__load_acquire(&cls->learned);
    entry->component = component;
    entry->slot = slot;
    do {
        entry->next = first;
        /* Release publishes it. */
    } while (!obv__cas_acq_rel(&cls->learned, &first, entry));
}

/* A plain one is what its name is, also on a class that nobody has shown it:
   so that it can be compared with names (KP-19). */
uint32_t obv__component_slot(const struct obv_element *element,
                             const struct obv_class *cls)
{
    uint64_t word = known_of(obv__component_in(element), cls);
    uint32_t slot = (uint32_t)(word & KNOWN_MASK);
    if (word == 0 || slot == LACKING) {
        uint32_t name = obv__element_name(element);
        int32_t found = name ? obv__class_find(cls, name) : -1;
        return found < 0 ? OBV__NO_SLOT : (uint32_t)found;
    }
    return slot == NOT_THERE ? OBV__NO_SLOT : slot;
}

static bool is_property(const struct obv_component *component, uint32_t slot)
{
    return component->plain && slot <= OBV__SLOT_LAST;
}

struct obv_object *obv__component_read(const struct obv_element *element,
                                       struct obv_object *container,
                                       uint32_t slot, bool *held)
{
    const struct obv_component *component = obv__component_in(element);
    if (is_property(component, slot)) {
        return obv__slot_child(container, slot, held);
    }
    struct obv_object *child = component->kind->child(component, container);
    *held = child != NULL;
    return child;
}

bool obv__component_differs(const struct obv_element *element,
                            struct obv_object *before, uint32_t slot_before,
                            struct obv_object *after, uint32_t slot_after,
                            const struct obv__edited *edited)
{
    const struct obv_component *component = obv__component_in(element);
    if (is_property(component, slot_before) &&
        is_property(component, slot_after)) {
        return obv__slots_differ(before, slot_before, after, slot_after,
                                 edited);
    }
    /* Nobody knows what a view has read in a value that was stored over. */
    return (edited && edited->slot == slot_before) ||
           component->kind->differs(component, before, after);
}

/* A former value of the property that a component reads, as its views know it:
   of a boxed one what is in the box. NULL: there is none. */
static const void *seen_by_views(const struct obv_element *element,
                                 const struct obv_object *container,
                                 const void *value)
{
    const struct obv_class *cls = obv__class_of(container);
    const struct obv_property *property =
        value ? obv__property_in(cls, obv__component_slot(element, cls)) : NULL;
    return property && obv__keeps_boxes(property)
               ? property->computed->kept->value(
                     *(struct obv_boxed *const *)value)
               : value;
}

bool obv__component_copy(const struct obv_element *element,
                         struct obv_context *context,
                         struct obv_object *container, uint32_t slot,
                         const void *value, struct obv_value *copy)
{
    const struct obv_component *component = obv__component_in(element);
    if (is_property(component, slot)) {
        return obv__slot_copy(context, container, slot, value, copy);
    }
    struct obv_boxed *box = NULL;
    bool good =
        !component->kind->copy ||
        component->kind->copy(component, container,
                              seen_by_views(element, container, value), &box);
    *copy = (struct obv_value){.kind = box ? OBV_KIND_custom
                                           : OBV_KIND_unreachable};
    if (box) {
        copy->as.custom = box;
    }
    return good;
}

bool obv__view_reaches(const struct obv_element *element,
                       struct obv_object *container)
{
    const struct obv_component *component = obv__component_in(element);
    return !component->kind->reaches ||
           component->kind->reaches(component, container);
}

bool obv__view_is_changed(const struct obv_element *element,
                          struct obv_object *container, const void *old,
                          const void *now)
{
    const struct obv_component *component = obv__component_in(element);
    old = seen_by_views(element, container, old);
    return !old || !component->kind->changed ||
           component->kind->changed(component, container, old, now);
}

/* Learning ---------------------------------------------------------------- */

bool obv__component_must_learn(const struct obv_element *element,
                               const struct obv_class *cls)
{
    return known_of(obv__component_in(element), cls) == 0;
}

void obv__matcher_learn(const struct obv_element *element,
                        struct obv_object *object)
{
    struct obv_component *component = obv__component_in(element);
    struct obv_class *cls = obv__class_of(object);
    uint32_t property = 0;
    enum obv_component_place place =
        component->kind->resolve(component, object, &property);
    uint32_t slot =
        place == OBV_COMPONENT_CONSTANT  ? OBV__SLOT_NONE
        : place == OBV_COMPONENT_LACKING ? LACKING
        : place == OBV_COMPONENT_PROPERTY && obv__property_in(cls, property)
            ? property
            : NOT_THERE;
    if (is_property(component, slot) &&
        obv__property_name(cls, slot) != OBV_NAME_NONE) {
        obv__store_release(&component->name, obv__property_name(cls, slot));
    }
    remember(component, cls, slot);
}

bool obv__component_is_unknown(const struct obv_element *element,
                               const struct obv_class *cls)
{
    return (known_of(obv__component_in(element), cls) & KNOWN_MASK) ==
           NOT_THERE;
}

struct obv_element obv_component_resolve(struct obv_context *context,
                                         struct obv_component *component,
                                         struct obv_object *object)
{
    struct obv_element element = obv_component_element(component);
    const struct obv_class *cls = obv__class_or_null(object);
    if (cls && cls->context != context) {
        cls = NULL;
    }
    if (cls && obv__matcher_must_learn(&element, cls)) {
        obv__matcher_learn(&element, object);
    }
    /* The object's own class counts: it may override what the component
       reads. */
    uint64_t word = cls ? known_of(component, cls) : 0;
    uint32_t slot = (uint32_t)(word & KNOWN_MASK);
    uint32_t name = word == 0 || slot == LACKING ? obv__element_name(&element)
                    : is_property(component, slot)
                        ? obv__property_name(cls, slot)
                        : OBV_NAME_NONE;
    obv__element_by_name(context->names, &element, name);
    return element;
}
