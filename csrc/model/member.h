/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members: the children of a container behind a `*`, each once and with its key;
 * kept once some `*` leads on through the container. The key of a member is that
 * of its element in a dictionary; else the object itself, however often it stands
 * there.
 *
 * Everything here is under the paths lock.
 */
#ifndef OBV_MEMBER_H
#define OBV_MEMBER_H

#include "model/key.h"
#include "platform/bsd.h"

#include <observable/object.h>

struct obv__member {
    RB_ENTRY(obv__member) by_number; /* of its container */
    struct obv__key *key;            /* a reference */
    struct obv_object *object;
    struct obv__member *next_touched;
    uint32_t number; /* the key's */
    uint32_t count : 30, is_touched : 1, is_held : 1;
};

RB_HEAD(obv__members, obv__member);

/** The members of a container, or those behind one of its elements that stands
    for several. */
struct obv__member_set {
    struct obv__members members;
    struct obv__member *touched; /* by the edit under way */
    bool is_counted;
    bool is_incomplete; /* there was no memory for one: left so until all are
                           counted anew */
};

/** The member with this number or the next higher one, or NULL. */
struct obv__member *obv__member_from_locked(struct obv__member_set *set,
                                            uint32_t number);

/** The member with this number that stands there, or NULL. */
struct obv__member *obv__member_find_locked(struct obv__member_set *set,
                                            uint32_t number);

/** One more of an object stands there. The member keeps the reference that came
    with it (obv__element_object_take()); if it has one, or there is no memory for a
    member, the answer is the object, to be left. Else NULL. */
struct obv_object *obv__member_enters_locked(struct obv_context *context,
                                             struct obv__member_set *set,
                                             struct obv_object *object);

/** One less. It stays, with its key, until the edit under way is over. */
void obv__member_leaves_locked(struct obv_context *context,
                               struct obv__member_set *set,
                               struct obv_object *object);

/** An object stands at a key now, of which the caller has a reference; NULL:
    none does. Answers the object that is to be left, if any: that one, or the one
    before. */
struct obv_object *obv__member_put_locked(struct obv_context *context,
                                          struct obv__member_set *set,
                                          struct obv__key *key,
                                          struct obv_object *object);

/** None of them stands there any more. */
void obv__members_leave_locked(struct obv__member_set *set);

/** The edit is over: who has left goes. */
void obv__members_settle_locked(struct obv_context *context,
                                struct obv__member_set *set);

/** All of them go. */
void obv__members_free_locked(struct obv_context *context,
                              struct obv__member_set *set);

/** Gives back what members have held that have gone. No lock held. */
void obv__members_let_go(struct obv_context *context);

#endif
