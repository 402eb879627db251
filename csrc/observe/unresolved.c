/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths that lead nowhere: see unresolved.h.
 */
#include "observe/unresolved.h"

#include "dispatch/delivery.h"
#include "model/class.h"
#include "model/nearest.h"
#include "model/path_node.h"
#include "observe/observation.h"

const struct obv_path *obv__unresolved_of(struct obv__watcher *pair)
{
    const struct obv__recording_member *member = obv__recording_member(pair);
    return member && member->is_nowhere ? member->path : NULL;
}

/* The path of an observation of a class, if that leads nowhere. */
static const struct obv_path *
path_of_subscription(struct obv__watcher *observation)
{
    const struct obv__class_subscription *subscription =
        obv__is_class_subscription(observation)
            ? obv__class_subscription(observation)
            : NULL;
    return subscription && subscription->is_nowhere &&
                   obv__has_state(observation, OBV__LINKED)
               ? subscription->path
               : NULL;
}

const struct obv_path *obv__unresolved_at(struct obv__watcher *observation,
                                          size_t *index)
{
    const struct obv_path *path = path_of_subscription(observation);
    struct obv__watcher *pair = obv__pair_next(observation, NULL);
    if (path) {
        return (*index)-- == 0 ? path : NULL;
    }
    for (; pair; pair = obv__pair_next(observation, pair)) {
        path = obv__unresolved_of(pair);
        if (path && (*index)-- == 0) {
            return path;
        }
    }
    return NULL;
}

static void report(const struct obv_class *cls,
                   struct obv__watcher *observation,
                   const struct obv_path *path)
{
    struct obv_context *context = cls->context;
    struct obv__printed printed;
    char text[OBV__REPORT_SIZE];
    obv__write_lack(text, "the root's class has no such observable property",
                    cls, obv_path_elements(path));
    obv__diagnose_of(obv__thread_self(), context, observation,
                     (struct obv_diagnostic){
                         .kind = OBV_DIAGNOSTIC_UNRESOLVED,
                         .text = text,
                         .path = obv__path_print_now(context, path, &printed)});
    obv__context_free(context, printed.block, printed.size);
}

void obv__unresolved_report(struct obv__watcher *observation)
{
    if (obv__is_solo(observation)) {
        return; /* it leads somewhere */
    }
    const struct obv_path *path = path_of_subscription(observation);
    struct obv__watcher *pair = obv__pair_next(observation, NULL);
    if (path) {
        report(obv__class_subscription(observation)->cls, observation, path);
    }
    for (; pair; pair = obv__pair_next(observation, pair)) {
        const struct obv_object *root = obv__root(pair);
        path = obv__unresolved_of(pair);
        if (path && root &&
            !obv__exchange_acq_rel(&obv__recording_member(pair)->is_reported,
                                   true)) {
            report(obv__class_of(root), observation, path);
        }
    }
}
