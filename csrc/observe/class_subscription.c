/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class-level observation.
 *
 * Attaching. While any class is observed, each set attaches its object: before
 * the store, where an observation asks for calls before it or for sets of equal
 * values; else after the store, by the edit, which then finds the instance's
 * own observation as it finds any other. Two threads may change one instance
 * for the first time at once (any-thread properties, observed by a path of one
 * element). Under the object's stripe the first of them enters an instance, and
 * hangs it some instructions later; the other waits for that. If memory is
 * short, the subscription itself is due with the edit.
 *
 * Lifetimes. A class subscription has a user of its own, and one for every
 * instance, until that is retired. Once only its own user is left, the kind is
 * disposed of; with the last user the memory is retired. The maker of an
 * instance has the subscription pinned, so it is not finalized. An instance
 * stays in its subscription's list until it is finalized: cancelling the
 * subscription cancels every pending call of its instances.
 *
 * Ending. A class subscription's end marks it under its lock, so that no
 * instance is entered any more, and sweeps: each sweep ends each instance that
 * it finds, also one that another is at. So when the call of any stopper
 * returns, no instance is entered any more. An instance that leaves the list
 * keeps its next, and its memory while a sweep stands on it; none comes any
 * more: so each sweep passes each instance once. An instance ends alone only
 * with its object, or with its observer; where an end cannot be held because
 * the observer is gone, the subscription ends (delivery.c). An instance that
 * has ended before its pair is in its list finds that when the pair comes
 * there, and leaves its object again.
 *
 * Finalizing. An instance may be ended as soon as it is in a list of what ends
 * it, before its pair hangs. A pair that hangs must find its instance there, in
 * any epoch section; so what is being made is not finalized, nor its memory
 * given back: its maker does that, once the pair is in the group's list, where
 * an end finds it, or hangs nowhere. The thread that ends it marks its group,
 * which takes no pair from then on, so it is never linked.
 *
 * Marks. A setter that finds its slot's stamp equal to the registration epoch
 * does not come here. So a new class subscription raises the registration
 * epoch, and so does an edit that could not attach its object.
 */
#include "observe/class_subscription.h"

#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "observe/observation.h"
#include "path/path.h"
#include "wiring/class_watch.h"
#include "wiring/wiring.h"
#include "wiring/matcher.h"
#include "wiring/paths.h"
#include "model/path_node.h"

/* Class subscriptions of a class ------------------------------------------- */

/* Guards the lists of all classes. */
static struct obv__lock subscriptions;

void obv__class_subscription_begin(struct obv__class_subscription *subscription,
                                   struct obv_class *cls,
                                   const struct obv_path *path, bool is_nowhere,
                                   const struct obv_observe_options *options)
{
    subscription->cls = cls;
    subscription->path = obv__path_retain(path);
    subscription->options = *options;
    subscription->options.flags &= ~(uint32_t)OBV_INITIAL;
    /* The end of the path is compared by the observation itself, so sets of equal
       values may be changes to it. */
    subscription->wants_same =
        path->count == 1 &&
        (options->equal || options->compare != OBV_COMPARE_DECLARED);
    if (subscription->wants_same || (options->flags & OBV_PRIOR)) {
        /* Relaxed: the registration epoch is raised after it. */
        obv__store_relaxed(&obv__somebody_wants, true);
    }
    subscription->is_nowhere = is_nowhere;
    obv__lock_enter(&subscriptions);
    subscription->next = cls->subscriptions;
    /* Release: a thread that finds the subscription sees it whole. */
    obv__store_release(&cls->subscriptions, subscription);
    obv__tell_of_all_sets(1);
    obv__lock_leave(&subscriptions);
}

/* Takes a subscription out of its class's list: no set attaches an object to it
   any more. */
static void delist(struct obv__class_subscription *subscription)
{
    obv__lock_enter(&subscriptions);
    struct obv__class_subscription **place = &subscription->cls->subscriptions;
    while (*place && *place != subscription) {
        place = &(*place)->next;
    }
    if (*place) {
        /* A walker that stands on it goes on by its `next`, which stays. */
        obv__store_release(place, subscription->next);
        obv__tell_of_all_sets((size_t)-1);
    }
    obv__lock_leave(&subscriptions);
}

void obv__class_subscriptions_end_dead(struct obv_object *object)
{
    struct obv__class_subscription *subscription = NULL;
    while (obv__class_subscriptions_exist() &&
           (subscription =
                obv__class_subscription_behind(object, subscription)) != NULL) {
        (void)obv__end_if_dead(subscription->cls->context,
                               obv__subscription_watcher(subscription));
    }
}

/* Instances ---------------------------------------------------------------- */

/* Puts an instance into its subscription's list; false: that has begun to
   end. */
static bool enter_subscription(struct obv__instance *instance)
{
    struct obv__class_subscription *subscription = instance->subscription;
    obv__lock_enter(&subscription->group.lock);
    bool alive = !subscription->group.is_ending;
    if (alive) {
        LIST_INSERT_HEAD(&subscription->instances, instance, of_subscription);
        instance->is_listed = true;
        if (obv__is_immediate(obv__subscription_watcher(subscription))) {
            obv__fetch_or_acq_rel(&instance->group.head.watcher.state,
                                  (uint8_t)OBV__TURNED);
        }
    }
    obv__lock_leave(&subscription->group.lock);
    return alive;
}

