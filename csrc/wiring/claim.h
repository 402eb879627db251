/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims of computed properties: one thread at a time evaluates a record, or
 * reads what only that one may. Nobody waits for another thread, but who stores
 * a box for one that copies it. Who wants the value of a record that cannot be
 * claimed, or that has none to be had, says so, and is told when it has one.
 *
 * A record is biased to the first thread that claims it (platform/bias.h), which
 * says that it is `inside` by a plain store, until a second one comes. From then on
 * everybody claims by compare-and-swap of `evaluator`.
 */
#ifndef OBV_CLAIM_H
#define OBV_CLAIM_H

#include "dispatch/loop.h"
#include "model/computed.h"

/** obv__claim() of a record that is not biased to this thread. */
bool obv__claim_anyhow(struct obv__thread *self,
                       struct obv__computed *computed);

/** Takes a record for this thread; false: another has it, or this one
    already. */
static inline bool obv__claim(struct obv__thread *self,
                              struct obv__computed *computed)
{
    uintptr_t number = (uintptr_t)self->slots[OBV__THREAD_NUMBER];
    /* Relaxed, all: while the bias is ours no other thread writes here. */
    if (OBV__UNLIKELY(obv__load_relaxed(&computed->bias) != number)) {
        return obv__claim_anyhow(self, computed);
    }
    if (OBV__UNLIKELY(obv__load_relaxed(&computed->inside) != 0)) {
        return false;
    }
    obv__store_relaxed(&computed->inside, number);
    obv__compiler_barrier(); /* pairs with the membarrier in bias.c */
    if (!OBV__UNLIKELY(obv__load_relaxed(&computed->bias) != number)) {
        return true;
    }
    obv__store_release(&computed->inside, (uintptr_t)0);
    return obv__claim_anyhow(self, computed);
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

/** Claims a record to read its value, which another thread may store over; NULL:
    this thread has it, or (`refused`) it cannot be claimed. */
struct obv__computed *obv__claim_beside(struct obv__thread *self,
                                        struct obv__computed *computed,
                                        bool *refused);

/** The same where another thread may set what it depends on; else NULL as well. */
struct obv__computed *obv__claim_to_read(struct obv__thread *self,
                                         const struct obv_object *object,
                                         uint32_t slot, bool *refused);

/** Copies the box of a record that another thread has claimed: from here on it
    is not let go of. Who stores another waits for the copy, and the copy for
    nobody. */
void obv__box_enter(struct obv__computed *computed);
void obv__box_leave(struct obv__computed *computed);
/** Behind the store of another box, before the one that was there is let go
    of. */
void obv__box_wait(const struct obv__computed *computed);

/** obv__give_back() where somebody waits. */
void obv__give_back_waited(struct obv__thread *self,
                           struct obv__computed *computed);

/** Gives back what this thread has claimed. Who waits is told, unless its last
    evaluation has failed and nothing was marked since. In an epoch section, no
    lock held. */
static inline void obv__give_back(struct obv__thread *self,
                                  struct obv__computed *computed)
{
    uintptr_t number = (uintptr_t)self->slots[OBV__THREAD_NUMBER];
    /* Release, all: who finds that it rests sees its value. */
    if (obv__computed_phase(computed) != OBV__RESTS) {
        obv__computed_set_phase(computed, OBV__RESTS);
    }
    if (OBV__UNLIKELY(obv__load_relaxed(&computed->inside) != number)) {
        obv__store_release(&computed->evaluator, (uintptr_t)0);
    } else {
        obv__store_release(&computed->inside, (uintptr_t)0);
    }
    obv__compiler_barrier(); /* as above */
    if (OBV__UNLIKELY(obv__load_relaxed(&computed->bias) != number)) {
        obv__fence_seq_cst(); /* pairs with obv__claim_or_wait() */
    }
    if (OBV__UNLIKELY(obv__load_acquire(&computed->is_waited))) {
        obv__give_back_waited(self, computed);
    }
}

#endif
