/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking and giving back numbers, under a lock; looking one up takes none.
 */
#include "base/numbering.h"

#include "base/memory.h"

#include <string.h>

#define NUMBERS_FIRST 64

/* Twice the room, of the process's own memory. */
static bool grow_numbering_locked(struct obv__numbering *numbering)
{
    uint32_t room = numbering->room;
    uint32_t more = room == 0 ? NUMBERS_FIRST : 2 * room;
    void **things = obv__allocate_zeroed(&obv__system_allocator,
                                         (more + 1) * sizeof *things);
    if (!things) {
        return false;
    }
    if (room != 0) {
        memcpy(things, numbering->things, room * sizeof *things);
        things[more] = numbering->things;
    }
    /* Release, pairs with obv__numbered(): what was copied is seen. */
    obv__store_release(&numbering->things, things);
    numbering->room = more;
    return true;
}

enum obv_status obv__number_take(struct obv__numbering *numbering,
                                 uint32_t limit, void *thing, uint16_t *number)
{
    obv__lock_enter(&numbering->lock);
    uint32_t taken = 1;
    while (taken < numbering->room && numbering->things[taken]) {
        taken++;
    }
    enum obv_status status = OBV_OK;
    if (taken > limit || taken >= OBV__NUMBERS) {
        status = OBV_E_LIMIT;
    } else if (taken >= numbering->room && !grow_numbering_locked(numbering)) {
        status = OBV_E_MEMORY;
    } else {
        *number = (uint16_t)taken;
        /* Release, pairs with obv__numbered(): the thing is complete. */
        obv__store_release(&numbering->things[taken], thing);
    }
    obv__lock_leave(&numbering->lock);
    return status;
}

void obv__number_give_back(struct obv__numbering *numbering, uint16_t number)
{
    void *none = NULL;
    obv__lock_enter(&numbering->lock);
    obv__store_release(&numbering->things[number], none);
    obv__lock_leave(&numbering->lock);
}
