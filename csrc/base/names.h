/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interned names: the functions of a table of names that only the core calls.
 * <observable/names.h> has the others.
 */
#ifndef OBV_NAMES_H
#define OBV_NAMES_H

#include <observable/allocator.h>
#include <observable/names.h>

/** Makes an empty table. `allocator` is copied; NULL: the C library's. */
enum obv_status obv__names_create(const struct obv_allocator *allocator,
                                  struct obv_names **names);

/** Frees the table and all its texts. No thread may use it any more. */
void obv__names_destroy(struct obv_names *names);

/** The id of a text, or OBV_NAME_NONE if it was never interned. Adds nothing. */
uint32_t obv__names_find(const struct obv_names *names, const char *text,
                         size_t length);

/** The table's allocator; what belongs to its names comes from there. */
const struct obv_allocator *obv__names_allocator(const struct obv_names *names);

#endif
