/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking and giving back numbers, under a lock; looking one up takes none.
 */
#include "base/numbering.h"

static uint32_t lowest_free_locked(const struct obv__numbering *numbering)
{
    uint32_t number = 1;
    while (number <= numbering->used && numbering->things[number]) {
        number++;
    }
    return number;
}

enum obv_status obv__number_take(struct obv__numbering *numbering,
                                 uint32_t limit, void *thing, uint16_t *number)
{
    obv__lock_enter(&numbering->lock);
    uint32_t taken = lowest_free_locked(numbering);
    bool good = taken <= limit && taken < OBV__NUMBERS;
    if (good) {
        *number = (uint16_t)taken;
        /* Release, pairs with obv__numbered(): the thing is complete. */
        obv__store_release(&numbering->things[taken], thing);
        numbering->used = taken > numbering->used ? taken : numbering->used;
    }
    obv__lock_leave(&numbering->lock);
    return good ? OBV_OK : OBV_E_LIMIT;
}

void obv__number_give_back(struct obv__numbering *numbering, uint16_t number)
{
    void *none = NULL;
    obv__lock_enter(&numbering->lock);
    obv__store_release(&numbering->things[number], none);
    obv__lock_leave(&numbering->lock);
}
