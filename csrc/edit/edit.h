/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one function that every change goes through.
 *
 *     1 compare and store         the setter (access/setter.c), inline or not
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

struct obv__work_list;
struct obv__inbound;

/** The slot of `object` has a new value, which is stored: phases 3 to 6. No
    lock held. The object lives until the first handler is called. `old` refers
    to the value before, or is NULL where it is not known. */
void obv__edit_from(struct obv_object *object, uint32_t slot, const void *old);

/** The same of a word that takes the slow path; `old` begins with its first
    byte. */
void obv__edit_word(struct obv_object *object, uint32_t slot, uint64_t old);

/** The same with all that the setter knows. Of a set that has left an equal value
    behind: for observations that compare for themselves (EQ-11). */
void obv__edit_set(struct obv_object *object, uint32_t slot,
                   const struct obv_detail_set *set);

/** Phase 2 of an edit of a container or of one of its cells: who has read that;
    `with_slot`: and its count, or the element. In an epoch section. */
void obv__edit_mark(struct obv__work_list *work,
                    const struct obv_object *object, bool with_slot,
                    uint64_t since);

/** Deeper than any. */
#define OBV__NO_DEPTH SIZE_MAX

/** Adds what one place of an edit, work->edit.at, makes due at one depth of paths,
    and brings these in line; what are no paths has depth 0. To be called for all
    places of an edit, from the root down: in a cyclic graph a path crosses several
    of them, or one of them more than once, and what is above moves what is below,
    and compares it with what is stored over. `with_slot`: not only who is told of
    all. `slow_path`: one for all depths; without it depth 0 has everything. In an
    epoch section. `since`: the registration epoch after the program's edit. Answers
    the least further depth that there is, or `next`, the same of other places. */
size_t obv__edit_collect(struct obv__work_list *work, bool with_slot,
                         bool slow_path, size_t depth, size_t next,
                         uint64_t since);

/** Adds what a computed property makes due, which has another value than before
    (OBV__EDIT_COMPUTED), or than at the last call (OBV__EDIT_SETTLED). Watchers
    that came since `since` are not told. In an epoch section; the object is
    held. */
void obv__edit_collect_computed(struct obv__work_list *work,
                                struct obv_object *object, uint32_t slot,
                                const void *old, enum obv__edit_kind kind,
                                uint64_t since);

/** Marks who depends on a property whose inbound edit waits, and tells those who
    wait for a drain: its owner reads what is computed of it before that. The
    rest is left to the edit. In an epoch section. */
void obv__inbound_mark(struct obv__thread *self, struct obv__inbound *inbound);

/** As `apply_inbound` of model/above.h. */
void obv__inbound_apply(struct obv_loop *loop, struct obv__thread *self);

/** Tells the trace of a set that is done; where obv__is_traced(). */
void obv__trace_set(struct obv_object *object, uint32_t slot, bool is_same);

/** Whether somebody wants to know of equal sets, or before the store: enum
    obv__wants, or 0. */
unsigned obv__edit_wants(struct obv_object *object, uint32_t slot);

#endif
