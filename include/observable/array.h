/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays that tell of their edits. Kinds, errors, ownership, threads and
 * callbacks: <observable/collection.h>.
 *
 * Positions count from 0. Cost: O(1) amortised to append and to read; an edit
 * in the middle moves the pointers behind it, 8 bytes each, and looks at what
 * is observed from its position on.
 */
#ifndef OBSERVABLE_ARRAY_H
#define OBSERVABLE_ARRAY_H

#include <observable/collection.h>

OBV_BEGIN_DECLS

/** An array. The fields are the library's, but `container`. */
struct obv_array {
    union {
        struct obv_container container;
        struct obv_collection collection;
    };
    void *OBV_NULLABLE *OBV_NULLABLE elements;
    size_t count, room;
    bool is_sorting; /* a comparison of the program's may run */
};

/**
 * Makes a class of arrays.
 *
 * @param context  NULL: the default one.
 * @param kind     borrowed until the context ends.
 * @return OBV_E_ARGUMENT: a field of the kind is null or wrong; otherwise as
 *         obv_container_class_create().
 */
OBV_API OBV_NODISCARD enum obv_status
obv_array_class_create(struct obv_context *OBV_NULLABLE context,
                       const struct obv_collection_kind *OBV_NONNULL kind,
                       struct obv_class *OBV_NULLABLE *OBV_NONNULL cls,
                       struct obv_error *OBV_NULLABLE error);

/**
 * Makes an empty array, with one reference.
 *
 * @return OBV_E_ARGUMENT: an argument is null, or the class is none of arrays;
 *         OBV_E_MEMORY.
 */
OBV_NODISCARD static inline enum obv_status
obv_array_create(struct obv_class *OBV_NONNULL cls,
                 struct obv_array *OBV_NULLABLE *OBV_NONNULL array,
                 struct obv_error *OBV_NULLABLE error)
{
    return obv_collection_create(OBV_COLLECTION_ARRAY, cls, array, error);
}

/** obv_collection_retain() and obv_collection_release(), of an array. */
static inline void obv_array_retain(struct obv_array *OBV_NULLABLE array)
{
    obv_collection_retain(array ? &array->collection : NULL);
}

static inline void obv_array_release(struct obv_array *OBV_NULLABLE array)
{
    obv_collection_release(array ? &array->collection : NULL);
}

/** obv_collection_copy() of an array. */
OBV_NODISCARD static inline enum obv_status
obv_array_copy(const struct obv_array *OBV_NONNULL array,
               struct obv_array *OBV_NULLABLE *OBV_NONNULL copy,
               struct obv_error *OBV_NULLABLE error)
{
    return obv_collection_copy(array ? &array->collection : NULL, copy, error);
}

/** How many elements there are. */
static inline size_t obv_array_count(const struct obv_array *OBV_NONNULL array)
{
    obv_container_tell_read(&array->container);
    return array->count;
}

/** The element at a position, borrowed; NULL past the end. */
static inline void *OBV_NULLABLE
obv_array_at(const struct obv_array *OBV_NONNULL array, size_t position)
{
    obv_container_tell_read(&array->container);
    return position < array->count ? array->elements[position] : NULL;
}

/** All elements, one after the other, until the next edit; may be NULL if there
    are none. */
static inline void *OBV_NULLABLE const *OBV_NULLABLE
obv_array_elements(const struct obv_array *OBV_NONNULL array)
{
    obv_container_tell_read(&array->container);
    return array->elements;
}

/** Makes room for so many elements in all, so that an array of objects or
    pointers allocates nothing until it has them. It tells nobody. The room is
    given back when more than four elements are all cleared or assigned at once.
    Cost: O(count). */
OBV_API enum obv_status obv_array_reserve(struct obv_array *OBV_NONNULL array,
                                          size_t room);

/**
 * Puts `inserted` elements in the place of the `removed` ones from a position
 * on. Either may be 0.
 *
 * @param elements  an array of as many pointers, copied: also some of this very
 *                  array. NULL if there are none.
 */
