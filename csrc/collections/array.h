/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays inside this room: array.c has what stands in one, array_order.c where
 * it stands.
 */
#ifndef OBV_ARRAY_H
#define OBV_ARRAY_H

#include "collections/collection.h"

#include <observable/array.h>

/** Holds an array for an edit; OBV_E_ENDED: it is at its end. */
enum obv_status obv__array_hold(struct obv_array *array);

#endif
