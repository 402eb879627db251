/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling the trace.
 */
#ifndef OBV_TRACE_TELL_H
#define OBV_TRACE_TELL_H

#include "model/trace.h"

/** As `trace` of model/above.h. */
void obv__trace(const struct obv__traced *traced);

#endif
