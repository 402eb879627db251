/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists as the library has them ready-made. Each edit is made by the operation
 * that a program would choose for it.
 */
#include "list.h"

#include <observable/array.h>
#include <observable/dictionary.h>
#include <observable/set.h>

#include <stdlib.h>
#include <string.h>

#define KIND(kind_name, ...)                                                   \
    {                                                                          \
        .size = sizeof(struct obv_collection_kind), .name = kind_name,         \
        __VA_ARGS__                                                            \
    }
#define THINGS .element = OBV_KIND_object, .type = "Thing"
#define TEXTS  .element = OBV_KIND_string

static const struct obv_collection_kind kinds[LIST_CLASSES] = {
    [LISTS] = KIND("list of things", THINGS),
    [LISTS_OF_TEXTS] = KIND("list of texts", TEXTS),
    [DICTIONARIES] = KIND("dictionary of things", THINGS),
    [DICTIONARIES_OF_TEXTS] = KIND("dictionary of texts", TEXTS),
    [SETS] = KIND("set of things", THINGS),
    [SETS_OF_TEXTS] = KIND("set of texts", TEXTS, .hash = list_hash_text)};

static enum obv_status make_class(struct obv_context *context,
                                  enum list_class number,
                                  struct obv_class **cls)
{
    return (number >= SETS ? obv_set_class_create
            : number >= DICTIONARIES
                ? obv_dictionary_class_create
                : obv_array_class_create)(context, &kinds[number], cls, NULL);
}

static struct obv_array *array_of(struct list *list)
{
    return (struct obv_array *)(void *)list;
}

static struct obv_dictionary *dictionary_of(struct list *list)
{
    return (struct obv_dictionary *)(void *)list;
}

static struct obv_set *set_of(struct list *list)
{
    return (struct obv_set *)(void *)list;
}

static void check_made(enum obv_status status)
{
    if (status != OBV_OK) {
        fail("an edit was refused: %s", obv_status_name(status));
    }
}

static const void **elements_of(enum list_class number,
                                const struct value *values, size_t count)
{
    const void **elements = keep((count + 1) * sizeof *elements);
    for (size_t i = 0; i < count; i++) {
        elements[i] = list_element(number, &values[i]);
    }
    return elements;
}

/* --- creation ------------------------------------------------------------ */

static struct list *create_list(enum list_class number,
                                const struct value *content)
{
    struct obv_class *cls = world.list_classes[number];
    const void **elements =
        elements_of(number, content->items, content->item_count);
    size_t count = content->item_count;
    if (number >= SETS) {
        struct obv_set *set = NULL;
        check_made(obv_set_create(cls, &set, NULL));
        check_made(obv_set_assign(set, elements, count));
        return (struct list *)(void *)set;
    }
    if (number >= DICTIONARIES) {
        struct obv_dictionary *made = NULL;
        check_made(obv_dictionary_create(cls, &made, NULL));
        check_made(obv_dictionary_merge(made, content->keys, elements, count));
        return (struct list *)(void *)made;
    }
    struct obv_array *array = NULL;
    check_made(obv_array_create(cls, &array, NULL));
    check_made(obv_array_assign(array, elements, count));
    return (struct list *)(void *)array;
}

/* --- arrays -------------------------------------------------------------- */

static void edit_array(struct list *list, const struct list_edit *edit)
{
    struct obv_array *array = array_of(list);
    size_t count = obv_array_count(array), at = edit->position;
    const void **come =
        elements_of(list_class_of(list), edit->values, edit->inserted);
    bool is_all = at == 0 && edit->removed == count;
    if (edit->inserted == 1 && edit->removed == 0) {
        check_made(at == count ? obv_array_append(array, come[0])
                               : obv_array_insert(array, at, come[0]));
    } else if (edit->inserted == 1 && edit->removed == 1) {
        check_made(obv_array_replace(array, at, come[0]));
    } else if (edit->inserted == 0 && edit->removed == 1) {
        check_made(obv_array_remove(array, at));
    } else if (is_all && edit->inserted == 0) {
        check_made(obv_array_clear(array));
    } else if (is_all) {
        check_made(obv_array_assign(array, come, edit->inserted));
    } else {
        check_made(obv_array_replace_range(array, at, edit->removed, come,
                                           edit->inserted));
    }
}

static void move_item(struct list *list, size_t from, size_t to)
{
    check_made(obv_array_move(array_of(list), from, 1, to));
}

static int compare_elements(const void *a, const void *b, void *list)
{
    return list_compare(list, a, b);
}

/* The two positions that an order exchanges, if they are two. */
static void swap_items(struct obv_array *array, const size_t *order)
{
    size_t first = 0;
    while (first + 1 < obv_array_count(array) && order[first] == first) {
        first++;
    }
    check_made(obv_array_swap(array, first, order[first]));
}

static void reorder_array(struct list *list, enum list_order how,
                          const size_t *order)
{
    struct obv_array *array = array_of(list);
    switch (how) {
    case LIST_SWAPPED:
        swap_items(array, order);
        break;
    case LIST_SORTED:
        check_made(obv_array_sort(array, compare_elements, list));
        break;
    case LIST_REVERSED:
        check_made(obv_array_reverse(array));
        break;
    case LIST_SHUFFLED:
        check_made(obv_array_permute(array, order));
        break;
    }
}

/* --- dictionaries -------------------------------------------------------- */

static void put_pair(struct list *list, const struct list_put *put)
{
    struct obv_dictionary *dictionary = dictionary_of(list);
    check_made(put->value ? obv_dictionary_put(
                                dictionary, put->key,
                                list_element(list_class_of(list), put->value))
                          : obv_dictionary_delete(dictionary, put->key));
}

static void assign_pairs(struct list *list, const struct value *content)
{
    struct obv_dictionary *dictionary = dictionary_of(list);
    size_t count = content->item_count;
    const void **elements =
        elements_of(list_class_of(list), content->items, count);
    check_made(count == 0 ? obv_dictionary_clear(dictionary)
                          : obv_dictionary_assign(dictionary, content->keys,
                                                  elements, count));
}

/* --- sets ---------------------------------------------------------------- */

static void combine_set(struct list *list, enum list_combination how,
                        const struct value *members, size_t count)
{
    struct obv_set *set = set_of(list);
    const void **elements = elements_of(list_class_of(list), members, count);
    switch (how) {
    case LIST_UNION:
        check_made(count == 1 ? obv_set_add(set, elements[0])
                              : obv_set_union(set, elements, count));
        break;
    case LIST_INTERSECT:
        check_made(obv_set_intersect(set, elements, count));
        break;
    case LIST_SUBTRACT:
        check_made(count == 1 ? obv_set_discard(set, elements[0])
                              : obv_set_subtract(set, elements, count));
        break;
    case LIST_SYMMETRIC:
        check_made(obv_set_symmetric(set, elements, count));
        break;
    case LIST_ASSIGN:
        check_made(count == 0 ? obv_set_clear(set)
                              : obv_set_assign(set, elements, count));
        break;
    }
}

const struct list_way ready_lists = {.make_class = make_class,
                                     .create = create_list,
                                     .edit = edit_array,
                                     .move = move_item,
                                     .reorder = reorder_array,
                                     .put = put_pair,
                                     .assign = assign_pairs,
                                     .combine = combine_set};
