/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The present value of an observation's path.
 */
#include "dispatch/delivery.h"
#include "model/context.h"
#include "observe/observation.h"
#include "path/path_cache.h"
#include "wiring/leaves.h"
#include "computed/place.h"

#include <observable/component.h>

/* In an epoch section. */
static enum obv_status read_pair(struct obv__watcher *observation,
                                 struct obv_object *root,
                                 const struct obv_path *path,
                                 struct obv_value *value,
                                 struct obv_error *error)
{
    struct obv_context *context = obv__observation_context(observation);
    const struct obv__watcher *pair = obv__pair_find(observation, root, path);
    if (!pair) {
        return obv__fail(error, OBV_E_ENDED,
                         "the observation does not follow this path");
    }
    uintptr_t place = obv__load_acquire(&pair->place);
    if (!(place & OBV__PATH_NODE_TAG) || obv__path_node_of(place)->is_beneath ||
        obv__path_node_is_any(obv__path_node_of(place))) {
        return obv_value_at_compiled(root, path, value, error);
    }
    struct obv_value copy = {.kind = OBV_KIND_unreachable};
    if (!obv__path_node_read(context, obv__path_node_of(place), &copy)) {
        return obv__fail_as(error, OBV_E_MEMORY);
    }
    *value = copy;
    return OBV_OK;
}

/* A path that nobody follows any more leads nowhere, if it was bound. */
enum obv_status obv__observed_read(struct obv__watcher *observation,
                                   struct obv_object *root,
                                   const struct obv_path *path,
                                   struct obv_value *value)
{
    struct obv__thread *self = obv__thread_self();
    if (!obv__path_is_bound_once(path)) {
        return obv_value_at_compiled(root, path, value, NULL);
    }
    obv__epoch_enter(self);
    enum obv_status status = read_pair(observation, root, path, value, NULL);
    obv__epoch_leave(self);
    return status;
}

enum obv_status obv_observed_value(const struct obv_observation *handle,
                                   struct obv_object *root, const char *text,
                                   struct obv_value *value,
                                   struct obv_error *error)
{
    struct obv__watcher *observation = (struct obv__watcher *)(uintptr_t)handle;
    if (!handle || !root || !text || !value) {
        return obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    }
    struct obv_context *context = obv__observation_context(observation);
    struct obv__thread *self = obv__thread_self();
    struct obv_path *path;
    enum obv_status status = obv__check_object(root, error);
    if (status == OBV_OK) {
        status = obv__path_cache_find(&context->recent, text, &path, error);
    }
    if (status != OBV_OK) {
        return status;
    }
    obv__epoch_enter(self);
    status = read_pair(observation, root, path, value, error);
    obv__epoch_leave(self);
    obv_path_destroy(path);
    return status;
}
