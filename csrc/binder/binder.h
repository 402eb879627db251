/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binders, whatever carries their values: which end is to be set, when, and from
 * what stamp. What carries values of C from one to the other is in bind.c.
 *
 * A binder has an observation of each end, with values, for which each set is a
 * change. That of the source is delivered by the loop of the target, which belongs
 * to whoever may set the target; that of the target by the loop of the source. So
 * what is carried was copied where it was set, and is stored where it may be. What
 * an end holds is as new as the last stamp that its observation has gathered.
 */
#ifndef OBV_BINDER_H
#define OBV_BINDER_H

#include <observable/binder.h>
#include <observable/component.h>

/** An end, compiled. */
struct obv__binder_end {
    struct obv_object *object;
    const struct obv_path *path;
    struct obv_loop *loop; /* not NULL */
};

/** What carries values. */
struct obv__carrier {
    /** Sets an end to what a value becomes. `value` NULL: the last one again, since
        the path leads elsewhere. `is_settled`: nothing is to be set, since the end
        holds what came from the same set on another way; what it would have been
        set to is compared with that. `root`: of the end, held. */
    enum obv_status (*carry)(struct obv__carrier *carrier, bool is_reverse,
                             const struct obv_value *value,
                             struct obv_object *root, bool is_settled);
    /* `is_made`: a binder was. */
    void (*dispose)(struct obv__carrier *carrier, bool is_made);
    bool is_two_way;
    const char *label, *file;
    uint32_t line;
};

/** As obv_bind(). The carrier is given away, on error as well: until `dispose`. */
enum obv_status obv__bind(const struct obv__binder_end *source,
                          const struct obv__binder_end *target,
                          struct obv__carrier *carrier,
                          struct obv_binder **binder, struct obv_error *error);

#endif
