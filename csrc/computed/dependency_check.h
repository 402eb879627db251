/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of declared dependencies (obv_check_dependencies()): what the
 * function of a property has read is compared with what was read for what its
 * class declares.
 */
#ifndef OBV_DEPENDENCY_CHECK_H
#define OBV_DEPENDENCY_CHECK_H

#include "model/computed.h"

/** Whether the check is asked for, and has told nothing of this property
    yet. */
bool obv__dependencies_are_checked(const struct obv__computed *computed);

/** The function of a record that declares has returned a value, and what it has
    read stands among its sources: tells the first difference, if that is asked
    for. */
void obv__dependency_check(const struct obv__computed *computed);

#endif
