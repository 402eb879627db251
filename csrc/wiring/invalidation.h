/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invalidation: marks are pushed along the edges of computed properties, phase
 * 2 of an edit, and reach whoever observes one of them. Nothing is recursive,
 * and unless memory is short nothing is computed and no code of the program
 * runs.
 *
 * The watchers in the slot of a computed property are told
 *
 *     an edge                          the record behind it is marked too
 *     a delayed observation, at the
 *     end or anywhere below            is scheduled "perhaps" (LL-5)
 *     an immediate one                 the property is computed in phase 5, as
 *                                      an eager one is anyhow
 *     `*`                              is told that there was a change (WC-6)
 *
 * once: a record that is marked already has told them. It tells again once it
 * was computed.
 */
#ifndef OBV_INVALIDATION_H
#define OBV_INVALIDATION_H

#include "dispatch/batch.h"
#include "dispatch/work_list.h"
#include "model/computed.h"
#include "model/path_node.h"

/** obv__marks_begin() where a batch is open or a class is observed. */
void obv__marks_begin_unusually(struct obv__marks *marks) OBV__HIDDEN;

/** The marks of an edit. */
static inline void obv__marks_begin(struct obv__marks *marks,
                                    struct obv__work_list *work)
{
    *marks = (struct obv__marks){
        .work = work,
        .unusual = OBV__STALE | OBV__RUNS | OBV__CHECKS | OBV__EAGER |
                   OBV__MOVED | OBV__STANDS | OBV__LAZY,
        .no_news = OBV__STALE,
        .told_end = &marks->told,
    };
    if (OBV__UNLIKELY(obv__batches_are_open() ||
                      obv__class_subscriptions_exist())) {
        obv__marks_begin_unusually(marks);
    }
}

/** The thread is inside the graph from here on, until obv__marks_leave() or
    obv__marks_spread(). */
static inline void obv__marks_enter(struct obv__marks *marks)
{
    if (!marks->is_inside) {
        marks->is_inside = true;
        obv__graph_enter_as(marks->work->thread, marks->is_alone);
    }
}

static inline void obv__marks_leave(struct obv__marks *marks)
{
    if (marks->is_inside) {
        marks->is_inside = false;
        obv__graph_leave_as(marks->work->thread, marks->is_alone);
    }
}

/** Marks a record dirty. If its function runs, the record is invalid when that
    returns, but nobody is told of a change by the function itself; a change by
    a handler that the function sets off is told as any other. In an epoch
    section, as the next. */
void obv__mark(struct obv__marks *marks, struct obv__computed *computed);

/** Marks the readers of a list of edges; `bits`: 0 or OBV__DIRTY. Inside the
    graph. */
void obv__mark_edges(struct obv__marks *marks, struct obv__edge *edges,
                     uint32_t bits);

/** Marks the readers of a stored slot, by its list of watchers. Answers whether
    any of these is no hub. */
bool obv__mark_dependents(struct obv__marks *marks, const uintptr_t *head);

/** Marks the readers of the record that the change has set. That record is not
    marked, even if a cycle leads back to it: its value stands. */
void obv__mark_readers_of_set(struct obv__marks *marks,
                              struct obv__computed *set);

/** obv__marks_spread() where there is something to do; stays in the graph. */
void obv__marks_spread_on(struct obv__marks *marks);

/** Marks all that depends on a marked record, near and far, and leaves the
    graph. */
static inline void obv__marks_spread(struct obv__marks *marks)
{
    if (marks->first || marks->set) {
        obv__marks_spread_on(marks);
    }
    obv__marks_leave(marks);
}

/** The same, and tells of all that is marked. `since`: the registration
    epoch when the edit began. */
void obv__marks_tell(struct obv__marks *marks, uint64_t since);

/** Tells, in a drain, of a record that a read had to mark before (TH-1), and
    computes it if that is needed. In an epoch section, no lock held. */
void obv__tell_late(struct obv__work_list *work, struct obv__inbound *record);

/** Whether an observation waits for an answer: it was told of something that
    became invalid, and has not been called since. */
bool obv__waits(struct obv__watcher *observation);

/** Whether the batch that is open on this thread has marked any record, and so
    perhaps this one. */
static inline bool obv__marked_in_batch(const struct obv__thread *self)
{
    return obv__batch_of(self) && self->batch_marks;
}

/** A record for which somebody has waited has a value: its observers are told,
    and the readers whose read has failed are marked. In an epoch section, no
    lock held. */
void obv__tell_waiting(struct obv__thread *self,
                       struct obv__computed *computed);

/** A path has left a record by the edit of `work`: the value kept for its
    observations is forgotten, unless others wait there too, or will once `work`
    is scheduled. In an epoch section, no lock held. */
void obv__first_left(struct obv__work_list *work,
                     struct obv__computed *computed);

/** Whether the value kept of a record is still needed: if `but`, a pair about
    to end, is not NULL, by another that waits; else by any delayed observation.
    In an epoch section. Any thread. */
bool obv__first_is_awaited(struct obv__thread *self,
                           struct obv__computed *computed,
                           const struct obv__watcher *but);

/** Whether a delayed leaf at a path instance is told by the drain alone of what
    is there: it waits with nil for a computed property above, or will once
    `work` is scheduled. */
bool obv__waits_above(const struct obv__work_list *work,
                      const struct obv__path_instance *instance,
                      struct obv__watcher *leaf);

/** Whether an edit of a computed property is for a pair that hangs there, or is
    a leaf there. */
bool obv__edit_is_for(const struct obv__edit *edit, struct obv__watcher *pair);

#endif
