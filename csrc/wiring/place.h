/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places: the walk along a path through the values that are stored now, to what
 * it ends at. Triggers and reads by path take it; it wires nothing.
 */
#ifndef OBV_PLACE_H
#define OBV_PLACE_H

#include <observable/component.h>

/** Whether a walk may begin at an object: OBV_E_ARGUMENT, OBV_E_ENDED. */
enum obv_status obv__check_object(const struct obv_object *object,
                                  struct obv_error *error);

#endif
