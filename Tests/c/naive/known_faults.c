/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults of the library that are known and not mended yet: programs that would
 * meet one are refused, so that others are found.
 */
#include "model.h"

#include <string.h>

void reject_other_members(uint64_t before, uint64_t after, int changed)
{
    bool is_edit = changed >= 0 && is_set(changed);
    if (strict && !is_edit && before && after && before != after) {
        reject("other members with one hash, in another set");
    }
}

void reject_first_alone(const struct watch *watch, const struct end *before,
                        const struct end *after, bool is_stored)
{
    bool several = before->value == ANY || after->value == ANY;
    bool is_touched = is_stored || before->container != after->container;
    if (strict && copies(watch) && several && is_touched) {
        reject("several members, of which one is compared");
    }
}

void reject_there_and_back(int set, uint64_t touched)
{
    for (int h = HASH; h <= LAST_HASH && strict; h++) {
        bool several = only_member(members_of(set, h)) == ANY;
        for (int w = 0; w < all_watches() && several && touched >> h & 1; w++) {
            const struct watch *watch = &world.watch[w];
            for (int p = 0; p < PAIRS && watch->linked; p++) {
                if (copies(watch) && is_followed(&watch->pair[p]) &&
                    holds_slot(&watch->pair[p], set, h, true)) {
                    reject("one of several members, there and back");
                }
            }
        }
    }
}
