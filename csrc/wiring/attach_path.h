/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaches a path that begins to be observed.
 */
#ifndef OBV_ATTACH_PATH_H
#define OBV_ATTACH_PATH_H

#include "dispatch/work_list.h"
#include "wiring/path_instance.h"

/** Brings every path instance from the root to a path node in line; false: no
    memory. Inside an epoch section, with no lock held. */
bool obv__attach_path(struct obv__path_node *leaf, struct obv_object *root,
                      struct obv__work_list *work);

/** Whether what begins to be followed in the midst of an edit that is stored
    already is wired through what its slot held before, for the edit to move: not
    through an element that reads a part of a value. */
bool obv__leads_back(const struct obv__work_list *work,
                     const struct obv_element *element);

#endif
