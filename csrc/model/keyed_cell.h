/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that are told apart by keys, those of dictionaries, or by hashes, the
 * members of sets (keyed_cell.c). Their cells are found by a number: that of the
 * key, or the hash.
 */
#ifndef OBV_KEYED_CELL_H
#define OBV_KEYED_CELL_H

#include "model/container.h"

/** The cell of a number, made if there is none; NULL: no memory. With the paths
    lock. */
struct obv__cell *obv__keyed_cell_ensure_locked(struct obv_container *container,
                                                uint64_t number);

/** The hash of the key, or of the member, that an edit names. No lock held. */
uint64_t obv__edited_key_hash(const struct obv__container_edits *edits,
                              const struct obv_container_edit *edit);

#endif
