/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one edit has made due: collected while it is rewired, put in the order
 * of registration (DR-4), each observation once; then scheduled, then called.
 */
#ifndef OBV_DUE_H
#define OBV_DUE_H

#include "context.h"
#include "watcher.h"

#define OBV__DUE_NEAR 32

struct obv__due {
    struct obv__thread *thread;
    struct obv_context *context;
    /* The edit that this is for; NULL: there is none. */
    struct obv_object *edited;
    uint32_t slot;
    const void *old; /* the value before it, where a binding gives it */
    size_t count, capacity;
    struct obv__watcher **items; /* SOLO or MEMBER: the pair that is due */
    struct obv__watcher *near[OBV__DUE_NEAR];
};

void obv__due_init(struct obv__due *due, struct obv__thread *thread,
                   struct obv_context *context);

/** Adds a pair; no lock may be held. Where memory is short, delayed ones are
    scheduled at once and immediate ones called: nothing is lost but order. */
void obv__due_add(struct obv__due *due, struct obv__watcher *via);

/** Adds every watcher of a list but those that came since `since`. */
void obv__due_add_list(struct obv__due *due, const uintptr_t *head,
                       uint64_t since);

/** Schedules the delayed ones, then calls the immediate ones; frees. */
void obv__due_deliver(struct obv__due *due);

#endif
