/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of ready-made arrays, dictionaries and sets: their elements,
 * and how they hold them. A collection is an observable object: it may be a
 * root, or stand behind a property of kind `object`. <observable/container.h>
 * says what paths can say of it; collections are built on that alone.
 *
 *     static const struct obv_collection_kind songs = {
 *         .size = sizeof songs, .name = "songs", .element = OBV_KIND_object};
 *
 *     obv_array_class_create(NULL, &songs, &songs_class, &error);
 *     obv_array_create(songs_class, &list, &error);
 *     obv_observe(&list->container.object, "*.title", ...);
 *     obv_array_append(list, song);                        `*.title` is due
 *     obv_array_release(list);
 *
 * An element is one pointer, `void *`, and what it is the kind says:
 *
 *     object    an observable object. Held by the `retain` and `release` of its
 *               class; without these it is nobody's, and the program takes it
 *               out before it ends. Paths lead on through it.
 *     string    a C string. The collection keeps a copy.
 *     pointer   whatever the program means by it. Held by the `retain` and
 *               `release` of the kind, or by nobody.
 *
 * NULL is an element of arrays and dictionaries that holds nothing; no set has
 * it. An element read from a collection is borrowed: valid until the next edit.
 *
 * Every operation that changes something is one change: whoever observes is
 * told once, of all of it, after it has been made. An element that is replaced
 * by an equal one is stored, nobody is called, and what is computed of it stays
 * valid.
 *
 * Errors, the same of every operation. After one nothing is changed, and nobody
 * has been told:
 *
 *     OBV_E_ARGUMENT   an argument is null that must not be; an element is an
 *                      object that was never made
 *     OBV_E_PAST_END   a position, or the end of a range, is past the end
 *     OBV_E_MEMORY     no memory. Never answered by an operation whose text
 *                      says that it allocates nothing
 *     OBV_E_IN_USE     the array is sorted right now, and this is called by the
 *                      comparison
 *     OBV_E_ENDED      the collection is at its end; or an element is, as its
 *                      `retain` has said
 *
 * Ownership: a collection is counted. Its creation gives the first reference;
 * properties, paths and scheduled calls hold it by others. The last release
 * ends it and gives its elements back.
 *
 * Threads: retain and release are for any. All else is for one thread at a
 * time, the collection's owner, as with any container.
 *
 * Callbacks: immediate handlers, and what else an edit calls
 * (obv_container_edited()), are called with the edit made and no lock held;
 * they may edit the same collection. Elements that an edit has removed are
 * given back after that: their `release` may edit the collection as well.
 * `retain` and the functions that compare, hash and copy edit nothing.
 *
 * Memory: from the context's allocator. An array without elements has 64 bytes,
 * others 80; an array 8 for each element that it has room for; a set 32 a
 * member and a dictionary 40 a key, each with 8 to 32 of buckets; and copies of
 * texts.
 */
#ifndef OBSERVABLE_COLLECTION_H
#define OBSERVABLE_COLLECTION_H

#include <observable/container.h>

OBV_BEGIN_DECLS

struct obv_collection_class;

/** The beginning of every collection: the container is the program's to
    observe, the rest is the library's. */
struct obv_collection {
    struct obv_container container;
    const struct obv_collection_class *OBV_NONNULL kind;
    size_t references; /* any thread, atomic */
};

/**
 * A class of collections. A constant, or memory that outlives the context: it
 * is borrowed for as long as that lives. Fields not needed are 0.
 *
 * Functions that compare and hash are given where elements lie, as those of
 * qsort() are: a `const void *` is the address of the pointer. `equal` and
 * what sorts are given NULL elements as well.
 */
struct obv_collection_kind {
    /** sizeof(struct obv_collection_kind). */
    size_t size;
    /** Unique among the classes of the context. */
    const char *OBV_NONNULL name;
    /** OBV_KIND_object, OBV_KIND_string or OBV_KIND_pointer. */
    enum obv_kind element;
    /** Objects: the name of the class that they are declared to be of, for
        obv_validate(); NULL: any. */
    const char *OBV_NULLABLE type;
    /** Pointers: holds an element, or says that it is at its end; and lets go
        of it. Both or none. On the owner's thread, `release` on that of the
        last release of the collection as well. */
    bool (*OBV_NULLABLE retain)(void *OBV_NONNULL element);
    void (*OBV_NULLABLE release)(void *OBV_NONNULL element);
    /** As in struct obv_property. NULL: texts by strcmp(), others by identity.
        */
    bool (*OBV_NULLABLE equal)(const void *OBV_NONNULL a,
                               const void *OBV_NONNULL b);
    /** Sets: as in struct obv_container_kind. NULL: texts by their content
        under a key of the process that nobody can choose for, others by their
        address. A set with `equal` needs it. */
    uint64_t (*OBV_NULLABLE hash)(const struct obv_container *OBV_NONNULL set,
                                  const void *OBV_NONNULL element);
    /** Dictionaries: what the keys are; NULL: C strings, &obv_text_keys, which
        paths can name. */
    const struct obv_key_kind *OBV_NULLABLE key;
};

/** The types of collections. */
enum obv_collection_type {
    OBV_COLLECTION_ARRAY,
    OBV_COLLECTION_DICTIONARY,
    OBV_COLLECTION_SET
};

/**
 * Makes an empty collection, with one reference: obv_array_create() and its like,
 * which know its type.
 *
 * @param collection  the address of a pointer to a `struct obv_array`,
 *                    `obv_dictionary` or `obv_set`, which receives it.
 * @return OBV_E_ARGUMENT: an argument is null, or the class is none of that
 *         type's; OBV_E_MEMORY. On error the pointer is untouched.
 */
OBV_API OBV_NODISCARD enum obv_status obv_collection_create(
    enum obv_collection_type type, struct obv_class *OBV_NONNULL cls,
    void *OBV_NULLABLE collection, struct obv_error *OBV_NULLABLE error);

/** Makes a collection of the same class and elements, which nobody observes,
    with one reference; `copy` receives it, as above. OBV_E_ARGUMENT,
    OBV_E_MEMORY or OBV_E_ENDED. Cost: O(count). */
OBV_API OBV_NODISCARD enum obv_status
obv_collection_copy(const struct obv_collection *OBV_NULLABLE collection,
                    void *OBV_NULLABLE copy,
                    struct obv_error *OBV_NULLABLE error);

/** One reference more; the caller has one. NULL is ignored. Threads: any. */
OBV_API void
obv_collection_retain(struct obv_collection *OBV_NULLABLE collection);

/** One reference less. The last ends the collection and lets go of its
    elements. NULL is ignored. Threads: any.   Callbacks: as
    obv_object_deinit(); `release` of the elements. */
OBV_API void
obv_collection_release(struct obv_collection *OBV_NULLABLE collection);

/** The place of a walk over a dictionary or a set. Zeroed before the first
    call. */
struct obv_collection_cursor {
    /** The library's. */
    const void *OBV_NULLABLE state;
    /** Of a dictionary, borrowed. */
    const void *OBV_NULLABLE key;
    /** The element, borrowed. */
    void *OBV_NULLABLE element;
};

OBV_END_DECLS

#endif
