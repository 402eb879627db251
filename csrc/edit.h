/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one function that every change goes through.
 *
 *     1 compare and store         the setter (setter.c), inline or not
 *     2 invalidate computed slots
 *     3 rewire what hangs below, compare endpoints, collect what is due
 *     4 schedule the delayed ones
 *     5 recompute what immediate ones keep valid
 *     6 call the immediate ones
 *
 * 2 and 5 have nothing to do while nothing is computed.
 */
#ifndef OBV_EDIT_H
#define OBV_EDIT_H

#include <observable/object.h>

/** The slot of `object` has a new value, which is stored: phases 3 to 6. No
    lock held. The object lives until the first handler is called. */
void obv__edit(struct obv_object *object, uint32_t slot);

/** The same of a custom property; `old`: the value before, or NULL if it is not
    known. */
void obv__edit_from(struct obv_object *object, uint32_t slot, const void *old);

#endif
