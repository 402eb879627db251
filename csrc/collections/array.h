/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays inside this room: array.c has what stands in one, array_order.c where
 * it stands.
 */
#ifndef OBV_ARRAY_H
#define OBV_ARRAY_H

#include "collections/collection.h"

#include <observable/array.h>

/** Whether the program may edit an array now: OBV_OK, or OBV_E_IN_USE while it
    is sorted. */
static inline enum obv_status
obv__array_may_be_edited(const struct obv_array *array)
{
    return array->is_sorting ? OBV_E_IN_USE : OBV_OK;
}

/** Holds an array for an edit of the program; OBV_E_ENDED: it is at its end; or
    as obv__array_may_be_edited(). */
enum obv_status obv__array_hold(struct obv_array *array);

/** Room for so many elements in all, or OBV_E_MEMORY. It grows by half as much
    again at least, so that appending is O(1) amortised. */
enum obv_status obv__array_make_room(struct obv_array *array, size_t count);

/** Gives the room back of an array that has got empty. */
void obv__array_trim(struct obv_array *array);

/** Moves elements of which nobody has been told. */
void obv__array_rotate(struct obv_array *array, size_t position, size_t count,
                       size_t to);

#endif
