/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pulls: what a thread computes, and whether it records what it reads.
 */
#ifndef OBV_PULL_H
#define OBV_PULL_H

#include "dispatch/loop.h"

/** A thread records reads, again and again: obv_detail_reading says so until it
    has read something outside, has drained a loop or is over. */
static inline void obv__recording_begin(struct obv__thread *self)
{
    if (OBV__UNLIKELY(!self->is_reading)) {
        obv__thread_set_reading(self, true);
    }
}

/** Takes that back, unless the thread computes right now. */
static inline void obv__recording_forget(struct obv__thread *self)
{
    if (OBV__UNLIKELY(self->is_reading) && self->pull_count == 0) {
        obv__thread_set_reading(self, false);
    }
}

/** The innermost pull of a thread, or NULL. */
static inline struct obv__pull *obv__pull_of(const struct obv__thread *self)
{
    return self->slots[OBV__THREAD_COMPUTES];
}

/** The same; it and those outside of it have their cursors. */
static inline struct obv__pull *obv__pulls_of(const struct obv__thread *self)
{
    struct obv__pull *pull = obv__pull_of(self);
    if (pull && self->cursor != obv__reader_cursor()) {
        pull->cursor = self->cursor;
    }
    return pull;
}

/** The record whose function is told of reads, or NULL. */
static inline struct obv__computed *
obv__computes(const struct obv__thread *self)
{
    return self->cursor == obv__no_cursor() ||
                   self->cursor == obv__reader_cursor()
               ? NULL
               : obv__pull_of(self)->computes;
}

/** The record whose function runs in a pull of obv__pulls_of(), or NULL. */
static inline struct obv__computed *
obv__computes_in(const struct obv__pull *pull)
{
    return pull->computes && pull->cursor != obv__no_cursor() ? pull->computes
                                                              : NULL;
}

#endif
