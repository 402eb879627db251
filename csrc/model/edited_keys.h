/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys that edits which are told together have touched, each once: what was
 * there the first says, and the last what is there now. Of a set the members are
 * the keys.
 */
#ifndef OBV_EDITED_KEYS_H
#define OBV_EDITED_KEYS_H

#include "model/container.h"

/** The edits of one key: the first of them, and the last. */
struct obv__edited_key {
    struct obv_hash_entry entry; /* must stand first */
    const struct obv_container_edit *first, *last;
};

/** Collects the keys. Without memory each edit counts as of a key of its own:
    there and back is a change then. No lock held: the program compares. */
void obv__edited_keys_begin(struct obv__container_edits *edits);

/** Frees them. */
void obv__edited_keys_end(struct obv__container_edits *edits);

/** The i-th of them; false: there are no more. */
static inline bool obv__edited_key(const struct obv__container_edits *edits,
                                   size_t i, struct obv__edited_key *key)
{
    size_t count = edits->keys ? edits->key_count : edits->count;
    if (i < count && edits->keys) {
        *key = edits->keys[i];
    } else if (i < count) {
        key->first = key->last = &edits->edits[i];
    }
    return i < count;
}

/** The hash of an edit's key. */
uint64_t obv__edited_key_hash(const struct obv__container_edits *edits,
                              const struct obv_container_edit *edit);

/** The answer `check` of elements that have keys. */
bool obv__edited_keys_check(const struct obv__container_edits *edits,
                            size_t *count);

/** The answer `next_cell` of those. */
struct obv__cell *
obv__edited_keys_next_cell(const struct obv__container_edits *edits,
                           const struct obv__cell *cell);

#endif
