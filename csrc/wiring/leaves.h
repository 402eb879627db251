/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaf observations: those that end at a path node. Without options a leaf is
 * due where the properties differ; one with change records is looked at by its
 * values, and what became of it is kept with the edit. Everything here is
 * called inside an epoch section and with no lock held.
 */
#ifndef OBV_LEAVES_H
#define OBV_LEAVES_H

#include "dispatch/work_list.h"
#include "wiring/matcher.h"
#include "model/path_node.h"

/** The value that waiting delayed leaves at a computed property compare with:
    that from before they were scheduled (LL-5). */
struct obv__waited {
    struct obv__edited edited;
    bool differs;
    bool is_from_nil; /* nothing was there */
    bool is_unknown;  /* what was there is not known */
    bool is_lent;     /* `edited.old`, by the record: to be given back */
};

/** An element that a `*` has led to and no more does, while what is below it is
    looked at. */
struct obv__left {
    const struct obv__path_instance *instance; /* beneath the `*` */
    struct obv_object *object;                 /* by a reference */
    const struct obv__left *outer;             /* further up; or NULL */
};

/** A change at the leaves of a path node. */
struct obv__change {
    const struct obv__path_node *node;
    struct obv__path_instance *instance; /* NULL: there was no memory for it */
    struct obv_object *before, *now;     /* the containers */
    uint32_t slot;                       /* of an edit: what was set */
    struct obv__edited edited;    /* in `before`; its object NULL: nothing */
    bool differs;                 /* as the properties say */
    const struct obv__left *left; /* what is left on the way there */
    const struct obv__waited *waited; /* `edited` and `differs` for delayed
                                         leaves; NULL: as above */
    bool is_unknown;  /* it could not be looked at: counts as changed */
    bool is_told;     /* by an inbound set: leaves that ask for no more than the
                         call were told then */
    bool is_from_nil; /* a delayed leaf has waited with nil further up */
    bool is_lost;     /* what the slot's weak property held has died */
    bool is_missed;   /* memory was short for a change record */
};

/** obv__leaves_look() where somebody wants values. */
void obv__leaves_look_at_values(struct obv__work_list *work,
                                struct obv__change *change, uint64_t since);

/** Looks at the leaves of a path node, but those that came since `since`: makes
    the change records. It may run code of the program, so `before` is held. */
static inline void obv__leaves_look(struct obv__work_list *work,
                                    struct obv__change *change, uint64_t since)
{
    if (OBV__UNLIKELY(obv__path_node_wants(change->node, OBV__WANTS_OLD))) {
        obv__leaves_look_at_values(work, change, since);
    }
}

/** obv__leaves_add() where something ends. */
void obv__leaves_add_listed(struct obv__work_list *work,
                            const struct obv__change *change, uint64_t since);

/** Adds the leaves of a path node that have changed; nothing is held. */
static inline void obv__leaves_add(struct obv__work_list *work,
                                   const struct obv__change *change,
                                   uint64_t since)
{
    /* A watcher that comes after this look came since `since`. */
    if (obv__first(&change->node->leaves)) {
        obv__leaves_add_listed(work, change, since);
    }
}

/** Adds the leaves of a path node that ask for no more than the call: a slot that
    it is bound to was set by any thread. */
void obv__leaves_add_plain(const struct obv__path_node *node,
                           struct obv__work_list *work, uint64_t since);

/** Why leaves below a path node are due. */
enum obv__below {
    OBV__BELOW_PERHAPS, /* what leads there has become invalid */
    OBV__BELOW_TOUCHED, /* its slot has changed, whatever that leads to (EQ-5):
                           only leaves further down that asked for this */
    OBV__BELOW_OVER,    /* the path is over, whatever it led to (AR-1) */
    OBV__BELOW_LOST     /* memory was short: what they led to is not known */
};

/** Adds the leaves at a path node and below it, but those that came since
    `since`. */
void obv__leaves_add_below(const struct obv__path_node *node,
                           struct obv__work_list *work, uint64_t since,
                           enum obv__below why);

/** Adds the leaves below a path node whose slot has changed, whatever that
    leads to, if they asked for it (EQ-5). */
static inline void obv__leaves_add_any(const struct obv__path_node *node,
                                       struct obv__work_list *work,
                                       uint64_t since)
{
    if (OBV__UNLIKELY(obv__path_node_wants(node, OBV__WANTS_ANY_ELEMENT))) {
        obv__leaves_add_below(node, work, since, OBV__BELOW_TOUCHED);
    }
}

/** The slot that this binding hangs in is about to be edited: adds the leaves
    that want a call before the store (OB-2). `offered`: the new value. */
void obv__announce(struct obv__watcher *binding, struct obv__work_list *work,
                   const void *offered);

/** A copy of what a path node leads to now, as it is wired, if it is not
    beneath a `*`; a value that is unreachable is left so. False: no memory. In
    an epoch section, no lock held. */
bool obv__path_node_read(struct obv_context *context,
                         const struct obv__path_node *node,
                         struct obv_value *value);

/** The end of a pair's path was computed: an open change record, made before
    that, gets the value. In an epoch section, no lock held. */
void obv__leaves_close_record(struct obv__watcher *pair);

#endif
