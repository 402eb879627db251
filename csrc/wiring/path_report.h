/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling the diagnostics hook of paths that cannot be followed, with the label
 * and the line of the first observation that follows them. Inside a section, with no lock
 * held.
 */
#ifndef OBV_PATH_REPORT_H
#define OBV_PATH_REPORT_H

#include "wiring/way.h"

/** Of a step that is no observable property (KP-12). */
void obv__report_unknown(const struct obv__step *step);

/** Of a way below which there was no memory for one. */
void obv__report_short(const struct obv__way *way);

#endif
