/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Observed-state callbacks (OS-1): what an object's own hook,
 * obv_class_table.observed_changed, has not been told yet.
 *
 * node.c notes that a list of an object has got its first watcher or lost its
 * last. The thread that did it tells the object when it leaves its epoch
 * section, or earlier, where obv__epoch_pay() stands; observed_state.c says
 * how.
 *
 * Owed: calls for one property alternate; the last one told is true; no call is
 * made under a lock, nor of an object that ends.
 */
#ifndef OBV_OBSERVED_STATE_H
#define OBV_OBSERVED_STATE_H

#include "model/node.h"

/** One property, or `*`. */
struct obv__turn {
    uint8_t is_observed;
    uint8_t is_told; /* what the hook has been told */
};

/** The form of `more` in the node of an object whose class has the hook. */
struct obv__observed_state {
    struct obv__more more;
    struct obv_object *object;          /* constant, as the next two */
    const struct obv_detail_node *node; /* whose `more` this is */
    uint32_t count;                     /* properties */
    struct obv__observed_state *next;   /* in the list of the thread it is on */
    /* Under the object's stripe. */
    uint32_t first, end; /* where places may differ from what was told */
    uint8_t is_taken;    /* on a thread's list, or being told by it */
    /* One for each property, then one for `*`. */
    struct obv__turn turns[];
};

/** Bytes of it in a class of so many properties. */
size_t obv__observed_state_size(size_t property_count);

/** Fills in a block that is zeroed. */
void obv__observed_state_init(struct obv__more *more, struct obv_object *object,
                              const struct obv_detail_node *node);

/** A property, or `*`, is observed from now on, or is no more. The object's
    stripe is held, in an epoch section. */
void obv__observed_state_queue_locked(const struct obv_detail_node *node,
                                      uint32_t slot, bool is_observed);

/* Called by the reclaim. */
void obv__observed_state_free(struct obv_context *context,
                              struct obv__retired *block);

#endif
