/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The element `#n`: what stands at a position of a container, also where nothing
 * does yet. It hangs at the cell of the position, whose only property it is.
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

static struct obv_object *position_place(const struct obv_element *element,
                                         struct obv_object *container,
                                         bool make, uint32_t *slot)
{
    struct obv_container *of = obv__container(container);
    size_t position = (size_t)element->number;
    struct obv__cell *cell = make ? obv__cell_make_locked(of, position)
                                  : obv__cell_find_locked(of, position);
    *slot = 0;
    return cell ? &cell->object : NULL;
}

/* The element's property, of a container or a cell. */
static const struct obv_property *line_on(const struct obv_object *object)
{
    return &obv__class_of(object)->container->element;
}

/* Where the element lies; NULL: there is none. */
static const void *field_of_position(const struct obv_element *element,
                                     const struct obv_object *object)
{
    return obv__element(obv__container(object), (size_t)element->number);
}

static struct obv_object *position_child(const struct obv_element *element,
                                         struct obv_object *object,
                                         uint32_t slot, bool *held)
{
    struct obv_object *const *field = field_of_position(element, object);
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
    const void *field = value ? value : field_of_position(element, object);
    (void)slot;
    return obv__value_copy(context, object, line_on(object),
                           field ? field : &obv__missing, copy);
}

static bool position_reaches(const struct obv_element *element,
                             struct obv_object *object)
{
    return field_of_position(element, object) != NULL;
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

const struct obv__matcher obv__matcher_position = {.slot = position_slot,
                                                   .place = position_place,
                                                   .child = position_child,
                                                   .differs = position_differs,
                                                   .copy = position_copy,
                                                   .reaches = position_reaches,
                                                   .declared =
                                                       position_declared};
