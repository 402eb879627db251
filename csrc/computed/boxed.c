/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computed properties of bindings: the values are boxes, and lie in the
 * records.
 */
#include "computed/evaluation.h"

/* The box that stands in a property now; NULL: none was computed yet. */
static struct obv_boxed *box_of(const struct obv_property *property,
                                struct obv_object *object)
{
    uint32_t index;
    const struct obv__computed *computed =
        obv_class_property_at(obv__class_of(object), property->offset,
                              &index) == OBV_OK
            ? obv__computed_of(object, index)
            : NULL;
    return computed ? computed->box : NULL;
}

static struct obv_boxed *box_at(const void *value)
{
    return *(struct obv_boxed *const *)value;
}

static bool are_equal(const struct obv_boxed *a, const struct obv_boxed *b)
{
    return a && b ? a->equal(a, b, OBV_COMPARE_DECLARED) : a == b;
}

static bool boxed_equal(const struct obv_property *property_a,
                        struct obv_object *a,
                        const struct obv_property *property_b,
                        struct obv_object *b)
{
    return are_equal(box_of(property_a, a), box_of(property_b, b));
}

static bool boxed_equals(const struct obv_property *property,
                         struct obv_object *object, const void *value)
{
    return are_equal(box_of(property, object), box_at(value));
}

static bool boxed_same(const struct obv_property *property, const void *a,
                       const void *b)
{
    (void)property;
    return are_equal(box_at(a), box_at(b));
}

static struct obv_boxed *boxed_copy(const struct obv_property *property,
                                    struct obv_object *object,
                                    const void *value)
{
    const struct obv_boxed *box =
        value ? box_at(value) : box_of(property, object);
    return box ? property->computed->box->copy(box) : NULL;
}

static struct obv_object *child_in(const struct obv_property *property,
                                   const struct obv_boxed *box)
{
    return box && property->computed->box->child
               ? property->computed->box->child(box)
               : NULL;
}

static struct obv_object *boxed_child(const struct obv_property *property,
                                      struct obv_object *object)
{
    return child_in(property, box_of(property, object));
}

static struct obv_object *boxed_child_of(const struct obv_property *property,
                                         const void *value)
{
    return child_in(property, box_at(value));
}

const struct obv_value_kind obv_detail_boxed_values = {
    .size = sizeof obv_detail_boxed_values,
    .equal = boxed_equal,
    .equals = boxed_equals,
    .copy = boxed_copy,
    .same = boxed_same,
};

const struct obv_value_kind obv_detail_boxed_objects = {
    .size = sizeof obv_detail_boxed_objects,
    .equal = boxed_equal,
    .child = boxed_child,
    .equals = boxed_equals,
    .copy = boxed_copy,
    .child_of = boxed_child_of,
    .same = boxed_same,
};

struct obv_boxed *obv_detail_boxed_value(struct obv_object *object,
                                         uint32_t property, bool *is_own,
                                         enum obv_status *status)
{
    const struct obv__computed *computed;
    *is_own = false;
    OBV_DETAIL_TELL_READ(object, property);
    *status = obv__compute(object, property);
    computed = *status == OBV_OK ? obv__computed_of(object, property) : NULL;
    return computed && obv__computed_has_value(computed) ? computed->box : NULL;
}

void obv_detail_forget(struct obv_object *object, uint32_t property)
{
    struct obv__computed *computed = obv__computed_of(object, property);
    if (computed && !(obv__flags(computed) & OBV__RUNS)) {
        obv__flags_change(obv__thread_self(), computed, 0,
                          OBV__STALE | OBV__DIRTY);
    }
}

bool obv_detail_stand(struct obv_object *object, uint32_t property)
{
    enum {
        UNSOUND =
            OBV__STALE | OBV__DIRTY | OBV__NO_VALUE | OBV__FAILED | OBV__SHORT
    };
    struct obv__computed *computed = obv__computed_of(object, property);
    struct obv__thread *self = obv__thread_self();
    uint32_t flags = OBV__STALE;
    if (computed) {
        obv__graph_enter(self);
        if ((computed->flags & UNSOUND) == OBV__DIRTY) {
            obv__flags_remove(computed, OBV__DIRTY);
        }
        flags = computed->flags;
        obv__graph_leave(self);
    }
    return (flags & OBV__STALE) != 0;
}

bool obv_detail_has_last(const struct obv_object *object, uint32_t property)
{
    const struct obv__computed *computed = obv__computed_of(object, property);
    return computed && obv__computed_has_value(computed);
}

struct obv_boxed *obv_detail_copy_last(struct obv_object *object,
                                       uint32_t property)
{
    const struct obv__computed *computed = obv__computed_of(object, property);
    return computed && obv__computed_has_value(computed) && computed->box
               ? computed->property->computed->box->copy(computed->box)
               : NULL;
}
