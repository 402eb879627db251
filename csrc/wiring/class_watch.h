/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The observations of a class, as a change of an instance meets them: which of
 * them it concerns, and whether they follow that instance. How they begin to is
 * in observe/class_subscription.c.
 */
#ifndef OBV_CLASS_WATCH_H
#define OBV_CLASS_WATCH_H

#include "model/watcher.h"

struct obv_object;

/** The subscription behind another (NULL: the first) among those of an object's
    class and of the classes above it; behind its class comes that one's
    `ahead`. In an epoch section. */
struct obv__class_subscription *
obv__class_subscription_behind(const struct obv_object *object,
                               struct obv__class_subscription *subscription);

/** The next subscription behind another that a change of this slot concerns;
    `is_same`: the change leaves an equal value. In an epoch section, no lock
    held. */
struct obv__class_subscription *
obv__class_subscription_concerned(struct obv_object *object,
                                  struct obv__class_subscription *subscription,
                                  uint32_t slot, bool is_same);

/** The instance of a class subscription at an object, or NULL. The stripe is
    held. */
struct obv__instance *
obv__instance_find_locked(const struct obv__class_subscription *subscription,
                          const struct obv_object *object);

enum obv__following {
    OBV__NOT_FOLLOWED,
    OBV__BEING_HUNG,
    OBV__FOLLOWED,
    OBV__AT_ITS_END
};

/** How far the following of an object has come. In an epoch section. */
enum obv__following
obv__following(const struct obv__class_subscription *subscription,
               const struct obv_object *object);

/** Whether a change of this slot would be the object's first for some
    class-level observation. No lock held. */
bool obv__class_subscriptions_await(struct obv_object *object, uint32_t slot);

#endif
