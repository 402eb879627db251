/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class-level observation (OS-3): one observation of every instance of a class.
 *
 * It has no pair and hangs in no slot. An instance that is about to change for
 * the first time is *attached* to it: it gets an observation of its own, of the
 * same observer and handler, and that hangs in the instance as if it had been
 * observed so from the beginning. From then on an edit is an edit: what is due,
 * rewired, noted, dropped and held is what it is for any observation. So no
 * object knows of it before it changes, and each instance is pending for
 * itself.
 *
 *     class  ---> class subscription (a group without pairs: the handle, the
 *                  |  observer)
 *                  |  instances
 *                  +---> instance (a group)  ---> member in a slot of object 1
 *                  +---> instance (a group)  ---> member in a slot of object 2
 *
 * The subscription is also what is called where there is no instance to be
 * called for: when memory was short for one, and by hand.
 *
 * All functions here are called with no lock held.
 */
#ifndef OBV_CLASS_SUBSCRIPTION_H
#define OBV_CLASS_SUBSCRIPTION_H

#include "dispatch/work_list.h"
#include "model/class.h"

/**
 * The object is about to change: what observes its class begins to follow it.
 *
 * @param is_same  the set leaves an equal value behind.
 * @param work     the value is stored already: gets what the edit cannot find,
 *                 to be delivered with it: what could not follow for want of
 *                 memory, and is called without the object, too. NULL: the
 *                 store is yet to come.
 * @return false: some observation does not follow the object, or another
 *         thread is at attaching it; then no stamp may stand: the registration
 *         epoch is raised after the edit.
 */
bool obv__class_subscriptions_attach(struct obv_object *object, uint32_t slot,
                                     bool is_same, struct obv__work_list *work);

/** Ends the observations of an object's class whose observer is gone. */
void obv__class_subscriptions_end_dead(struct obv_object *object);

/** Lists a class-level observation at its class, with a reference to its path.
    It begins as any other does, when its pairs are kept, though it has none.
    `is_nowhere`: the class has not the path's first element. */
void obv__class_subscription_begin(struct obv__class_subscription *subscription,
                                   struct obv_class *cls,
                                   const struct obv_path *path, bool is_nowhere,
                                   const struct obv_observe_options *options);

/** Follows the begin of a class-level observation's end: no instance comes any
    more, and those that it has end; if it is cancelled, so are they. May be
    repeated, and by several threads at once: each ends them all. */
void obv__class_subscription_end(struct obv_context *context,
                                 struct obv__class_subscription *subscription);

/** Turns a class-level observation and its instances immediate. In an epoch
    section, no lock held. */
void obv__class_subscription_make_immediate(
    struct obv__thread *self, struct obv__class_subscription *subscription);

/** Takes an instance that has ended out of its object's list, so that another
    may come. May be repeated. */
void obv__instance_leave_object(struct obv__instance *instance);

#endif
