/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inbound edits: what is kept of a property that any thread may set, while a
 * watcher asks for more than the call: a path that leads through the property,
 * values, records, an edge of a computed property. Such a watcher has OBV__SLOW
 * and belongs to the object's owner. A set stores, and tells all other watchers
 * at once. For the owner the property waits in a queue
 * (dispatch/inbound_queue.h), whose drain makes one edit of all sets since the
 * last: from the value told last to the value that is stored by then (edit.c).
 *
 *     told last   the property's value as far as the owner's watchers know: an
 *                 edit hands it over as old and as new, and compares it
 *     version     counts the sets: a reader finds by it, before the drain, that
 *                 another value may be stored
 *     left        computed properties that such a read has marked: the edit
 *                 evaluates them for immediate observations, and tells those of
 *                 `*`, as if it had marked them itself
 *
 * A property is told from the first such watcher on until a set finds none any
 * more. As long as it is told, its slot has the slow-path bit, so that each set
 * comes here.
 */
#ifndef OBV_INBOUND_H
#define OBV_INBOUND_H

#include "model/node.h"
#include "platform/bsd.h"

#include <observable/value.h>

TAILQ_HEAD(obv__inbound_list, obv__inbound);

/** Under the lock of dispatch/inbound_queue.c. */
struct obv__inbound_queue {
    struct obv__inbound_list list;
    size_t count; /* any thread reads */
};

/** A value: the bytes of a scalar, or a box of a custom property. */
union obv__told_value {
    uint64_t scalar;
    struct obv_boxed *box; /* NULL: it is not known */
};

/** An object and a slot. Its memory lives as long as the object's node. */
struct obv__inbound {
    struct obv__inbound *next_of_object; /* constant */
    struct obv_object *object;           /* constant */
    const struct obv_property *property; /* constant */
    uint32_t slot;                       /* constant */
    uint32_t loop;    /* the id of one that observes what is computed of it, or
                      0; written by the owner, any thread reads */
    uint32_t version; /* any thread */
    uint64_t stamp;   /* the newest of its sets, if anybody is told stamps; any
                       thread */
    /* Under the stripe. A watcher that came after the last edit has perhaps
       seen another value: `joined`. */
    union obv__told_value told, joined;
    uint8_t is_told; /* any thread reads */
    uint8_t joins;   /* 0: there is none. 2: others may have seen yet another */
    /* Computed properties that a read has marked; the rest is the edit's. */
    struct obv__inbound_queue left;
    struct obv__computed *record; /* of such a one; else NULL */
    bool computes;                /* it is to be, for immediate observations */
    bool tells_every; /* observers of every property of its object */
    /* Under the lock of dispatch/inbound_queue.c. */
    bool is_held;   /* the object, by a reference, while it waits */
    bool is_batchs; /* it waits for the end of a batch */
    TAILQ_ENTRY(obv__inbound) entry;
    /* The queue that it waits in; any thread reads. NULL: none. */
    struct obv__inbound_queue *queue;
};

/** Counts all sets for which an inbound edit waits: raised behind the store,
    and behind the version. Any thread. */
extern uint64_t obv__inbound_sets OBV__HIDDEN;

/** The inbound edit of a slot of an object, or NULL. */
struct obv__inbound *obv__inbound_of(const struct obv_object *object,
                                     uint32_t slot);

/** The inbound edit of a slot, made if there is none; NULL: no memory. No lock
    held. */
struct obv__inbound *obv__inbound_make(struct obv_object *object,
                                       uint32_t slot);

/** Makes what a watcher with OBV__SLOW needs in a slot (OBV__SLOT_EVERY: in
    each); false: no memory. No lock held. */
bool obv__inbound_prepare(struct obv_object *object, uint32_t slot);

/** Notes that a watcher with OBV__SLOW hangs in a slot: the stored value counts
    as told. The object's stripe is held. */
void obv__inbound_begin_locked(struct obv_object *object, uint32_t slot,
                               const struct obv__watcher *watcher);

/** Makes the value before a set that is done the told one, for a watcher that
    has come just now: `old`, as setters hand it over. No lock held. */
void obv__inbound_begin_before(struct obv_object *object, uint32_t slot,
                               const void *old);

/** Notes the id of a loop with an observation of something computed from the
    slot where a watcher hangs. On the owner's thread. */
void obv__inbound_name(const struct obv__watcher *watcher, uint32_t loop);

/** Whether a slot is told, so that it needs the slow-path bit whatever hangs
    there. */
bool obv__inbound_is_told(const struct obv_detail_node *node, uint32_t slot);

/** Ends the telling of a slot where a set has found no watcher with OBV__SLOW;
    false: one has come meanwhile. No lock held. */
bool obv__inbound_forget(struct obv__inbound *inbound);

/** The values that an inbound edit is told from, and to. */
struct obv__inbound_change {
    union obv__told_value old, joined; /* the change's own */
    union obv__told_value now;
    uint8_t joins;
    bool is_known; /* what was told last */
    bool is_same;  /* old and new are, for every watcher */
};

/** Makes the stored value the told one, and fills in `change`. No lock held. */
void obv__inbound_turn(struct obv__inbound *inbound,
                       struct obv__inbound_change *change);

/** The value before, as setters hand it over; NULL: it is not known. */
const void *obv__inbound_old(const struct obv__inbound *inbound,
                             const struct obv__inbound_change *change);

/** Lets go of what was told before. Runs code of the program. */
void obv__inbound_leave(const struct obv__inbound *inbound,
                        struct obv__inbound_change *change);

/** Calls `each` with the stored value, as setters hand it over; NULL: it is not
    known. `is_same`: it equals the value told last. */
void obv__inbound_offer(struct obv__inbound *inbound,
                        void (*each)(void *context, const void *offered,
                                     bool is_same),
                        void *context);

/** The value told last of a slot that any thread may set; NULL: what is stored
    counts. On the owner's thread. A scalar is copied to `told`, since another
    thread may end the telling, and one more may then set the property. No lock
    held. */
const void *obv__told_last(const struct obv_object *object, uint32_t slot,
                           union obv__told_value *told);

/** Whether the value told last of a slot is not known any more: a set has found
    that nobody follows it. */
bool obv__told_is_lost(const struct obv_object *object, uint32_t slot);

/** Lets go of the values of an object that is at its end; no edit of it waits
    any more. */
void obv__inbounds_end(struct obv_detail_node *node);

/** Called by the reclaim. */
void obv__inbounds_free(struct obv_context *context,
                        struct obv__inbound *first);

#endif
