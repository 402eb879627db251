/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members of a container, or behind one of its cells, while something leads
 * on through it by `*`: kept by the container's owner, edit by edit.
 */
#ifndef OBV_CHILDREN_H
#define OBV_CHILDREN_H

#include "model/container.h"

/* The children behind the element `*`: those of a model by its properties,
   those of a container by its elements. */

#define OBV__NO_SLOT UINT32_MAX

/** The child behind an element on a container. */
struct obv__child {
    uint32_t slot; /* that leads there; OBV__NO_SLOT: it does no more */
    /* Of an element that leads to several: which; of a model the name of the
       property, of a container the number of a key (key.h), in the slot
       OBV__SLOT_ELEMENT. 0: it leads to one. */
    uint64_t key;
};

/** Which children are meant. */
enum obv__which {
    OBV__WHICH_END,     /* whose end is a change: no more is behind them */
    OBV__WHICH_LEAD_ON, /* all: elements follow */
    OBV__WHICH_TOUCHED  /* those that the edit under way has touched, of which
                           one that has gone is in OBV__NO_SLOT; not of a model,
                           whose edits are of one slot */
};

struct obv__each {
    /** The child behind `child`; the first behind one in OBV__NO_SLOT with key
        0; false: there is none, or `out_of_memory` says that there was no
        memory for it. */
    bool (*next)(struct obv_object *container, enum obv__which which,
                 struct obv__child *child, bool *out_of_memory);
    /** Whether there is a child of this key. */
    bool (*has)(struct obv_object *container, uint64_t key);
    /** The object of a child, or NULL; `held`: with a reference. */
    struct obv_object *(*object)(struct obv_object *container,
                                 struct obv__child child, bool *held);
    /** Whether the contents of two of the class's kind differ; `edited`: what
        was stored over in `before`, or NULL. */
    bool (*differs)(struct obv_object *before, struct obv_object *after,
                    const struct obv__edited *edited);
};

/** Of containers. */
extern const struct obv__each obv__each_of_container OBV__HIDDEN;

/** Whether the elements of two containers, or of two cells' containers, can be
    compared. */
bool obv__elements_alike(const struct obv_object *a,
                         const struct obv_object *b);

/** The members of a container, or behind one of its cells, if they are counted;
    else NULL. By the container's owner, as all that follows. */
struct obv__member_set *obv__members_of(struct obv_object *object);

/** Changes of members that are counted: one has left; one has entered; another
    member, or none, stands at a key of the program's now. `member`: as
    obv__element_object_take() has returned it, and given away. */
void obv__member_leaves(struct obv_object *object, struct obv_object *member);
void obv__member_enters(struct obv_object *object, struct obv_object *member);
void obv__member_put(struct obv_object *object, const void *key,
                     struct obv_object *member);

/** Counts all members anew. Runs code of the program. */
void obv__members_recount(struct obv_object *object);

/** Ends an edit: members that have gone are let go of. */
void obv__members_finish_edit(struct obv_object *object);

#endif
