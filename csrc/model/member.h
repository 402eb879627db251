/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members: the objects in a container, each once and with its key, however often
 * it stands there; kept once some `*` leads on through the container.
 *
 * An object has one key in all containers of a context as long as it stands in
 * one: so what a path followed in a container that is replaced is found again in
 * the other one (EQ-8). A key that nobody has any more is given again.
 *
 * Everything here is under the paths lock.
 */
#ifndef OBV_MEMBER_H
#define OBV_MEMBER_H

#include "platform/bsd.h"

#include <observable/object.h>

struct obv_container;
struct obv__elements;

/** Keys of members are above this, and slots and names of properties below: no
    child of a model is taken for one of a container. */
#define OBV__MEMBER_KEYS ((uint32_t)1 << 31)

struct obv__member {
    RB_ENTRY(obv__member) by_object; /* of all containers of the context */
    RB_ENTRY(obv__member) by_key;    /* of its container */
    struct obv_container *container;
    struct obv_object *object;
    struct obv__member *next_touched;
    uint32_t key; /* above OBV__MEMBER_KEYS */
    uint32_t count : 31, is_touched : 1;
};

RB_HEAD(obv__members, obv__member);        /* by key */
RB_HEAD(obv__members_of_all, obv__member); /* by object, then container */

/** A context's: who has which key. */
struct obv__member_keys {
    struct obv__members_of_all members;
    uint32_t last;
    /* Those that were given back. */
    uint32_t *spare;
    size_t spare_count, spare_room;
};

/** The member of a container with this key or the next higher one, or NULL. */
struct obv__member *obv__member_from_locked(struct obv__elements *elements,
                                            uint32_t key);

/** One more of an object stands there; false: no memory. */
bool obv__member_enters_locked(struct obv_container *container,
                               struct obv_object *object);

/** One less. It stays, with its key, until the edit under way is over. */
void obv__member_leaves_locked(struct obv_container *container,
                               struct obv_object *object);

/** None of them stands there any more. */
void obv__members_leave_locked(struct obv_container *container);

/** The edit is over: who has left goes. */
void obv__members_settle_locked(struct obv_container *container);

/** All of them go. */
void obv__members_free_locked(struct obv_container *container);

/** Frees what a context that ends has kept of keys. */
void obv__member_keys_free(struct obv_context *context);

#endif
