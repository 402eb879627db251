/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a value that a property owns.
 */
#include "model/owned.h"

#include "model/context.h"
#include "model/value.h"

#include <string.h>

char *obv__text_copy(struct obv_context *context, const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = text ? obv__context_allocate(context, size) : NULL;
    return copy ? memcpy(copy, text, size) : NULL;
}

void obv__text_free(struct obv_context *context, const char *text)
{
    if (text) {
        obv__context_free(context, (void *)(uintptr_t)text, strlen(text) + 1);
    }
}

void obv__object_release(struct obv_object *object)
{
    const struct obv_class *cls = obv__class_of(object);
    if (cls->release) {
        cls->release(object);
    }
}

void obv__value_disown(struct obv_context *context,
                       const struct obv_property *property, const void *value)
{
    if (obv__keeps_boxes(property)) {
        struct obv_boxed *box = *(struct obv_boxed *const *)value;
        if (box) {
            box->release(box);
        }
    } else if (obv__kind_owns(property->kind) &&
               obv__is_owed(property, property->kind, value)) {
        obv__owned_drop(context, property->kind, value);
    }
}
