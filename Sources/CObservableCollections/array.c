/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays. An array is edited in one way: some elements go, others come in their
 * place. It is prepared, which may fail; made, which may not; told; and then
 * what has gone is given back. Nothing of the array is used once it has been
 * told of, since a handler may have edited it, or let go of it.
 */
#include "collection.h"
#include "platform/exception.h"

#include <observable/array.h>

#include <string.h>

/* So that sizes in bytes cannot overflow. */
#define MOST_ELEMENTS (PTRDIFF_MAX / sizeof(void *) / 4)

/* A container's answers ---------------------------------------------------- */

enum obv_status obv__array_fill(const struct obv_collection *from,
                                struct obv_collection *into)
{
    const struct obv_array *array = (const void *)from;
    return obv_array_assign((void *)into, array->elements, array->count);
}

static size_t count_array(const struct obv_container *container)
{
    return ((const struct obv_array *)(const void *)container)->count;
}

static const void *element_at(const struct obv_container *container,
                              size_t position)
{
    const struct obv_array *array = (const void *)container;
    return &array->elements[position];
}

void obv__array_let_go(struct obv_collection *collection)
{
    struct obv_array *array = (struct obv_array *)(void *)collection;
    obv__elements_let_go(collection->kind, array->elements, array->count);
    obv__collection_free(collection->kind, array->elements,
                         array->room * sizeof *array->elements);
}

static const struct obv_container_kind array_access = {
    .instance_size = sizeof(struct obv_array),
    .count = count_array,
    .at = element_at};

/* Creation ----------------------------------------------------------------- */

enum obv_status obv_array_class_create(struct obv_context *context,
                                       const struct obv_collection_kind *kind,
                                       struct obv_class **cls,
                                       struct obv_error *error)
{
    return obv__collection_class_make(OBV_COLLECTION_ARRAY, context, kind,
                                      &array_access, cls, error);
}

/* Holds an array for an edit; it is not edited while it is sorted. */
static enum obv_status hold_array(struct obv_array *array)
{
    return array->is_sorting                                ? OBV_E_IN_USE
           : obv__collection_hold(&array->container.object) ? OBV_OK
                                                            : OBV_E_ENDED;
}

/* Room --------------------------------------------------------------------- */

static enum obv_status change_room(struct obv_array *array, size_t room)
{
    void **elements = obv__collection_memory(&array->collection, room,
                                             sizeof *array->elements);
    if (!elements) {
        return OBV_E_MEMORY;
    }
    if (array->count != 0) {
        memcpy(elements, array->elements, array->count * sizeof *elements);
    }
    obv__collection_free(array->collection.kind, array->elements,
                         array->room * sizeof *elements);
    array->elements = elements;
    array->room = room;
    return OBV_OK;
}

/* It grows by half as much again at least, so that appending is O(1)
   amortised. */
static enum obv_status make_room(struct obv_array *array, size_t count)
{
    size_t more = array->room + array->room / 2 + OBV__FEW;
    return count <= array->room
               ? OBV_OK
               : change_room(array, count > more ? count : more);
}

enum obv_status obv_array_reserve(struct obv_array *array, size_t room)
{
    if (!array) {
        return OBV_E_ARGUMENT;
    }
    enum obv_status status = hold_array(array);
    if (status != OBV_OK) {
        return status;
    }
    if (room > MOST_ELEMENTS) {
        status = OBV_E_MEMORY;
    } else if (room > array->room) {
        status = change_room(array, room);
    }
    obv_array_release(array);
    return status;
}

/* Replacing ---------------------------------------------------------------- */

struct replacing {
    struct obv_array *array;
    const struct obv_collection_class *cls; /* the array's */
    size_t position, removed, inserted;
    void **old, **come; /* what goes, and what comes */
};

OBV__INLINE void copy_pointers(void **to, void *const *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
    }
}

OBV__INLINE enum obv_status take_all(struct replacing *edit,
                                     const void *elements)
{
    if (edit->cls->keeps_as_is) {
        copy_pointers(edit->come, (void *const *)elements, edit->inserted);
        return OBV_OK;
    }
    for (size_t i = 0; i < edit->inserted; i++) {
        enum obv_status status = obv__element_take(
            edit->cls, obv__pointer_at(elements, i), &edit->come[i]);
        if (status != OBV_OK) {
            obv__elements_let_go(edit->cls, edit->come, i);
            return status;
        }
    }
    return OBV_OK;
}

