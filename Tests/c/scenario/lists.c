/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands about lists: each is one change of one list.
 */
#include "list.h"
#include "thing.h"

#include <stdlib.h>
#include <string.h>

static struct list *container_at(const char *place, enum value_kind kind)
{
    struct value value = place_read(place);
    if (value.kind != kind) {
        fail("%s is no %s: %s", place,
             kind == VALUE_LIST  ? "list"
             : kind == VALUE_SET ? "set"
                                 : "dictionary",
             value_print(&value));
    }
    return value.list;
}

static struct list *list_at(const char *place)
{
    struct list *list = container_at(place, VALUE_LIST);
    if (list_is_constant(list)) {
        fail("%s is constant", place);
    }
    return list;
}

static size_t number(const char *word)
{
    if (!word_is_number(word)) {
        fail("this is no number: %s", word);
    }
    return strtoull(word, NULL, 10);
}

/* A position up to `last`; else the command is refused, and does nothing. */
static bool position(const char *word, size_t last, size_t *at)
{
    *at = number(word);
    if (*at <= last) {
        return true;
    }
    refuse(OBV_E_PAST_END, NULL);
    return false;
}

/* The same of an item that is there. */
static bool place_of(const struct list *list, const char *word, size_t *at)
{
    bool is_in = position(word, list_count(list), at);
    if (is_in && *at == list_count(list)) {
        refuse(OBV_E_PAST_END, NULL);
        return false;
    }
    return is_in;
}

static struct value content(const char *word)
{
    struct value value = value_parse(word);
    if (value.kind != VALUE_LIST) {
        fail("a content is written in brackets: %s", word);
    }
    return value;
}

static void edit_one(struct list *list, size_t at, size_t removed,
                     const struct value *values, size_t inserted)
{
    const struct list_edit edit = {at, removed, inserted, values};
    list_way()->edit(list, &edit);
}

static void run_append(struct words arguments)
{
    struct list *list = list_at(arguments.word[0]);
    struct value value = value_parse(arguments.word[1]);
    edit_one(list, list_count(list), 0, &value, 1);
}

static void run_insert(struct words arguments)
{
    struct list *list = list_at(arguments.word[0]);
    struct value value = value_parse(arguments.word[2]);
    size_t at;
    if (position(arguments.word[1], list_count(list), &at)) {
        edit_one(list, at, 0, &value, 1);
    }
}

static void run_remove(struct words arguments)
{
    struct list *list = list_at(arguments.word[0]);
    size_t at;
    if (place_of(list, arguments.word[1], &at)) {
        edit_one(list, at, 1, NULL, 0);
    }
}

static void run_replace(struct words arguments)
{
    struct list *list = list_at(arguments.word[0]);
    struct value value = value_parse(arguments.word[2]);
    size_t at;
    if (place_of(list, arguments.word[1], &at)) {
        edit_one(list, at, 1, &value, 1);
    }
}

/* The second position counts after the removal. */
static void run_move(struct words arguments)
{
    struct list *list = list_at(arguments.word[0]);
    size_t from, to;
    if (place_of(list, arguments.word[1], &from) &&
        position(arguments.word[2], list_count(list) - 1, &to)) {
        list_way()->move(list, from, to);
    }
}

static void assign_list(struct list *list, const char *word)
{
    struct value value = content(word);
    edit_one(list, 0, list_count(list), value.items, value.item_count);
}

static void combine(struct words arguments, enum list_combination how)
{
    struct list *set = container_at(arguments.word[0], VALUE_SET);
    struct value other = content(arguments.word[1]);
    list_way()->combine(set, how, other.items, other.item_count);
}

static void run_union(struct words arguments)
{
    combine(arguments, LIST_UNION);
}

static void run_intersect(struct words arguments)
{
    combine(arguments, LIST_INTERSECT);
}

static void run_subtract(struct words arguments)
{
    combine(arguments, LIST_SUBTRACT);
}

static void run_symmetric(struct words arguments)
{
    combine(arguments, LIST_SYMMETRIC);
}

static void change_one(struct words arguments, enum list_combination how)
{
    struct list *set = container_at(arguments.word[0], VALUE_SET);
    struct value member = value_parse(arguments.word[1]);
    list_way()->combine(set, how, &member, 1);
}

static void run_add(struct words arguments)
{
    change_one(arguments, LIST_UNION);
}

static void run_discard(struct words arguments)
{
    change_one(arguments, LIST_SUBTRACT);
}

static void run_assign(struct words arguments)
{
    struct value place = place_read(arguments.word[0]);
    if (place.kind == VALUE_SET) {
        combine(arguments, LIST_ASSIGN);
        return;
    }
    if (place.kind != VALUE_DICTIONARY) {
        assign_list(list_at(arguments.word[0]), arguments.word[1]);
        return;
    }
    struct value value = value_parse(arguments.word[1]);
    if (value.kind != VALUE_DICTIONARY) {
        fail("a content is written in braces: %s", arguments.word[1]);
    }
    list_way()->assign(place.list, &value);
}

static void run_clear(struct words arguments)
{
    struct value place = place_read(arguments.word[0]);
    if (place.kind == VALUE_SET) {
        list_way()->combine(place.list, LIST_ASSIGN, NULL, 0);
        return;
    }
    if (place.kind == VALUE_DICTIONARY) {
        list_way()->assign(place.list,
                           &(struct value){.kind = VALUE_DICTIONARY});
        return;
    }
    struct list *list = list_at(arguments.word[0]);
    edit_one(list, 0, list_count(list), NULL, 0);
}

