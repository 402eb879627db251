/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small numbers for things that live long: a class or a loop is named in 16
 * bits where its address would take 64. A number is free again when it is given
 * back. A look-up takes no lock: two loads.
 *
 * The table from numbers to things grows. An outgrown table is never freed, as
 * readers may still be in it; all of them together are as large as the last. A
 * thread gets a number only after it was taken, so the table that the thread
 * then loads has that number.
 */
#ifndef OBV_NUMBERING_H
#define OBV_NUMBERING_H

#include "platform/atomic.h"
#include "platform/lock.h"

#include <observable/status.h>

#define OBV__NUMBERS 65536u

/** The numbers of one kind of thing; static, zeroed at first. 0 is no
    number. */
struct obv__numbering {
    void **things; /* written under the lock, read by any thread */
    struct obv__lock lock;
    uint32_t room; /* of `things`; behind that stands the outgrown table */
};

/** Numbers `thing`, which is complete but for the number, and stores that in
    `*number` first. OBV_E_LIMIT past `limit`; OBV_E_MEMORY. O(numbers). */
enum obv_status obv__number_take(struct obv__numbering *numbering,
                                 uint32_t limit, void *thing, uint16_t *number);

void obv__number_give_back(struct obv__numbering *numbering, uint16_t number);

/** The thing that has a number. Valid while that holds the number. */
static inline void *obv__numbered(struct obv__numbering *numbering,
                                  uint16_t number)
{
    /* Acquire, both: pair with obv__number_take(). The table is filled, the
       thing is complete. */
    void **things = obv__load_acquire(&numbering->things);
    return obv__load_acquire(&things[number]);
}

#endif
