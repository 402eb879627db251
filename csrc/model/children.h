/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The members of a container, or behind one of its cells, while something leads on
 * through it by `*`: kept by the container's owner, edit by edit.
 */
#ifndef OBV_CHILDREN_H
#define OBV_CHILDREN_H

#include "model/container.h"

/** Whether the elements of two containers, or of two cells' containers, can be
    compared. */
bool obv__elements_alike(const struct obv_object *a,
                         const struct obv_object *b);

/** The members of a container, or behind one of its cells, if they are counted;
    else NULL. By the container's owner, as all that follows. */
struct obv__member_set *obv__members_of(struct obv_object *object);

/** Of members that are counted: one has gone; one has come; another stands at a
    key of the program's now, or none. Each with what obv__element_object_take() has
    answered, which is theirs then. */
void obv__member_leaves(struct obv_object *object, struct obv_object *member);
void obv__member_enters(struct obv_object *object, struct obv_object *member);
void obv__member_put(struct obv_object *object, const void *key,
                     struct obv_object *member);

/** All anew: asks the program. */
void obv__members_recount(struct obv_object *object);

/** The edit is over. */
void obv__members_finish_edit(struct obv_object *object);

#endif
