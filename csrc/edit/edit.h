/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one function that every change goes through.
 *
 *     1 compare and store         the setter (setter.c), inline or not
 *     2 invalidate computed slots
 *     3 rewire what hangs below, compare endpoints, collect what is due
 *     4 schedule the delayed ones
 *     5 recompute what immediate ones keep valid
 *     6 call the immediate ones
 *
 * 2 and 5 have nothing to do while nothing is computed.
 */
#ifndef OBV_EDIT_H
#define OBV_EDIT_H

#include "model/edited.h"

#include <observable/object.h>

struct obv__work_list;
struct obv__thread;
struct obv_loop;
struct obv__inbound;

/** The slot of `object` has a new value, which is stored: phases 3 to 6. No
    lock held. The object lives until the first handler is called. `old` refers
    to the value before, or is NULL where it is not known. */
void obv__edit_from(struct obv_object *object, uint32_t slot, const void *old);

/** The same with all that the setter knows. Of a set that has left an equal value
    behind: for observations that compare for themselves (EQ-11). */
void obv__edit_set(struct obv_object *object, uint32_t slot,
                   const struct obv_detail_set *set);

/** The same with what is due already: both are told together, in their order
    (DR-4). Delivers. */
void obv__edit_with(struct obv_object *object, uint32_t slot,
                    const struct obv_detail_set *set,
                    struct obv__work_list *work);

/** Phase 2 of an edit of one element: who has read that alone. */
void obv__edit_invalidate_cell(struct obv__work_list *work,
                               const struct obv_object *cell, uint64_t since);

/** Phase 2 of an edit of a container: who has read its content, and
    `with_count` its count. In an epoch section. */
void obv__edit_invalidate(struct obv__work_list *work,
                          const struct obv_object *container, bool with_count,
                          uint64_t since);

/** Adds what one place of an edit makes due, and brings its paths in line:
    due->edit.at, whose object is a cell. In an epoch section. `since`: the
    registration epoch after the program's edit. Those that may cross the
    container above are left, for the edit may be of that place, too: answers
    how deep in its path the deepest of them is; 0: there is none. */
size_t obv__edit_collect(struct obv__work_list *work, uint64_t since);

/** The same of those that were left, of one depth. */
void obv__edit_collect_crossing(struct obv__work_list *work, size_t depth,
                                uint64_t since);

/** The same of a container's own lists: who is told of all, and `with_count` of
    who observes the count. */
void obv__edit_collect_all(struct obv__work_list *work, bool with_count,
                           uint64_t since);

/** The same where some were left at a cell: how deep they are at most, and
    those of one depth; those that are no paths have depth 0. */
size_t obv__edit_deepest_of_all(const struct obv__work_list *work,
                                bool with_count);
void obv__edit_collect_all_at(struct obv__work_list *work, bool with_count,
                              size_t depth, uint64_t since);

/** Adds what a computed property makes due, which has another value than before
    (OBV__EDIT_COMPUTED), or than at the last call (OBV__EDIT_SETTLED). In an epoch
    section; the object is held. */
void obv__edit_collect_computed(struct obv__work_list *work,
                                struct obv_object *object, uint32_t slot,
                                const void *old, enum obv__edit_kind kind);

/** Marks who depends on a property whose inbound edit waits, and tells those who
    wait for a drain: its owner reads what is computed of it before that. In an
    epoch section. */
void obv__inbound_mark(struct obv__thread *self, struct obv__inbound *inbound);

/** As `apply_inbound` of model/above.h. */
void obv__inbound_apply(struct obv_loop *loop, struct obv__thread *self);

/** Whether somebody wants to know of equal sets, or before the store: enum
    obv__wants, or 0. */
unsigned obv__edit_wants(struct obv_object *object, uint32_t slot);

#endif