/* Tells of an edit that has been made, and lets go of what has gone. */
OBV__INLINE void tell_replacing(const struct replacing *edit)
{
    struct obv_array *array = edit->array;
    array->count = array->count - edit->removed + edit->inserted;
    const struct obv_container_edit told = {.position = edit->position,
                                            .removed = edit->removed,
                                            .inserted = edit->inserted,
                                            .old = edit->old};
    obv__collection_tell(&array->collection, &told, 1);
    obv__elements_let_go(edit->cls, edit->old, edit->removed);
}

/* There is room. */
OBV__INLINE void replace_in_place(const struct replacing *edit)
{
    const struct obv_array *array = edit->array;
    void **place = array->elements + edit->position;
    size_t behind = array->count - edit->position - edit->removed;
    copy_pointers(edit->old, place, edit->removed);
    if (behind != 0 && edit->inserted != edit->removed) {
        memmove(place + edit->inserted, place + edit->removed,
                behind * sizeof *place);
    }
    copy_pointers(place, edit->come, edit->inserted);
}

/* There is a place for what goes and for what comes. Inline, as all that it does:
   of few, which is usual, all of this is known in one function. */
OBV__INLINE enum obv_status replace_some(struct replacing *edit,
                                         const void *elements)
{
    enum obv_status status = take_all(edit, elements);
    if (status != OBV_OK) {
        return status;
    }
    status = make_room(edit->array,
                       edit->array->count - edit->removed + edit->inserted);
    if (status != OBV_OK) {
        obv__elements_let_go(edit->cls, edit->come, edit->inserted);
        return status;
    }
    replace_in_place(edit);
    tell_replacing(edit);
    return OBV_OK;
}

OBV__INLINE enum obv_status replace_few(struct replacing *edit,
                                        const void *elements)
{
    void *old[OBV__FEW], *come[OBV__FEW];
    edit->old = old;
    edit->come = come;
    return replace_some(edit, elements);
}

OBV__NOINLINE static enum obv_status replace_many(struct replacing edit,
                                                  const void *elements)
{
    size_t count = edit.removed + edit.inserted;
    void **block =
        obv__collection_memory(&edit.array->collection, count, sizeof *block);
    if (!block) {
        return OBV_E_MEMORY;
    }
    edit.old = block;
    edit.come = block + edit.removed;
    enum obv_status status = replace_some(&edit, elements);
    obv__collection_free(edit.cls, block, count * sizeof *block);
    return status;
}

/* All goes: the content is exchanged and not copied. */
OBV__NOINLINE static enum obv_status replace_all(struct replacing edit,
                                                 const void *elements)
{
    struct obv_array *array = edit.array;
    size_t room = array->room;
    if (edit.inserted != 0) {
        edit.come = obv__collection_memory(&array->collection, edit.inserted,
                                           sizeof *edit.come);
    }
    enum obv_status status = edit.inserted != 0 && !edit.come
                                 ? OBV_E_MEMORY
                                 : take_all(&edit, elements);
    if (status != OBV_OK) {
        obv__collection_free(edit.cls, edit.come,
                             edit.inserted * sizeof *edit.come);
        return status;
    }
    edit.old = array->elements;
    array->elements = edit.come;
    array->room = edit.inserted;
    tell_replacing(&edit);
    obv__collection_free(edit.cls, edit.old, room * sizeof *edit.old);
    return OBV_OK;
}

enum obv_status obv_array_replace_range(struct obv_array *array,
                                        size_t position, size_t removed,
                                        const void *elements, size_t inserted)
{
    if (!array || (inserted != 0 && !elements)) {
        return OBV_E_ARGUMENT;
    }
    if (position > array->count || removed > array->count - position) {
        return OBV_E_PAST_END;
    }
    if (array->is_sorting || obv__collection_has_ended(&array->collection)) {
        return array->is_sorting ? OBV_E_IN_USE : OBV_E_ENDED;
    }
    if (inserted > MOST_ELEMENTS - (array->count - removed)) {
        return OBV_E_MEMORY;
    }
    struct replacing edit = {.array = array,
                             .cls = array->collection.kind,
                             .position = position,
                             .removed = removed,
                             .inserted = inserted};
    if (removed <= OBV__FEW && inserted <= OBV__FEW) {
        return removed == 0 && inserted == 0 ? OBV_OK
                                             : replace_few(&edit, elements);
    }
    return removed == array->count && removed != 0
               ? replace_all(edit, elements)
               : replace_many(edit, elements);
}

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

