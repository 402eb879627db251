/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computed properties of bindings: the values are boxes, and lie in the records.
 */
#include "computed/evaluation.h"
#include "model/class.h"
#include "wiring/claim.h"

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

/* The value that is kept: where another thread may replace it meanwhile a copy, made
   while it cannot, and owned by the caller. NULL: it has none, or (`is_refused`)
   another thread is at it. In an epoch section. */
static struct obv_boxed *kept_box(struct obv__thread *self,
                                  struct obv_object *object, uint32_t property,
                                  bool *is_own, bool *is_refused)
{
    struct obv__computed *own = obv__computed_of(object, property);
    /* Several threads may read what none of them sets: one that is not valid each of
       them computes. */
    bool is_beside =
        own && (obv__computed_is_shared(own) || !obv__computed_is_valid(own));
    struct obv__computed *claimed =
        is_beside ? obv__claim_beside(self, own, is_refused) : NULL;
    if (!claimed) {
        return *is_refused || !own || !obv__computed_has_value(own) ? NULL
                                                                    : own->box;
    }
    struct obv_boxed *copy =
        claimed->box ? claimed->property->computed->box->copy(claimed->box)
                     : NULL;
    obv__give_back(self, claimed);
    *is_own = copy != NULL;
    return copy;
}

struct obv_boxed *obv_detail_boxed_value(struct obv_object *object,
                                         uint32_t property, bool *is_own,
                                         enum obv_status *status)
{
    struct obv__thread *self = obv__thread_self();
    struct obv_boxed *box = NULL;
    uint64_t apart = 0;
    bool is_refused = false;
    *is_own = false;
    OBV_DETAIL_TELL_READ(object, property);
    obv__epoch_enter(self);
    *status = obv__compute(object, property, &apart);
    if (*status == OBV_OK) {
        box = kept_box(self, object, property, is_own, &is_refused);
    }
    if (is_refused) {
        *status = obv__compute_apart(self, obv__computed_of(object, property),
                                     &apart);
    }
    obv__epoch_leave(self);
    if (*status == OBV_E_BUSY) {
        *is_own = true;
        box = box_at(&apart);
    }
    return box;
}

void obv_detail_forget(struct obv_object *object, uint32_t property)
{
    struct obv__computed *computed = obv__computed_of(object, property);
    if (computed) {
        /* Who marks it from here on until it is evaluated has set what that will
           read. */
        obv__store_release(&computed->is_dirty, (uint8_t)1);
        obv__store_release(&computed->stale, OBV__TOLD_ALL);
    }
}

bool obv_detail_stand(struct obv_object *object, uint32_t property)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__computed *computed = obv__computed_of(object, property);
    bool is_marked = true;
    obv__epoch_enter(self);
    if (computed && obv__claim(self, computed)) {
        if (obv__computed_unsound(computed) == OBV__OVERTAKEN) {
            obv__computed_set_unsound(computed, 0);
        }
        /* Pairs with set_flag() (invalidation.c), behind which who marks looks at
           the outcome: either it tells, or we see its mark. */
        obv__fence_seq_cst();
        is_marked = obv__load_acquire(&computed->stale);
        obv__give_back(self, computed);
    }
    obv__epoch_leave(self);
    return is_marked;
}

bool obv_detail_has_last(const struct obv_object *object, uint32_t property)
{
    const struct obv__computed *computed = obv__computed_of(object, property);
    return computed && obv__computed_has_value(computed);
}

/* Another thread has claimed it, or may. */
static struct obv_boxed *copy_beside(struct obv__computed *computed)
{
    obv__box_enter(computed);
    struct obv_boxed *box = obv__load_acquire(&computed->box);
    struct obv_boxed *copy =
        box ? computed->property->computed->box->copy(box) : NULL;
    obv__box_leave(computed);
    return copy;
}

struct obv_boxed *obv_detail_copy_last(struct obv_object *object,
                                       uint32_t property)
{
    struct obv__thread *self = obv__thread_self();
    bool is_own = false, is_refused = false;
    obv__epoch_enter(self);
    struct obv_boxed *box =
        kept_box(self, object, property, &is_own, &is_refused);
    struct obv__computed *computed = obv__computed_of(object, property);
    if (is_refused || (box && !is_own)) {
        box = copy_beside(computed);
    }
    obv__epoch_leave(self);
    return box;
}
