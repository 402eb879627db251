/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dictionaries that tell of their edits. Kinds, errors, ownership, threads and
 * callbacks: <observable/collection.h>.
 *
 * Keys are copied, texts by the library and others by their kind. Which of two
 * entries comes first is not promised. Cost: O(1) expected for one key, whoever
 * chooses the keys; O(keys) for several; obv_dictionary_assign() and
 * obv_dictionary_clear() O(those before and those after). Each entry is a block
 * of its own.
 */
#ifndef OBSERVABLE_DICTIONARY_H
#define OBSERVABLE_DICTIONARY_H

#include <observable/collection.h>
#include <observable/hash_table.h>

OBV_BEGIN_DECLS

/** A dictionary. The fields are the library's, but `container`. */
struct obv_dictionary {
    union {
        struct obv_container container;
        struct obv_collection collection;
    };
    struct obv_hash_table table;
};

/** Makes a class of dictionaries, as obv_array_class_create() one of arrays. */
OBV_API OBV_NODISCARD enum obv_status
obv_dictionary_class_create(struct obv_context *OBV_NULLABLE context,
                            const struct obv_collection_kind *OBV_NONNULL kind,
                            struct obv_class *OBV_NULLABLE *OBV_NONNULL cls,
                            struct obv_error *OBV_NULLABLE error);

/**
 * Makes an empty dictionary, with one reference.
 *
 * @return OBV_E_ARGUMENT: an argument is null, or the class is none of
 *         dictionaries; OBV_E_MEMORY.
 */
OBV_NODISCARD static inline enum obv_status obv_dictionary_create(
    struct obv_class *OBV_NONNULL cls,
    struct obv_dictionary *OBV_NULLABLE *OBV_NONNULL dictionary,
    struct obv_error *OBV_NULLABLE error)
{
    return obv_collection_create(OBV_COLLECTION_DICTIONARY, cls, dictionary,
                                 error);
}

/** obv_collection_retain() and obv_collection_release(), of a dictionary. */
static inline void
obv_dictionary_retain(struct obv_dictionary *OBV_NULLABLE dictionary)
{
    obv_collection_retain(dictionary ? &dictionary->collection : NULL);
}

static inline void
obv_dictionary_release(struct obv_dictionary *OBV_NULLABLE dictionary)
{
    obv_collection_release(dictionary ? &dictionary->collection : NULL);
}

/** obv_collection_copy() of a dictionary. */
OBV_NODISCARD static inline enum obv_status
obv_dictionary_copy(const struct obv_dictionary *OBV_NONNULL dictionary,
                    struct obv_dictionary *OBV_NULLABLE *OBV_NONNULL copy,
                    struct obv_error *OBV_NULLABLE error)
{
    return obv_collection_copy(dictionary ? &dictionary->collection : NULL,
                               copy, error);
}

/** How many keys there are. */
static inline size_t
obv_dictionary_count(const struct obv_dictionary *OBV_NONNULL dictionary)
{
    obv_container_tell_read(&dictionary->container);
    return dictionary->table.count;
}

/** The element of a key, borrowed; NULL: there is none, or it is NULL. */
OBV_API void *OBV_NULLABLE
obv_dictionary_get(const struct obv_dictionary *OBV_NONNULL dictionary,
                   const void *OBV_NONNULL key);

/** Whether there is a key. */
OBV_API bool
obv_dictionary_has(const struct obv_dictionary *OBV_NONNULL dictionary,
                   const void *OBV_NONNULL key);

/** Goes on to the next key and its element, in an order that stays the same
    while nothing is edited; false: that was the last. */
OBV_API bool
obv_dictionary_next(const struct obv_dictionary *OBV_NONNULL dictionary,
                    struct obv_collection_cursor *OBV_NONNULL cursor);

/** Puts an element at a key, whether there is one or not. */
OBV_API enum obv_status
obv_dictionary_put(struct obv_dictionary *OBV_NONNULL dictionary,
                   const void *OBV_NONNULL key,
                   const void *OBV_NULLABLE element);

/** Removes a key, if it is there. Allocates nothing. `key` may be the
    dictionary's own. */
OBV_API enum obv_status
obv_dictionary_delete(struct obv_dictionary *OBV_NONNULL dictionary,
                      const void *OBV_NONNULL key);

/** Removes all keys. Up to four allocate nothing. */
OBV_API enum obv_status
obv_dictionary_clear(struct obv_dictionary *OBV_NONNULL dictionary);

/**
 * Puts several elements, each at its key; the other keys stay.
 *
 * @param keys      an array of `count` pointers. Of a key that stands
 *                  there twice the last element counts.
 * @param elements  an array of as many pointers.
 */
OBV_API enum obv_status
obv_dictionary_merge(struct obv_dictionary *OBV_NONNULL dictionary,
                     const void *OBV_NULLABLE keys,
                     const void *OBV_NULLABLE elements, size_t count);

/** The same, and all other keys are removed. */
OBV_API enum obv_status
obv_dictionary_assign(struct obv_dictionary *OBV_NONNULL dictionary,
                      const void *OBV_NULLABLE keys,
                      const void *OBV_NULLABLE elements, size_t count);

OBV_END_DECLS

#endif
