/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stopping, in all its forms; and what else is done with a handle.
 */
#include "computed/settling.h"
#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "dispatch/record_search.h"
#include "model/class.h"
#include "model/node.h"
#include "dispatch/trace.h"
#include "observe/observation_set.h"
#include "observe/class_subscription.h"
#include "observe/observation.h"
#include "wiring/invalidation.h"

#include <observable/component.h>
#include <observable/detail.h>

static struct obv__watcher *watcher_of(const struct obv_observation *handle)
{
    return (struct obv__watcher *)(uintptr_t)handle;
}

OBV__INLINE void stop(struct obv__watcher *observation, bool cancel)
{
    struct obv__thread *self = obv__thread_self();
    obv__epoch_enter(self);
    struct obv_context *context = obv__observation_context(observation);
    if (cancel) {
        obv__observation_cancel(observation);
    }
    obv__observation_end(context, observation);
    obv__epoch_leave(self);
}

void obv_stop(struct obv_observation *handle)
{
    if (handle) {
        stop(watcher_of(handle), false);
    }
}

OBV__NOINLINE static void trace_let_go(struct obv__watcher *observation)
{
    struct obv__thread *self = obv__thread_self();
    obv__epoch_enter(self);
    const struct obv__traced traced = {
        .kind = OBV_TRACE_LET_GO,
        .slot = OBV__SLOT_NONE,
        .via = observation,
        .context = obv__observation_context(observation)};
    obv__trace(&traced);
    obv__epoch_leave(self);
}

void obv_detail_let_go(struct obv_observation *handle)
{
    if (handle && obv__is_traced()) {
        trace_let_go(watcher_of(handle));
    }
    obv_stop(handle);
}

bool obv_stop_and_wait(struct obv_observation *handle)
{
    struct obv__watcher *observation = watcher_of(handle);
    unsigned round = 0;
    if (!handle) {
        return true;
    }
    stop(observation, true);
    if (obv__running_outermost(obv__thread_self())) {
        return false;
    }
    /* Repeats until every thread that was inside the handler has left it:
       none enters any more. */
    while (obv__running_where(observation) != OBV__NOWHERE) {
        obv__backoff(&round);
    }
    /* A token has no observer that could be kept. */
    if (observation->of) {
        (void)obv__wait_for_hazards(observation->of);
    }
    return true;
}

void obv_release(struct obv_observation *handle)
{
    if (!handle) {
        return;
    }
    struct obv__thread *self = obv__thread_self();
    struct obv__watcher *observation = watcher_of(handle);
    obv__epoch_enter(self);
    struct obv_context *context = obv__observation_context(observation);
    uint8_t before =
        obv__fetch_and_acq_rel(&observation->state, (uint8_t)~OBV__HANDLE);
    if (before & OBV__DONE) {
        obv__observation_retire(context, observation);
    }
    obv__epoch_leave(self);
}

bool obv_has_ended(const struct obv_observation *handle)
{
    struct obv__watcher *observation = watcher_of(handle);
    if (handle && (observation->type & OBV__MORTAL)) {
        struct obv__thread *self = obv__thread_self();
        obv__epoch_enter(self);
        (void)obv__end_if_dead(obv__observation_context(observation),
                               observation);
        obv__epoch_leave(self);
    }
    return !handle || !obv__has_state(observation, OBV__LINKED);
}

/* Stopping by path -------------------------------------------------------- */

static void stop_pairs(struct obv__watcher *observation,
                       const struct obv_object *root,
                       const struct obv_path *path)
{
    struct obv_context *context = obv__observation_context(observation);
    struct obv__watcher *pair = obv__pair_next(observation, NULL);
    if (obv__is_class_subscription(observation) && !root &&
        obv__pair_follows(observation, path)) {
        obv__observation_end(context, observation);
    }
    while (pair) {
        struct obv__watcher *next = obv__pair_next(observation, pair);
        if ((!root || obv__root(pair) == root) &&
            obv__pair_follows(pair, path)) {
            obv__pair_stop(context, pair);
        }
        pair = next;
    }
}

void obv_stop_compiled(struct obv_observation *handle,
                       const struct obv_object *root,
                       const struct obv_path *path)
{
    struct obv__thread *self = obv__thread_self();
    if (handle) {
        obv__epoch_enter(self);
        stop_pairs(watcher_of(handle), root, path);
        obv__epoch_leave(self);
    }
}

enum obv_status obv_stop_path(struct obv_observation *handle,
                              const struct obv_object *root, const char *text,
                              struct obv_error *error)
{
    struct obv_path *path;
    if (!handle || !text) {
        return handle ? obv__fail(error, OBV_E_ARGUMENT, "the path is null")
                      : OBV_OK;
    }
    struct obv_context *context = obv__observation_context(watcher_of(handle));
    enum obv_status status =
        obv__path_cache_find(&context->recent, text, &path, error);
    if (status == OBV_OK) {
        obv_stop_compiled(handle, root, path);
        obv_path_destroy(path);
    }
    return status;
}

/* Stopping by observer or handler ----------------------------------------- */

/* The conditions on which a pair is stopped; NULL: anything. At a root, or at a
   class. */
