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

/** As if another thread were at it: a value of a scalar or a binding's property
    that nobody keeps, and OBV_E_BUSY. In an epoch section, no lock held. */
enum obv_status obv__compute_apart(struct obv__thread *self,
                                   struct obv__computed *computed, void *apart);

/** As `overtake` of model/above.h. */
bool obv__overtake(const struct obv__thread *self,
                   struct obv__computed *computed,
                   const struct obv__watcher *edge);

/** As `bring_up_to_date` of model/above.h. */
void obv__bring_path_up_to_date(struct obv_object *object, uint32_t slot,
                                struct obv__work_list *work);

/** As `compute_for` of model/above.h. */
void obv__compute_for(struct obv__computed *computed,
                      struct obv__work_list *work);

/** Lets go of what was kept to compare with. The record is claimed, and nobody
    waits with it. */
void obv__first_drop(struct obv_context *context,
                     struct obv__computed *computed);

/** Those who waited have their answer: whoever is told from here on compares with
    what is stored. `answered`: the state that the answer was made of; if another
    thread has told somebody since, he waits on. The record is claimed. */
void obv__first_answered(struct obv_context *context,
                         struct obv__computed *computed, uint8_t answered);

/** An object has ended: lets go of what its records keep. */
void obv__computed_values_end(struct obv_class *cls,
                              struct obv_detail_node *node);

#endif
