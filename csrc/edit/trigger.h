/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manual triggers, for who has checked already what is triggered.
 */
#ifndef OBV_TRIGGER_H
#define OBV_TRIGGER_H

#include <observable/value.h>

/** A property of a living object was written past its setter. `old` NULL: the
    value before is not known, so this is a change. */
void obv__trigger(struct obv_object *object, uint32_t index, const void *old,
                  const void *value);

#endif
