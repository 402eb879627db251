/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys: what tells the children of a `*` apart, and the elements of a dictionary.
 * Equal keys of a context are one, as long as anybody has it: so what was
 * followed by a key in a container that is replaced is found again in the other
 * one (EQ-8), and what leaves and comes back before a call is what it was for the
 * change record (EQ-2). Numbers are given in turn.
 *
 * A key is an object, found by its address until it ends, or a key of the
 * program's (struct obv_key_kind), of which a copy is kept.
 */
#ifndef OBV_KEY_H
#define OBV_KEY_H

#include "base/hash_table.h"
#include "path/path.h"
#include "platform/lock.h"

#include <observable/container.h>

struct obv_context;

/** Numbers of keys are above this, and names of properties below: no child of a
    model is taken for one of a container. */
#define OBV__KEY_NUMBERS ((uint32_t)1 << 31)

struct obv__key {
    struct obv_hash_entry entry;     /* must stand first */
    struct obv_hash_entry by_number; /* of the table of that name */
    const struct obv_key_kind *kind;
    void *value;         /* the object; NULL: it has ended; or a copy of the
                            program's key */
    uint32_t number;     /* above OBV__KEY_NUMBERS */
    uint32_t references; /* under the lock of all keys */
};

/** One of the program's, which paths can have. */
struct obv__program_key {
    struct obv__key key; /* first */
    struct obv_key in_path;
    struct obv_context *context;
};

/** A context's. */
struct obv__keys {
    struct obv__lock lock; /* taken after the paths lock, never before; guards
                              all of this */
    struct obv_hash_table
        table; /* by hash: all but of objects that have ended */
    struct obv_hash_table by_number; /* all */
    /* Of the program, which nobody has any more, by `entry.next`; any thread
       reads. */
    struct obv__key *gone;
    uint32_t last; /* number that was given */
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
struct obv__key *obv__key_take(struct obv_context *context,
                               const struct obv__key_asked *asked, bool make);

/** A copy of a key of a kind, and its end; NULL: no memory. */
void *obv__key_value_copy(struct obv_context *context,
                          const struct obv_key_kind *kind, const void *value);
void obv__key_value_free(struct obv_context *context,
                         const struct obv_key_kind *kind, void *value);

/** Frees the keys of the program's that nobody has any more. */
void obv__keys_free_gone(struct obv_context *context);

/* Any lock may be held, but that of the keys. */

/** The key that a path's element names, of a kind whose keys have names; NULL: no
    memory, or no name. To be given back by the other. */
const void *obv__key_name_begin(const struct obv_key_kind *kind,
                                const char *name);
void obv__key_name_end(const struct obv_key_kind *kind, const void *key);

/** obv__key_take() of such a one. */
struct obv__key *obv__key_take_named(struct obv_context *context,
                                     const struct obv_key_kind *kind,
                                     const char *name, bool make);

/** The same of an object of the context; of one at its end there is none. */
struct obv__key *obv__key_take_object(struct obv_context *context,
                                      struct obv_object *object, bool make);

/** An object that has a key ends (OBV__NODE_HAS_KEY): its address may be
    another's from now on. */
void obv__key_object_ends(struct obv_context *context,
                          const struct obv_object *object);

/** One reference more, and one less (NULL is ignored). */
void obv__key_retain(struct obv_context *context, struct obv__key *key);
void obv__key_release(struct obv_context *context, struct obv__key *key);

/** The same by number: of the name of a property, and of a key that nobody has
    any more, nothing. */
void obv__key_retain_number(struct obv_context *context, uint32_t number);
void obv__key_release_number(struct obv_context *context, uint32_t number);

/** The key that an element of the kind KEY stands for; of the program's. */
struct obv__key *obv__key_of_element(const struct obv_element *element);

/** The text of a key, for people. */
const char *obv__key_text(const struct obv__key *key);

/** Whether a kind has all that it must have. */
bool obv__key_kind_is_good(const struct obv_key_kind *kind);

/** A context's, which has none yet. */
void obv__keys_init(struct obv__keys *keys);

/** Frees what a context that ends has kept of keys. */
void obv__keys_free(struct obv_context *context);

#endif
