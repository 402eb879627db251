/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manual triggers: the value is stored already, past the setter; what is left
 * of an edit is the comparison (here) and phases 2 to 6 (edit.c). They go by
 * what is wired, so nothing here knows which object was there before.
 *
 * And places: the walk along a path to the property that it ends at, or to its
 * value.
 */
#include "class_level.h"
#include "edit.h"
#include "matcher.h"
#include "node.h"
#include "trigger.h"
#include "value.h"

#include <observable/component.h>
#include <observable/trigger.h>

#include <string.h>

/* Triggers ---------------------------------------------------------------- */

/* Whether anybody is to be told; reads no value. */
static bool is_watched(const struct obv_object *object, uint32_t index)
{
    /* Seq_cst, first of all, as in obv_detail_look(): either this finds the
       moment raised, and what follows finds the watcher; or who raises it later
       reads the value that was stored before this. */
    (void)obv__moment();
    struct obv_detail_node *node = obv__node(object);
    const struct obv_detail_slot *slot =
        node ? obv_detail_slot_of(node, index) : NULL;
    return slot && obv__load_acquire(&slot->head) != 0;
}

/* Where class-level observations exist. What begins to follow the object only now
   is wired through the value before, as far as that can be known. */
OBV__NOINLINE void obv_detail_met_stored(struct obv_object *object,
                                         uint32_t index,
                                         const struct obv_detail_set *set)
{
    const struct obv_class *cls = obv__class_of(object);
    struct obv__thread *self = obv__thread_self();
    struct obv__due due;
    obv__section_enter(self);
    obv__due_init(&due, self, cls->context);
    /* Wiring may meet the change before its edit does: what the slot held. */
    due.edited = object;
    due.slot = index;
    due.old = set->old;
    bool all = obv__class_levels_meet(object, index, set->is_same, &due);
    bool held = obv__object_hold(object);
    const struct obv_detail_node *node = obv__node(object);
    if (set->is_same) {
        obv__edit_set(object, index, set);
        obv__due_deliver(&due);
    } else {
        obv__edit_with(object, index, set, &due);
    }
    /* Nothing may hold it; without a node nobody was called. */
    bool is_there =
        held || (!cls->retain && !(node && obv__node_is_ending(node)));
    if (!all && is_there) {
        obv__class_levels_met_late(object, index, set->is_same);
    }
    if (held) {
        cls->release(object);
    }
    obv__section_leave(self);
}

void obv__trigger(struct obv_object *object, uint32_t index, const void *old,
                  const void *value)
{
    const struct obv_class *cls = obv__class_of(object);
    const struct obv_property *property = cls->properties[index];
    if (property->flags & OBV_ANY_THREAD) {
        /* However the program has stored: before the look for watchers. */
        obv__fence_seq_cst();
    }
    bool is_first = OBV__UNLIKELY(obv__class_levels_exist()) &&
                    obv__class_levels_await(object, index);
    if (!is_first && !is_watched(object, index)) {
        return;
    }
    if (value && !obv__property_has(object, property, property, value)) {
        obv__diagnose(cls->context, OBV_DIAGNOSTIC_TRIGGER,
                      "a trigger names another new value than is stored",
                      property->name, NULL);
    }
    const struct obv_detail_set set = {
        .old = old,
        .is_same = old && obv__property_has(object, property, property, old)};
    if (is_first) {
        obv_detail_met_stored(object, index, &set);
    } else if (!set.is_same) {
        obv__edit_by_hand(object, index, old);
    } else {
        obv__edit_set(object, index, &set);
    }
}

static enum obv_status check_object(const struct obv_object *object,
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

enum obv_status obv_trigger(struct obv_object *object, uint32_t property,
                            const void *old, const void *value)
{
    enum obv_status status = check_object(object, NULL);
    if (status != OBV_OK) {
        return status;
    }
    if (property >= obv__class_of(object)->property_count) {
        return OBV_E_UNKNOWN;
    }
    if (!old) {
        return OBV_E_ARGUMENT;
    }
    obv__trigger(object, property, old, value);
    return OBV_OK;
}

/* Places ------------------------------------------------------------------ */

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
        status = check_object(root, error);
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

bool obv__path_value(struct obv_object *root, const struct obv_path *path,
                     struct obv_value *value)
{
    const struct obv_element *element = obv_path_elements(path);
    const struct obv_element *last = element + obv_path_count(path) - 1;
    struct obv_place place = {.object = root};
    enum obv_status status = OBV_OK;
    *value = (struct obv_value){.kind = OBV_KIND_unreachable};
    for (; status == OBV_OK && place.object && element < last; element++) {
        status = walk(&place, element, NULL);
    }
    bool good = status != OBV_E_MEMORY;
    if (status == OBV_OK && place.object) {
        struct obv_context *context = obv__class_of(place.object)->context;
        uint32_t slot = slot_at(&place, last);
        good = slot == OBV__NO_SLOT ||
               obv__matcher(last)->copy(last, context, place.object, slot, NULL,
                                        value);
    }
    obv_place_leave(&place);
    return good;
}

void obv_place_leave(struct obv_place *place)
{
    if (place->held) {
        place->held = false;
        obv__class_of(place->object)->release(place->object);
    }
}

enum obv_status obv_trigger_path(struct obv_object *root, const char *text,
                                 const void *old, const void *value,
                                 struct obv_error *error)
{
    struct obv_path *path;
    struct obv_place place;
    if (!text || !old) {
        return obv__fail(error, OBV_E_ARGUMENT, "path or old value is null");
    }
    enum obv_status status = check_object(root, error);
    if (status == OBV_OK) {
        status = obv_path_find(obv__class_of(root)->context->names, text,
                               strlen(text), &path, error);
    }
    if (status != OBV_OK) {
        return status;
    }
    status = obv_place_find(root, path, &place, error);
    obv_path_destroy(path);
    if (status == OBV_OK && place.object) {
        obv__trigger(place.object, place.property, old, value);
        obv_place_leave(&place);
    }
    return status;
}
