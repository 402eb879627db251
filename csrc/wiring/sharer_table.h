/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of those that share a node: each with a key, found by the key and by
 * its address. In no order, one behind the other in one block, with the lists of
 * those whose keys, and whose addresses, meet.
 *
 * Cost: O(1) each; 32 to 64 bytes an object.
 */
#ifndef OBV_SHARER_TABLE_H
#define OBV_SHARER_TABLE_H

#include "model/context.h"

struct obv_object;

struct obv__sharer {
    struct obv_object *object;
    uint32_t key;
    /* In those lists: a place + 1, or 0. */
    uint32_t next_by_key, next_by_object;
};

struct obv__sharer_table {
    struct obv__sharer *first;
    uint32_t *lists; /* by key, then by address: a place + 1, or 0 */
    uint32_t count, room;
};

/** Sees to it that there is room for one more; false: no memory. */
bool obv__sharer_table_reserve(struct obv_context *context,
                               struct obv__sharer_table *all);

/** Adds one that is not there, for which there is room. */
void obv__sharer_table_add(struct obv__sharer_table *all,
                           struct obv_object *object, uint32_t key);

/** Takes one out; the last comes to its place. */
void obv__sharer_table_remove(struct obv__sharer_table *all,
                              struct obv__sharer *sharer);

/** NULL: it is not there. */
struct obv__sharer *obv__sharer_by_key(const struct obv__sharer_table *all,
                                       uint32_t key);
struct obv__sharer *obv__sharer_by_object(const struct obv__sharer_table *all,
                                          const struct obv_object *object);

/** The last of a table that has any. */
static inline struct obv__sharer *
obv__sharer_last(const struct obv__sharer_table *all)
{
    return &all->first[all->count - 1];
}

void obv__sharer_table_free(struct obv_context *context,
                            const struct obv__sharer_table *all);

#endif
