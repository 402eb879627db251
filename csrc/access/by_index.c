/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties by their indices: set and read as values of a kind.
 */
#include "computed/evaluation.h"
#include "model/node.h"
#include "model/owned.h"
#include "model/value.h"

#include <observable/detail.h>

#include <string.h>

static enum obv_status check(const struct obv_object *object, uint32_t index,
                             enum obv_kind kind)
{
    const struct obv_class *cls = obv__class_or_null(object);
    if (!cls) {
        return OBV_E_ARGUMENT;
    }
    const struct obv_property *property = obv__property_in(cls, index);
    if (!property) {
        return obv__object_has_ended(object) ? OBV_E_ENDED : OBV_E_UNKNOWN;
    }
    return property->kind == kind ? OBV_OK : OBV_E_KIND;
}

enum obv_status obv_set_value(struct obv_object *object, uint32_t index,
                              enum obv_kind kind, const void *value)
{
    enum obv_status status = check(object, index, kind);
    if (status != OBV_OK) {
        return status;
    }
    if (obv__class_of(object)->is_foreign) {
        return OBV_E_KIND; /* it is changed by its own functions */
    }
    struct obv_object *to = NULL;
    int64_t number;
    uint64_t field;
    switch (kind) {
    case OBV_KIND_object:
        memcpy(&to, value, sizeof to);
        if (to && obv__word(to) == 0) {
            return OBV_E_ARGUMENT;
        }
        break;
    case OBV_KIND_enum:
        memcpy(&number, value, sizeof number);
        if (!obv__enum_store(obv__property_at(object, index), number, &field)) {
            return OBV_E_ARGUMENT;
        }
        value = &field;
        break;
    default:
        break;
    }
    return obv_detail_change(object, index, value);
}

/* A computed property is brought up to date first. The function that runs on
   this thread, if one does, is told of the read. */
enum obv_status obv_get_value(const struct obv_object *object, uint32_t index,
                              enum obv_kind kind, void *value)
{
    enum obv_status status = check(object, index, kind);
    if (status != OBV_OK) {
        return status;
    }
    OBV_DETAIL_TELL_READ(object, index);
    if (OBV__UNLIKELY(obv__property_at(object, index)->computed != NULL)) {
        status = obv__compute((struct obv_object *)(uintptr_t)object, index);
    }
    if (status != OBV_OK) {
        return status;
    }
    uint64_t scalar;
    const struct obv_property *property = obv__property_at(object, index);
    const void *stored = obv__property_stored(object, property, &scalar);
    int64_t number;
    switch (kind) {
    case OBV_KIND_enum:
        number = obv__enum_number(property, stored);
        memcpy(value, &number, sizeof number);
        break;
    case OBV_KIND_bytes:
        memcpy(value, &stored, sizeof stored);
        /* A property that the program reads lies nowhere. */
        return stored == &scalar ? OBV_E_KIND : OBV_OK;
    default:
        memcpy(value, stored,
               obv__kind_owns(kind) ? sizeof stored : property->size);
    }
    return OBV_OK;
}
