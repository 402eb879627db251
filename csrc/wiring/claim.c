/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claiming a computed property that is not biased to the thread that wants it, or
 * to read its value, and giving one back that somebody waits for.
 */
#include "wiring/claim.h"

#include "platform/bias.h"
#include "platform/lock.h"
#include "wiring/invalidation.h"

bool obv__claim_anyhow(struct obv__thread *self, struct obv__computed *computed)
{
    uintptr_t number = obv__thread_number(self), nobody = 0;
    uintptr_t bias = obv__bias_settle(&computed->bias, number,
                                      self->mode == OBV__THREAD_PLAIN);
    if (bias == number) {
        return obv__claim(self, computed);
    }
    /* Acquire, pairs with obv__give_back(): what the last one has made of it. Seq_cst,
       the first: behind the store of obv__wait(). */
    return bias == OBV__BIAS_NONE &&
           obv__load_seq_cst(&computed->inside) == 0 &&
           obv__cas_acq_rel(&computed->evaluator, &nobody, number);
}

struct obv__computed *obv__claim_beside(struct obv__thread *self,
                                        struct obv__computed *computed,
                                        bool *refused)
{
    if (obv__computed_is_of(computed, obv__thread_number(self))) {
        return NULL;
    }
    bool is_claimed = obv__claim(self, computed);
    *refused = *refused || !is_claimed;
    return is_claimed ? computed : NULL;
}

struct obv__computed *obv__claim_to_read(struct obv__thread *self,
                                         const struct obv_object *object,
                                         uint32_t slot, bool *refused)
{
    struct obv__computed *computed =
        slot <= OBV__SLOT_LAST ? obv__computed_of(object, slot) : NULL;
    return computed && obv__computed_is_shared(computed)
               ? obv__claim_beside(self, computed, refused)
               : NULL;
}

void obv__box_enter(struct obv__computed *computed)
{
    unsigned round = 0;
    uint8_t readers = obv__load_relaxed(&computed->box_readers);
    while (readers == UINT8_MAX ||
           !obv__cas_seq_cst(&computed->box_readers, &readers,
                             (uint8_t)(readers + 1))) {
        if (readers == UINT8_MAX) {
            obv__backoff(&round);
            readers = obv__load_relaxed(&computed->box_readers);
        }
    }
    /* Before the box is looked for; pairs with the fence between the store of
       another one and the look at the count (evaluation.c). */
    obv__fence_seq_cst();
}

void obv__box_leave(struct obv__computed *computed)
{
    (void)obv__fetch_add_acq_rel(&computed->box_readers, (uint8_t)-1);
}

void obv__box_wait(const struct obv__computed *computed)
{
    unsigned round = 0;
    while (obv__load_acquire(&computed->box_readers) != 0) {
        obv__backoff(&round);
    }
}

void obv__give_back_waited(struct obv__thread *self,
                           struct obv__computed *computed)
{
    /* Also of a value that was overtaken: nobody else may be about to compute it
       again. After a failure there is none; what was marked since may have one. */
    if (!(obv__computed_unsound(computed) & OBV__FAILED) ||
        obv__load_acquire(&computed->stale)) {
        obv__tell_waiting(self, computed);
    }
}
