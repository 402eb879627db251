/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every call that begins to observe does with what it is given.
 */
#ifndef OBV_OBSERVING_H
#define OBV_OBSERVING_H

#include "observe/observation.h"

/** Checks kind and options, whose context and paths are yet to be looked at. */
enum obv_status obv__check_manner(const struct obv_handler_kind *kind,
                                  const void *observer,
                                  const struct obv_observe_options *options,
                                  struct obv_error *error);

/** Checks that OBV_VALUES are asked of one path with one end; NULL: there is
    not one path. */
enum obv_status obv__check_values(const struct obv_path *only,
                                  struct obv_error *error);

/** Checks that loop and observer are of the context, and that the loop
    lives. */
enum obv_status obv__check_contexts(const struct obv__making *making,
                                    struct obv_error *error);

/** A reference of the path that was asked for: `compiled`, or if that is NULL
    the path of `text`. */
enum obv_status obv__path_asked(struct obv_context *context, const char *text,
                                const struct obv_path *compiled,
                                struct obv_path **path,
                                struct obv_error *error);

/** OBV_INITIAL. It may have ended meanwhile: then nobody is called. */
void obv__begin_with_a_call(struct obv__thread *self,
                            const struct obv__making *making,
                            struct obv__watcher *observation);

#endif