static void move_elements(void **elements, size_t position, size_t count,
                          size_t to)
{
    if (to > position) {
        rotate(elements + position, count, to - position);
    } else {
        rotate(elements + to, position - to, count);
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
    enum obv_status status = hold_array(array);
    if (status != OBV_OK) {
        return status;
    }
    if (count != 0 && to != position) {
        const struct obv_container_edit told = {
            .position = position, .moved = count, .to = to};
        move_elements(array->elements, position, count, to);
        obv__collection_tell(&array->collection, &told, 1);
    }
    obv_array_release(array);
    return OBV_OK;
}

/* Two moves are told: the second to where the first stood, then the first,
   which stands one further on now, to where the second stood. */
enum obv_status obv_array_swap(struct obv_array *array, size_t a, size_t b)
{
    size_t first = a < b ? a : b, second = a < b ? b : a;
    if (!array) {
        return OBV_E_ARGUMENT;
    }
    if (second >= array->count) {
        return OBV_E_PAST_END;
    }
    enum obv_status status = hold_array(array);
    if (status != OBV_OK) {
        return status;
    }
    if (a != b) {
        void *element = array->elements[first];
        const struct obv_container_edit told[] = {
            {.position = second, .moved = 1, .to = first},
            {.position = first + 1, .moved = 1, .to = second}};
        array->elements[first] = array->elements[second];
        array->elements[second] = element;
        obv__collection_tell(&array->collection, told,
                             second == first + 1 ? 1 : 2);
    }
    obv_array_release(array);
    return OBV_OK;
}

/* Any order ---------------------------------------------------------------- */

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

/* An order that a function makes; the array is held meanwhile. */
static enum obv_status reorder(struct obv_array *array,
                               enum obv_status (*make)(struct obv_array *array,
                                                       size_t *order,
                                                       const void *argument),
                               const void *argument)
{
    size_t count = array->count;
    if (count == 0) {
        return OBV_OK;
    }
    enum obv_status status = hold_array(array);
    if (status != OBV_OK) {
        return status;
    }
    size_t *order =
        obv__collection_memory(&array->collection, count, sizeof *order);
    status = order ? make(array, order, argument) : OBV_E_MEMORY;
    if (status == OBV_OK) {
        status = put_in_order(array, order);
    }
    obv__collection_free(array->collection.kind, order, count * sizeof *order);
    obv_array_release(array);
    return status;
}

static enum obv_status make_reverse(struct obv_array *array, size_t *order,
                                    const void *argument)
{
    (void)argument;
    for (size_t i = 0; i < array->count; i++) {
        order[i] = array->count - 1 - i;
    }
    return OBV_OK;
}

enum obv_status obv_array_reverse(struct obv_array *array)
{
    return !array             ? OBV_E_ARGUMENT
           : array->count < 2 ? OBV_OK
                              : reorder(array, make_reverse, NULL);
}

/* Marks each position that somebody comes to, then copies. */
static enum obv_status make_given(struct obv_array *array, size_t *order,
                                  const void *argument)
{
    const size_t *given = argument;
    memset(order, 0, array->count * sizeof *order);
    for (size_t i = 0; i < array->count; i++) {
        if (given[i] >= array->count || order[given[i]]++ != 0) {
            return OBV_E_ARGUMENT;
        }
    }
    memcpy(order, given, array->count * sizeof *order);
    return OBV_OK;
}

enum obv_status obv_array_permute(struct obv_array *array, const size_t *order)
{
    return array && (order || array->count == 0)
               ? reorder(array, make_given, order)
               : OBV_E_ARGUMENT;
}

/* Sorting ------------------------------------------------------------------ */

struct sorting {
    void *const *elements;
    int (*compare)(const void *a, const void *b, void *argument);
    void *argument;
};

/* Two sorted runs, of `left` and `right` positions, one behind the other,
   become one. The left one comes first where both are equal. */
static void merge_runs(const struct sorting *sorting, const size_t *from,
                       size_t left, size_t right, size_t *to)
{
    void *const *elements = sorting->elements;
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
static enum obv_status make_sorted(struct obv_array *array, size_t *order,
                                   const void *argument)
{
    size_t count = array->count;
    size_t *positions = obv__collection_memory(&array->collection, 2 * count,
                                               sizeof *positions);
    if (!positions) {
        return OBV_E_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        positions[i] = i;
    }
    array->is_sorting = true;
    const size_t *sorted =
        sort_positions(argument, positions, positions + count, count);
    array->is_sorting = false;
    for (size_t i = 0; i < count; i++) {
        order[sorted[i]] = i;
    }
    obv__collection_free(array->collection.kind, positions,
                         2 * count * sizeof *positions);
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
    const struct sorting sorting = {array->elements, compare, argument};
    return array->count < 2 ? OBV_OK : reorder(array, make_sorted, &sorting);
}
