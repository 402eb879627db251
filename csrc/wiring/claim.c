/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Giving a computed property back.
 */
#include "wiring/claim.h"

#include "wiring/invalidation.h"

void obv__give_back(struct obv__thread *self, struct obv__computed *computed)
{
    /* The object may have ended; the node is there in an epoch section. */
    const struct obv_context *context =
        obv__class_by_number(computed->node->class_number)->context;
    /* Release: who finds that it rests sees its value. */
    obv__store_release(&computed->phase, (uint8_t)OBV__RESTS);
    obv__store_release(&computed->evaluator, (uintptr_t)0);
    /* Pairs with obv__claim_or_wait(). Relaxed: where no class is for any thread,
       no other claims. */
    if (OBV__UNLIKELY(obv__load_relaxed(&context->any_thread))) {
        obv__fence_seq_cst();
    }
    if (OBV__UNLIKELY(obv__load_acquire(&computed->is_waited)) &&
        obv__computed_is_valid(computed)) {
        obv__tell_waiting(self, computed);
    }
}
