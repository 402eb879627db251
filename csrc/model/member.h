/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members: the children of a container behind a `*`, each once and with its key;
 * kept once some `*` leads on through the container (children.c). The key of a
 * member is that of its element in a dictionary; else the object itself, however
 * often it stands there.
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
    struct obv__key *key;            /* a reference; NULL: its object is it */
    struct obv_object *object;
    struct obv__member *next_touched;
    uint64_t number; /* the key's, or the object's */
    uint32_t count : 30, is_touched : 1, is_held : 1;
};

RB_HEAD(obv__members, obv__member);

/** The members of a container, or those behind one of its elements that stands
    for several. Members that left stay until the edit is over. */
struct obv__member_set {
    struct obv__members members;
    struct obv__member *touched; /* by the edit under way */
    bool is_counted;
    bool is_incomplete; /* there was no memory for one: left so until all are
                           counted anew */
};

/** All of them go. */
void obv__members_free_locked(struct obv_context *context,
                              struct obv__member_set *set);

/** Gives back what members have held that have gone. No lock held. */
void obv__members_let_go(struct obv_context *context);

#endif