/* A key as a word or as a text. */
static const char *key_of(const char *word)
{
    return word[0] == '"' ? word_text(word) : word;
}

static void run_put(struct words arguments)
{
    struct list *list = container_at(arguments.word[0], VALUE_DICTIONARY);
    struct value value = value_parse(arguments.word[2]);
    const struct list_put put = {key_of(arguments.word[1]), &value};
    list_way()->put(list, &put);
}

static void run_delete(struct words arguments)
{
    struct list *list = container_at(arguments.word[0], VALUE_DICTIONARY);
    const struct list_put put = {key_of(arguments.word[1]), NULL};
    list_way()->put(list, &put);
}

static void run_replacerange(struct words arguments)
{
    struct list *list = list_at(arguments.word[0]);
    struct value value = content(arguments.word[3]);
    size_t from, to;
    if (position(arguments.word[2], list_count(list), &to) &&
        position(arguments.word[1], to, &from)) {
        edit_one(list, from, to - from, value.items, value.item_count);
    }
}

/* --- reordering ---------------------------------------------------------- */

/* An order that leaves every item where it stands. */
static size_t *order_of(const struct list *list)
{
    size_t *order = keep((list_count(list) + 1) * sizeof *order);
    for (size_t i = 0; i < list_count(list); i++) {
        order[i] = i;
    }
    return order;
}

static void exchange(size_t *order, size_t a, size_t b)
{
    size_t at = order[a];
    order[a] = order[b];
    order[b] = at;
}

static void run_swap(struct words arguments)
{
    struct list *list = list_at(arguments.word[0]);
    size_t *order = order_of(list);
    size_t a, b;
    if (place_of(list, arguments.word[1], &a) &&
        place_of(list, arguments.word[2], &b)) {
        exchange(order, a, b);
        list_way()->reorder(list, LIST_SWAPPED, order);
    }
}

static const void **elements_of(struct list *list)
{
    struct value value = list_value(list);
    const void **elements = keep((value.item_count + 1) * sizeof *elements);
    for (size_t i = 0; i < value.item_count; i++) {
        elements[i] = list_element(list_class_of(list), &value.items[i]);
    }
    return elements;
}

/* Keeps the order of what is equal. */
static void run_sort(struct words arguments)
{
    struct list *list = list_at(arguments.word[0]);
    size_t *sorted = order_of(list), *order = order_of(list);
    const void **elements = elements_of(list);
    bool by_i = arguments.count == 3 && strcmp(arguments.word[1], "by") == 0 &&
                strcmp(arguments.word[2], "i") == 0;
    if (list_is_of_texts(list_class_of(list)) ? arguments.count != 1 : !by_i) {
        fail("sort takes a list of texts, or a list and by i");
    }
    for (size_t i = 1; i < list_count(list); i++) {
        size_t at = i;
        for (; at > 0 &&
               list_compare(list, &elements[sorted[at - 1]], &elements[i]) > 0;
             at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = i;
    }
    for (size_t i = 0; i < list_count(list); i++) {
        order[sorted[i]] = i;
    }
    list_way()->reorder(list, LIST_SORTED, order);
}

static void run_reverse(struct words arguments)
{
    struct list *list = list_at(arguments.word[0]);
    size_t *order = order_of(list);
    for (size_t i = 0; i < list_count(list) / 2; i++) {
        exchange(order, i, list_count(list) - 1 - i);
    }
    list_way()->reorder(list, LIST_REVERSED, order);
}

/* Always the same way: by Numerical Recipes' generator. */
static void run_shuffle(struct words arguments)
{
    struct list *list = list_at(arguments.word[0]);
    size_t *order = order_of(list);
    uint32_t state = 1;
    for (size_t i = list_count(list); i > 1; i--) {
        state = state * 1664525u + 1013904223u;
        exchange(order, i - 1, (state >> 16) % i);
    }
    list_way()->reorder(list, LIST_SHUFFLED, order);
}

const struct command list_commands[] = {
    {"append", COMMAND_ACTS, run_append, 2, 2, 0},
    {"insert", COMMAND_ACTS, run_insert, 3, 3, 0},
    {"remove", COMMAND_ACTS, run_remove, 2, 2, 0},
    {"replace", COMMAND_ACTS, run_replace, 3, 3, 0},
    {"move", COMMAND_ACTS, run_move, 3, 3, 0},
    {"swap", COMMAND_ACTS, run_swap, 3, 3, 0},
    {"sort", COMMAND_ACTS, run_sort, 1, 3, 0},
    {"reverse", COMMAND_ACTS, run_reverse, 1, 1, 0},
    {"shuffle", COMMAND_ACTS, run_shuffle, 1, 1, 0},
    {"clear", COMMAND_ACTS, run_clear, 1, 1, 0},
    {"assign", COMMAND_ACTS, run_assign, 2, 2, 0},
    {"replacerange", COMMAND_ACTS, run_replacerange, 4, 4, 0},
    {"put", COMMAND_ACTS, run_put, 3, 3, 0},
    {"delete", COMMAND_ACTS, run_delete, 2, 2, 0},
    {"add", COMMAND_ACTS, run_add, 2, 2, 0},
    {"discard", COMMAND_ACTS, run_discard, 2, 2, 0},
    {"union", COMMAND_ACTS, run_union, 2, 2, 0},
    {"intersect", COMMAND_ACTS, run_intersect, 2, 2, 0},
    {"subtract", COMMAND_ACTS, run_subtract, 2, 2, 0},
    {"symmetric", COMMAND_ACTS, run_symmetric, 2, 2, 0},
    {NULL, COMMAND_ACTS, NULL, 0, 0, 0},
};
