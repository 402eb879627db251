/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The edits of a dictionary or a set since somebody looked: of each key or member
 * that was edited what stood there first, and whether anything does now.
 */
#ifndef OBV_KEY_EDITS_H
#define OBV_KEY_EDITS_H

#include "model/container.h"

#include <observable/edit_list.h>

struct obv__recorded_key;

struct obv__key_edits {
    struct obv_hash_table table; /* by the numbers of keys, or by hashes */
    struct obv__recorded_key *first, *last; /* in the order of their edits */
};

void obv__key_edits_init(struct obv__key_edits *keys);

/** Records edits that have been made and are right. False: no memory; then they
    are good for nothing but obv__key_edits_begin(). */
bool obv__key_edits_record(struct obv__key_edits *keys,
                           const struct obv__container_edits *edits);

/** Hands over what has happened, and begins anew. False: no memory; then nothing
    was. */
bool obv__key_edits_tell(struct obv_context *context,
                         struct obv__key_edits *keys, struct obv_edits *edits);

/** Begins anew; also the end. */
void obv__key_edits_begin(struct obv_context *context,
                          struct obv__key_edits *keys);

/** Frees keys that were handed over, and their values. */
void obv__recorded_keys_free(struct obv_context *context,
                             struct obv__recorded_key *first);

#endif
