/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The observations of a class, as a change of an instance meets them.
 */
#include "wiring/class_watch.h"

#include "dispatch/delivery.h"
#include "model/class.h"
#include "model/node.h"
#include "wiring/matcher.h"

struct obv__class_subscription *
obv__class_subscription_behind(const struct obv_object *object,
                               struct obv__class_subscription *subscription)
{
    struct obv__class_subscription *next =
        subscription ? obv__load_acquire(&subscription->next) : NULL;
    bool is_passed = !subscription;
    const struct obv_class *cls = obv__class_of(object);
    for (; cls && !next; cls = cls->superclass) {
        const struct obv_class *of = cls;
        for (; of && !next; of = of == cls ? cls->ahead : NULL) {
            next = is_passed ? obv__load_acquire(&of->subscriptions) : NULL;
            is_passed = is_passed || of == subscription->cls;
        }
    }
    return next;
}

struct obv__class_subscription *
obv__class_subscription_concerned(struct obv_object *object,
                                  struct obv__class_subscription *subscription,
                                  uint32_t slot, bool is_same)
{
    uint32_t own;
    do {
        own = OBV__NO_SLOT;
        subscription = obv__class_subscription_behind(object, subscription);
        if (subscription && (subscription->wants_same || !is_same) &&
            obv__has_state(obv__subscription_watcher(subscription),
                           OBV__LINKED)) {
            const struct obv_element *first = subscription->path->elements;
            /* What it is on the object's class. */
            if (obv__matcher_must_learn(first, obv__class_of(object))) {
                obv__matcher_learn(first, object);
            }
            own = obv__slot_on(first, object);
        }
    } while (subscription && own != slot && own != OBV__SLOT_EVERY);
    return subscription;
}

struct obv__instance *
obv__instance_find_locked(const struct obv__class_subscription *subscription,
                          const struct obv_object *object)
{
    const struct obv_detail_node *node = obv__node(object);
    const struct obv__more *more = node ? obv__more(node) : NULL;
    struct obv__instance *at = more ? LIST_FIRST(&more->instances) : NULL;
    while (at && at->subscription != subscription) {
        at = LIST_NEXT(at, at_object);
    }
    return at;
}

enum obv__following
obv__following(const struct obv__class_subscription *subscription,
               const struct obv_object *object)
{
    struct obv__lock *stripe = obv__lock_stripe(object);
    obv__lock_enter(stripe);
    bool is_ending = obv__object_is_ending(object);
    struct obv__instance *found =
        obv__instance_find_locked(subscription, object);
    obv__lock_leave(stripe);
    return is_ending ? OBV__AT_ITS_END
           : !found  ? OBV__NOT_FOLLOWED
           : obv__pair_next(&found->group.head.watcher, NULL) ? OBV__FOLLOWED
                                                              : OBV__BEING_HUNG;
}

bool obv__class_subscriptions_await(struct obv_object *object, uint32_t slot)
{
    struct obv__thread *self = obv__thread_self();
    struct obv__class_subscription *subscription = NULL;
    bool found = false;
    /* To leave a section may call hooks of the program, which is not allowed
       inside the graph. There a section is open, so none is entered. */
    bool is_inside = obv__load_relaxed(&self->epoch) != 0;
    if (!is_inside) {
        obv__epoch_enter(self);
    }
    while (!found && (subscription = obv__class_subscription_concerned(
                          object, subscription, slot, false))) {
        enum obv__following answer = obv__following(subscription, object);
        found = answer == OBV__NOT_FOLLOWED || answer == OBV__BEING_HUNG;
    }
    if (!is_inside) {
        obv__epoch_leave(self);
    }
    return found;
}
