/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the elements of an array stand: moving, exchanging, sorting, any order.
 */
#include "collections/array.h"
#include "platform/exception.h"

#include <string.h>

/* Moving ------------------------------------------------------------------- */

static void turn_round(void **elements, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        void *element = elements[i];
        elements[i] = elements[count - 1 - i];
        elements[count - 1 - i] = element;
    }
}

/* The first `left` elements come behind the others: each part is turned round,
   then the whole. */
static void rotate(void **elements, size_t left, size_t right)
{
    turn_round(elements, left);
    turn_round(elements + left, right);
    turn_round(elements, left + right);
}

void obv__array_rotate(struct obv_array *array, size_t position, size_t count,
                       size_t to)
{
    if (to > position) {
        rotate(array->elements + position, count, to - position);
    } else {
        rotate(array->elements + to, position - to, count);
    }
}

enum obv_status obv_array_move(struct obv_array *array, size_t position,
                               size_t count, size_t to)
{
    if (!array) {
        return OBV_E_ARGUMENT;
    }
    if (position > array->count || count > array->count - position ||
        to > array->count - count) {
        return OBV_E_PAST_END;
    }
    enum obv_status status = obv__array_hold(array);
    if (status != OBV_OK) {
        return status;
    }
    if (count != 0 && to != position) {
        const struct obv_container_edit told = {
            .position = position, .moved = count, .to = to};
        obv__array_rotate(array, position, count, to);
        obv__collection_tell(&array->collection, &told, 1);
    }
    obv_array_release(array);
    return OBV_OK;
}

/* Two moves are told: the second to where the first stood, then the first,
   which stands one further on now, to where the second stood. */
static void swap_elements(struct obv_array *array, size_t first, size_t second)
{
    void *element = array->elements[first];
    const struct obv_container_edit told[] = {
        {.position = second, .moved = 1, .to = first},
        {.position = first + 1, .moved = 1, .to = second}};
    array->elements[first] = array->elements[second];
    array->elements[second] = element;
    obv__collection_tell(&array->collection, told, second == first + 1 ? 1 : 2);
}

enum obv_status obv_array_swap(struct obv_array *array, size_t a, size_t b)
{
    if (!array) {
        return OBV_E_ARGUMENT;
    }
    if (a >= array->count || b >= array->count) {
        return OBV_E_PAST_END;
    }
    enum obv_status status = obv__array_hold(array);
    if (status != OBV_OK) {
        return status;
    }
    if (a != b) {
        swap_elements(array, a < b ? a : b, a < b ? b : a);
    }
    obv_array_release(array);
    return OBV_OK;
}

/* Any order ---------------------------------------------------------------- */

static size_t *allocate_numbers(const struct obv_array *array, size_t count)
{
    return obv__collection_memory(&array->collection, count, sizeof(size_t));
}

static void free_numbers(const struct obv_array *array, size_t *numbers,
                         size_t count)
{
    obv__collection_free(array->collection.kind, numbers,
                         count * sizeof *numbers);
}

/* The element from position i on stands at order[i] then, which is a
   permutation. */
static enum obv_status put_in_order(struct obv_array *array,
                                    const size_t *order)
{
    size_t room = array->room;
    void **old = array->elements;
    void **elements =
        obv__collection_memory(&array->collection, room, sizeof *elements);
    if (!elements) {
        return OBV_E_MEMORY;
    }
    for (size_t i = 0; i < array->count; i++) {
        elements[order[i]] = old[i];
    }
    const struct obv_container_edit told = {.moved = array->count,
                                            .order = order};
    array->elements = elements;
    obv__collection_free(array->collection.kind, old, room * sizeof *old);
    obv__collection_tell(&array->collection, &told, 1);
    return OBV_OK;
}

/* An order of two or more elements, made by a function; it is held meanwhile.
   */
static enum obv_status
reorder(struct obv_array *array,
        enum obv_status (*make)(const struct obv_array *array, size_t *order,
                                void *argument),
        void *argument)
{
    size_t count = array->count;
    enum obv_status status = obv__array_hold(array);
    if (status != OBV_OK) {
        return status;
    }
    size_t *order = allocate_numbers(array, count);
    status = order ? make(array, order, argument) : OBV_E_MEMORY;
    if (status == OBV_OK) {
        status = put_in_order(array, order);
    }
    free_numbers(array, order, count);
    obv_array_release(array);
    return status;
}

