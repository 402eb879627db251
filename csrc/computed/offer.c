/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offers: how a late property is computed, for as long as its reader knows it.
 */
#include "dispatch/loop.h"

#include <observable/late.h>

static void **place_of_offer(void)
{
    return &obv__thread_self()->slots[OBV__THREAD_OFFER];
}

void obv_late_offer_begin(struct obv_late_offer *offer)
{
    void **place = place_of_offer();
    offer->outer = *place;
    *place = offer;
}

void obv_late_offer_end(struct obv_late_offer *offer)
{
    *place_of_offer() = offer->outer;
}

struct obv_late_offer *obv_late_offered(const struct obv_object *object,
                                        uint32_t property)
{
    struct obv_late_offer *offer = *place_of_offer();
    return offer && offer->object == object && offer->property == property
               ? offer
               : NULL;
}
