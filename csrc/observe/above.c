/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls that lower rooms make into higher ones: the table of above.h, and
 * how a context begins and ends through all rooms.
 */
#include "model/above.h"

#include "base/escape.h"
#include "computed/evaluation.h"
#include "computed/settling.h"
#include "dispatch/deallocation_notice.h"
#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "dispatch/change_records.h"
#include "model/class.h"
#include "model/computed.h"
#include "model/container.h"
#include "model/context.h"
#include "model/observed_state.h"
#include "model/node.h"
#include "dispatch/inbound_queue.h"
#include "edit/edit.h"
#include "observe/class_subscription.h"
#include "observe/foreign.h"
#include "observe/left.h"
#include "observe/observation.h"
#include "wiring/paths.h"
#include "model/path_node.h"

#include <stdio.h>

static void free_watcher(struct obv_context *context,
                         struct obv__retired *block)
{
    struct obv__watcher *watcher = (struct obv__watcher *)(void *)block;
    unsigned what = obv__what(watcher);
    if (what <= OBV__GROUP && (watcher->type & OBV__HAS_ITEM)) {
        obv_loop_release(obv__loop_of(watcher));
    }
    if (what == OBV__GROUP && obv__group(watcher)->records) {
        obv__change_records_free(context, obv__group(watcher)->records);
    } else if (obv__is_class_subscription(watcher)) {
        obv_path_destroy(obv__class_subscription(watcher)->path);
    } else if (obv__recording_member(watcher)) {
        obv_path_destroy(obv__recording_member(watcher)->path);
    }
    obv__context_free(context, watcher, obv__watcher_size(watcher));
}

static void free_sized(struct obv_context *context, struct obv__retired *block)
{
    obv__context_free(context, block,
                      ((struct obv__sized *)(void *)block)->size);
}

static void free_by_kind(void *owner, struct obv__retired *block, unsigned kind)
{
    static void (*const all[])(struct obv_context *, struct obv__retired *) = {
        [OBV__RETIRED_WATCHER] = free_watcher,
        [OBV__RETIRED_NODE] = obv__node_free,
        [OBV__RETIRED_PATH_NODE] = obv__path_node_free,
        [OBV__RETIRED_PATHS] = obv__paths_free,
        [OBV__RETIRED_MORE] = obv__more_free,
        [OBV__RETIRED_BRANCH] = obv__branch_free,
        [OBV__RETIRED_CELL] = obv__cell_free,
        [OBV__RETIRED_OBSERVED_STATE] = obv__observed_state_free,
        [OBV__RETIRED_COMPUTED] = obv__computed_free,
        [OBV__RETIRED_EDGE] = obv__edge_free,
        [OBV__RETIRED_SIZED] = free_sized};
    all[kind](owner, block);
}

/* Contexts ----------------------------------------------------------------- */

/* Written at once. */
static void say_on_standard_error(void *context,
                                  const struct obv_diagnostic *diagnostic)
{
    struct obv__line line = {.length = 0};
    (void)context;
    obv__line_add_name(&line, ": ", diagnostic->path);
    obv__line_add_name(&line, " of ", diagnostic->label);
    obv__line_add_place(&line, diagnostic->file, diagnostic->line);
    fprintf(stderr, "observable: %s%s\n", diagnostic->text, line.text);
}

/* Of a context that asks for no other. */
#define IMMEDIATE_DEPTH 64

static void take_options(struct obv_context *context,
                         const struct obv_context_options *options)
{
    if (options) {
        context->diagnose = options->diagnose;
        context->diagnose_context = options->diagnose_context;
    }
    context->immediate_depth = options && options->immediate_depth
                                   ? options->immediate_depth
                                   : IMMEDIATE_DEPTH;
    if (!context->diagnose) {
        context->diagnose = say_on_standard_error;
    }
#ifdef OBV_CHECK_PATHS
    context->checks_paths = true;
#endif
    obv__domain_init(&context->retired, free_by_kind, context,
                     options ? options->reclaim_batch : 0);
}

enum obv_status obv_context_create(const struct obv_context_options *options,
                                   struct obv_context **context)
{
    if (!context ||
        (options && (options->size != sizeof *options ||
                     options->immediate_depth > OBV_IMMEDIATE_DEPTH_MAX))) {
        return OBV_E_ARGUMENT;
    }
    struct obv_allocator allocator;
    obv__allocator_init(&allocator, options ? options->allocator : NULL);
    struct obv_context *made = obv__allocate_zeroed(&allocator, sizeof *made);
    if (!made) {
        return OBV_E_MEMORY;
    }
    made->allocator = allocator;
    take_options(made, options);
    enum obv_status status = obv__names_create(&allocator, &made->names);
    if (status == OBV_OK) {
        obv__path_cache_init(&made->recent, made->names);
        obv__keys_init(&made->keys);
        status = obv_loop_create(made, NULL, &made->loop);
        if (status == OBV_OK) {
            *context = made;
            return OBV_OK;
        }
        obv__names_destroy(made->names);
    }
    obv__domain_deinit(&made->retired);
    obv__free(&allocator, made, sizeof *made);
    return status;
}

enum obv_status obv_context_destroy(struct obv_context *context)
{
    if (!context || obv__context_is_default(context)) {
        return OBV_E_ARGUMENT;
    }
    struct obv__thread *self = obv__thread_self();
    obv__epoch_enter(self);
    obv__finalize_again(context);
    obv__epoch_leave(self);
    /* Relaxed: nobody else may use the context any more. */
    if (obv__load_relaxed(&context->live) != 0) {
        obv__tell_left(context);
        return OBV_E_IN_USE;
    }
    for (struct obv_loop *loop = context->loops; loop; loop = loop->next) {
        obv__notices_tell(loop, self, true);
    }
    obv__inbound_drop_all(context);
    obv__foreign_end(context);
    obv__domain_deinit(&context->retired);
    obv_loop_release(context->inbound_loop);
    while (context->loops) {
        obv__loop_destroy_any(context->loops);
    }
    obv__classes_free(context);
    obv__keys_free(context);
    while (context->owned) {
        struct obv__owned_block *first = context->owned;
        context->owned = first->next;
        obv__context_free(context, first->block, first->size);
    }
    obv__path_cache_clear(&context->recent);
    obv__names_destroy(context->names);
    struct obv_allocator allocator = context->allocator;
    obv__free(&allocator, context, sizeof *context);
    return OBV_OK;
}

void obv_context_collect(struct obv_context *context)
{
    context = obv__context_or_default(context);
    if (!context) {
        return;
    }
    struct obv__thread *self = obv__thread_self();
    obv__epoch_enter(self);
    obv__finalize_again(context);
    obv__epoch_leave(self);
    obv__domain_flush(&context->retired);
    obv__path_cache_clear(&context->recent);
    obv__members_let_go(context);
    obv__keys_free_gone(context);
}

const struct obv__above obv__above = {
    .create = obv_context_create,
    .end = obv__observation_end,
    .end_called = obv__end_called,
    .apply_inbound = obv__inbound_apply,
    .read = obv__observed_read,
    .bring_up_to_date = obv__bring_path_up_to_date,
    .settle = obv__settle_pair,
    .attach_class = obv__class_subscriptions_attach,
};
