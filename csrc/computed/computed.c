/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computed properties by index: a program invalidates, or validates, one or
 * all.
 */
#include "computed/evaluation.h"
#include "dispatch/work_list.h"
#include "wiring/invalidation.h"

static enum obv_status check_property(const struct obv_object *object,
                                      uint32_t index)
{
    enum obv_status status = obv__check_object(object, NULL);
    if (status == OBV_OK && !obv__property_in(obv__class_of(object), index)) {
        status = OBV_E_UNKNOWN;
    }
    return status;
}

/* An edit that stores nothing, but marks and tells. */
struct invalidating {
    struct obv__work_list work;
    struct obv__marks marks;
    uint64_t since;
};

static void begin_invalidating(struct invalidating *invalidating,
                               const struct obv_object *object)
{
    struct obv__thread *self = obv__thread_self();
    obv__epoch_enter(self);
    invalidating->since = obv__registration_epoch();
    obv__work_list_init(&invalidating->work, self,
                        obv__class_of(object)->context);
    obv__marks_begin(&invalidating->marks, &invalidating->work);
}

static void end_invalidating(struct invalidating *invalidating)
{
    struct obv__thread *self = invalidating->work.thread;
    obv__marks_tell(&invalidating->marks, invalidating->since);
    obv__work_list_deliver(&invalidating->work);
    obv__epoch_leave(self);
}

static void mark_property(struct invalidating *invalidating,
                          const struct obv_object *object, uint32_t index)
{
    struct obv__computed *computed = obv__computed_of(object, index);
    if (computed) {
        obv__mark(&invalidating->marks, computed);
    }
}

enum obv_status obv_invalidate(struct obv_object *object, uint32_t property)
{
    struct invalidating invalidating;
    enum obv_status status = check_property(object, property);
    if (status == OBV_OK) {
        begin_invalidating(&invalidating, object);
        mark_property(&invalidating, object, property);
        end_invalidating(&invalidating);
    }
    return status;
}

enum obv_status obv_invalidate_all(struct obv_object *object)
{
    struct invalidating invalidating;
    enum obv_status status = obv__check_object(object, NULL);
    if (status == OBV_OK) {
        uint32_t count = obv__slots_by_now(obv__class_of(object));
        begin_invalidating(&invalidating, object);
        for (uint32_t i = 0; i < count; i++) {
            mark_property(&invalidating, object, i);
        }
        end_invalidating(&invalidating);
    }
    return status;
}

enum obv_status obv_validate_all(struct obv_object *object)
{
    enum obv_status first = obv__check_object(object, NULL);
    const struct obv_class *cls =
        first == OBV_OK ? obv__class_of(object) : NULL;
    for (uint32_t i = 0; cls && i < obv__slots_by_now(cls); i++) {
        if (obv__slot_is_computed(cls, i)) {
            enum obv_status status = obv__compute(object, i);
            first = first ? first : status;
        }
    }
    return first;
}

bool obv_is_valid(struct obv_object *object, uint32_t property)
{
    return check_property(object, property) == OBV_OK &&
           obv__slot_is_valid(object, property);
}
