/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking and giving back numbers, under a lock; looking one up takes none.
 */
#include "numbering.h"

#include <stdlib.h>

static uint32_t lowest_free_locked(const struct obv__numbering *numbering)
{
    for (uint32_t i = 1; i <= numbering->used; i++) {
        if (!numbering
                 ->pages[i / OBV__NUMBERS_A_PAGE][i % OBV__NUMBERS_A_PAGE]) {
            return i;
        }
    }
    return numbering->used + 1;
}

static enum obv_status take_locked(struct obv__numbering *numbering,
                                   uint32_t limit, void *thing,
                                   uint16_t *number, void ***fresh_page)
{
    uint32_t taken = lowest_free_locked(numbering);
    if (taken > limit) {
        return OBV_E_LIMIT;
    }
    void ***page = &numbering->pages[taken / OBV__NUMBERS_A_PAGE];
    if (!*page) {
        if (!*fresh_page) {
            return OBV_E_MEMORY;
        }
        obv__store_release(page, *fresh_page);
        *fresh_page = NULL;
    }
    *number = (uint16_t)taken;
    /* Release, pairs with obv__numbered(): the thing is complete. */
    obv__store_release(&(*page)[taken % OBV__NUMBERS_A_PAGE], thing);
    numbering->used = taken > numbering->used ? taken : numbering->used;
    return OBV_OK;
}

/* A page outlives every context, so it is the process's, not an allocator's;
   it is made outside the lock, on the chance that it is needed. */
enum obv_status obv__number_take(struct obv__numbering *numbering,
                                 uint32_t limit, void *thing, uint16_t *number)
{
    void **page = calloc(OBV__NUMBERS_A_PAGE, sizeof *page);
    obv__lock_enter(&numbering->lock);
    enum obv_status status =
        take_locked(numbering, limit, thing, number, &page);
    obv__lock_leave(&numbering->lock);
    free(page);
    return status;
}

void obv__number_give_back(struct obv__numbering *numbering, uint16_t number)
{
    void *none = NULL;
    obv__lock_enter(&numbering->lock);
    obv__store_release(&numbering->pages[number / OBV__NUMBERS_A_PAGE]
                                        [number % OBV__NUMBERS_A_PAGE],
                       none);
    obv__lock_leave(&numbering->lock);
}
