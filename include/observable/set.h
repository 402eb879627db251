/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets that tell of their edits. Kinds, errors, ownership, threads and
 * callbacks: <observable/collection.h>.
 *
 * A set has each of its members once, by the `hash` and `equal` of its kind; an
 * element that equals a member leaves that member where it is. Which of two
 * members comes first is not promised. NULL is no member (OBV_E_ARGUMENT).
 *
 * Cost: O(1) expected for one element, while few share one hash; O(elements)
 * for several; where the others leave, O(members and elements). Each member is
 * a block of its own.
 */
#ifndef OBSERVABLE_SET_H
#define OBSERVABLE_SET_H

#include <observable/collection.h>
#include <observable/hash_table.h>

OBV_BEGIN_DECLS

/** A set. The fields are the library's, but `container`. */
struct obv_set {
    union {
        struct obv_container container;
        struct obv_collection collection;
    };
    struct obv_hash_table table;
};

/** Makes a class of sets, as obv_array_class_create() one of arrays.
    OBV_E_ARGUMENT too for a kind with `equal` and without `hash`. */
OBV_API OBV_NODISCARD enum obv_status
obv_set_class_create(struct obv_context *OBV_NULLABLE context,
                     const struct obv_collection_kind *OBV_NONNULL kind,
                     struct obv_class *OBV_NULLABLE *OBV_NONNULL cls,
                     struct obv_error *OBV_NULLABLE error);

/**
 * Makes an empty set, with one reference.
 *
 * @return OBV_E_ARGUMENT: an argument is null, or the class is none of sets;
 *         OBV_E_MEMORY.
 */
OBV_NODISCARD static inline enum obv_status
obv_set_create(struct obv_class *OBV_NONNULL cls,
               struct obv_set *OBV_NULLABLE *OBV_NONNULL set,
               struct obv_error *OBV_NULLABLE error)
{
    return obv_collection_create(OBV_COLLECTION_SET, cls, set, error);
}

/** obv_collection_retain() and obv_collection_release(), of a set. */
static inline void obv_set_retain(struct obv_set *OBV_NULLABLE set)
{
    obv_collection_retain(set ? &set->collection : NULL);
}

static inline void obv_set_release(struct obv_set *OBV_NULLABLE set)
{
    obv_collection_release(set ? &set->collection : NULL);
}

/** obv_collection_copy() of a set. */
OBV_NODISCARD static inline enum obv_status
obv_set_copy(const struct obv_set *OBV_NONNULL set,
             struct obv_set *OBV_NULLABLE *OBV_NONNULL copy,
             struct obv_error *OBV_NULLABLE error)
{
    return obv_collection_copy(set ? &set->collection : NULL, copy, error);
}

/** How many members there are. */
static inline size_t obv_set_count(const struct obv_set *OBV_NONNULL set)
{
    obv_container_tell_read(&set->container);
    return set->table.count;
}

/** The member that equals an element, borrowed; NULL: there is none. */
OBV_API void *OBV_NULLABLE obv_set_find(const struct obv_set *OBV_NONNULL set,
                                        const void *OBV_NONNULL element);

/** Whether an element is a member. */
static inline bool obv_set_contains(const struct obv_set *OBV_NONNULL set,
                                    const void *OBV_NONNULL element)
{
    return obv_set_find(set, element) != NULL;
}

/** The hash of an element, whether it is a member or not: the h of a path `&h`.
    It serves as long as the process. */
OBV_API uint64_t obv_set_hash(const struct obv_set *OBV_NONNULL set,
                              const void *OBV_NONNULL element);

/** The members with a hash, borrowed, `index` from 0 on; NULL: there are no
    more. */
OBV_API void *OBV_NULLABLE obv_set_member(const struct obv_set *OBV_NONNULL set,
                                          uint64_t hash, size_t index);

/** Goes on to the next member, in an order that stays the same while nothing is
    edited; false: that was the last. */
OBV_API bool obv_set_next(const struct obv_set *OBV_NONNULL set,
                          struct obv_collection_cursor *OBV_NONNULL cursor);

/** Adds an element, if none that equals it is a member. */
OBV_API enum obv_status obv_set_add(struct obv_set *OBV_NONNULL set,
                                    const void *OBV_NONNULL element);

/** Removes the member that equals an element, if there is one. Allocates
    nothing. */
OBV_API enum obv_status obv_set_discard(struct obv_set *OBV_NONNULL set,
                                        const void *OBV_NONNULL element);

/** How a set is combined with elements. */
enum obv_set_combination {
    OBV_SET_LISTED_LEAVE = 1, /* the members that are among them */
    OBV_SET_OTHERS_LEAVE = 2, /* the members that are not */
    OBV_SET_NEW_ENTER = 4     /* those that are no members */
};

/**
 * Several at once. Only members that really enter or leave are told of.
 *
 * @param elements  an array of `count` pointers, which may name one twice; NULL
 *                  if there are none. If members only leave, up to four
 *                  allocate nothing.
 * @param how       of enum obv_set_combination, one or several.
 */
OBV_API enum obv_status obv_set_combine(struct obv_set *OBV_NONNULL set,
                                        const void *OBV_NULLABLE elements,
                                        size_t count, unsigned how);

/** Removes all members. */
static inline enum obv_status obv_set_clear(struct obv_set *OBV_NONNULL set)
{
    return obv_set_combine(set, NULL, 0, OBV_SET_OTHERS_LEAVE);
}

/** Adds those that are no members. */
static inline enum obv_status obv_set_union(struct obv_set *OBV_NONNULL set,
                                            const void *OBV_NULLABLE elements,
                                            size_t count)
{
    return obv_set_combine(set, elements, count, OBV_SET_NEW_ENTER);
}

/** Removes the members that are not among them. */
static inline enum obv_status
obv_set_intersect(struct obv_set *OBV_NONNULL set,
                  const void *OBV_NULLABLE elements, size_t count)
{
    return obv_set_combine(set, elements, count, OBV_SET_OTHERS_LEAVE);
}

/** Removes the members that are among them. */
static inline enum obv_status
obv_set_subtract(struct obv_set *OBV_NONNULL set,
                 const void *OBV_NULLABLE elements, size_t count)
{
    return obv_set_combine(set, elements, count, OBV_SET_LISTED_LEAVE);
}

/** Removes the members that are among them, and adds the others. */
static inline enum obv_status
obv_set_symmetric(struct obv_set *OBV_NONNULL set,
                  const void *OBV_NULLABLE elements, size_t count)
{
    return obv_set_combine(set, elements, count,
                           OBV_SET_LISTED_LEAVE | OBV_SET_NEW_ENTER);
}

/** Makes them the members: adds, and removes the members that are not among
    them. */
static inline enum obv_status obv_set_assign(struct obv_set *OBV_NONNULL set,
                                             const void *OBV_NULLABLE elements,
                                             size_t count)
{
    return obv_set_combine(set, elements, count,
                           OBV_SET_OTHERS_LEAVE | OBV_SET_NEW_ENTER);
}

OBV_END_DECLS

#endif
