/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Setters and getters of every kind of value; here, what becomes of the values
 * at the end of their object.
 */
#ifndef OBV_SETTER_H
#define OBV_SETTER_H

#include "model/class.h"

/** Frees the strings and releases the objects that an object holds. */
void obv__values_end(struct obv_object *object, const struct obv_class *cls);

#endif
