/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts: what belongs together, and what the core keeps with it.
 */
#ifndef OBV_CONTEXT_H
#define OBV_CONTEXT_H

#include "base/memory.h"
#include "base/names.h"
#include "base/reclaim.h"
#include "base/status.h"
#include "model/key.h"
#include "path/path_cache.h"

#include <observable/context.h>

struct obv__member;
struct obv__watcher;

/** A block that its context keeps: embedded in what is allocated. */
struct obv__owned_block {
    struct obv__owned_block *next;
    void *block;
    size_t size;
};

struct obv_context {
    struct obv_allocator allocator; /* constant */
    struct obv_names *names;        /* constant; has a lock of its own */
    struct obv__path_cache recent;  /* has a lock of its own */
    struct obv__domain retired;     /* has locks of its own */
    struct obv_loop *loop;          /* the context's own; constant */
    void (*diagnose)(void *, const struct obv_diagnostic *); /* constant */
    void *diagnose_context;                                  /* constant */
    uint32_t immediate_depth;                                /* constant */

    /* Guards every trie and its path nodes; taken before a stripe, never
       after. */
    struct obv__lock paths;
    uint32_t bound_once; /* the last number of a path node that is (paths.c);
                            under `paths` */
    struct obv__member *members_gone; /* by `next_touched`; under `paths` */
    struct obv__keys keys;            /* has a lock of its own */
    struct obv_hash_table foreign;    /* proxies, by their addresses */
    struct obv_loop *inbound_loop; /* in the place of `loop`, for inbound edits;
                                      or NULL; any thread */
    struct obv__lock lists;        /* guards `foreign` and the next eight */
    struct obv__owned_block *owned;
    bool checks_dependencies; /* any thread */
    bool checks_paths;        /* any thread */
    bool any_thread;          /* a class has any-thread properties; any
                                 thread */
    bool has_containers;      /* or may have; once true it stays */
    /* Observations that have ended and may still run somewhere; by `back`. */
    struct obv__watcher *unsettled;
    struct obv_class *classes;
    struct obv_loop *loops;

    /* Counters; any thread, relaxed: they are read at rest. */
    uint64_t dropped, diagnostics;
    uint64_t called;      /* by loops that have ended */
    uint32_t ended_loops; /* whose memory has not gone */
    uint64_t live;        /* observations whose memory has not been retired */
};

/** The kinds of retired blocks: how obv__retire() finds the way to free one. */
enum obv__retired_kind {
    OBV__RETIRED_WATCHER = 1,
    OBV__RETIRED_NODE = 2,
    OBV__RETIRED_PATH_NODE = 3,
    OBV__RETIRED_PATHS = 4,
    OBV__RETIRED_MORE = 5,
    OBV__RETIRED_BRANCH = 6,
    OBV__RETIRED_EDGE = 7,
    OBV__RETIRED_CELL = 8,
    OBV__RETIRED_COMPUTED = 9,
    OBV__RETIRED_SIZED = 10,
    OBV__RETIRED_OBSERVED_STATE = 11
};

/** The head of a block that says its size itself. */
struct obv__sized {
    struct obv__retired retired;
    size_t size; /* of all of it */
};

static inline void *obv__context_allocate(struct obv_context *context,
                                          size_t size)
{
    return obv__allocate(&context->allocator, size);
}

static inline void *obv__context_allocate_zeroed(struct obv_context *context,
                                                 size_t size)
{
    return obv__allocate_zeroed(&context->allocator, size);
}

static inline void obv__context_free(struct obv_context *context, void *block,
                                     size_t size)
{
    obv__free(&context->allocator, block, size);
}

/** obv__grown(). */
static inline void *obv__context_grown(struct obv_context *context, void *items,
                                       const void *near_or_null,
                                       size_t *capacity, size_t size)
{
    return obv__grown(&context->allocator, items, near_or_null, capacity, size);
}

/** Leaves a block to a context, which frees it when it is destroyed. */
void obv__context_own(struct obv_context *context,
                      struct obv__owned_block *owned, void *block, size_t size);

/** The given context, or for NULL the default one (NULL: no memory). */
struct obv_context *obv__context_or_default(struct obv_context *context);

bool obv__context_is_default(const struct obv_context *context);

/** Tells the diagnostics hook; no lock may be held. Of an observation:
    obv__diagnose_of(). */
void obv__diagnose(struct obv_context *context,
                   const struct obv_diagnostic *diagnostic);

#endif
