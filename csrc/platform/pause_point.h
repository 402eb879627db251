/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests' scheduler, nothing in every other build: named places between
 * two steps of an algorithm, where another thread may run; places where memory
 * is read plainly, which must not have been given back; and where a lock is
 * left, which must be held.
 */
#ifndef OBV_PLATFORM_PAUSE_POINT_H
#define OBV_PLATFORM_PAUSE_POINT_H

#include "platform/atomic.h"

#ifndef obv__pause_point
#define obv__pause_point(name) ((void)0)
#endif

#ifndef obv__must_live
#define obv__must_live(address) ((void)0)
#endif

#ifndef obv__must_be_held
#define obv__must_be_held(word) ((void)0)
#endif

#endif
