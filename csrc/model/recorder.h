/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorders of a container: told of its edits before any observer is. Edit
 * lists are recorders, and stand over the public interface
 * (Sources/CObservableCollections/edit_list.c).
 *
 * Everything here is called by the container's owner, with no lock held.
 */
#ifndef OBV_RECORDER_H
#define OBV_RECORDER_H

#include <observable/container.h>

struct obv__recorder {
    struct obv__recorder *next; /* of the container */
    /* Edits have been made, and are right; `count` 0: whether it is wanted, of
       a container of NULL: that has ended. False: it is wanted no more, so it
       is taken out. */
    bool (*edited)(struct obv__recorder *recorder,
                   struct obv_container *container,
                   const struct obv_container_edit *edits, size_t count);
    /* Called when the recorder was taken out and the observers of the edit have
       been told. Runs code of the program. */
    void (*let_go)(struct obv__recorder *recorder);
};

/** Whether a container can have recorders; false: no memory. */
bool obv__recorders_prepare(struct obv_container *container);

/** A container that can have recorders gets one; those that are wanted no more
    are let go of. */
void obv__recorder_enter(struct obv_container *container,
                         struct obv__recorder *recorder);

void obv__recorder_leave(struct obv_container *container,
                         struct obv__recorder *recorder);

/** Tells them of edits. Answers those that are wanted no more, for
    obv__recorders_let_go(). */
struct obv__recorder *
obv__recorders_tell(struct obv_container *container,
                    const struct obv_container_edit *edits, size_t count);

/** The container ends: tells them. Answers all of them, likewise. */
struct obv__recorder *obv__recorders_end(struct obv_container *container);

void obv__recorders_let_go(struct obv__recorder *first);

/** The elements of a class of containers, as a property: of the size that they
    have. */
const struct obv_property *obv__element_property(const struct obv_class *cls);

/** The number by which what an edit names is found: of a member its hash; of a
    key that of `key`, which comes with a reference, `make`: made if there is
    none. False: there is no key, or no memory. */
bool obv__edited_key_take(const struct obv_container *container,
                          const struct obv_container_edit *edit, bool make,
                          struct obv_key **key, uint64_t *number);

#endif
