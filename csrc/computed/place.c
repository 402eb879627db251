/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places: the walk along a path to the property that it ends at, and the copy of
 * what stands there.
 */
#include "computed/place.h"

#include "computed/evaluation.h"
#include "model/computed.h"
#include "model/context.h"
#include "model/copy.h"
#include "model/node.h"
#include "model/value.h"
#include "path/path.h"
#include "wiring/matcher.h"

#include <string.h>

/* Walking ----------------------------------------------------------------- */

/* The place moves on to an object, which comes with a reference or gets one: it
   lives whatever code of the program runs. An object that cannot be held is at
   its end and counts as NULL; one without hooks is the caller's to keep. */
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

/* The purposes of a walk. */
enum purpose { TO_CHANGE, TO_READ, TO_CHECK };

static bool is_missing(const struct obv_element *element, uint32_t slot)
{
    return element->kind != OBV_ELEMENT_COMPONENT && slot == OBV__NO_SLOT;
}

/* A recorded read (<observable/detail.h>): of an element, there or not, that of
   its container's content. Views are read by the binding's own getters, and a
   constant container with the property that holds it. */
static void tell_read(const struct obv_place *place,
                      const struct obv_element *element, uint32_t slot)
{
    if (!OBV__UNLIKELY(obv_detail_is_reading()) ||
        obv__matcher_is_view(element)) {
        return;
    }
    if (obv__class_of(place->object)->container) {
        if (!obv__is_kept_here(place->object)) {
            obv_detail_read_content(obv__container(place->object));
        }
    } else if (slot <= OBV__SLOT_LAST) {
        obv_detail_read_property(place->object, slot);
    }
}

/* Walks over one element in the middle. If the path does not go on, that is an
   error TO_CHANGE; TO_READ and TO_CHECK it leads nowhere (KP-11). TO_CHECK does
   not look behind a view, an element that leads to several, or an invalid
   computed property. */
static enum obv_status walk(struct obv_place *place,
                            const struct obv_element *element,
                            enum purpose purpose, struct obv_error *error)
{
    const struct obv_class *cls = obv__class_of(place->object);
    struct obv_object *next = NULL;
    bool held = false;
    uint8_t said = 0;
    bool is_view = obv__matcher_is_view(element);
    if (obv__matcher_misfits(element, cls)) {
        return obv__fail_misfit(cls, error);
    }
    uint32_t slot = slot_at(place, element);
    bool lacks = is_missing(element, slot);
    bool is_property = slot <= OBV__SLOT_LAST;
    bool leads_on = !lacks && (!is_property || is_view ||
                               obv__slot_may_hold_object(cls, slot));
    if (!leads_on && purpose == TO_CHANGE) {
        return obv__fail(error, OBV_E_UNKNOWN,
                         lacks ? "an object on the way has no such property"
                               : "a property on the way can hold no object");
    }
    bool is_valid = !is_property || obv__slot_is_valid(place->object, slot);
    if (purpose == TO_READ && (leads_on || cls->container)) {
        tell_read(place, element, slot);
    }
    if (leads_on && (purpose != TO_CHECK ||
                     (slot != OBV__NO_SLOT && !obv__matcher_is_many(element) &&
                      !is_view && is_valid))) {
        if (OBV__UNLIKELY(!is_valid)) {
            (void)obv__compute(place->object, slot);
        }
        next = obv__matcher_child(element, place->object,
                                  (struct obv__child){slot, 0}, &held, &said);
    }
    if ((said & OBV__CHILD_IS_SHORT) && purpose != TO_CHECK) {
        return obv__fail_as(error, OBV_E_MEMORY);
    }
    move_to(place, next, held);
    if (place->object &&
        obv__class_of(place->object)->context != cls->context) {
        move_to(place, NULL, false);
    }
    return OBV_OK;
}

/* Walks to the object that has the last of `count` elements; `place` comes
   cleared. */
static enum obv_status go(struct obv_place *place, struct obv_object *root,
                          const struct obv_path *path, size_t count,
                          enum purpose purpose, struct obv_error *error)
{
    const struct obv_element *elements = path->elements;
    enum obv_status status = OBV_OK;
    place->object = root;
    for (size_t i = 0; status == OBV_OK && place->object && i + 1 < count;
         i++) {
        status = walk(place, &elements[i], purpose, error);
    }
    return status;
}

enum obv_status obv__check_elements(struct obv_object *root,
                                    const struct obv_element *elements,
                                    size_t count, struct obv_error *error)
{
    struct obv_place place = {.object = root};
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && place.object && i < count; i++) {
        const struct obv_class *cls = obv__class_of(place.object);
        status =
            obv__matcher_misfits(&elements[i], cls)
                ? obv__fail_misfit(cls, error)
            : elements[i].kind == OBV_ELEMENT_OCCURRENCE &&
                    elements[i].number >= obv__container(place.object)->count
                ? obv__fail_as(error, OBV_E_PAST_END)
            : i + 1 < count ? walk(&place, &elements[i], TO_CHECK, error)
                            : OBV_OK;
    }
    obv_place_leave(&place);
    return status;
}

/* An element that stands for many properties is no place. */
static enum obv_status check_is_one(const struct obv_path *path,
                                    struct obv_error *error)
{
    const struct obv_element *elements = path->elements;
    for (size_t i = 0; i < path->count; i++) {
        if (elements[i].kind == OBV_ELEMENT_ANY) {
            return obv__fail(error, OBV_E_KIND,
                             "`*` is many properties, not one");
        }
    }
    return OBV_OK;
}