struct match {
    struct obv_object *root;
    struct obv_class *cls;
    struct obv_context *context;
    const struct obv_handler_kind *kind;
    const void *observer; /* NULL beside a kind: any */
    const struct obv_path *const *paths;
    size_t count;
    obv__kind_is_wanted *wants; /* asked with the next */
    const void *wanted;
};

static bool matches(const struct match *match, struct obv__watcher *pair)
{
    if (obv__is_binding(pair) || !obv__has_state(pair, OBV__LINKED)) {
        return false;
    }
    struct obv__watcher *observation = obv__observation(pair);
    const struct obv_handler_kind *kind = observation->with.kind;
    bool any_observer = match->kind && !match->observer;
    /* An instance is never stopped at its object: its class-level observation
       has no root. */
    if (obv__is_instance(observation) || (match->kind && kind != match->kind) ||
        (!any_observer && observation->of != match->observer) ||
        (match->wants && !match->wants(match->wanted, kind))) {
        return false;
    }
    bool listed = match->count == 0;
    for (size_t i = 0; !listed && i < match->count; i++) {
        listed = obv__pair_follows(pair, match->paths[i]);
    }
    return listed;
}

static void stop_list(void *context, uint32_t slot, uintptr_t *head)
{
    const struct match *match = context;
    (void)slot;
    for (struct obv__watcher *w = obv__first(head); w;
         w = obv__next_at(match->root, w)) {
        if (matches(match, w)) {
            obv__pair_stop(match->context, w);
        }
    }
}

static void stop_matching(struct match *match)
{
    struct obv_detail_node *node = obv__node(match->root);
    struct obv__more *more = node ? obv__more(node) : NULL;
    struct obv__paths *paths = more ? obv__load_acquire(&more->paths) : NULL;
    if (node) {
        obv__each_list(node, stop_list, match);
    }
    while (paths) {
        struct obv__watcher *end = NULL;
        obv__lock_enter(&match->context->paths);
        do {
            end = obv__next_leaf_locked(paths, NULL, end);
        } while (end && !matches(match, end));
        obv__lock_leave(&match->context->paths);
        if (end) {
            obv__pair_stop(match->context, end);
        } else {
            paths = paths->next;
        }
    }
}

static void stop_subscriptions(const struct match *match)
{
    struct obv__class_subscription *subscription =
        obv__load_acquire(&match->cls->subscriptions);
    for (; subscription;
         subscription = obv__load_acquire(&subscription->next)) {
        struct obv__watcher *observation =
            obv__subscription_watcher(subscription);
        if (matches(match, observation)) {
            obv__observation_end(match->context, observation);
        } else {
            (void)obv__end_if_dead(match->context, observation);
        }
    }
}

/* The class that is stopped at, or the class of the root; or NULL. */
static const struct obv_class *class_at(const struct match *match)
{
    return match->cls ? match->cls : obv__class_or_null(match->root);
}

/* Stops at a root or a class. */
static enum obv_status stop_at(struct match *match)
{
    struct obv__thread *self = obv__thread_self();
    const struct obv_class *cls = class_at(match);
    if (!cls || (match->count != 0 && !match->paths)) {
        return OBV_E_ARGUMENT;
    }
    if (!match->cls && obv__object_has_ended(match->root)) {
        return OBV_OK;
    }
    match->context = cls->context;
    /* Held, since a pending call that is taken back may hold the last
       reference. */
    bool is_held = !match->cls && cls->retain && cls->retain(match->root);
    obv__epoch_enter(self);
    if (match->cls) {
        stop_subscriptions(match);
    } else {
        stop_matching(match);
        obv__class_subscriptions_end_dead(match->root);
        obv__end_dead_observers(match->root);
    }
    obv__epoch_leave(self);
    if (is_held) {
        cls->release(match->root);
    }
    return OBV_OK;
}

/* stop_at() for paths as text; none: all. `wrong`: the message if an argument
   is NULL. */
static enum obv_status stop_texts(struct match *match, const char *const *texts,
                                  size_t count, const char *wrong,
                                  struct obv_error *error)
{
    const struct obv_class *cls = class_at(match);
    if (!cls || (count != 0 && !texts)) {
        return obv__fail(error, OBV_E_ARGUMENT, wrong);
    }
    if (!match->cls && obv__object_has_ended(match->root)) {
        return OBV_OK; /* and its class has no context */
    }
    struct obv_context *context = cls->context;
    size_t known = 0, size = count * sizeof(struct obv_path *);
    struct obv_path **paths =
        count != 0 ? obv__context_allocate(context, size) : NULL;
    if (count != 0 && !paths) {
        return obv__fail_as(error, OBV_E_MEMORY);
    }
    enum obv_status status = OBV_OK;
    while (status == OBV_OK && known < count) {
        status = texts[known]
                     ? obv__path_cache_find(&context->recent, texts[known],
                                            &paths[known], error)
                     : obv__fail(error, OBV_E_ARGUMENT, "the path is null");
        known += status == OBV_OK;
    }
    if (status == OBV_OK) {
        match->paths = (const struct obv_path *const *)paths;
        match->count = count;
        status = stop_at(match);
    } else if (error) {
        error->index = known;
    }
    while (known != 0) {
        obv_path_destroy(paths[--known]);
    }
    obv__context_free(context, paths, size);
    return status;
}

