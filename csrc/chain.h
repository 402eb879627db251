/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A path that begins to be observed.
 */
#ifndef OBV_CHAIN_H
#define OBV_CHAIN_H

#include "due.h"
#include "way.h"

/** Brings every way from the root to a step in line; false: no memory. Inside a
    section, with no lock held. */
bool obv__sync_chain(struct obv__step *leaf, struct obv_object *root,
                     struct obv__due *due);

#endif
