/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What version.h says is what the library was compiled from.
 */
#include "test.h"

#include <observable/observable.h>

TEST(the_library_is_of_the_version_that_the_header_names)
{
    CHECK_EQ(obv_version(), OBV_VERSION);
    CHECK_EQ(OBV_VERSION, 10000 * OBV_VERSION_MAJOR + 100 * OBV_VERSION_MINOR +
                              OBV_VERSION_PATCH);
}
