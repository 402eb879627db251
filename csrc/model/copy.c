/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of values that are handed over.
 */
#include "model/copy.h"

#include "model/children.h"
#include "model/node.h"
#include "model/owned.h"
#include "model/value.h"

#include <string.h>

/* An object that is at its end already cannot be handed over. One without hooks may
   end before the copy goes: from here on it is its address alone. */
static void keep_object(struct obv_value *copy)
{
    struct obv_object *object = copy->as.object;
    const struct obv_class *cls = obv__class_or_null(object);
    if (cls && cls->retain) {
        copy->is_held = cls->retain(object);
        copy->kind = copy->is_held ? copy->kind : OBV_KIND_unreachable;
    } else if (object && !cls) {
        copy->kind = OBV_KIND_unreachable; /* it was never made */
    }
}

static bool copy_builtin(struct obv_context *context, const void *value,
                         struct obv_value *copy)
{
    switch (copy->kind) {
    case OBV_KIND_enum:
        copy->as.enumeration = obv__enum_number(copy->property, value);
        return true;
    case OBV_KIND_string: {
        const char *text = *(const char *const *)value;
        copy->as.string = obv__text_copy(context, text);
        return !text || copy->as.string;
    }
    case OBV_KIND_bytes: {
        void *bytes = obv__context_allocate(context, copy->property->size);
        copy->as.bytes =
            bytes ? memcpy(bytes, value, copy->property->size) : NULL;
        return bytes != NULL;
    }
    case OBV_KIND_object:
        memcpy(&copy->as.object, value, sizeof copy->as.object);
        keep_object(copy);
        return true;
    default:
        /* A value of one machine word lies at the union's start. */
        memcpy(&copy->as, value, copy->property->size);
        return true;
    }
}

bool obv__value_copy(struct obv_context *context, struct obv_object *object,
                     const struct obv_property *property, const void *value,
                     struct obv_value *copy)
{
    bool good = true;
    uint64_t scalar;
    *copy = (struct obv_value){.kind = property->kind, .property = property};
    if (!value && !obv__is_read_by_binding(property)) {
        value = obv__property_stored(object, property, &scalar);
        value = value ? value : &obv__missing;
    }
    if (value == &obv__missing ||
        (property->custom && !property->custom->copy)) {
        copy->kind = OBV_KIND_unreachable;
    } else if (property->custom) {
        copy->as.custom = property->custom->copy(property, object, value);
        good = copy->as.custom != NULL;
    } else {
        good = copy_builtin(context, value, copy);
    }
    if (!good) {
        copy->kind = OBV_KIND_unreachable;
    }
    if (copy->kind == OBV_KIND_unreachable) {
        copy->property = NULL;
    }
    return good;
}

void obv__value_drop(struct obv_context *context, struct obv_value *copy)
{
    struct obv_value dropped = *copy;
    *copy = (struct obv_value){.kind = OBV_KIND_unreachable};
    switch (dropped.kind) {
    case OBV_KIND_string:
        obv__text_free(context, dropped.as.string);
        break;
    case OBV_KIND_bytes:
        obv__context_free(context, (void *)(uintptr_t)dropped.as.bytes,
                          dropped.property->size);
        break;
    case OBV_KIND_object:
        obv__object_let_go(dropped.as.object, dropped.is_held);
        break;
    case OBV_KIND_custom:
        dropped.as.custom->release(dropped.as.custom);
        break;
    default:
        break;
    }
}

/* The bits of a copy, where they lie as in a field. */
static const void *field_of(const struct obv_value *value, uint64_t *scratch)
{
    if (value->kind == OBV_KIND_enum) {
        (void)obv__enum_store(value->property, value->as.enumeration, scratch);
        return scratch;
    }
    return value->kind == OBV_KIND_bytes ? value->as.bytes
                                         : (const void *)&value->as;
}

/* Containers with equal elements, while both are kept. */
static bool contents_equal(const struct obv_value *a, const struct obv_value *b)
{
    const struct obv_object *left = a->as.object, *right = b->as.object;
    bool are_kept = a->kind == OBV_KIND_object && a->is_held && b->is_held;
    const struct obv__each *each = are_kept && obv__class_of(left)->container &&
                                           obv__class_of(right)->container
                                       ? obv__class_of(left)->each
                                       : NULL;
    return each && !each->differs(a->as.object, b->as.object, NULL);
}

static bool builtins_equal(const struct obv_value *a, const struct obv_value *b,
                           enum obv_compare how)
{
    struct obv_property by_kind = {.kind = a->kind, .size = a->property->size};
    uint64_t scratch_a, scratch_b;
    const void *left = field_of(a, &scratch_a),
               *right = field_of(b, &scratch_b);
    if (!obv__properties_alike(a->property, b->property)) {
        return false;
    }
    if (how != OBV_COMPARE_DECLARED) {
        return obv__value_equal(&by_kind, left, right) ||
               (how == OBV_COMPARE_EQUAL && contents_equal(a, b));
    }
    return !(b->property->flags & OBV_ALWAYS_DIFFERENT) &&
           obv__value_equal(a->property, left, right);
}

bool obv__values_equal(const struct obv_value *a, const struct obv_value *b,
                       enum obv_compare how)
{
    if (a->kind != b->kind || a->kind == OBV_KIND_unreachable) {
        return a->kind == b->kind;
    }
    if (a->kind == OBV_KIND_custom) {
        return a->as.custom->equal(a->as.custom, b->as.custom, how);
    }
    return builtins_equal(a, b, how);
}

bool obv_value_equal(const struct obv_value *a, const struct obv_value *b)
{
    return obv__values_equal(a, b, OBV_COMPARE_DECLARED);
}