/* Enters an instance at its object, unless its subscription has one there, or
   the object is at its end; whether it is entered. */
static bool enter_object(struct obv__instance *instance)
{
    struct obv_object *object = instance->object;
    struct obv__lock *stripe = obv__lock_stripe(object);
    obv__lock_enter(stripe);
    bool enters = !obv__object_is_ending(object) &&
                  !obv__instance_find_locked(instance->subscription, object);
    if (enters) {
        struct obv__more *more = obv__more(obv__node(object));
        LIST_INSERT_HEAD(&more->instances, instance, at_object);
        instance->is_entered = true;
    }
    obv__lock_leave(stripe);
    return enters;
}

void obv__instance_leave_object(struct obv__instance *instance)
{
    struct obv__lock *stripe = obv__lock_stripe(instance->object);
    obv__lock_enter(stripe);
    if (instance->is_entered) {
        LIST_REMOVE(instance, at_object);
        instance->is_entered = false;
    }
    obv__lock_leave(stripe);
}

/* A class subscription that is to follow an object, before a store (`work` is
   NULL) or after it. `is_late`: what the path led to before the store cannot be
   told, so an instance that begins to follow is called. */
struct attachment {
    struct obv__thread *self;
    struct obv__class_subscription *subscription;
    struct obv_object *object;
    struct obv__work_list *work;
    bool is_late;
};

/* Registers the pair of an instance that is entered. */
static enum obv_status attach_instance(const struct attachment *attachment,
                                       struct obv__instance *instance)
{
    struct obv__class_subscription *subscription = attachment->subscription;
    struct obv_context *context = subscription->cls->context;
    struct obv__work_list work;
    obv__work_list_init(&work, attachment->self, context);
    /* If the value is stored, wiring may find the change before its edit does,
       at path instances of others of the class: that is told with the edit. */
    struct obv__watcher *members = NULL;
    const struct obv_path *path = subscription->path;
    struct obv__watcher *observation = &instance->group.head.watcher;
    enum obv_status status = obv__pair_register(
        observation, instance->object, path,
        obv__slot_on(path->elements, instance->object),
        attachment->work ? attachment->work : &work, &members);
    if (status == OBV_OK && !obv__pairs_keep(context, observation, &members)) {
        status = OBV_E_ENDED;
    }
    struct obv__watcher *pair =
        status == OBV_OK ? obv__pair_next(observation, NULL) : NULL;
    obv__work_list_deliver(&work);
    uintptr_t place = pair ? obv__load_acquire(&pair->place) : 0;
    if ((place & OBV__PATH_NODE_TAG) &&
        obv__path_node_is_unknown(obv__path_node_of(place)) &&
        !obv__exchange_acq_rel(&subscription->is_reported, true)) {
        obv__report_path(obv__path_node_of(place), OBV_DIAGNOSTIC_UNRESOLVED);
    }
    if (pair && attachment->is_late) {
        obv__work_list_add(attachment->work, pair);
    }
    return status;
}

/* Makes the observation of one instance. If the observer is an object, while
   that cannot end: its end would not find the new observation, and we would
   link it to memory that is gone. */
static enum obv_status make_instance(const struct attachment *attachment,
                                     struct obv__watcher **made)
{
    struct obv__class_subscription *subscription = attachment->subscription;
    struct obv__watcher *whole = obv__subscription_watcher(subscription);
    const struct obv__making making = {.context = subscription->cls->context,
                                       .loop = obv__loop_of(whole),
                                       .kind = whole->with.kind,
                                       .observer = whole->of,
                                       .options = &subscription->options,
                                       .flags = subscription->options.flags,
                                       .group = true,
                                       .subscription = subscription,
                                       .root = attachment->object};
    if (!(whole->type & OBV__OBSERVER_LINKED)) {
        return obv__observation_create(&making, made);
    }
    obv__hazard_set(attachment->self, whole->of);
    /* As in delivery.c: its end cancels first of all. */
    enum obv_status status =
        obv__has_all_but(whole, OBV__LINKED, OBV__CANCELLED)
            ? obv__observation_create(&making, made)
            : OBV_E_ENDED;
    obv__hazard_clear(attachment->self);
    return status;
}

/* Follows an object; OBV_E_IN_USE: another thread does. The subscription is
   pinned. */
static enum obv_status begin_to_follow(const struct attachment *attachment)
{
    struct obv_context *context = attachment->subscription->cls->context;
    struct obv_object *object = attachment->object;
    struct obv__watcher *observation = NULL;
    enum obv_status status = make_instance(attachment, &observation);
    if (status != OBV_OK) {
        return status;
    }
    struct obv__instance *instance = obv__instance(observation);
    if (!obv__more_ensure(object)) {
        status = obv__object_has_ended(object) ? OBV_E_ENDED : OBV_E_MEMORY;
    } else if (!enter_subscription(instance)) {
        status = OBV_E_ENDED;
    } else {
        status = enter_object(instance) ? attach_instance(attachment, instance)
                                        : OBV_E_IN_USE;
    }
    if (status != OBV_OK) {
        obv__observation_abandon(context, observation);
    } else {
        obv__observation_finish_creation(context, observation);
    }
    return status;
}

