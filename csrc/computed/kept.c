/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computed properties of bindings: the values lie in the records.
 */
#include "computed/evaluation.h"

#include "model/value.h"

#include <string.h>

/* The last valid value of a property, in its record, or NULL. */
static const void *last_of(const struct obv_property *property,
                           const struct obv__computed *computed)
{
    return computed && obv__computed_has_value(computed) &&
                   (obv__keeps_word(property) || computed->kept.box)
               ? computed->field
               : NULL;
}

static const void *last_in(const struct obv_property *property,
                           struct obv_object *object)
{
    uint32_t index;
    return obv_class_property_at(obv__class_of(object), property->offset,
                                 &index) == OBV_OK
               ? last_of(property, obv__computed_of(object, index))
               : NULL;
}

static struct obv_boxed *box_at(const void *kept)
{
    return kept ? *(struct obv_boxed *const *)kept : NULL;
}

static bool are_same_words(const struct obv_property *property, const void *a,
                           const void *b)
{
    uint64_t word, other;
    memcpy(&word, a, sizeof word);
    memcpy(&other, b, sizeof other);
    return word == other ||
           (obv__computes_double(property) && obv__doubles_equal(word, other));
}

static bool kept_same(const struct obv_property *property, const void *a,
                      const void *b)
{
    if (obv__keeps_word(property)) {
        return a && b ? are_same_words(property, a, b) : a == b;
    }
    const struct obv_boxed *box = box_at(a), *other = box_at(b);
    return box && other ? box->equal(box, other, OBV_COMPARE_DECLARED)
                        : box == other;
}

static bool kept_equal(const struct obv_property *property_a,
                       struct obv_object *a,
                       const struct obv_property *property_b,
                       struct obv_object *b)
{
    return kept_same(property_a, last_in(property_a, a),
                     last_in(property_b, b));
}

static bool kept_equals(const struct obv_property *property,
                        struct obv_object *object, const void *value)
{
    return kept_same(property, last_in(property, object), value);
}

static struct obv_boxed *kept_copy(const struct obv_property *property,
                                   struct obv_object *object, const void *value)
{
    const void *kept = value ? value : last_in(property, object);
    return kept && (obv__keeps_word(property) || box_at(kept))
               ? property->computed->kept->copy(property, kept)
               : NULL;
}

static struct obv_object *kept_child_of(const struct obv_property *property,
                                        const void *value)
{
    const struct obv_boxed *box = box_at(value);
    return box && property->computed->kept->child
               ? property->computed->kept->child(box)
               : NULL;
}

static struct obv_object *kept_child(const struct obv_property *property,
                                     struct obv_object *object)
{
    return kept_child_of(property, last_in(property, object));
}

const struct obv_value_kind obv_detail_kept_values = {
    .size = sizeof obv_detail_kept_values,
    .equal = kept_equal,
    .equals = kept_equals,
    .copy = kept_copy,
    .same = kept_same,
};

const struct obv_value_kind obv_detail_kept_objects = {
    .size = sizeof obv_detail_kept_objects,
    .equal = kept_equal,
    .child = kept_child,
    .equals = kept_equals,
    .copy = kept_copy,
    .child_of = kept_child_of,
    .same = kept_same,
};

const void *obv_detail_kept_value(struct obv_object *object, uint32_t property,
                                  enum obv_status *status)
{
    OBV_DETAIL_TELL_READ(object, property);
    *status = obv__compute(object, property);
    return *status == OBV_OK ? obv_detail_last(object, property) : NULL;
}

const void *obv_detail_last(const struct obv_object *object, uint32_t property)
{
    const struct obv__computed *computed = obv__computed_of(object, property);
    return computed ? last_of(computed->property, computed) : NULL;
}

struct obv_boxed *obv_detail_copy_last(struct obv_object *object,
                                       uint32_t property)
{
    const void *kept = obv_detail_last(object, property);
    return kept ? kept_copy(obv__property_at(object, property), object, kept)
                : NULL;
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
