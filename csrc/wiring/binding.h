/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bindings: how a path instance hangs in a slot of its container, and lets go
 * of it. wiring.c decides what hangs there, and when. Paths lock held.
 */
#ifndef OBV_BINDING_H
#define OBV_BINDING_H

#include "dispatch/work_list.h"
#include "wiring/matcher.h"
#include "model/path_node.h"

static inline struct obv_context *
obv__path_instance_context(const struct obv__path_instance *instance)
{
    return instance->node->paths->context;
}

/** Whether a binding hangs in the slot of a weak property, or in that of all
    and one is weak. */
static inline bool obv__is_at_weak(const struct obv__watcher *binding)
{
    return binding && (binding->type & OBV__AT_WEAK);
}

/** Whether nothing hangs below a binding, and no end of an object behind it has
    to be seen: then there is nothing to relink. A path that leads on from there
    later is wired by the thread that adds it. */
static inline bool obv__is_leaf(const struct obv__watcher *binding)
{
    return binding && !obv__has_state(binding, OBV__MIDDLE) &&
           !obv__is_at_weak(binding);
}

/** Sets the slow-path bit of a path instance's binding, if that needs it now:
    path nodes below, or leaves, have changed. */
void obv__path_instance_mark_locked(struct obv__path_instance *instance);

/** Hangs a path instance into the slot of `container` (NULL: nowhere), and nowhere
    else any more; answers its binding. NULL: there is none; or no memory, and it
    stays. */
struct obv__watcher *
obv__path_instance_bind_locked(struct obv__path_instance *instance,
                               struct obv_object *container, uint32_t slot);

/** Takes a path instance out of its slot. */
static inline void
obv__path_instance_unbind_locked(struct obv__path_instance *instance)
{
    (void)obv__path_instance_bind_locked(instance, NULL, OBV__NO_SLOT);
}

/** If a path instance hangs at a weak property, in the container's slot
    `property`: hangs a second watcher, a `life`, at the object that is there
    now, unless that is ending already. Else does nothing. False: no memory, so
    the end of the object will not be seen. */
bool obv__path_instance_move_life_locked(struct obv__path_instance *instance,
                                         uint32_t property,
                                         struct obv_object *fresh);

/** Whether a watcher is a `life` of a path instance; if so, takes it away. */
bool obv__path_instance_end_life_locked(struct obv__path_instance *instance,
                                        struct obv__watcher *life);

/** The place for a path node's path instance (NULL: there is none yet) if its
    parent's leads to `fresh`; `make`: it is made if there is none, and then to
    be left once the path instance hangs there, or does not. */
struct obv__aim obv__aim_of_locked(const struct obv__path_node *node,
                                   const struct obv__path_instance *instance,
                                   struct obv_object *fresh, bool make);

/** Ends a path node that is bound once and that has lost, by an edit, what it
    was bound to. True: its leaf is due, whatever it led to; false: the path was
    over already. */
bool obv__path_node_end_locked(struct obv__path_node *node,
                               struct obv__work_list *work);

/** If all paths below a path node are over, it hangs nowhere from here on
    (AR-2); likewise the path nodes above it. NULL is ignored. */
void obv__path_node_rest_locked(struct obv__path_node *node);

/** The object to be held so that the place of a binding lives: the place
    itself; for a cell, its container. The object may be gone already, so only a
    cell is read. In an epoch section. */
static inline struct obv_object *
obv__binding_keeper(const struct obv__watcher *binding)
{
    struct obv_object *place = obv__binding_place(binding);
    return OBV__UNLIKELY(binding->type & OBV__AT_CELL) && place
               ? &obv__cell(place)->container->object
               : place;
}

#endif