/* Has the subscription follow an object, unless it does. False: no memory, or
   this thread is hanging the instance, and computes something for that which
   sets the property once more. Waits for another thread that hangs a path of
   one element: no code of the program runs meanwhile. */
static bool follow(const struct attachment *attachment)
{
    struct obv__class_subscription *subscription = attachment->subscription;
    struct obv__watcher *whole = obv__subscription_watcher(subscription);
    enum obv_status status = OBV_E_IN_USE;
    enum obv__following found;
    unsigned round = 0;
    do {
        found = obv__following(subscription, attachment->object);
        if (found == OBV__NOT_FOLLOWED) {
            /* Pinned, since its kind is read. */
            obv__running_push(attachment->self, OBV__PINNED(whole));
            status = obv__has_state(whole, OBV__LINKED)
                         ? begin_to_follow(attachment)
                         : OBV_E_ENDED;
            obv__unpin(attachment->self, subscription->cls->context, whole);
        } else if (found == OBV__BEING_HUNG && subscription->path->count == 1) {
            obv__backoff(&round);
        } else {
            status = OBV_OK;
        }
    } while (status == OBV_E_IN_USE);
    return found != OBV__BEING_HUNG && status != OBV_E_MEMORY;
}

/* Changes ------------------------------------------------------------------ */

/* Whether a change that is stored may have led the path elsewhere, and what the
   path led to before cannot be told. */
static bool is_late(const struct obv__class_subscription *subscription,
                    const struct obv__work_list *work)
{
    const struct obv__edited *at = &work->edit.at;
    const struct obv_element *first = subscription->path->elements;
    return subscription->path->count > 1 &&
           (obv__slot_may_hold_object(obv__class_of(at->object), at->slot) ||
            obv__matcher_is_view(first)) &&
           !obv__leads_back(work, first);
}

/* Whether a change of an object is told: the object is not at its end
   (LT-10). */
static bool is_told_of(struct obv_object *object)
{
    bool held = obv__object_hold(object);
    obv__object_let_go(object, held);
    return held ||
           (!obv__class_of(object)->retain && !obv__object_is_ending(object));
}

bool obv__class_subscriptions_attach(struct obv_object *object, uint32_t slot,
                                     bool is_same, struct obv__work_list *work)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__class_subscription *subscription = NULL;
    bool all = true;
    obv__epoch_enter(self);
    while ((subscription = obv__class_subscription_concerned(
                object, subscription, slot, is_same)) != NULL) {
        const struct attachment attachment = {self, subscription, object, work,
                                              work &&
                                                  is_late(subscription, work)};
        bool follows = follow(&attachment);
        if (!follows && work && is_told_of(object)) {
            /* It is called without the instance (OS-3). */
            obv__work_list_add(work, obv__subscription_watcher(subscription));
        }
        all = all && follows;
    }
    obv__epoch_leave(self);
    return all;
}

/* Ends --------------------------------------------------------------------- */

/* The instance behind another; NULL: the first. */
static struct obv__instance *
next_instance(struct obv__class_subscription *subscription,
              const struct obv__instance *after)
{
    obv__lock_enter(&subscription->group.lock);
    struct obv__instance *next = after ? LIST_NEXT(after, of_subscription)
                                       : LIST_FIRST(&subscription->instances);
    obv__lock_leave(&subscription->group.lock);
    return next;
}

void obv__class_subscription_end(struct obv_context *context,
                                 struct obv__class_subscription *subscription)
{
    struct obv__instance *at;
    delist(subscription);
    if (obv__has_state(obv__subscription_watcher(subscription),
                       OBV__CANCELLED)) {
        /* All of them first: no call of the subscription is entered any
           more. */
        obv__lock_enter(&subscription->group.lock);
        LIST_FOREACH(at, &subscription->instances, of_subscription)
        {
            obv__fetch_or_acq_rel(&at->group.head.watcher.state,
                                  (uint8_t)OBV__CANCELLED);
        }
        obv__lock_leave(&subscription->group.lock);
    }
    for (at = next_instance(subscription, NULL); at;
         at = next_instance(subscription, at)) {
        /* An instance that ended before may have a pending call that was to
           come: that is taken back now. */
        obv__observation_end(context, &at->group.head.watcher);
    }
}

void obv__class_subscription_make_immediate(
    struct obv__thread *self, struct obv__class_subscription *subscription)
{
    struct obv__instance *at;
    /* From here on instances come as immediate ones. */
    obv__lock_enter(&subscription->group.lock);
    obv__fetch_or_acq_rel(&obv__subscription_watcher(subscription)->state,
                          (uint8_t)OBV__TURNED);
    obv__lock_leave(&subscription->group.lock);
    for (at = next_instance(subscription, NULL); at;
         at = next_instance(subscription, at)) {
        obv__observation_turn_immediate(self, &at->group.head.watcher);
    }
}
