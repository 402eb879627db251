/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Named places between two steps of an algorithm, where the tests' scheduler
 * may let another thread run. Nothing in every other build.
 */
#ifndef OBV_PLATFORM_PAUSE_POINT_H
#define OBV_PLATFORM_PAUSE_POINT_H

#include "platform/atomic.h"

#ifndef obv__pause_point
#define obv__pause_point(name) ((void)0)
#endif

#endif
