/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The elements `#n` and `n`: what stands at a position of a container, also where
 * nothing does yet; and what stood there when the path was bound, wherever it
 * stands now. Each hangs at a cell, whose only property is the element.
 */
#include "model/container.h"
#include "model/copy.h"
#include "model/value.h"
#include "wiring/matcher.h"

static uint32_t position_slot(const struct obv_element *element,
                              const struct obv_class *cls)
{
    (void)element;
    return cls->is_cell ? 0 : cls->container ? OBV__SLOT_NONE : OBV__NO_SLOT;
}

static struct obv__aim element_place(const struct obv_element *element,
                                     struct obv_object *container,
                                     struct obv_object *at, bool make)
{
    return obv__elements_kind(container)->place(
        element, obv__container(container), at, make);
}

/* The element's property, of a container or a cell. */
static const struct obv_property *line_on(const struct obv_object *object)
{
    return &obv__class_of(object)->container->element;
}

/* Where the element lies; NULL: there is none. Of a container: what stands at
   the position that is written, which of `n` is where it begins. */
static const void *field_of(const struct obv_element *element,
                            const struct obv_object *object)
{
    const struct obv__elements_kind *kind = obv__elements_kind(object);
    return obv__is_cell(object) ? kind->field(obv__cell(object))
                                : kind->find(obv__container(object), element);
}

static struct obv_object *position_child(const struct obv_element *element,
                                         struct obv_object *object,
                                         uint32_t slot, bool *held)
{
    struct obv_object *const *field = field_of(element, object);
    (void)slot;
    *held = false;
    return field && line_on(object)->kind == OBV_KIND_object ? *field : NULL;
}

/* Of two cells. */
static bool position_differs(const struct obv_element *element,
                             struct obv_object *before,
                             struct obv_object *after,
                             const struct obv__edited *edited)
{
    (void)element;
    return obv__slots_differ(before, 0, after, 0, edited);
}

static bool position_copy(const struct obv_element *element,
                          struct obv_context *context,
                          struct obv_object *object, uint32_t slot,
                          const void *value, struct obv_value *copy)
{
    const void *field = value ? value : field_of(element, object);
    (void)slot;
    return obv__value_copy(context, object, line_on(object),
                           field ? field : &obv__missing, copy);
}

static bool position_reaches(const struct obv_element *element,
                             struct obv_object *object)
{
    return field_of(element, object) != NULL;
}

static bool position_declared(const struct obv_element *element,
                              const struct obv_class *cls,
                              struct obv_class **behind)
{
    (void)element;
    *behind =
        cls->container ? obv__class_behind(cls->container->cells, 0) : NULL;
    return cls->container != NULL;
}

#define ANSWERS                                                                \
    .slot = position_slot, .child = position_child,                            \
    .differs = position_differs, .copy = position_copy,                        \
    .reaches = position_reaches, .declared = position_declared

const struct obv__matcher obv__matcher_position = {ANSWERS,
                                                   .place = element_place};
const struct obv__matcher obv__matcher_occurrence = {
    ANSWERS, .place = element_place, .is_bound_once = true};
