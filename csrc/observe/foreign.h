/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Foreign objects: registering and unregistering them, and their end. The
 * registry says who is registered where (foreign_entry.h).
 */
#ifndef OBV_FOREIGN_H
#define OBV_FOREIGN_H

#include "model/foreign_entry.h"

/** Ends what a context has registered still. No other thread uses it. */
void obv__foreign_end(struct obv_context *context);

#endif
