/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison of what a level of the wiring has moved (wiring.c): whether the leaves
 * there differ.
 */
#ifndef OBV_COMPARE_H
#define OBV_COMPARE_H

#include "dispatch/work_list.h"
#include "model/computed.h"
#include "wiring/leaves.h"
#include "wiring/path_instance.h"

/** Which leaves below count as changed. */
enum obv__counts {
    OBV__COUNTS_DIFFERENT, /* where it differs */
    OBV__COUNTS_NONE,      /* none: they are due already */
    OBV__COUNTS_FROM_NIL,  /* delayed ones: where anything is, since nothing was
                              when they were scheduled; others where it differs */
    OBV__COUNTS_FROM_UNKNOWN /* delayed ones: all; others where it differs */
};

/** A path node whose path instance has moved. */
struct obv__moved {
    struct obv__change change;    /* of the leaves there */
    struct obv__watcher *binding; /* its path instance's new one; or NULL */
    struct obv__watcher *old;     /* the one before, or NULL */
    struct obv__computed *left;   /* where somebody waited; or NULL */
    struct obv__waited waited;    /* in it, if `change` says so */
    enum obv__waits waits;        /* with what they do there */
    bool is_moved;                /* it has */
    bool holds_before;            /* the container before, by a reference */
    bool is_comparable;           /* or nothing can hold it */
    bool is_missed;               /* memory was short: its leaves are due */
    bool is_lost;                 /* so is its path, which is over */
};

/** One of the children of a path instance, below which path nodes go from one object
    to another. */
struct obv__level {
    struct obv__work_list *work;
    struct obv__path_instance *instance; /* NULL: above the first path nodes */
    const struct obv__watcher *binding;  /* by which it hangs; NULL: nowhere */
    struct obv__child child;             /* what leads to the object */
    enum obv__counts counts;
    uint8_t said;             /* by the `child`; OBV__CHILD_... */
    bool holds_fresh;         /* by a reference */
    struct obv_object *fresh; /* behind the slot */
};

/** How what is below a computed property counts for whom waits there. */
static inline enum obv__counts obv__counts_of_waiting(enum obv__waits waits)
{
    if (!OBV__UNLIKELY(waits != OBV__WAITS_WITH_OBJECT)) {
        return OBV__COUNTS_DIFFERENT;
    }
    return waits == OBV__WAITS_WITH_NIL ? OBV__COUNTS_FROM_NIL
                                        : OBV__COUNTS_FROM_UNKNOWN;
}

/** Whether delayed leaves at a path node below, or further down, have waited
    further up. Where a `*` or an occurrence leads on each move tells. */
static inline bool obv__level_is_waited(const struct obv__level *level,
                                        const struct obv__path_node *node)
{
    const struct obv_element *element = obv__path_node_element(node);
    return OBV__UNLIKELY(level->counts >= OBV__COUNTS_FROM_NIL) &&
           !obv__matcher_is_many(element) &&
           !obv__matcher_is_bound_once(element);
}

/** Compares the containers before and now for the leaves of a path node that has
    moved. Both are held, or cannot be. No lock held. */
void obv__compare_moved(const struct obv__level *level,
                        struct obv__moved *moved);

/** Once its leaves were looked at: those who waited there have their answer. */
void obv__compared(const struct obv__level *level, struct obv__moved *moved);

#endif