static enum obv_status go_and_arrive(struct obv_place *place,
                                     struct obv_object *root,
                                     const struct obv_path *path, size_t count,
                                     struct obv_error *error)
{
    memset(place, 0, sizeof *place);
    enum obv_status status = obv__check_object(root, error);
    if (status == OBV_OK) {
        status = go(place, root, path, count, TO_CHANGE, error);
    }
    if (status == OBV_OK && place->object) {
        place->property = slot_at(place, &path->elements[count - 1]);
        if (place->property > OBV__SLOT_LAST) {
            status =
                obv__fail(error, OBV_E_UNKNOWN,
                          "the object there has no such observable property");
        } else {
            place->line = obv__property_at(place->object, place->property);
        }
    }
    if (status != OBV_OK) {
        move_to(place, NULL, false);
    }
    return status;
}

/* A place is one property of one object. */
enum obv_status obv_place_find(struct obv_object *root,
                               const struct obv_path *path,
                               struct obv_place *place, struct obv_error *error)
{
    size_t count = path->count;
    const struct obv_element *last = &path->elements[count - 1];
    enum obv_status status =
        obv__element_is_of_container(last->kind)
            ? obv__fail(error, OBV_E_KIND,
                        "an element of a container is told by its edit")
        : obv__matcher_is_view(last)
            ? obv__fail(error, OBV_E_KIND,
                        "the path ends inside a property's value")
            : check_is_one(path, error);
    memset(place, 0, sizeof *place);
    return status == OBV_OK ? go_and_arrive(place, root, path, count, error)
                            : status;
}

bool obv__place_find_property(struct obv_object *root,
                              const struct obv_path *path,
                              struct obv_place *place)
{
    size_t count = path->count;
    while (count > 1 && obv__matcher_is_view(&path->elements[count - 1])) {
        count--;
    }
    return go_and_arrive(place, root, path, count, NULL) == OBV_OK &&
           place->object;
}

void obv_place_leave(struct obv_place *place)
{
    if (place->held) {
        place->held = false;
        obv__class_of(place->object)->release(place->object);
    }
}

/* Reading ----------------------------------------------------------------- */

/* A copy of what the element stands for on the object there. */
static enum obv_status copy_leaf(struct obv_place *place,
                                 const struct obv_element *element,
                                 struct obv_value *value,
                                 struct obv_error *error)
{
    const struct obv_class *cls = obv__class_of(place->object);
    struct obv_context *context = cls->context;
    if (obv__matcher_misfits(element, cls)) {
        return obv__fail_misfit(cls, error);
    }
    uint32_t slot = slot_at(place, element);
    if (is_missing(element, slot)) {
        tell_read(place, element, slot);
        return OBV_OK;
    }
    if (!obv__slot_is_valid(place->object, slot)) {
        enum obv_status status = obv__compute(place->object, slot);
        if (status != OBV_OK) {
            return obv__fail_as(error, status);
        }
    }
    tell_read(place, element, slot);
    return obv__matcher_copy(element, context, place->object, slot, NULL, value)
               ? OBV_OK
               : obv__fail_as(error, OBV_E_MEMORY);
}

enum obv_status obv_value_at_compiled(struct obv_object *root,
                                      const struct obv_path *path,
                                      struct obv_value *value,
                                      struct obv_error *error)
{
    const struct obv_element *first = path->elements;
    size_t count = path->count;
    struct obv_place place = {.object = NULL};
    struct obv_value copy = {.kind = OBV_KIND_unreachable};
    enum obv_status status = obv__check_object(root, error);
    if (status == OBV_OK) {
        status = check_is_one(path, error);
    }
    /* KP-12, except that a read has an answer: a first element that the root's
       class lacks is refused. */
    if (status == OBV_OK && !obv__matcher_misfits(first, obv__class_of(root)) &&
        is_missing(first, obv__slot_on(first, root))) {
        status = obv__fail(error, OBV_E_UNKNOWN,
                           "the root's class has no such observable property");
    }
    if (status == OBV_OK) {
        status = go(&place, root, path, count, TO_READ, error);
    }
    if (status == OBV_OK && place.object) {
        status = copy_leaf(&place, &first[count - 1], &copy, error);
    }
    obv_place_leave(&place);
    if (status == OBV_OK) {
        *value = copy;
    }
    return status;
}

enum obv_status obv_value_at(struct obv_object *root, const char *text,
                             struct obv_value *value, struct obv_error *error)
{
    struct obv_path *path;
    if (!text || !value) {
        return obv__fail(error, OBV_E_ARGUMENT, "path or value is null");
    }
    enum obv_status status = obv__check_object(root, error);
    if (status == OBV_OK) {
        status = obv__path_cache_find(&obv__class_of(root)->context->recent,
                                      text, &path, error);
    }
    if (status == OBV_OK) {
        status = obv_value_at_compiled(root, path, value, error);
        obv_path_destroy(path);
    }
    return status;
}

void obv_value_deinit(struct obv_context *context, struct obv_value *value)
{
    context = obv__context_or_default(context);
    if (context && value) {
        obv__value_drop(context, value);
    }
}
