/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queues of inbound edits (model/inbound.h): each edit waits once in that
 * of a loop, or for the end of a batch. The loop is that of an observation
 * which the edit is for, also by what is computed; if there is none, or that
 * loop has ended, the context's own. Its drain applies them before it calls
 * anybody, outside of any batch: what other threads set waits for none (DR-11).
 */
#ifndef OBV_INBOUND_QUEUE_H
#define OBV_INBOUND_QUEUE_H

#include "dispatch/batch.h"
#include "dispatch/loop.h"
#include "model/computed.h"

/** The id of the loop of an observation that a watcher is of, or 0. */
uint32_t obv__inbound_loop_of(struct obv__watcher *watcher);

/** A property was set that any thread may set, and a watcher with OBV__SLOW hangs
    there: its inbound edit waits, once. In an epoch section, no lock held; the
    object lives. */
void obv__inbound_post(struct obv__thread *self, struct obv__inbound *inbound);

/** A record was marked by a read, for an edit that waits: that edit computes it
    for immediate observations, or tells those of every property; they miss the
    change if memory is short. No lock held; its object is. */
void obv__inbound_leave_record(struct obv__inbound *inbound,
                               struct obv__computed *computed, bool computes,
                               bool tells_every);

/** Takes the first one of a loop's, or of what was left to an edit, or NULL. A
    set behind this waits again. `held`: the object is, by a reference which is
    the caller's. */
struct obv__inbound *obv__inbound_take(struct obv__inbound_queue *queue,
                                       bool *held);

/** A batch ends: what it has set waits in loops. */
void obv__inbound_end_batch(struct obv__thread *self, struct obv__batch *batch);

/** A loop has ended: what waits there waits in the context's own. */
void obv__inbound_leave_loop(struct obv_loop *loop);

/** Edits that wait for the context's own loop are not to come. */
void obv__inbound_drop_all(struct obv_context *context);

/** The object of a node is at its end: nothing of it waits. */
void obv__inbounds_withdraw(const struct obv_detail_node *node);

#endif
