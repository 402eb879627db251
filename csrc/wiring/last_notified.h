/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last-notified value of a property that any thread may set: of the one at
 * a binding, the last that a change of the slot has been told for.
 *
 *     last notified   one number, kept with the binding: that of the value
 *                     which who bound it has read, or which somebody who set
 *                     it and found the binding has read after the store
 *     stored          the number of what is there
 *
 * The two differ while a set has stored its value and has not looked for
 * watchers yet. If the binding is taken away in between, that set finds nobody,
 * and so who takes it away has to tell (wiring.c, W6). Afterwards the
 * last-notified value counts as the value before, and not what is read then.
 *
 * Who writes the number tells: a set, whom it finds here; who hangs the
 * binding, by comparing the last-notified value before with the number that it
 * has written; an equal set, which tells nobody, by looking whether it has
 * found its own value. One that has left the number as it was has nothing to
 * write, and so nothing to tell.
 *
 * Each who writes the number reads the value again after it. So when all have
 * done, the two are the same: the last to write has read what was stored last,
 * or that set is still to write.
 *
 * The number of a scalar is its bytes; of a custom property, what its `stamp`
 * answers; of all properties of an object, a sum of theirs.
 *
 * Called inside an epoch section and with no lock held; the object is alive.
 * Runs the code of a binding for custom properties.
 */
#ifndef OBV_LAST_NOTIFIED_H
#define OBV_LAST_NOTIFIED_H

#include "wiring/path_instance.h"

/** Whether a binding hangs in the slot of such a value. The last-notified value
    is needed of those that may be taken away: below a root. */
static inline bool obv__is_at_any_thread(const struct obv__watcher *binding)
{
    return (binding->type & OBV__AT_ANY_THREAD) != 0;
}

/** Whether two scalars of a property, each in the first bytes of its word, have one
    number. */
bool obv__last_notified_alike(const struct obv_property *property, uint64_t a,
                              uint64_t b);

/** What is stored in the object that a binding hangs at, or hung at, is the
    last-notified value from now on. */
void obv__last_notified_update(struct obv__watcher *binding,
                               struct obv_object *object);

/** Whether what is stored there is the last-notified value. */
bool obv__last_notified_is_stored(const struct obv__watcher *binding,
                                  struct obv_object *object);

/** Where the last-notified value is bytes, their address in `room`; else
    NULL. */
const void *obv__last_notified_value(const struct obv__watcher *binding,
                                     const struct obv_object *object,
                                     uint64_t *room);

#endif
