/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places: the walk along a path through the values that are stored now, to what
 * it ends at. Triggers and reads by path take it; it wires nothing.
 */
#ifndef OBV_PLACE_H
#define OBV_PLACE_H

#include <observable/component.h>

/** OBV_E_KIND, if an object cannot have its element of the path (KP-20), and
    OBV_E_PAST_END, if nothing stands where an occurrence is to be followed
    (AR-2); where names and positions lead there. Reads the objects on the
    way. */
enum obv_status obv__check_elements(struct obv_object *root,
                                    const struct obv_element *elements,
                                    size_t count, struct obv_error *error);

/** As obv_place_find(), of a path that may end inside a property's value: the
    property. False: none is reached, and there is nothing to leave. */
bool obv__place_find_property(struct obv_object *root,
                              const struct obv_path *path,
                              struct obv_place *place);

#endif
