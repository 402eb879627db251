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

/** Phases 2 to 6 for a slot of `object` whose new value is stored. No lock
    held. The object lives until the first handler is called. `old` refers to
    the value before, or is NULL where it is not known. */
void obv__edit_from(struct obv_object *object, uint32_t slot, const void *old);

/** As obv__edit_from(), for a value of at most a word whose slot takes the slow
    path; the first bytes of `old` are the value before. */
void obv__edit_word(struct obv_object *object, uint32_t slot, uint64_t old);

/** As obv__edit_from(), with all that the setter knows. If the set has stored
    an equal value, only observations that compare for themselves are told
    (EQ-11). */
void obv__edit_set(struct obv_object *object, uint32_t slot,
                   const struct obv_detail_set *set);

/** Phase 2 of an edit of a container or of one of its cells: marks the readers
    of `*`. `with_slot`: also the readers of slot 0, a container's count or a
    cell's element. In an epoch section. */
void obv__edit_mark(struct obv__work_list *work,
                    const struct obv_object *object, bool with_slot,
                    uint64_t since);

/** Deeper than any path node: there is no further depth. */
#define OBV__NO_DEPTH SIZE_MAX

/** Adds what one place of an edit, work->edit.at, makes due at one depth of
    paths, and rewires the bindings of that depth; other watchers have depth 0.
    The caller takes the depths from the root down, and at each all places of
    the edit: in a cyclic graph one path may cross several places, or one twice,
    and rewiring an upper binding moves the lower ones. `with_slot`: also the
    watchers of slot 0, not those of `*` alone. `slow_path`: one for all depths;
    without it all have depth 0. `since`: the registration epoch after the
    program's edit. Returns the least depth beyond `depth`, or `next`, the same
    of other places. In an epoch section. */
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

/** Marks the readers of a property whose inbound edit waits, and schedules the
    observations that wait for a drain: the owner may read a computed property
    before that edit. The rest is left to the edit. In an epoch section. */
void obv__inbound_mark(struct obv__thread *self, struct obv__inbound *inbound);

/** As `apply_inbound` of model/above.h. */
void obv__inbound_apply(struct obv_loop *loop, struct obv__thread *self);

/** Tells the trace of a set that is done. To be called where
    obv__is_traced(). */
void obv__trace_set(struct obv_object *object, uint32_t slot, bool is_same);

/** The requests to a setter by the observations of its slot: to tell equal
    sets, to call before the store (enum obv__wants); or 0. */
unsigned obv__edit_wants(struct obv_object *object, uint32_t slot);

#endif