OBV_API enum obv_status
obv_array_replace_range(struct obv_array *OBV_NONNULL array, size_t position,
                        size_t removed, const void *OBV_NULLABLE elements,
                        size_t inserted);

/** Adds an element behind the last. */
static inline enum obv_status
obv_array_append(struct obv_array *OBV_NONNULL array,
                 const void *OBV_NULLABLE element)
{
    return array ? obv_array_replace_range(array, array->count, 0, &element, 1)
                 : OBV_E_ARGUMENT;
}

/** Inserts an element so that it stands at a position, which is at most the
    count. */
static inline enum obv_status
obv_array_insert(struct obv_array *OBV_NONNULL array, size_t position,
                 const void *OBV_NULLABLE element)
{
    return obv_array_replace_range(array, position, 0, &element, 1);
}

/** Removes the element at a position. Allocates nothing. */
static inline enum obv_status
obv_array_remove(struct obv_array *OBV_NONNULL array, size_t position)
{
    return obv_array_replace_range(array, position, 1, NULL, 0);
}

/** Puts an element in the place of another one. */
static inline enum obv_status
obv_array_replace(struct obv_array *OBV_NONNULL array, size_t position,
                  const void *OBV_NULLABLE element)
{
    return obv_array_replace_range(array, position, 1, &element, 1);
}

/** Puts other elements in the place of all. They are compared position by
    position. `elements` as above. */
static inline enum obv_status
obv_array_assign(struct obv_array *OBV_NONNULL array,
                 const void *OBV_NULLABLE elements, size_t count)
{
    return array ? obv_array_replace_range(array, 0, array->count, elements,
                                           count)
                 : OBV_E_ARGUMENT;
}

/** Removes all elements. Allocates nothing. */
static inline enum obv_status
obv_array_clear(struct obv_array *OBV_NONNULL array)
{
    return obv_array_assign(array, NULL, 0);
}

/**
 * Moves `count` elements from a position on so that they stand from `to` on,
 * which counts without them.
 *
 * Allocates nothing. Cost: O(the elements from the lower of both places to the
 * end of the higher one).
 */
OBV_API enum obv_status obv_array_move(struct obv_array *OBV_NONNULL array,
                                       size_t position, size_t count,
                                       size_t to);

/** Exchanges two elements. Allocates nothing. Cost: O(1), beside what is
    observed between them. */
OBV_API enum obv_status obv_array_swap(struct obv_array *OBV_NONNULL array,
                                       size_t a, size_t b);

/**
 * Sorts the array; what compares as equal keeps its order.
 *
 * @param compare  is given where two elements lie, and `argument`; answers a
 *                 number below, at or above 0. An edit of this array in
 *                 it is refused: OBV_E_IN_USE. If it contradicts itself, the
 *                 array has some order of the same elements.
 *
 * Cost: O(n log n) comparisons; 24 bytes an element meanwhile.
 */
OBV_API enum obv_status
obv_array_sort(struct obv_array *OBV_NONNULL array,
               int (*OBV_NONNULL compare)(const void *OBV_NONNULL a,
                                          const void *OBV_NONNULL b,
                                          void *OBV_NULLABLE argument),
               void *OBV_NULLABLE argument);

/** Turns the order round. Cost: O(n); 16 bytes an element meanwhile. */
OBV_API enum obv_status obv_array_reverse(struct obv_array *OBV_NONNULL array);

/**
 * Gives the array another order.
 *
 * @param order  where each element stands then: one number for each, a
 *               permutation of 0 to the count - 1, else OBV_E_ARGUMENT.
 *
 * Cost: O(n); 9 bytes an element meanwhile.
 */
OBV_API enum obv_status obv_array_permute(struct obv_array *OBV_NONNULL array,
                                          const size_t *OBV_NULLABLE order);

OBV_END_DECLS

#endif
