/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version of this library.
 */
#include <observable/version.h>

uint32_t obv_version(void)
{
    return OBV_VERSION;
}
