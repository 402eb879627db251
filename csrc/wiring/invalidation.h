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

/** The part of the next where a batch is open or a class is observed. */
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

/** Marks a record: it is surely to be evaluated. One whose function runs will
    be invalid, and tells nobody of what that has done itself; of what handlers
    do that this sets off it tells as of any change. In an epoch section, as the
    next. */
void obv__mark(struct obv__marks *marks, struct obv__computed *computed);

/** Marks those that have read something; `bits`: 0 or OBV__DIRTY. Inside the
    graph. */
void obv__mark_edges(struct obv__marks *marks, struct obv__edge *edges,
                     uint32_t bits);

/** The same by the list of a slot; whether anything else hangs there. */
bool obv__mark_dependents(struct obv__marks *marks, const uintptr_t *head);

/** Marks those that have read what the change has set: that stands, also in a
    cycle. */
void obv__mark_readers_of_set(struct obv__marks *marks,
                              struct obv__computed *set);

/** Marks who depends on what is marked in the list, or set. */
void obv__marks_spread_on(struct obv__marks *marks);

/** Marks who depends on what is marked, and leaves the graph. */
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

/** The drain computes and tells what a read, which has marked a record before,
    has left to it. In an epoch section, no lock held. */
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

/** A record that somebody has waited for has a value: those who observe it and
    have no answer yet get it, and who has read it without success is marked. In
    an epoch section, no lock held. */
void obv__tell_waiting(struct obv__thread *self,
                       struct obv__computed *computed);

/** A path has left a record by an edit, of which this is the work list: what
    its observations compare with there is forgotten, unless others wait there
    too, or will once this is scheduled. In an epoch section, no lock held. */
void obv__first_left(struct obv__work_list *work,
                     struct obv__computed *computed);

/** Whether anybody waits, or `but` is NULL and may come to, for what is kept of
    a record: not a pair that is about to end. In an epoch section. Any thread.
    */
bool obv__first_is_awaited(struct obv__thread *self,
                           struct obv__computed *computed,
                           const struct obv__watcher *but);

/** Whether a delayed leaf at a path instance is told by the drain alone of what
    is there: it waits with nothing for a computed property that leads there, or
    will once this is scheduled. */
bool obv__waits_above(const struct obv__work_list *work,
                      const struct obv__path_instance *instance,
                      struct obv__watcher *leaf);

/** Whether an edit of a computed property is for a pair that hangs there, or is
    a leaf there. */
bool obv__edit_is_for(const struct obv__edit *edit, struct obv__watcher *pair);

#endif
