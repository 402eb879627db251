/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one edit has made due: collected while it is rewired, put in the order
 * of registration (DR-4), each observation once; then scheduled, then called.
 */
#ifndef OBV_DUE_H
#define OBV_DUE_H

#include "dispatch/notes.h"
#include "model/edited.h"
#include "model/context.h"
#include "model/watcher.h"

#define OBV__DUE_NEAR 32

struct obv__due {
    struct obv__thread *thread;
    struct obv_context *context;
    struct obv__edit edit;   /* that this is for */
    struct obv__note *notes; /* what became of the endpoints it has changed */
    bool was_unwired;        /* memory was, for some path instance */
    bool is_unwatched;       /* or for who sees an end or an
                                arrival; set before a path is wired */
    size_t count, capacity;
    struct obv__watcher **items; /* SOLO or MEMBER: the pair that is due */
    struct obv__watcher *near[OBV__DUE_NEAR];
};

static inline void obv__due_init(struct obv__due *due,
                                 struct obv__thread *thread,
                                 struct obv_context *context)
{
    due->thread = thread;
    due->context = context;
    due->edit = (struct obv__edit){.kind = OBV__EDIT_SET};
    due->was_unwired = false;
    due->notes = NULL;
    due->count = 0;
    due->capacity = OBV__DUE_NEAR;
    due->items = due->near;
}

/** Adds a pair; no lock may be held. Where memory is short, delayed ones are
    scheduled at once and immediate ones called: nothing is lost but order. */
void obv__due_add(struct obv__due *due, struct obv__watcher *via);

/** Takes out what was registered from `first` on, before `end`. */
void obv__due_pass_over(struct obv__due *due, uint32_t first, uint32_t end);

/** Adds every watcher of a list but those that came since `since`. */
void obv__due_add_list(struct obv__due *due, const uintptr_t *head,
                       uint64_t since);

/** Whether obv__due_add() would find room, and so do nothing but add. */
static inline bool obv__due_has_room(const struct obv__due *due)
{
    return due->count < due->capacity;
}

/** Makes room for one more at least, if need be by delivering what is due. */
void obv__due_make_room(struct obv__due *due);

/** Keeps what became of an endpoint, whose pair is to be added; it is given
    away. */
void obv__due_keep_note(struct obv__due *due, struct obv__note *note);

/** Whether there is a note of this pair already. */
bool obv__due_has_note(const struct obv__due *due,
                       const struct obv__watcher *via);

/** Schedules the delayed ones; the immediate ones wait for obv__due_deliver(). */
void obv__due_schedule(struct obv__due *due);

/** Schedules the delayed ones, then calls the immediate ones; frees. */
void obv__due_deliver(struct obv__due *due);

#endif
