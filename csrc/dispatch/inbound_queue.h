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

/** Has the inbound edit of a property wait, once: any thread may set the
    property and has set it, and a watcher with OBV__SLOW hangs there. In an
    epoch section, no lock held; the object lives. */
void obv__inbound_post(struct obv__thread *self, struct obv__inbound *inbound);

/** Leaves a record that a read has marked to the edit that waits: that computes
    it for immediate observations (`computes`), or tells those of `*`
    (`tells_every`); they miss the change if memory is short. The record's
    object is held, no lock is. */
void obv__inbound_leave_record(struct obv__inbound *inbound,
                               struct obv__computed *computed, bool computes,
                               bool tells_every);

/** Takes the first edit of a loop's queue, or the first record that was left to
    an edit; NULL: there is none. After a later set the edit waits again.
    `held`: the caller has a reference to the object, to be given back. */
struct obv__inbound *obv__inbound_take(struct obv__inbound_queue *queue,
                                       bool *held);

/** Moves the edits of a batch that ends into the queues of loops. */
void obv__inbound_end_batch(struct obv__thread *self, struct obv__batch *batch);

/** Moves the edits of a loop that has ended to the context's own loop. */
void obv__inbound_leave_loop(struct obv_loop *loop);

/** Drops the edits that wait for the context's own loop. */
void obv__inbound_drop_all(struct obv_context *context);

/** Takes the edits of a node's object, which is at its end, out of their
    queues. */
void obv__inbounds_withdraw(const struct obv_detail_node *node);

#endif
