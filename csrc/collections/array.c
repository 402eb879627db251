/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in an array. Every edit of that is one: some elements go, others
 * come in their place. It is prepared, which may fail; made, which may not;
 * told; and then what has gone is given back. Nothing of the array is used once
 * it has been told of, since a handler may have edited it, or let go of it.
 */
#include "collections/array.h"

#include <string.h>

/* So that sizes in bytes cannot overflow. */
#define MOST_ELEMENTS (PTRDIFF_MAX / sizeof(void *) / 4)

/* What a container says ---------------------------------------------------- */

static const struct obv_array *array_of(const struct obv_container *container)
{
    return (const struct obv_array *)(const void *)container;
}

static size_t count_array(const struct obv_container *container)
{
    return array_of(container)->count;
}

static const void *element_at(const struct obv_container *container,
                              size_t position)
{
    return &array_of(container)->elements[position];
}

static void let_go_of_array(struct obv_collection *collection)
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
    return obv__collection_class_make(context, kind, &array_access,
                                      let_go_of_array, cls, error);
}

enum obv_status obv_array_create(struct obv_class *cls,
                                 struct obv_array **array,
                                 struct obv_error *error)
{
    struct obv_collection *made = NULL;
    enum obv_status status =
        array ? obv__collection_allocate(cls, count_array, &made, error)
              : obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    if (status == OBV_OK) {
        obv__collection_init(made, cls);
        *array = (struct obv_array *)(void *)made;
    }
    return status;
}

void obv_array_retain(struct obv_array *array)
{
    if (array) {
        (void)obv__collection_hold(&array->collection);
    }
}

void obv_array_release(struct obv_array *array)
{
    if (array) {
        obv__collection_release(&array->collection);
    }
}

enum obv_status obv__array_hold(struct obv_array *array)
{
    enum obv_status status = obv__array_may_be_edited(array);
    return status != OBV_OK                           ? status
           : obv__collection_hold(&array->collection) ? OBV_OK
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

enum obv_status obv__array_make_room(struct obv_array *array, size_t count)
{
    size_t more = array->room + array->room / 2 + OBV__FEW;
    return count <= array->room
               ? OBV_OK
               : change_room(array, count > more ? count : more);
}

void obv__array_trim(struct obv_array *array)
{
    if (array->count == 0 && array->room > OBV__FEW) {
        obv__collection_free(array->collection.kind, array->elements,
                             array->room * sizeof *array->elements);
        array->elements = NULL;
        array->room = 0;
    }
}

enum obv_status obv_array_reserve(struct obv_array *array, size_t room)
{
    if (!array) {
        return OBV_E_ARGUMENT;
    }
    enum obv_status status = obv__array_hold(array);
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
    status = obv__array_make_room(
        edit->array, edit->array->count - edit->removed + edit->inserted);
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

/* A block of pointers; none for 0. False: no memory. */
static bool find_block(const struct replacing *edit, size_t count,
                       void ***block)
{
    *block = count != 0 ? obv__collection_memory(&edit->array->collection,
                                                 count, sizeof **block)
                        : NULL;
    return count == 0 || *block;
}

OBV__NOINLINE static enum obv_status replace_many(struct replacing edit,
                                                  const void *elements)
{
    size_t count = edit.removed + edit.inserted;
    void **block;
    if (!find_block(&edit, count, &block)) {
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
    if (!find_block(&edit, edit.inserted, &edit.come)) {
        return OBV_E_MEMORY;
    }
    enum obv_status status = take_all(&edit, elements);
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
    if (obv__collection_has_ended(&array->collection)) {
        return OBV_E_ENDED;
    }
    enum obv_status status = obv__array_may_be_edited(array);
    if (status != OBV_OK) {
        return status;
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

enum obv_status obv_array_append(struct obv_array *array, const void *element)
{
    return array ? obv_array_replace_range(array, array->count, 0, &element, 1)
                 : OBV_E_ARGUMENT;
}

enum obv_status obv_array_insert(struct obv_array *array, size_t position,
                                 const void *element)
{
    return obv_array_replace_range(array, position, 0, &element, 1);
}

enum obv_status obv_array_remove(struct obv_array *array, size_t position)
{
    return obv_array_replace_range(array, position, 1, NULL, 0);
}

enum obv_status obv_array_replace(struct obv_array *array, size_t position,
                                  const void *element)
{
    return obv_array_replace_range(array, position, 1, &element, 1);
}

enum obv_status obv_array_assign(struct obv_array *array, const void *elements,
                                 size_t count)
{
    return array ? obv_array_replace_range(array, 0, array->count, elements,
                                           count)
                 : OBV_E_ARGUMENT;
}

enum obv_status obv_array_clear(struct obv_array *array)
{
    return obv_array_assign(array, NULL, 0);
}

enum obv_status obv_array_copy(const struct obv_array *array,
                               struct obv_array **copy, struct obv_error *error)
{
    struct obv_array *made = NULL;
    enum obv_status status =
        array && copy
            ? obv_array_create(array->collection.kind->cls, &made, error)
            : obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    if (status != OBV_OK) {
        return status;
    }
    status = obv_array_assign(made, array->elements, array->count);
    if (status != OBV_OK) {
        obv_array_release(made);
        return obv__fail(error, status, obv_status_text(status));
    }
    *copy = made;
    return OBV_OK;
}
