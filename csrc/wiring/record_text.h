/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of change records.
 */
#ifndef OBV_RECORD_TEXT_H
#define OBV_RECORD_TEXT_H

#include "dispatch/change_records.h"

/** Writes the path as it was written and the way; false: no memory. In an epoch
    section, no lock held. */
bool obv__change_record_write_texts(struct obv_context *context,
                                    struct obv__change_record *record);

#endif
