/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes that overlap. Objects that are joined by an observed path have one
 * owner at a time (TH-1); a build with OBV_CHECK_OVERLAP tells the program when
 * two threads change such objects at once (OBV_DIAGNOSTIC_OVERLAP). Any other
 * pays nothing.
 *
 * Two objects are joined if the paths of one root hang at both, and an object is
 * joined with itself. A change counts from its store until what it makes due is
 * known: not while handlers run, which may let another thread go on. Looked at
 * are changes that are told to the library: those that nobody observes, and
 * those of which all observers are pending already, never come to it; and none
 * of a property of any thread.
 *
 * The thread sanitizer sees more, and would see less if threads met in a lock
 * of ours: under it nothing is checked.
 */
#ifndef OBV_OVERLAP_H
#define OBV_OVERLAP_H

#include "platform/compiler.h"

#include <observable/detail.h>

#ifdef OBV__UNDER_TSAN
#undef OBV_CHECK_OVERLAP
#endif

/** Whether this build checks; for tests. */
bool obv__overlap_is_checked(void);

#ifdef OBV_CHECK_OVERLAP

/** This thread has stored into a property of `object`. In an epoch section, no
    lock held; may call the diagnostics hook. */
void obv__change_begin(struct obv_object *object, uint32_t slot);

/** The last change of this thread is over: all that it makes due is known. */
void obv__change_end(void);

#else

static inline void obv__change_begin(struct obv_object *object, uint32_t slot)
{
    (void)object;
    (void)slot;
}

static inline void obv__change_end(void)
{
}

#endif

#endif
