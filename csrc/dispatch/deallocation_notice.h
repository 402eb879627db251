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

#include "model/watcher.h"

/** Notices, in their order; empty as zeroes. */
struct obv__notices {
    struct obv__notice *first, **last;
};

/** The root of a pair has died, whose end has just taken it out of its list:
    its notice comes to `notices`, if there is one to give. */
void obv__notice_take(struct obv__watcher *pair, struct obv__notices *notices);

/** Gives notices to their loops, then tells those of immediate observations. */
void obv__notices_give(struct obv__thread *self,
                       const struct obv__notices *notices);

/** Tells every notice of a loop that this thread drains; or, where it ends, lets go
    of them untold. */
void obv__notices_tell(struct obv_loop *loop, struct obv__thread *self,
                       bool are_dropped);

#endif
