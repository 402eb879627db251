/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A round: some of the steps below a way go to where the object behind its slot
 * is. W1 to W6 of the wiring, which is told at the top of wiring.c.
 *
 *     begin      W1 to W4; behind the way is what is held from now on
 *     look       W5 and W6; what differs is due
 *     let go     of what is behind the way
 *
 * Steps for which there was no room are the next round's: `has_rest`.
 */
#ifndef OBV_ROUND_H
#define OBV_ROUND_H

#include "dispatch/due.h"
#include "model/value.h"
#include "wiring/binding.h"
#include "wiring/matcher.h"
#include "wiring/way.h"

/** As many ways as are moved in one stay in the lock. */
#define OBV__ROUND 8

/** Where a round reads what is behind the slot. */
enum obv__reads {
    OBV__READS_STORED,
    OBV__READS_GUARDED, /* there, but the container may be at its end */
    OBV__READS_BEFORE   /* in the value that the edit has stored over */
};

/** A step whose way has moved. */
struct obv__moved {
    struct obv__step *step;
    struct obv__way *way;         /* NULL: there was no memory for it */
    struct obv__watcher *binding; /* its new one */
    struct obv__watcher *old;     /* what it had before, or NULL */
    struct obv__aim aim;          /* of before it moved */
    uint64_t known;               /* the value there, as it was told */
    bool was_short;               /* could not be bound: counts as changed */
    bool is_missed;               /* and somebody follows it */
};

/** A round, and what it has found. */
struct obv__round {
    struct obv__way *way;
    struct obv__due *due;
    struct obv__child child;     /* what leads to the object */
    struct obv_object *fresh;    /* behind the slot, at W2 */
    struct obv__awaited awaited; /* where nobody is, but may come */
    struct obv_object *before;   /* where the ways of this round hung */
    bool fresh_held;             /* with a reference */
    bool awaits;                 /* `awaited` says something */
    bool before_held;            /* with a reference */
    bool fresh_tried;            /* protected by a try, until it is known */
    bool is_uncompared;          /* a binding would, but nothing holds them */
    bool is_short;               /* no memory for what is behind the slot */
    bool is_value;               /* behind the slot is a value, no object */
    uint64_t edits;
    struct obv__step *unknown; /* found to be no observable property */
    bool unknown_is_missed;    /* and somebody follows it */
    bool is_unwatched;         /* memory was short for the watcher of its end */
    bool all_changed; /* memory was short above: each step counts, in order */
    enum obv__reads reads;
    bool expects_move; /* an edit of any thread's: what hung here has to go */
    bool is_trial;     /* a path is to be wired: who is missing is its answer */
    bool is_overtaken; /* and does not: another thread has moved it */
    bool has_rest;     /* not all steps have been settled */
    size_t done;       /* so many of them */
    size_t lacking;    /* of so many it is noted which have no way */
    size_t count;
    struct obv__moved moved[OBV__ROUND];
};

/** Of a way that hangs by `binding` (NULL: nowhere), for all that is behind its
    slot. */
void obv__round_init(struct obv__round *round, struct obv__way *way,
                     const struct obv__watcher *binding, struct obv__due *due);

/** W1 to W4. Answers false once another thread has bound the way elsewhere:
    that thread brings in line what is below, and its object need not live for
    us. */
bool obv__round_begin(struct obv__round *round,
                      const struct obv__watcher *binding);

/** W5 and W6. */
void obv__round_look(struct obv__round *round);

/** The ways of this round that have come to nothing, after W7. */
void obv__round_forget_idle(const struct obv__round *round);

/** Gives back what is behind the way. */
void obv__round_let_go(struct obv__round *round);

#endif
