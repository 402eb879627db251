/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys: what tells the children of a `*` apart, and the elements of a dictionary.
 * Equal keys of a context are one, as long as anybody has it: so what was
 * followed by a key in a container that is replaced is found again in the other
 * one (EQ-8), and what leaves and comes back before a call is what it was for the
 * change record (EQ-2).
 *
 * A key is known by a number that no other has, or has had. Of an object that is
 * its identity; of a property its name; a key of the program's (struct
 * obv_key_kind), of which a copy is kept, gets one in turn.
 */
#ifndef OBV_KEY_H
#define OBV_KEY_H

#include "base/hash_table.h"
#include "path/path.h"
#include "platform/lock.h"

#include <observable/container.h>

/** Numbers of the program's keys are above the first of these, those of objects
    above the second, and names of properties below both. */
#define OBV__KEY_NUMBERS    ((uint64_t)1 << 32)
#define OBV__OBJECT_NUMBERS ((uint64_t)1 << 63)

/** The keys of a context. */
struct obv__keys {
    struct obv__lock lock; /* taken after the paths lock, never before; guards
                              all of this */
    struct obv_hash_table table; /* by hash: all, as in the next */
    struct obv_hash_table by_number;
    struct obv_key *gone; /* keys without references, by `entry.next`; any
                              thread reads */
    uint64_t last;        /* number that was given */
};

/** A key of the program's before it is looked for. */
struct obv__key_asked {
    const struct obv_key_kind *kind;
    const void *value;
    uint64_t hash;
};

/* No lock held: the program compares. */

/** The key that equals this one, with a reference; `make`: it is made if there is
    none. NULL: there is none, or no memory. */
struct obv_key *obv__key_take(struct obv_context *context,
                              const struct obv__key_asked *asked, bool make);

/** Frees the keys of the program's that nobody has any more. */
void obv__keys_free_gone(struct obv_context *context);

/* Any lock may be held, but that of the keys. */

/** The key that a path's element names, of a kind whose keys have names; NULL:
    no memory, or no name. To be given back by obv__key_name_end(). */
const void *obv__key_name_begin(const struct obv_key_kind *kind,
                                const char *name);
void obv__key_name_end(const struct obv_key_kind *kind, const void *key);

/** obv__key_take() of a key that is given by its name. */
struct obv_key *obv__key_take_named(struct obv_context *context,
                                    const struct obv_key_kind *kind,
                                    const char *name, bool make);

/** One reference more, and one less (NULL is ignored). */
void obv__key_retain(struct obv_key *key);
void obv__key_release(struct obv_key *key);

/** The key of a number, with a reference; NULL: nobody has it any more. */
struct obv_key *obv__key_retain_number(struct obv_context *context,
                                       uint64_t number);

/** Whether a kind has all that it must have. */
bool obv__key_kind_is_good(const struct obv_key_kind *kind);

/** Makes the keys of a context, which has none yet. */
void obv__keys_init(struct obv__keys *keys);

/** Frees what a context that ends has kept of keys. */
void obv__keys_free(struct obv_context *context);

#endif
