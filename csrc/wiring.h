/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wiring: how the ways of a root's paths (way.h) follow replaced objects.
 *
 *     root.address.zipCode, root.address.street
 *
 *     paths of root           root's node            the address's node
 *       step address   --->     slot address
 *         step zipCode ---------------------->         slot zipCode
 *           ends: observation 1
 *         step street  ---------------------->         slot street
 *           ends: observation 2
 *
 * A path of one element needs none of this: its observation hangs in the root's
 * slot itself, unless it has notes.
 *
 * Everything here is called inside a section and with no lock held.
 */
#ifndef OBV_WIRING_H
#define OBV_WIRING_H

#include "due.h"
#include "way.h"

/** An edit of the slot that this binding hangs in: adds what ends at it, and
    rewires below it. */
void obv__rewire(struct obv__watcher *binding, struct obv__due *due,
                 uint64_t since);

/** An edit of the slot that this binding hangs in is to come: adds whom it is
    to be told before. `offered`: the value. */
void obv__announce(struct obv__watcher *binding, struct obv__due *due,
                   const void *offered);

/** The object that a binding hangs at ends: lets go of it. */
void obv__let_go(struct obv__watcher *binding, struct obv_object *object,
                 struct obv__due *due);

/** Brings every way from the root to a step in line; false: no memory. */
bool obv__sync_chain(struct obv__step *leaf, struct obv_object *root,
                     struct obv__due *due);

/** Takes a way out of its slot. Paths lock held. */
void obv__way_unbind_locked(struct obv__way *way);

/** Says that the steps below a way, or what ends at it, have become others.
    Paths lock held. */
void obv__way_mark_locked(struct obv__way *way);

/** The number moves on: who is bringing the way in line begins again. */
static inline void obv__way_moves_on(struct obv__way *way)
{
    /* Seq_cst: after the store of the value, before W1; see wiring.c. */
    obv__fetch_add_seq_cst(&way->edits, 1);
}

/** Reports a step that is no observable property (KP-12). */
void obv__report_unknown(const struct obv__step *step);

#endif
