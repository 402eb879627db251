/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telling the diagnostics hook of paths that cannot be followed, with the label
 * and the line of the first observation that follows them. Inside an epoch
 * section, with no lock held.
 */
#ifndef OBV_PATH_REPORT_H
#define OBV_PATH_REPORT_H

#include "wiring/path_instance.h"

/** Of a path node: OBV_DIAGNOSTIC_UNRESOLVED: it is no observable property
    (KP-12); OBV_DIAGNOSTIC_MEMORY: below one of its path instances there was
    none for another. */
void obv__report_path(const struct obv__path_node *node,
                      enum obv_diagnostic_kind kind);

#endif
