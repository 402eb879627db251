/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observations and their pairs: registering, ending, and which pair a path
 * names. Everything here is called inside an epoch section, with no lock held.
 */
#ifndef OBV_OBSERVATION_H
#define OBV_OBSERVATION_H

#include "dispatch/work_list.h"
#include "model/above.h"
#include "model/context.h"
#include "model/path_node.h"
#include "model/watcher.h"

#include <observable/component.h>

/** The parts that an observation is made of. */
struct obv__making {
    struct obv_context *context;
    struct obv_class *cls; /* every instance of it; or NULL */
    struct obv_loop *loop;
    const struct obv_handler_kind *kind;
    void *observer;
    const struct obv_observe_options *options;
    uint32_t flags; /* obv_observe_flags */
    bool handle;
    bool group;              /* a GROUP, which hangs in no list itself */
    struct obv_object *root; /* of its first pair; NULL: of a class */
    /* Of an instance: the class-level observation that it belongs to. */
    struct obv__class_subscription *subscription;
};

/** A new observation without pairs, linked to its observer; OBV_E_MEMORY or
    OBV_E_ENDED (the observer). */
enum obv_status obv__observation_create(const struct obv__making *making,
                                        struct obv__watcher **observation);

/** Ends the creation: the pairs are registered, or none will be. From now on
    the thread that ends the observation finalizes it; if it has ended already,
    this call does. */
void obv__observation_finish_creation(struct obv_context *context,
                                      struct obv__watcher *observation);

/** Undoes the creation as if there had been none, but that memory waits. */
void obv__observation_abandon(struct obv_context *context,
                              struct obv__watcher *observation);

/**
 * Registers a pair of an observation. Leaves that this happens to change go to
 * `work`.
 *
 * @param path   NULL: none; the pair ends with its root.
 * @param slot   of its first element at the root; OBV__NO_SLOT: none has it.
 * @param members  Receives a group's member: those that one call registers, in
 *                 their order, are the group's from obv__pairs_keep() on, all
 *                 at once.
 * @return OBV_OK; OBV_E_MEMORY; OBV_E_ENDED (the root).
 */
enum obv_status obv__pair_register(struct obv__watcher *observation,
                                   struct obv_object *root,
                                   const struct obv_path *path, uint32_t slot,
                                   struct obv__work_list *work,
                                   struct obv__watcher **members);

/** Gives the members to their group, which can be called from its first ones
    on, and ends it if all of them have been stopped; false: it has ended
    before, and they with it. */
bool obv__pairs_keep(struct obv_context *context,
                     struct obv__watcher *observation,
                     struct obv__watcher **members);

/** Unlinks members and retires them, as if they had not been registered. */
void obv__pairs_take_back(struct obv__watcher *observation,
                          struct obv__watcher **members);

/** The end of a pair. */
enum obv__pair_end {
    OBV__BY_STOP,
    OBV__BY_DEATH, /* of its root, whose end has taken it out */
    OBV__BY_PATH   /* which is over; a call that is pending is still to come */
};

/** The pair is out of its list: the observation ends with its last pair. */
void obv__pair_ended(struct obv_context *context, struct obv__watcher *pair,
                     enum obv__pair_end by);

/** As `end_called` of model/above.h. */
void obv__end_called(struct obv_context *context,
                     struct obv__watcher *observation);

/** Cancels an observation: a scheduled call is not to come any more, and it is
    told of nothing. */
void obv__observation_cancel(struct obv__watcher *observation);

/** To be called before a pair ends. Confirms a call that waits for a computed
    property of the pair, as that of a stored property stands (LT-2, ST-4): no
    drain could find out any more whether it has changed. Frees the values kept
    to compare with. In an epoch section, no lock held. */
void obv__keep_call(struct obv__watcher *pair);

/** Ends one pair, whatever else the observation has. */
void obv__pair_stop(struct obv_context *context, struct obv__watcher *pair);

/** Whether a pair with this handler kind is to be stopped. Called under a lock;
    the observation may have ended by now. */
typedef bool obv__kind_is_wanted(const void *context,
                                 const struct obv_handler_kind *kind);

/**
 * obv_stop_observer() of those observations whose kind is wanted; in an epoch
 * section, so a kind of this observer's is to be retired, not freed.
 *
 * @param path       NULL: all paths.
 * @param wants  NULL: all kinds.
 * @return OBV_OK; OBV_E_ARGUMENT for a NULL root, or one without a class.
 */
enum obv_status obv__stop_wanted(struct obv_object *root, const void *observer,
                                 const struct obv_path *path,
                                 obv__kind_is_wanted *wants,
                                 const void *context);

/** Ends an observation with all its pairs. */
void obv__observation_end(struct obv_context *context,
                          struct obv__watcher *observation);

/** Turns an observation immediate. The computed properties that it waits for
    are settled first, since from here on they are kept valid. A mark by another
    thread meanwhile counts as a change. In an epoch section, no lock held. */
void obv__observation_turn_immediate(struct obv__thread *self,
                                     struct obv__watcher *observation);

/** Whether a pair, or a class-level observation, follows this path, however
    that is spelled. */
bool obv__pair_follows(struct obv__watcher *pair, const struct obv_path *path);

/** The path of a pair, or of a class-level observation, if that leads nowhere,
    since the root's class has not its first element (KP-12); else NULL. */
const struct obv_path *obv__unresolved_of(struct obv__watcher *pair);

/** How far the end of a pair's path has come. A path that has lost an element
    which it followed ends once its observation has been called; a path that had
    no element to follow holds nothing any more either. In an epoch section. */
enum obv__path_end obv__path_end_of(const struct obv__watcher *pair);

/** Whether a pair is this one. */
bool obv__pair_is(struct obv__watcher *pair, const struct obv_object *root,
                  const struct obv_path *path);

/** A pair of the observation with this root and path, or NULL. Of two, the pair
    that has not lost what it followed. In an epoch section. */
struct obv__watcher *obv__pair_find(struct obv__watcher *observation,
                                    const struct obv_object *root,
                                    const struct obv_path *path);

/** Whether obv_observe_compiled() would take one pair: it answers all that is
    refused but for want of memory. Tells nobody. */
enum obv_status obv__observe_check(const struct obv_compiled_pair *pair,
                                   const struct obv_handler_kind *kind,
                                   void *observer,
                                   const struct obv_observe_options *options,
                                   struct obv_error *error);

/** obv__above.read. */
enum obv_status obv__observed_read(struct obv__watcher *observation,
                                   struct obv_object *root,
                                   const struct obv_path *path,
                                   struct obv_value *value);

/** A pair through which the observation can be called, or NULL; of a
    class-level observation itself. */
struct obv__watcher *obv__pair_living(struct obv__watcher *observation);

/** Ends what `object` observes: it is at its end. */
void obv__observer_ends(struct obv_object *object);

#endif
