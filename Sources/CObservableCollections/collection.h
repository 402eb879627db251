/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collections: the common part of arrays, dictionaries and sets, which is their
 * classes, their reference counts and how they hold elements.
 */
#ifndef OBV_COLLECTION_H
#define OBV_COLLECTION_H

#include "base/hash_table.h"
#include "model/context.h"
#include "platform/atomic.h"

#include <observable/collection.h>

/** An edit keeps up to this many elements on the stack. */
#define OBV__FEW 4

/** A class of collections. */
struct obv_collection_class {
    struct obv_container_kind container; /* must stand first */
    const struct obv_collection_kind *kind;
    struct obv_context *context;
    struct obv_class *cls;
    enum obv_collection_type type;
    bool keeps_as_is; /* elements: they are neither held nor copied */
    struct obv__owned_block owned;
};

/** The table behind a keyed collection. */
static inline struct obv_hash_table *
obv__keyed_table(const struct obv_collection *collection)
{
    return (struct obv_hash_table *)(uintptr_t)(collection + 1);
}

/** Makes a class. Of `access` only the functions that read elements and the
    size of an instance are set. */
enum obv_status
obv__collection_class_make(enum obv_collection_type type,
                           struct obv_context *context,
                           const struct obv_collection_kind *kind,
                           const struct obv_container_kind *access,
                           struct obv_class **cls, struct obv_error *error);

/** Copying and ending, by the type: _fill() fills an empty collection with the
    elements of another; _let_go() gives back all that an ended one holds. */
enum obv_status obv__array_fill(const struct obv_collection *from,
                                struct obv_collection *into);
enum obv_status obv__keyed_fill(const struct obv_collection *from,
                                struct obv_collection *into);
void obv__array_let_go(struct obv_collection *collection);
void obv__keyed_let_go(struct obv_collection *collection);

/** Takes a reference of a collection; false: it is at its end. And drops
    one. */
bool obv__collection_hold(struct obv_object *object);
void obv__collection_release(struct obv_object *object);

/** Whether nobody has a reference any more. */
static inline bool
obv__collection_has_ended(const struct obv_collection *collection)
{
    /* Relaxed: the caller has one, or runs inside the end. */
    return obv__load_relaxed(&collection->references) == 0;
}

/** Tells of edits that have been made and are right. */
static inline void obv__collection_tell(struct obv_collection *collection,
                                        const struct obv_container_edit *edits,
                                        size_t count)
{
    enum obv_status status =
        obv_container_edited(&collection->container, edits, count, NULL);
    (void)status;
}

/** Memory of a collection's context. */
void *obv__collection_memory(const struct obv_collection *collection,
                             size_t count, size_t size);

/** Frees such memory, by the class: the collection itself may have ended by the
    time an edit of it has been told. */
void obv__collection_free(const struct obv_collection_class *cls, void *block,
                          size_t size);
const struct obv_allocator *
obv__collection_allocator(const struct obv_collection *collection);

/** Takes an element for a collection: a copy of a text, an object or pointer
    that it holds. Refused: OBV_E_MEMORY, OBV_E_ARGUMENT, OBV_E_ENDED. */
enum obv_status obv__element_take(const struct obv_collection_class *cls,
                                  const void *element, void **taken);
void obv__element_let_go(const struct obv_collection_class *cls, void *element);

static inline void obv__elements_let_go(const struct obv_collection_class *cls,
                                        void *const *elements, size_t count)
{
    for (size_t i = 0; !cls->keeps_as_is && i < count; i++) {
        obv__element_let_go(cls, elements[i]);
    }
}

/** The i-th of an array of pointers, whatever they point to. */
static inline const void *obv__pointer_at(const void *pointers, size_t i)
{
    return ((const void *const *)pointers)[i];
}

#endif
