/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells that are found by a number: that of their key, or the hash that their
 * members have.
 */
#ifndef OBV_KEYED_CELL_H
#define OBV_KEYED_CELL_H

#include "model/container.h"

/* With the paths lock. */

/** The cell of a number, or NULL. */
struct obv__cell *
obv__keyed_cell_find_locked(const struct obv_container *container,
                            uint64_t number);

/** The same, made if there is none; NULL: no memory. */
struct obv__cell *obv__keyed_cell_ensure_locked(struct obv_container *container,
                                                uint64_t number);

/** The answer `take_out` of elements that have keys. */
void obv__keyed_cell_take_out(struct obv__cell *cell);

/* Without a lock. */

/** The cell of a number, or NULL. */
struct obv__cell *obv__keyed_cell_find(const struct obv_container *container,
                                       uint64_t number);

/** The answer `next` of elements that have keys. */
bool obv__keyed_next(const struct obv_container *container,
                     struct obv_container_cursor *cursor);

#endif
