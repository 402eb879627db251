/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluation: a computed property is brought up to date. What it has read last
 * time is checked first, from the far end on and without recursion; only where
 * something there has another value its function runs. What that reads becomes
 * the edges of the next time.
 */
#ifndef OBV_EVALUATION_H
#define OBV_EVALUATION_H

#include "dispatch/work_list.h"
#include "model/computed.h"

/** As `compute` of model/above.h. */
enum obv_status obv__compute(struct obv_object *object, uint32_t slot,
                             void *apart);

/** As `compute_for` of model/above.h. */
void obv__compute_for(struct obv__computed *computed,
                      struct obv__work_list *work);

/** Takes a record for this thread, which evaluates it then, or reads what only
    that one may; false: another has it, or this one already. */
bool obv__computed_claim(struct obv__thread *self,
                         struct obv__computed *computed);
void obv__computed_leave(struct obv__computed *computed);

/** The address of a value that is kept outside of its field. */
const void *obv__raw_value(const struct obv__computed *computed,
                           const union obv__raw *raw);

/** Lets go of the value that delayed observations compare with. The record is
    claimed, or its object has ended. */
void obv__first_drop(struct obv_context *context,
                     struct obv__computed *computed);

/** An object has ended: lets go of what its records keep. */
void obv__computed_values_end(struct obv_class *cls,
                              struct obv_detail_node *node);

#endif
