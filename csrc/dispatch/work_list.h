/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work list of one edit: what it has made due, collected while it is
 * rewired, put in the order of registration (DR-4), each observation once; then
 * scheduled, then called.
 */
#ifndef OBV_WORK_LIST_H
#define OBV_WORK_LIST_H

#include "dispatch/change_records.h"
#include "model/computed.h"
#include "model/edited.h"
#include "model/context.h"
#include "model/watcher.h"

#define OBV__WORK_LIST_NEAR 32

/** The lowest bit of an entry that was added "perhaps". */
enum { OBV__DUE_PERHAPS = 1 };

struct obv__path_node;
struct obv__invalidated;

struct obv__work_list {
    struct obv__thread *thread;
    struct obv_context *context;
    struct obv__edit edit;              /* that this is for */
    struct obv__change_record *records; /* what became of the endpoints it has
                                           changed */
    uint64_t stamp;                     /* of the change; 0: nobody has asked */
    uint64_t since;                     /* of an answer: watchers that came
                                           since are not told; else not set */
    struct obv__batch *passed;          /* of an inbound edit: the open batch of
                                           this thread, for which the edit does
                                           not wait; else not set */
    bool was_unwired;                   /* memory was short to wire some path */
    struct obv__path_node *over;        /* paths that the edit has ended, by
                                           next_over */
    struct obv__invalidated *invalidated; /* what is to be computed before the
                                             immediate ones are called */
    size_t count, capacity;
    uintptr_t *items; /* SOLO or MEMBER: the pair that is due, and how */
    uintptr_t near[OBV__WORK_LIST_NEAR];
};

static inline void obv__work_list_init(struct obv__work_list *work,
                                       struct obv__thread *thread,
                                       struct obv_context *context)
{
    work->thread = thread;
    work->context = context;
    work->edit = (struct obv__edit){.kind = OBV__EDIT_SET};
    work->was_unwired = false;
    work->records = NULL;
    work->stamp = 0;
    work->over = NULL;
    work->invalidated = NULL;
    work->count = 0;
    work->capacity = OBV__WORK_LIST_NEAR;
    work->items = work->near;
}

/** Whether there is nothing to deliver, nor to free. */
static inline bool obv__work_list_is_empty(const struct obv__work_list *work)
{
    return ((uintptr_t)work->records | (uintptr_t)work->over |
            (uintptr_t)work->invalidated | work->count) == 0 &&
           work->items == work->near;
}

/** The pair of an entry. */
static inline struct obv__watcher *obv__due_pair(uintptr_t due)
{
    return (struct obv__watcher *)(due & ~(uintptr_t)OBV__DUE_PERHAPS);
}

/** Adds a pair; no lock may be held. If memory is short, delayed ones are
    scheduled at once and immediate ones called: nothing is lost but order. */
void obv__work_list_add(struct obv__work_list *work, struct obv__watcher *via);

/** Takes out what was registered from `first` on, before `end`. */
void obv__work_list_pass_over(struct obv__work_list *work, uint32_t first,
                              uint32_t end);

/** Adds every leaf of a list but those that came since `since`. */
void obv__work_list_add_list(struct obv__work_list *work, const uintptr_t *head,
                             uint64_t since);

/** Makes room for one more entry at least, if need be by delivering what is
    due. */
void obv__work_list_make_room(struct obv__work_list *work);

/** Keeps a change record, of an endpoint whose pair is to be added; the record
    is given away. */
void obv__work_list_keep_record(struct obv__work_list *work,
                                struct obv__change_record *record);

/** Whether there is a change record of this pair already. */
bool obv__work_list_has_record(const struct obv__work_list *work,
                               const struct obv__watcher *via);

/** Adds a computed property that is to be evaluated at the end of the change.
    If memory is short, it is evaluated at once. */
void obv__work_list_add_invalid(struct obv__work_list *work,
                                struct obv__computed *computed);

/** Keeps the old value of a computed property until the immediate ones have
    returned (LT-8); it is given away. If memory is short, it is let go of at
    once. */
void obv__work_list_keep_replaced(struct obv__work_list *work,
                                  const struct obv_property *property,
                                  union obv__raw *value);

/** Adds a pair that follows what has become invalid: its observation is
    scheduled "perhaps", in the order of registration with the others. If memory
    is short, it is scheduled at once. */
void obv__work_list_add_perhaps(struct obv__work_list *work,
                                struct obv__watcher *via);

/** Whether this very pair was added "perhaps", and is yet to be scheduled. */
bool obv__work_list_has_perhaps(const struct obv__work_list *work,
                                const struct obv__watcher *via);

/** Frees a work list without delivering it. */
void obv__work_list_forget(struct obv__work_list *work);

/** Schedules the delayed ones; the immediate ones wait for
    obv__work_list_deliver(). */
void obv__work_list_schedule(struct obv__work_list *work);

/** Schedules the delayed ones, then calls the immediate ones; frees. */
void obv__work_list_deliver(struct obv__work_list *work);

#endif
