/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims of computed properties: one thread at a time evaluates a record, or reads
 * what only that one may. Nobody waits for another thread. Who wants the value of
 * a record that cannot be claimed, or that has none to be had, says so, and is
 * told when it has one.
 */
#ifndef OBV_CLAIM_H
#define OBV_CLAIM_H

#include "dispatch/loop.h"
#include "model/computed.h"

/** Takes a record for this thread; false: another has it, or this one already. */
static inline bool obv__claim(struct obv__thread *self,
                              struct obv__computed *computed)
{
    uintptr_t nobody = 0;
    /* Acquire, pairs with obv__give_back(): what another thread has made of it is
       seen. */
    return obv__cas_acq_rel(&computed->evaluator, &nobody,
                            obv__thread_number(self));
}

/** Says that somebody waits for a value of a record. */
static inline void obv__wait(struct obv__computed *computed)
{
    /* Seq_cst: before the claim is tried, or is looked at, once more. */
    (void)obv__exchange_seq_cst(&computed->is_waited, (uint8_t)1);
}

/** The same as obv__claim(); false: who has it will tell. */
static inline bool obv__claim_or_wait(struct obv__thread *self,
                                      struct obv__computed *computed)
{
    if (obv__claim(self, computed)) {
        return true;
    }
    obv__wait(computed);
    return obv__claim(self, computed);
}

/** Gives back what this thread has claimed. Who waits is told, if it is valid. In
    an epoch section, no lock held. */
void obv__give_back(struct obv__thread *self, struct obv__computed *computed);

#endif
