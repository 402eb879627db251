/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of values that are handed over: made on the thread of the change, let
 * go of when the call has returned. Everything here may run code of the
 * program: no lock is held.
 */
#ifndef OBV_COPY_H
#define OBV_COPY_H

#include "model/context.h"

#include <observable/value.h>

/** Copies a property's value: `value`, if it is given, else what the object
    stores; retains an object. False: no memory; then the copy is
    unreachable. */
bool obv__value_copy(struct obv_context *context, struct obv_object *object,
                     const struct obv_property *property, const void *value,
                     struct obv_value *copy);

/** Lets go of a copy: it is unreachable then. */
void obv__value_drop(struct obv_context *context, struct obv_value *copy);

/** Whether two copies are equal; `how` is not ALWAYS_DIFFERENT. Two unreachable
    ones are, one of the two never is. */
bool obv__values_equal(const struct obv_value *a, const struct obv_value *b,
                       enum obv_compare how);

#endif
