/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places: the walk along a path to the property that it ends at.
 */
#include "place.h"

#include "context.h"
#include "matcher.h"
#include "node.h"
#include "value.h"

#include <string.h>

enum obv_status obv__check_object(const struct obv_object *object,
                                  struct obv_error *error)
{
    if (!object) {
        return obv__fail(error, OBV_E_ARGUMENT, "the object is null");
    }
    if (obv__object_has_ended(object)) {
        return obv__fail(error, OBV_E_ENDED, "the object has ended");
    }
    return obv__class_of(object)
               ? OBV_OK
               : obv__fail(error, OBV_E_ARGUMENT, "the object has no class");
}

/* Walking ----------------------------------------------------------------- */

/* The place moves on to an object, which comes with a reference or gets one: it
   lives whatever code of the program runs. What cannot be held is at its end
   and counts as NULL; what has no hooks is the caller's to keep. */
static void move_to(struct obv_place *place, struct obv_object *object,
                    bool held)
{
    const struct obv_class *cls = object ? obv__class_of(object) : NULL;
    if (cls && !held && cls->retain) {
        held = cls->retain(object);
        object = held ? object : NULL;
    }
    obv_place_leave(place);
    place->object = object;
    place->held = held;
}

/* The slot that an element holds on the object there. */
static uint32_t slot_at(const struct obv_place *place,
                        const struct obv_element *element)
{
    if (obv__matcher_must_learn(element, obv__class_of(place->object))) {
        obv__matcher_learn(element, place->object);
    }
    return obv__slot_on(element, place->object);
}

/* One element in the middle. */
static enum obv_status walk(struct obv_place *place,
                            const struct obv_element *element,
                            struct obv_error *error)
{
    const struct obv_class *cls = obv__class_of(place->object);
    uint32_t slot = slot_at(place, element);
    bool held, is_short;
    if (element->kind != OBV_ELEMENT_COMPONENT && slot == OBV__NO_SLOT) {
        return obv__fail(error, OBV_E_UNKNOWN,
                         "an object on the way has no such property");
    }
    if (slot <= OBV__SLOT_LAST && !obv__matcher_is_view(element) &&
        !obv__may_hold_object(cls->properties[slot])) {
        return obv__fail(error, OBV_E_UNKNOWN,
                         "a property on the way can hold no object");
    }
    struct obv_object *next =
        obv__matcher_child(element, place->object, slot, &held, &is_short);
    if (is_short) {
        return obv__fail(error, OBV_E_MEMORY, obv_status_text(OBV_E_MEMORY));
    }
    move_to(place, next, held);
    if (place->object &&
        obv__class_of(place->object)->context != cls->context) {
        move_to(place, NULL, false);
    }
    return OBV_OK;
}

static enum obv_status arrive(struct obv_place *place,
                              const struct obv_element *element,
                              struct obv_error *error)
{
    place->property = slot_at(place, element);
    if (place->property > OBV__SLOT_LAST) {
        return obv__fail(error, OBV_E_UNKNOWN,
                         "the object there has no such observable property");
    }
    place->line = obv__class_of(place->object)->properties[place->property];
    return OBV_OK;
}

/* A place is one property of one object. */
static enum obv_status check_elements(const struct obv_element *elements,
                                      size_t count, struct obv_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (elements[i].kind == OBV_ELEMENT_ANY) {
            return obv__fail(error, OBV_E_KIND,
                             "`*` is many properties, not one");
        }
        if (obv__matcher_is_of_none(&elements[i])) {
            return obv__fail(error, OBV_E_KIND,
                             "an object has properties: neither positions nor "
                             "members");
        }
    }
    if (obv__matcher_is_view(&elements[count - 1])) {
        return obv__fail(error, OBV_E_KIND,
                         "the path ends inside a property's value");
    }
    return OBV_OK;
}

enum obv_status obv_place_find(struct obv_object *root,
                               const struct obv_path *path,
                               struct obv_place *place, struct obv_error *error)
{
    const struct obv_element *elements = obv_path_elements(path);
    size_t count = obv_path_count(path);
    enum obv_status status = check_elements(elements, count, error);
    memset(place, 0, sizeof *place);
    if (status == OBV_OK) {
        status = obv__check_object(root, error);
    }
    place->object = status == OBV_OK ? root : NULL;
    for (size_t i = 0; status == OBV_OK && place->object && i < count; i++) {
        status = i + 1 < count ? walk(place, &elements[i], error)
                               : arrive(place, &elements[i], error);
    }
    if (status != OBV_OK) {
        move_to(place, NULL, false);
    }
    return status;
}

void obv_place_leave(struct obv_place *place)
{
    if (place->held) {
        place->held = false;
        obv__class_of(place->object)->release(place->object);
    }
}
