/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observer objects and blocks, as any user of the library would write them.
 *
 * An observer object is a counted observable object without properties. A
 * block is a struct that embeds its handler kind, so that the kind's address
 * is the block's identity and `dispose` gives it back.
 */
#ifndef OBV_SCENARIO_WATCHER_H
#define OBV_SCENARIO_WATCHER_H

#include "count.h"

#include <observable/observable.h>

struct closure;
struct observer;

struct watcher {
    struct obv_object object;
    struct count count;
    struct observer *observer;
};

enum obv_status watcher_make_class(struct obv_context *context,
                                   struct obv_class **cls);
struct watcher *watcher_create(struct obv_class *cls,
                               struct observer *observer);
void watcher_release(struct watcher *watcher);

struct block {
    /** First: the handler finds its block through it. */
    struct obv_handler_kind kind;
    /** One for each observation that it serves. */
    size_t references;
    struct closure *closure;
    struct block *next;
};

/** A block of this closure, without a reference yet. For tokens it has no
    hooks: nothing keeps a token's observer, for it has none. */
struct block *block_create(struct closure *closure, bool for_token,
                           const char *label);
void block_release(struct block *block);

#endif
