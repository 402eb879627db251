/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interned names: what the core asks of a table of them beyond its public
 * header.
 */
#ifndef OBV_NAMES_H
#define OBV_NAMES_H

#include <observable/names.h>

/** The table's allocator; what belongs to its names comes from there. */
const struct obv_allocator *obv__names_allocator(const struct obv_names *names);

/** The hash of a text under the table's key. */
uint64_t obv__names_hash(const struct obv_names *names, const char *text,
                         size_t length);

#endif