enum obv_status obv_stop_observer(struct obv_object *root, const void *observer,
                                  const char *const *texts, size_t count,
                                  struct obv_error *error)
{
    struct match match = {.root = root, .observer = observer};
    return stop_texts(&match, texts, count,
                      "root or paths are null, or the root has no class",
                      error);
}

enum obv_status obv_stop_class_observer(struct obv_class *cls,
                                        const void *observer,
                                        const char *const *texts, size_t count,
                                        struct obv_error *error)
{
    struct match match = {.cls = cls, .observer = observer};
    return stop_texts(&match, texts, count, "class or paths are null", error);
}

enum obv_status
obv_stop_class_observer_compiled(struct obv_class *cls, const void *observer,
                                 const struct obv_path *const *paths,
                                 size_t count)
{
    return stop_at(&(struct match){
        .cls = cls, .observer = observer, .paths = paths, .count = count});
}

enum obv_status obv_stop_observer_compiled(struct obv_object *root,
                                           const void *observer,
                                           const struct obv_path *const *paths,
                                           size_t count)
{
    return stop_at(&(struct match){
        .root = root, .observer = observer, .paths = paths, .count = count});
}

enum obv_status obv_stop_class_handler(struct obv_class *cls,
                                       const struct obv_handler_kind *kind,
                                       const void *observer)
{
    struct match match = {.cls = cls, .kind = kind, .observer = observer};
    return kind ? stop_at(&match) : OBV_E_ARGUMENT;
}

enum obv_status obv_stop_handler(struct obv_object *root,
                                 const struct obv_handler_kind *kind,
                                 const void *observer)
{
    struct match match = {.root = root, .kind = kind, .observer = observer};
    return kind ? stop_at(&match) : OBV_E_ARGUMENT;
}

enum obv_status obv__stop_wanted(struct obv_object *root, const void *observer,
                                 const struct obv_path *path,
                                 obv__kind_is_wanted *wants,
                                 const void *context)
{
    return stop_at(&(struct match){.root = root,
                                   .observer = observer,
                                   .paths = &path,
                                   .count = path != NULL,
                                   .wants = wants,
                                   .wanted = context});
}

/* By hand ----------------------------------------------------------------- */

static void schedule_living(struct obv__thread *self,
                            struct obv__watcher *observation)
{
    obv__epoch_enter(self);
    struct obv__watcher *pair = obv__pair_living(observation);
    if (pair) {
        obv__schedule_by_hand(self, pair);
    }
    obv__epoch_leave(self);
}

void obv_schedule(struct obv_observation *handle)
{
    if (handle) {
        schedule_living(obv__thread_self(), watcher_of(handle));
    }
}

void obv_detail_schedule_called(void)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__watcher *observation =
        (struct obv__watcher *)(uintptr_t)obv__running_innermost(self);
    if (observation && (observation->type & OBV__HAS_ITEM)) {
        schedule_living(self, observation);
    }
}

bool obv_execute(struct obv_observation *handle)
{
    if (!handle) {
        return false;
    }
    struct obv__thread *self = obv__thread_self();
    struct obv__watcher *observation = watcher_of(handle);
    const struct obv_loop *loop = obv__loop_of(observation);
    obv__epoch_enter(self);
    struct obv__watcher *pair = obv__pair_living(observation);
    bool called =
        pair && (loop->owner == 0 || obv__loop_is_bound_to(loop, self)) &&
        !obv__loop_is_drained_elsewhere(loop, self) &&
        obv__call_now(self, obv__observation_context(observation), pair);
    obv__epoch_leave(self);
    return called;
}

void obv__observation_turn_immediate(struct obv__thread *self,
                                     struct obv__watcher *observation)
{
    bool has_item = (observation->type & OBV__HAS_ITEM) != 0;
    /* If the loop has ended, no drain evaluates what the observation
       follows. */
    if (obv__waits(observation) ||
        (has_item && obv__loop_has_ended(obv__loop_of(observation)))) {
        obv__settle(self, observation);
    }
    obv__fetch_or_acq_rel(&observation->state, (uint8_t)OBV__TURNED);
    if (obv__is_solo(observation)) {
        obv__list_turned(observation);
    }
    if (obv__asks(observation) && obv__first_invalid(observation)) {
        (void)obv__coalescing_confirm(obv__item(observation), 0);
    }
}

void obv_make_immediate(struct obv_observation *handle)
{
    if (handle) {
        struct obv__thread *self = obv__thread_self();
        struct obv__watcher *observation = watcher_of(handle);
        obv__epoch_enter(self);
        if (obv__is_class_subscription(observation)) {
            obv__class_subscription_make_immediate(
                self, obv__class_subscription(observation));
        } else {
            obv__observation_turn_immediate(self, observation);
        }
        obv__epoch_leave(self);
        /* All-pending stamps are not to keep a change from an observation that
           is immediate now. */
        obv__advance_registration_epoch();
    }
}
