/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths that lead nowhere: see unresolved.h.
 */
#include "observe/unresolved.h"

#include "dispatch/delivery.h"
#include "model/class.h"
#include "model/nearest.h"
#include "path/path.h"

const struct obv_path *obv__unresolved_of(struct obv__watcher *pair)
{
    const struct obv__recording_member *member = obv__recording_member(pair);
    if (obv__is_class_subscription(pair)) {
        return obv__class_subscription(pair)->is_nowhere &&
                       obv__has_state(pair, OBV__LINKED)
                   ? obv__class_subscription(pair)->path
                   : NULL;
    }
    return member && member->is_nowhere ? member->path : NULL;
}

const struct obv_path *obv__unresolved_at(struct obv__watcher *observation,
                                          size_t *index)
{
    struct obv__watcher *pair = obv__is_class_subscription(observation)
                                    ? observation
                                    : obv__pair_next(observation, NULL);
    while (pair) {
        const struct obv_path *path = obv__unresolved_of(pair);
        if (path && (*index)-- == 0) {
            return path;
        }
        pair = pair == observation ? NULL : obv__pair_next(observation, pair);
    }
    return NULL;
}

void obv__unresolved_report(struct obv__watcher *observation,
                            const struct obv_class *cls,
                            const struct obv_path *path)
{
    struct obv_context *context = cls->context;
    struct obv__printed printed;
    char text[OBV__REPORT_SIZE];
    obv__write_lack(text, "the root's class has no such observable property",
                    cls, obv_path_elements(path));
    obv__diagnose_of(
        obv__thread_self(), context, observation,
        (struct obv_diagnostic){
            .kind = OBV_DIAGNOSTIC_UNRESOLVED,
            .text = text,
            .path = obv__path_print_now(&context->allocator, path, &printed)});
    obv__context_free(context, printed.block, printed.size);
}
