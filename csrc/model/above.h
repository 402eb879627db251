/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls that lower rooms make into higher ones: every one of them, and none
 * beside. A room includes no header of a higher room. So each thing that it
 * needs of one is a line here, and a function of observe/above.c, which knows
 * them all.
 *
 * The table is constant. No fast path leads through it: a set, a drain and
 * their calls meet it where something begins, ends, or is a special case.
 */
#ifndef OBV_ABOVE_H
#define OBV_ABOVE_H

#include "base/reclaim.h"

#include <observable/context.h>
#include <observable/value.h>

struct obv_path;
struct obv__work_list;
struct obv__watcher;

struct obv__above {
    /* Of the model. -------------------------------------------------------- */

    /** Creates the default context. */
    enum obv_status (*create)(const struct obv_context_options *options,
                              struct obv_context **context);

    /* Of dispatch. --------------------------------------------------------- */

    /** Ends an observation whose observer is gone. In an epoch section. */
    void (*end)(struct obv_context *context, struct obv__watcher *observation);

    /** Ends the pairs of an observation whose paths are over, unless a call of it
        is to come. In an epoch section. */
    void (*end_called)(struct obv_context *context,
                       struct obv__watcher *observation);

    /** Applies the inbound edits that wait in a loop. */
    void (*apply_inbound)(struct obv_loop *loop, struct obv__thread *self);

    /** Reads what an observation follows by a path that it has, or had. */
    enum obv_status (*read)(struct obv__watcher *observation,
                            struct obv_object *root,
                            const struct obv_path *path,
                            struct obv_value *value);

    /* Of computed properties: computed/evaluation.h, computed/settling.h. -- */

    /** Evaluates a computed property for a path that comes to it, or for its
        observers at the end of a change; what follows from its value joins the
        edit `work`, unless that is NULL. A property that this thread is
        computing already tells by itself. No lock held. */
    void (*bring_up_to_date)(struct obv_object *object, uint32_t slot,
                             struct obv__work_list *work);

    /** Evaluates what a pair follows, and confirms its observation and others
        if that has changed: before a drain calls the observation, as it begins,
        or where its own change of it was dropped (DR-3). In an epoch
        section. */
    void (*settle)(struct obv__thread *self, struct obv__watcher *pair);

    /* Of edits, while any class is observed: class_subscription.h. --------- */

    bool (*attach_class)(struct obv_object *object, uint32_t slot, bool is_same,
                         struct obv__work_list *work);
};

extern const struct obv__above obv__above OBV__HIDDEN;

#endif