static enum obv_status make_reverse(const struct obv_array *array,
                                    size_t *order, void *argument)
{
    (void)argument;
    for (size_t i = 0; i < array->count; i++) {
        order[i] = array->count - 1 - i;
    }
    return OBV_OK;
}

enum obv_status obv_array_reverse(struct obv_array *array)
{
    if (!array) {
        return OBV_E_ARGUMENT;
    }
    return array->count < 2 ? OBV_OK : reorder(array, make_reverse, NULL);
}

static bool is_permutation(const size_t *order, size_t count, bool *seen)
{
    memset(seen, 0, count * sizeof *seen);
    for (size_t i = 0; i < count; i++) {
        if (order[i] >= count || seen[order[i]]) {
            return false;
        }
        seen[order[i]] = true;
    }
    return true;
}

static enum obv_status check_permutation(const struct obv_array *array,
                                         const size_t *order)
{
    size_t size = array->count * sizeof(bool);
    bool *seen =
        obv__collection_memory(&array->collection, array->count, sizeof *seen);
    if (!seen) {
        return OBV_E_MEMORY;
    }
    bool good = is_permutation(order, array->count, seen);
    obv__collection_free(array->collection.kind, seen, size);
    return good ? OBV_OK : OBV_E_ARGUMENT;
}

enum obv_status obv_array_permute(struct obv_array *array, const size_t *order)
{
    if (!array || (!order && array->count != 0)) {
        return OBV_E_ARGUMENT;
    }
    if (array->count == 0) {
        return OBV_OK;
    }
    enum obv_status status = obv__array_hold(array);
    if (status != OBV_OK) {
        return status;
    }
    status = check_permutation(array, order);
    if (status == OBV_OK) {
        status = put_in_order(array, order);
    }
    obv_array_release(array);
    return status;
}

/* Sorting ------------------------------------------------------------------ */

struct sorting {
    struct obv_array *array;
    int (*compare)(const void *a, const void *b, void *argument);
    void *argument;
};

/* Two sorted runs, of `left` and `right` positions, one behind the other,
   become one. The left one comes first where both are equal. */
static void merge_runs(const struct sorting *sorting, const size_t *from,
                       size_t left, size_t right, size_t *to)
{
    void *const *elements = sorting->array->elements;
    size_t a = 0, b = 0;
    OBV__NO_EXCEPTION_LEAVES();
    while (a < left || b < right) {
        bool is_left = b == right ||
                       (a < left && sorting->compare(&elements[from[a]],
                                                     &elements[from[left + b]],
                                                     sorting->argument) <= 0);
        to[a + b] = is_left ? from[a] : from[left + b];
        a += is_left;
        b += !is_left;
    }
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Merge sort from runs of one on, in turns from one array of positions to the
   other; answers the one that is sorted. */
static size_t *sort_positions(const struct sorting *sorting, size_t *positions,
                              size_t *others, size_t count)
{
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run) {
            size_t left = least(run, count - at);
            size_t right = least(run, count - at - left);
            merge_runs(sorting, positions + at, left, right, others + at);
        }
        size_t *sorted = others;
        others = positions;
        positions = sorted;
    }
    return positions;
}

/* The comparison finds what it was called for: meanwhile nobody edits. */
static enum obv_status make_sorted(const struct obv_array *array, size_t *order,
                                   void *argument)
{
    const struct sorting *sorting = argument;
    size_t count = array->count;
    size_t *positions = allocate_numbers(array, 2 * count);
    if (!positions) {
        return OBV_E_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        positions[i] = i;
    }
    sorting->array->is_sorting = true;
    const size_t *sorted =
        sort_positions(sorting, positions, positions + count, count);
    sorting->array->is_sorting = false;
    for (size_t i = 0; i < count; i++) {
        order[sorted[i]] = i;
    }
    free_numbers(array, positions, 2 * count);
    return OBV_OK;
}

enum obv_status obv_array_sort(struct obv_array *array,
                               int (*compare)(const void *a, const void *b,
                                              void *argument),
                               void *argument)
{
    if (!array || !compare) {
        return OBV_E_ARGUMENT;
    }
    struct sorting sorting = {array, compare, argument};
    return array->count < 2 ? OBV_OK : reorder(array, make_sorted, &sorting);
}
