/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a named path leads through, or ends at, is kept valid (LL-5): computed
 * as the path comes there.
 */
#ifndef OBV_UP_TO_DATE_H
#define OBV_UP_TO_DATE_H

#include "model/above.h"
#include "model/computed.h"

/** Computes the property in a slot, if it is a computed one and not valid; one
    that cannot be computed stays what it was. What follows from it joins
    `work`, if that is not NULL. No lock held. */
static inline void obv__bring_up_to_date(struct obv_object *object,
                                         uint32_t slot,
                                         struct obv__work_list *work)
{
    if (OBV__UNLIKELY(!obv__slot_is_valid(object, slot))) {
        obv__above.bring_up_to_date(object, slot, work);
    }
}

#endif
