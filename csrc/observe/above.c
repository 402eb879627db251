/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls that lower rooms make into higher ones: the table of above.h, and
 * how a context begins and ends through all rooms.
 */
#include "model/above.h"

#include "computed/dependencies.h"
#include "computed/evaluation.h"
#include "computed/settling.h"
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
#include "observe/deallocation_notice.h"
#include "observe/observation.h"
#include "wiring/invalidation.h"
#include "wiring/paths.h"
#include "wiring/record_text.h"
#include "wiring/path_instance.h"

#include <observable/component.h>

static enum obv_status begin_context(struct obv_context *context)
{
    obv__keys_init(&context->keys);
    return obv_loop_create(context, NULL, &context->loop);
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

static void let_go_of_context(struct obv_context *context)
{
    struct obv__thread *self = obv__thread_self();
    for (struct obv_loop *loop = context->loops; loop; loop = loop->next) {
        obv__notices_tell(loop, self, true);
    }
    obv__inbound_drop_all(context);
    obv__foreign_end(context);
}

static void free_context(struct obv_context *context)
{
    if (context->inbound_loop) {
        obv__loop_release(context->inbound_loop);
    }
    while (context->loops) {
        obv__loop_destroy_any(context->loops);
    }
    obv__classes_free(context);
    obv__keys_free(context);
}

static void free_watcher(struct obv_context *context,
                         struct obv__retired *block)
{
    struct obv__watcher *watcher = (struct obv__watcher *)(void *)block;
    unsigned what = obv__what(watcher);
    if (what <= OBV__GROUP && (watcher->type & OBV__HAS_ITEM)) {
        obv__loop_release(obv__loop_of(watcher));
    }
    if (what == OBV__GROUP && obv__group(watcher)->records) {
        obv__change_records_free(context, obv__group(watcher)->records);
    } else if (what == OBV__GROUP && obv__is_class_subscription(watcher)) {
        obv__class_subscription_deinit(obv__class_subscription(watcher));
    } else if (what == OBV__MEMBER && obv__recording_member(watcher)) {
        obv_path_destroy(obv__recording_member(watcher)->path);
    }
    obv__context_free(context, watcher, obv__watcher_size(watcher));
}

static void free_by_kind(void *owner, struct obv__retired *block, unsigned kind)
{
    struct obv_context *context = owner;
    switch ((enum obv__retired_kind)kind) {
    case OBV__RETIRED_WATCHER:
        free_watcher(context, block);
        break;
    case OBV__RETIRED_NODE:
        obv__node_free(context, block);
        break;
    case OBV__RETIRED_PATH_NODE:
        obv__path_node_free(context, block);
        break;
    case OBV__RETIRED_PATHS:
        obv__paths_free(context, block);
        break;
    case OBV__RETIRED_MORE:
        obv__more_free(context, block);
        break;
    case OBV__RETIRED_PATH_INSTANCE:
        obv__path_instance_free(context, block);
        break;
    case OBV__RETIRED_CELL:
        obv__cell_free(context, block);
        break;
    case OBV__RETIRED_OBSERVED_STATE:
        obv__observed_state_free(context, block);
        break;
    case OBV__RETIRED_COMPUTED:
        obv__computed_free(context, block);
        break;
    case OBV__RETIRED_EDGE:
        obv__edge_free(context, block);
        break;
    case OBV__RETIRED_SIZED:
        obv__context_free(context, block,
                          ((struct obv__sized *)(void *)block)->size);
        break;
    }
}

const struct obv__above obv__above = {
    .begin = begin_context,
    .finalize_again = obv__finalize_again,
    .let_go = let_go_of_context,
    .free = free_context,
    .free_retired = free_by_kind,
    .allow_any_thread = obv__loops_allow_any_thread,
    .end = obv__observation_end,
    .end_paths = obv__end_paths,
    .end_called = obv__end_called,
    .retire_instance = obv__instance_retire,
    .apply_inbound = obv__inbound_apply,
    .tell_deaths = obv__notices_tell,
    .write_texts = obv__change_record_write_texts,
    .read = obv__observed_read,
    .compute = obv__compute,
    .record = obv__record_read,
    .bring_up_to_date = obv__bring_path_up_to_date,
    .compute_for = obv__compute_for,
    .settle = obv__settle,
    .settle_begun = obv__settle_begun,
    .set = obv__computed_was_set,
    .first_invalid = obv__first_invalid,
    .class_awaits = obv__class_subscriptions_await,
    .attach_class = obv__class_subscriptions_attach,
    .attach_class_late = obv__class_subscriptions_attach_late,
};
