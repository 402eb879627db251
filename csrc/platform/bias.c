/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/bias.h"

#include "platform/membarrier.h"

/* Beside the number of the thread that has it: another is about to take it. */
#define BEING_TAKEN (~(UINTPTR_MAX >> 1))

/* Takes a bias away that was found to be another's. False: no membarrier. */
static bool take_away(uintptr_t *bias, uintptr_t found)
{
    if (!(found & BEING_TAKEN) &&
        !obv__cas_seq_cst(bias, &found, found | BEING_TAKEN)) {
        return true; /* somebody else is at it: look again */
    }
    if (!obv__membarrier()) {
        return false;
    }
    /* Release, pairs with the load in obv__bias_settle(): behind the
       membarrier. */
    obv__store_release(bias, OBV__BIAS_NONE);
    return true;
}

uintptr_t obv__bias_settle(uintptr_t *bias, uintptr_t number, bool is_revocable)
{
    uintptr_t found = obv__load_acquire(bias);
    while (found != OBV__BIAS_NONE && found != number) {
        if (found == OBV__BIAS_UNSET) {
            (void)obv__cas_seq_cst(bias, &found,
                                   is_revocable ? number : OBV__BIAS_NONE);
        } else if (found == (number | BEING_TAKEN)) {
            /* Our own stores are behind us. */
            (void)obv__cas_seq_cst(bias, &found, OBV__BIAS_NONE);
        } else if (!take_away(bias, found)) {
            return found;
        }
        found = obv__load_acquire(bias);
    }
    return found;
}
