/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check of declared dependencies: whether what the function of a property
 * reads is what its class has declared. It is there where a program asks for it
 * (obv_check_dependencies()), costs a look through the paths for each read, and
 * tells a difference once a property of a class.
 */
#ifndef OBV_DEPENDENCY_CHECK_H
#define OBV_DEPENDENCY_CHECK_H

#include "model/computed.h"

/** Whether this evaluation of a claimed record is checked; then the check
    begins. In an epoch section, no lock held; so are all of these. */
bool obv__dependency_check_begin(struct obv__computed *computed);

/** Notes that a slot is read; NULL: it was declared, else the name of what it
    is. */
const char *obv__dependency_check_read(const struct obv__computed *computed,
                                       struct obv_object *object,
                                       uint32_t slot);

/** Tells of a difference. `undeclared`: the first that was read; NULL: there is
    none. */
void obv__dependency_check_end(const struct obv__computed *computed,
                               const char *undeclared);

#endif
