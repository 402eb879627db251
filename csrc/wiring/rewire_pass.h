/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rewire pass: some of the path nodes below a path instance go to where the
 * object behind its slot is. W1 to W6 of the wiring, which is told at the top
 * of wiring.c.
 *
 *     begin      W1 to W4; behind the path instance is what is held from now on
 *     look       W5 and W6; what differs is due
 *     let go     of what is behind the path instance
 *
 * Path nodes for which there was no room are the next pass's: `has_rest`.
 *
 * Mostly one path instance hangs below, and goes from one object to another of
 * the same class. Such a rewire pass is plain: what is read, moved and compared
 * in it runs no code of the program, and nothing is held.
 */
#ifndef OBV_REWIRE_PASS_H
#define OBV_REWIRE_PASS_H

#include "dispatch/work_list.h"
#include "model/computed.h"
#include "model/value.h"
#include "wiring/leaves.h"
#include "wiring/path_instance.h"

/** As many path instances as are moved in one stay in the lock. */
#define OBV__REWIRE_PASS_MAX 8

/** Where a rewire pass reads what is behind the slot. */
enum obv__reads {
    OBV__READS_STORED,
    OBV__READS_BEFORE /* in the value that the edit has stored over */
};

/** Which leaves below count as changed. */
enum obv__counts {
    OBV__COUNTS_DIFFERENT, /* where it differs */
    OBV__COUNTS_ALL,       /* all, in order */
    OBV__COUNTS_FROM_NIL,  /* delayed ones: where anything is, since nothing was
                              when they were scheduled; others where it differs */
    OBV__COUNTS_FROM_UNKNOWN /* delayed ones: all; others where it differs */
};

/** How an object is kept from its end while it is looked at. */
enum obv__kept { OBV__KEPT_NOT, OBV__KEPT_BY_HAZARD, OBV__KEPT_BY_REFERENCE };

/** A path node whose path instance has moved. */
struct obv__moved {
    struct obv__change change;    /* of the leaves there */
    struct obv__watcher *binding; /* its path instance's new one; NULL: it has
                                     none */
    struct obv__watcher *old;     /* what it had before, or NULL */
    struct obv__computed *left;   /* where somebody waited; or NULL */
    struct obv__waited waited;    /* in it, if `change` says so */
    const struct obv_property
        *kept_by; /* what was kept in it goes: its property;
                                           or NULL */
    union obv__raw kept;
    bool is_lent;          /* what was kept in it is, to this pass */
    bool is_read;          /* what was kept in it is compared with */
    enum obv__waits waits; /* with what they do there */
    bool was_unwired;      /* could not be bound: counts as changed */
    bool is_lost; /* what it was bound to once for all: its leaves are due */
};

/** A rewire pass, and what it has found; the first five are given. */
struct obv__rewire_pass {
    struct obv__path_instance *instance;
    const struct obv__watcher *binding; /* by which it hangs; NULL: nowhere */
    struct obv__work_list *work;
    struct obv__child child; /* what leads to the object */
    enum obv__reads reads;
    enum obv__counts counts;
    bool is_trial;  /* a path is to be wired: who is missing is its answer */
    bool has_rest;  /* not all path nodes are resolved yet */
    bool is_missed; /* memory was short, and somebody follows */
    uint8_t said;   /* by the `child`; OBV__CHILD_... */
    enum obv__kept fresh_kept, before_kept;
    struct obv_object *fresh;                   /* behind the slot, at W2 */
    const struct obv__path_node *last_computed; /* the properties that path
                                                   nodes come to were brought up
                                                   to date as far as this one */
    const struct obv__path_node *begins; /* of a path to be wired, the path node
                                            below; or NULL */
    struct obv_object *before;      /* where the path instances of this pass
                                       hung */
    struct obv__path_node *unknown; /* found to be no observable property, and
                                       somebody follows it */
    uint64_t edits;
    size_t done; /* so many path nodes are in place */
    size_t count;
    struct obv__moved *moved; /* OBV__REWIRE_PASS_MAX */
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
    further up. Where a `*` or an occurrence leads on each move tells: what they
    led to is not known any more. */
static inline bool
obv__rewire_pass_is_waited(const struct obv__rewire_pass *pass,
                           const struct obv__path_node *node)
{
    const struct obv_element *element = obv__path_node_element(node);
    return OBV__UNLIKELY(pass->counts >= OBV__COUNTS_FROM_NIL) &&
           !obv__matcher_is_many(element) &&
           !obv__matcher_is_bound_once(element);
}

/** W1 to W6 of a path instance that hangs by `binding`, and of those below it,
    as far down as rewire passes are plain; the two are then those with which it
    goes on. Answers how what is below them counts: memory was short for the
    binding if it is NULL. */
enum obv__counts
obv__rewire_passes_plainly(struct obv__path_instance **instance,
                           const struct obv__watcher **binding,
                           struct obv__work_list *work);

/** W1 to W4. Answers false once another thread has bound the path instance
    elsewhere: that thread brings in line what is below, and its object need not
    live for us. */
bool obv__rewire_pass_begin(struct obv__rewire_pass *pass);

/** W5 and W6. */
void obv__rewire_pass_look(struct obv__rewire_pass *pass);

/** The path instances of this pass that have come to nothing, after W7. */
void obv__rewire_pass_forget_idle(const struct obv__rewire_pass *pass);

/** Gives back what is behind the path instance. */
void obv__rewire_pass_let_go(struct obv__rewire_pass *pass);

#endif
