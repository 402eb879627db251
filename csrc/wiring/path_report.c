/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling of paths that cannot be followed.
 */
#include "wiring/path_report.h"

#include "dispatch/delivery.h"

/* Tells of a path node, and of the first observation that follows it. Its text
   does not stand on the stack at each level of a path. */
OBV__NOINLINE void obv__report_path(const struct obv__path_node *node,
                                    enum obv_diagnostic_kind kind)
{
    struct obv_context *context = node->paths->context;
    struct obv__thread *self = obv__thread_self();
    struct obv_element elements[OBV_PATH_COUNT_MAX];
    char text[256];
    size_t count = obv__path_node_elements(node, elements);
    (void)obv_path_print(context->names, elements, count, text, sizeof text);
    obv__lock_enter(&context->paths);
    struct obv__watcher *first = obv__next_leaf_locked(NULL, node, NULL);
    first = first ? obv__observation(first) : NULL;
    obv__lock_leave(&context->paths);
    obv__diagnose_of(
        self, context, first,
        (struct obv_diagnostic){
            .kind = kind,
            .text = kind == OBV_DIAGNOSTIC_MEMORY
                        ? "a path could not be followed for want of memory"
                        : "a key path leads through what is no observable "
                          "property",
            .path = text});
}
