/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorders of a container: they are told of its edits before any observer is.
 * Edit lists are recorders, and stand over the public interface
 * (Sources/CObservableCollections/edit_list.c).
 *
 * Everything here is called by the container's owner, with no lock held.
 */
#ifndef OBV_RECORDER_H
#define OBV_RECORDER_H

#include <observable/container.h>

struct obv__recorder {
    struct obv__recorder *next; /* of the container */
    /* Tells of edits that have been made, and were checked. `count` 0: only
       asks whether the recorder is wanted; with a container of NULL: that has
       ended. False: the recorder is wanted no more, so it is taken out. */
    bool (*edited)(struct obv__recorder *recorder,
                   struct obv_container *container,
                   const struct obv_container_edit *edits, size_t count);
    /* Called when the recorder was taken out and the observers of the edit have
       been told. Runs code of the program. */
    void (*let_go)(struct obv__recorder *recorder);
};

/** Whether a container can have recorders; false: no memory. */
bool obv__recorders_prepare(struct obv_container *container);

/** Gives a recorder to a container that can have some; recorders that are
    wanted no more are let go of. */
void obv__recorder_enter(struct obv_container *container,
                         struct obv__recorder *recorder);

void obv__recorder_leave(struct obv_container *container,
                         struct obv__recorder *recorder);

/** Tells the recorders of edits. Returns those that are wanted no more, for
    obv__recorders_let_go(). */
struct obv__recorder *
obv__recorders_tell(struct obv_container *container,
                    const struct obv_container_edit *edits, size_t count);

/** Tells the recorders that the container ends. Returns all of them,
    likewise. */
struct obv__recorder *obv__recorders_end(struct obv_container *container);

void obv__recorders_let_go(struct obv__recorder *first);

/** The elements of a class of containers, as a property: of the size that they
    have. */
const struct obv_property *obv__element_property(const struct obv_class *cls);

/** The number by which the element that an edit names is found: of a member its
    hash, of a key the number of `key`, which comes with a reference. `make`:
    the key is made if there is none. False: there is no key, or no memory. */
bool obv__edited_key_take(const struct obv_container *container,
                          const struct obv_container_edit *edit, bool make,
                          struct obv_key **key, uint64_t *number);

#endif
