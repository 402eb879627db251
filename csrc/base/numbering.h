/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small numbers for what lives long: a class or a loop is named in 16 bits
 * where its address would take 64. A number is free again when it is given
 * back. The table that leads from it to what it names is one piece, so that a
 * look-up is one load: of its half megabyte the system gives what is written.
 */
#ifndef OBV_NUMBERING_H
#define OBV_NUMBERING_H

#include "platform/atomic.h"
#include "platform/lock.h"

#include <observable/status.h>

#define OBV__NUMBERS 65536u

/** One kind of thing; static, as it is large. Zeroed, it numbers nothing yet; 0 is no number. */
struct obv__numbering {
    void *things[OBV__NUMBERS];
    struct obv__lock lock;
    uint32_t used; /* the highest number ever taken */
};

/** Numbers `thing`, which is complete but for the number, and stores that in
    `*number` first. OBV_E_LIMIT past `limit`. O(numbers). */
enum obv_status obv__number_take(struct obv__numbering *numbering,
                                 uint32_t limit, void *thing, uint16_t *number);

void obv__number_give_back(struct obv__numbering *numbering, uint16_t number);

/** The things that have a number. Valid while that holds the number. */
static inline void *obv__numbered(struct obv__numbering *numbering,
                                  uint16_t number)
{
    /* Acquire, pairs with obv__number_take(): the thing is complete. */
    return obv__load_acquire(&numbering->things[number]);
}

#endif
