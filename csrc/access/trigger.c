/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manual triggers: the value is stored already, past the setter; what is left
 * of an edit is the comparison (here) and phases 2 to 6 (edit.c). These follow
 * paths as they are wired, so the object that was there before is not asked
 * for.
 */
#include "edit/edit.h"
#include "model/computed.h"
#include "model/node.h"
#include "dispatch/trace.h"
#include "model/value.h"
#include "computed/place.h"
#include "wiring/class_watch.h"

#include <observable/trigger.h>

/* Whether anybody is to be told; reads no value. */
static bool is_watched(const struct obv_object *object, uint32_t index)
{
    /* Seq_cst, before all other loads, as in obv_detail_look(): either this
       finds the registration epoch raised, and the loads below find the
       watcher; or the thread that raises it later reads the value stored before
       this call. */
    (void)obv__registration_epoch();
    struct obv_detail_node *node = obv__node(object);
    const struct obv_detail_slot *slot =
        node ? obv__slot_to_tell(node, index) : NULL;
    return slot && obv__load_acquire(&slot->head) != 0;
}

/* The property was written past its setter; the object lives. `old` NULL: the
   value before is not known, so this is a change. */
static void trigger(struct obv_object *object, uint32_t index, const void *old,
                    const void *value)
{
    const struct obv_property *property = obv__property_at(object, index);
    if (property->flags & OBV_ANY_THREAD) {
        /* The program's store, of whatever order, comes before is_watched(). */
        obv__fence_seq_cst();
    }
    if (!is_watched(object, index) &&
        !(OBV__UNLIKELY(obv__class_subscriptions_exist()) &&
          obv__class_subscriptions_await(object, index))) {
        if (obv__is_traced()) {
            obv__trace_set(object, index, false);
        }
        return;
    }
    if (value && !obv__property_has(object, property, property, value)) {
        const struct obv_diagnostic diagnostic = {
            .kind = OBV_DIAGNOSTIC_TRIGGER,
            .text = "a trigger names another new value than is stored",
            .path = property->name};
        obv__diagnose(obv__class_of(object)->context, &diagnostic);
    }
    const struct obv_detail_set set = {
        .old = old,
        .is_same = old && obv__property_has(object, property, property, old)};
    obv__edit_set(object, index, &set);
}

enum obv_status obv_trigger(struct obv_object *object, uint32_t property,
                            const void *old, const void *value)
{
    enum obv_status status = obv__check_object(object, NULL);
    if (status != OBV_OK) {
        return status;
    }
    if (!obv__property_in(obv__class_of(object), property)) {
        return OBV_E_UNKNOWN;
    }
    if (!old && !obv__class_of(object)->is_foreign) {
        return OBV_E_ARGUMENT;
    }
    if (obv__slot_is_computed(obv__class_of(object), property)) {
        return OBV_E_KIND;
    }
    trigger(object, property, old, value);
    return OBV_OK;
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
    enum obv_status status = obv__check_object(root, error);
    if (status == OBV_OK) {
        status = obv__path_cache_find(&obv__class_of(root)->context->recent,
                                      text, &path, error);
    }
    if (status != OBV_OK) {
        return status;
    }
    status = obv_place_find(root, path, &place, error);
    obv_path_destroy(path);
    if (status == OBV_OK && place.object && place.line->computed) {
        status = obv__fail(error, OBV_E_KIND,
                           "a computed property is invalidated, not triggered");
        obv_place_leave(&place);
    } else if (status == OBV_OK && place.object) {
        trigger(place.object, place.property, old, value);
        obv_place_leave(&place);
    }
    return status;
}
