/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a value that a property owns: the copy of a string, a reference
 * to an object, the box of a binding's. To let go of it may run code of the
 * program: no lock is held.
 */
#ifndef OBV_OWNED_H
#define OBV_OWNED_H

#include "model/node.h"

/** Whether properties of a kind own their values, those of bindings aside. */
static inline bool obv__kind_owns(enum obv_kind kind)
{
    return kind == OBV_KIND_string || kind == OBV_KIND_object;
}

/** Whether a value that a property of such a kind has owned is to be let go of.
    To be asked before handlers are called, since an object that nothing holds
    may be gone after them. */
static inline bool obv__is_owed(const struct obv_property *property,
                                enum obv_kind kind, const void *value)
{
    const struct obv_object *object = *(struct obv_object *const *)value;
    return kind == OBV_KIND_string ||
           (!(property->flags & OBV_UNOWNED) && object &&
            obv__class_of(object)->release);
}

/** A copy of a string; NULL: of NULL, or no memory. */
char *obv__text_copy(struct obv_context *context, const char *text);

/** Frees a copied string, or NULL. */
void obv__text_free(struct obv_context *context, const char *text);

/** Gives a reference to an object back. */
void obv__object_release(struct obv_object *object);

/** Lets go of a value that is owed. */
static inline void obv__owned_drop(struct obv_context *context,
                                   enum obv_kind kind, const void *value)
{
    if (kind == OBV_KIND_string) {
        obv__text_free(context, *(const char *const *)value);
    } else {
        obv__object_release(*(struct obv_object *const *)value);
    }
}

/** Lets go of a value that any property has owned. */
void obv__value_disown(struct obv_context *context,
                       const struct obv_property *property, const void *value);

#endif
