/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small numbers for what lives long: a class or a loop is named in 16 bits
 * where its address would take 64. A number is free again when it is given
 * back; the pages that lead from it to what it names stay for the process.
 */
#ifndef OBV_NUMBERING_H
#define OBV_NUMBERING_H

#include "platform/atomic.h"
#include "platform/lock.h"

#include <observable/status.h>

#define OBV__NUMBERS_A_PAGE 256u

/** One kind of thing. Zeroed, it numbers nothing yet; 0 is no number. */
struct obv__numbering {
    void **pages[65536 / OBV__NUMBERS_A_PAGE];
    struct obv__lock lock;
    uint32_t used; /* the highest number ever taken */
};

/** Numbers `thing`, which is complete but for the number, and stores that in
    `*number` first. OBV_E_LIMIT past `limit`, OBV_E_MEMORY. O(numbers). */
enum obv_status obv__number_take(struct obv__numbering *numbering,
                                 uint32_t limit, void *thing, uint16_t *number);

void obv__number_give_back(struct obv__numbering *numbering, uint16_t number);

/** What has a number. Valid while that holds the number. */
static inline void *obv__numbered(struct obv__numbering *numbering,
                                  uint16_t number)
{
    /* Acquire, pairs with take_locked(): page and thing are complete. */
    void **page =
        obv__load_acquire(&numbering->pages[number / OBV__NUMBERS_A_PAGE]);
    return obv__load_acquire(&page[number % OBV__NUMBERS_A_PAGE]);
}

#endif
