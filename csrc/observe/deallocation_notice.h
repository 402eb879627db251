/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deallocation notices: observers that asked for it are told that a root of
 * their observation has died (LT-5).
 *
 * The room for a notice is its pair, so that a death needs no memory. An
 * observation whose kind asks for notices is a group of its own type, a
 * *subscriber*; others have nothing of all this. deallocation_notice.c says
 * what becomes of a notice.
 *
 * Everything here is called inside an epoch section and with no lock held.
 */
#ifndef OBV_DEALLOCATION_NOTICE_H
#define OBV_DEALLOCATION_NOTICE_H

#include "model/node.h"
#include "model/watcher.h"

struct obv_loop;

/** Notices, in their order; empty as zeroes. */
struct obv__notices {
    struct obv__notice *first, **last;
};

/** The number of an object, given with this if it has none yet. */
uint64_t obv__identity_of(struct obv__more *more);

/** Fills in what a subscriber has beside its group, which is zeroed; its loop
    will look for notices. */
void obv__subscriber_init(struct obv__subscriber *subscriber,
                          const struct obv_handler_kind *kind,
                          struct obv_loop *loop);

/** The root of a pair has died, whose end has just taken it out of its list:
    its notice comes to `notices`, if there is one to give. A pair that its group
    is yet to be given keeps it. */
void obv__notice_take(struct obv__watcher *pair, struct obv__notices *notices);

/** The same of the pairs that a group has been given whose roots died before.
    Any group. */
void obv__notices_take_early(struct obv__group *group,
                             struct obv__notices *notices);

/** Gives notices to their loops, then tells those of immediate observations. */
void obv__notices_give(struct obv__thread *self,
                       const struct obv__notices *notices);

/** Tells every notice of a loop that this thread drains. */
void obv__notices_tell(struct obv_loop *loop, struct obv__thread *self);

/** Lets go of every notice of a loop that this thread has, untold. */
void obv__notices_drop(struct obv_loop *loop, struct obv__thread *self);

/** Only notices still need its memory: without any, it goes. */
void obv__subscriber_release(struct obv__subscriber *subscriber);

/** Its creation is undone: nobody is called. Any observation. */
void obv__subscriber_abandon(struct obv__watcher *observation);

#endif
