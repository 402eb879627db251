/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that are told apart by where they stand, and the edits of such
 * containers (positions.c).
 */
#ifndef OBV_POSITIONS_H
#define OBV_POSITIONS_H

#include "model/container.h"

/** Where the i-th element that an edit has removed lies; NULL: it is not known. */
const void *obv__removed_element(const struct obv__container_edits *edits,
                                 const struct obv_container_edit *edit,
                                 size_t i);

#endif
