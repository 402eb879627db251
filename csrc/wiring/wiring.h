/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wiring: how the path instances of a root's paths (path_node.h) follow
 * replaced objects.
 *
 *     root.address.zipCode, root.address.street
 *
 *     paths of root           root's node            the address's node
 *       node address   --->     slot address
 *         node zipCode ---------------------->         slot zipCode
 *           leaf: observation 1
 *         node street  ---------------------->         slot street
 *           leaf: observation 2
 *
 * A path of one element needs none of this: its observation hangs in the root's
 * slot itself, unless it has change records.
 *
 * Everything here is called inside an epoch section and with no lock held.
 */
#ifndef OBV_WIRING_H
#define OBV_WIRING_H

#include "dispatch/work_list.h"

/** An edit of the slot that this binding hangs in: adds its leaves, and rewires
    below it. */
void obv__rewire(struct obv__watcher *binding, struct obv__work_list *work,
                 uint64_t since);

/** The object that a binding hangs at ends: lets go of it. */
void obv__let_go(struct obv__watcher *binding, struct obv_object *object,
                 struct obv__work_list *work);

/** Brings every path instance from the root to a path node in line; false: no
    memory. */
bool obv__attach_path(struct obv__path_node *leaf, struct obv_object *root,
                      struct obv__work_list *work);

/** A path begins within an edit that has stored already: whether it is wired
    through the former content of the edited slot, from where the edit moves it.
    A view, which reads a part of a value, is not. */
bool obv__leads_back(const struct obv__work_list *work,
                     const struct obv_element *element);

#endif
