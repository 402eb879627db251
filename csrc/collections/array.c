/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in an array. Every edit of that is one: some elements go, others
 * come in their place. It is prepared, which may fail; made, which may not;
 * told; and then what has gone is given back. Nothing of the array is used once
 * it has been told of, since a handler may have edited it.
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
    obv__elements_let_go(collection, array->elements, array->count);
    obv__collection_free(collection, array->elements,
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
    return obv__collection_hold(&array->collection) ? OBV_OK : OBV_E_ENDED;
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
    obv__collection_free(&array->collection, array->elements,
                         array->room * sizeof *elements);
    array->elements = elements;
    array->room = room;
    return OBV_OK;
}

/* Grows by half as much again at least, so that appending is O(1) amortised. */
static enum obv_status make_array_room(struct obv_array *array, size_t count)
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
    size_t position, removed, inserted;
    /* What goes and what comes: in one block, or in `few`; or, where all goes,
       each is a whole content. */
    void **old, **come;
    void **block;
    size_t block_room;
    void *few[2 * OBV__FEW];
};

/* Where all goes, the content is exchanged and not copied, but for a few. */
static bool is_exchange(const struct replacing *edit)
{
    return edit->removed == edit->array->count && edit->removed > OBV__FEW;
}

/* A place for `old` and `come`; false: no memory. */
static bool find_replacing_place(struct replacing *edit)
{
    bool is_few = edit->removed <= OBV__FEW && edit->inserted <= OBV__FEW;
    bool exchange = is_exchange(edit);
    edit->block_room = (is_few ? 0 : edit->inserted) +
                       (is_few || exchange ? 0 : edit->removed);
    edit->block =
        edit->block_room != 0
            ? obv__collection_memory(&edit->array->collection, edit->block_room,
                                     sizeof *edit->block)
            : NULL;
    if (edit->block_room != 0 && !edit->block) {
        return false;
    }
    edit->come = is_few ? edit->few : edit->block;
    if (!exchange) {
        edit->old = edit->come + (is_few ? OBV__FEW : edit->inserted);
    }
    return true;
}

static enum obv_status take_all(struct replacing *edit, const void *elements)
{
    struct obv_collection *collection = &edit->array->collection;
    for (size_t i = 0; i < edit->inserted; i++) {
        enum obv_status status = obv__element_take(
            collection, obv__pointer_at(elements, i), &edit->come[i]);
        if (status != OBV_OK) {
            obv__elements_let_go(collection, edit->come, i);
            return status;
        }
    }
    return OBV_OK;
}

/* Afterwards `block` is the content that has gone. */
static void exchange_content(struct replacing *edit)
{
    struct obv_array *array = edit->array;
    size_t room = array->room;
    edit->old = array->elements;
    array->elements = edit->inserted != 0 ? edit->block : NULL;
    array->room = edit->inserted;
    edit->block = edit->old;
    edit->block_room = room;
}

/* There is room. */
static void replace_in_place(struct replacing *edit)
{
    struct obv_array *array = edit->array;
    void **place = array->elements + edit->position;
    size_t behind = array->count - edit->position - edit->removed;
    if (edit->removed != 0) {
        memcpy(edit->old, place, edit->removed * sizeof *place);
    }
    if (behind != 0 && edit->inserted != edit->removed) {
        memmove(place + edit->inserted, place + edit->removed,
                behind * sizeof *place);
    }
    if (edit->inserted != 0) {
        memcpy(place, edit->come, edit->inserted * sizeof *place);
    }
}

/* Makes a prepared edit, and tells of it. */
static void make_replacing(struct replacing *edit)
{
    struct obv_array *array = edit->array;
    struct obv_collection *collection = &array->collection;
    if (is_exchange(edit)) {
        exchange_content(edit);
    } else {
        replace_in_place(edit);
    }
    array->count = array->count - edit->removed + edit->inserted;
    const struct obv_container_edit told = {.position = edit->position,
                                            .removed = edit->removed,
                                            .inserted = edit->inserted,
                                            .old = edit->old};
    obv__collection_tell(collection, &told, 1);
    obv__elements_let_go(collection, edit->old, edit->removed);
}

static enum obv_status prepare_replacing(struct replacing *edit,
                                         const void *elements)
{
    struct obv_array *array = edit->array;
    size_t stay = array->count - edit->removed;
    if (edit->inserted > MOST_ELEMENTS - stay || !find_replacing_place(edit)) {
        return OBV_E_MEMORY;
    }
    enum obv_status status = take_all(edit, elements);
    if (status == OBV_OK && !is_exchange(edit)) {
        status = make_array_room(array, stay + edit->inserted);
        if (status != OBV_OK) {
            obv__elements_let_go(&array->collection, edit->come,
                                 edit->inserted);
        }
    }
    return status;
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
    enum obv_status status = obv__array_hold(array);
    if (status != OBV_OK || (removed == 0 && inserted == 0)) {
        if (status == OBV_OK) {
            obv_array_release(array);
        }
        return status;
    }
    struct replacing edit = {.array = array,
                             .position = position,
                             .removed = removed,
                             .inserted = inserted};
    status = prepare_replacing(&edit, elements);
    if (status == OBV_OK) {
        make_replacing(&edit);
    }
    obv__collection_free(&array->collection, edit.block,
                         edit.block_room * sizeof *edit.block);
    obv_array_release(array);
    return status;
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
