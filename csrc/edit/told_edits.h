/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an edit list has handed over: one block, which begins with this.
 */
#ifndef OBV_TOLD_EDITS_H
#define OBV_TOLD_EDITS_H

#include "model/context.h"

#include <observable/value.h>

struct obv__recorded_key;

struct obv__told_edits {
    struct obv_context *context;
    size_t size; /* of the block */
    /* What has gone, and keys in their order, which go with it. */
    struct obv_value *values;
    size_t value_count;
    struct obv__recorded_key *keys;
};

/** A block with room for more behind it, where everything is aligned; NULL: no
    memory. */
static inline struct obv__told_edits *
obv__told_edits_create(struct obv_context *context, size_t room)
{
    size_t size = sizeof(struct obv__told_edits) + room;
    struct obv__told_edits *told = obv__context_allocate(context, size);
    if (told) {
        *told = (struct obv__told_edits){.context = context, .size = size};
    }
    return told;
}

#endif
