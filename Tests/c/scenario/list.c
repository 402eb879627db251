/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lists of both ways have in common: their classes, and reading them.
 */
#include "list.h"

#include "thing.h"

#include <string.h>

const struct list_way *list_way(void)
{
    return world.has_own_lists ? &own_lists : &ready_lists;
}

/* --- classes ------------------------------------------------------------- */

enum obv_status list_make_classes(struct obv_context *context)
{
    enum obv_status status = OBV_OK;
    for (size_t i = 0; i < LIST_CLASSES && status == OBV_OK; i++) {
        const struct list_way *way = i == CONSTANTS ? &own_lists : list_way();
        status = way->make_class(context, (enum list_class)i,
                                 &world.list_classes[i]);
    }
    return status;
}

static size_t class_number(const struct obv_object *object)
{
    const struct obv_class *cls = obv_object_class(object);
    size_t i = 0;
    while (i < LIST_CLASSES && world.list_classes[i] != cls) {
        i++;
    }
    return i;
}

bool list_is_one(const struct obv_object *object)
{
    return class_number(object) < LIST_CLASSES;
}

enum list_class list_class_of(const struct list *list)
{
    return (enum list_class)class_number(&list->container.object);
}

bool list_is_of_texts(enum list_class number)
{
    return number == LISTS_OF_TEXTS || number == DICTIONARIES_OF_TEXTS ||
           number == SETS_OF_TEXTS;
}

static enum value_kind kind_of_class(enum list_class number)
{
    return number == CONSTANTS      ? VALUE_LIST
           : number >= SETS         ? VALUE_SET
           : number >= DICTIONARIES ? VALUE_DICTIONARY
                                    : VALUE_LIST;
}

bool list_is_dictionary(const struct list *list)
{
    return kind_of_class(list_class_of(list)) == VALUE_DICTIONARY;
}

bool list_is_constant(const struct list *list)
{
    return list_class_of(list) == CONSTANTS;
}

struct list *list_create(bool is_of_texts, const struct value *content)
{
    if (content->is_constant) {
        return own_lists.create(CONSTANTS, content);
    }
    unsigned first = content->kind == VALUE_DICTIONARY ? DICTIONARIES
                     : content->kind == VALUE_SET      ? SETS
                                                       : LISTS;
    return list_way()->create((enum list_class)(first + is_of_texts), content);
}

static const struct obv_container_kind *kind_of(const struct list *list)
{
    return obv_container_kind_of(obv_object_class(&list->container.object));
}

struct list *list_copy(struct list *list)
{
    struct value content = list_value(list);
    obv_container_tell_read(&list->container);
    content.list = NULL;
    return list_create(list_is_of_texts(list_class_of(list)), &content);
}

void list_retain(struct list *list)
{
    (void)kind_of(list)->retain(&list->container.object);
}

void list_release(struct list *list)
{
    kind_of(list)->release(&list->container.object);
}

/* --- reading ------------------------------------------------------------- */

size_t list_count(const struct list *list)
{
    return kind_of(list)->count(&list->container);
}

static const char *kept_text(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(keep(size), text, size);
}

/* Of an element where it lies. */
static struct value value_of(enum list_class number, const void *element)
{
    if (list_is_of_texts(number)) {
        return (struct value){.kind = VALUE_TEXT,
                              .text = kept_text(*(const char *const *)element)};
    }
    return (struct value){.kind = VALUE_OBJECT,
                          .object = (*(struct thing *const *)element)->named};
}

static void read_all(const struct list *list, struct value *items,
                     const char **keys)
{
    const struct obv_container_kind *kind = kind_of(list);
    struct obv_container_cursor cursor = {.index = 0};
    size_t count = list_count(list);
    for (size_t i = 0; i < count; i++) {
        if (kind->at) {
            cursor.element = kind->at(&list->container, i);
        } else if (!kind->next(&list->container, &cursor)) {
            fail("a list has fewer elements than it says");
        }
        items[i] = value_of(list_class_of(list), cursor.element);
        keys[i] = kind->key ? kept_text(cursor.key) : NULL;
    }
    if (kind->next && kind->next(&list->container, &cursor)) {
        fail("a list has more elements than it says");
    }
}

struct value list_value(struct list *list)
{
    size_t count = list_count(list);
    struct value value = {.kind = kind_of_class(list_class_of(list)),
                          .list = list,
                          .items = keep((count + 1) * sizeof *value.items),
                          .keys = keep((count + 1) * sizeof *value.keys),
                          .item_count = count};
    read_all(list, value.items, value.keys);
    return value;
}

/* --- elements ------------------------------------------------------------ */

const void *list_element(enum list_class number, const struct value *value)
{
    bool is_text = list_is_of_texts(number);
    if (value->kind != (is_text ? VALUE_TEXT : VALUE_OBJECT)) {
        fail("this list cannot hold %s", value_print(value));
    }
    return is_text ? (const void *)value->text
                   : world_thing(value->object->name);
}

int list_compare(const struct list *list, const void *a, const void *b)
{
    if (list_is_of_texts(list_class_of(list))) {
        return strcmp(*(const char *const *)a, *(const char *const *)b);
    }
    int64_t x = (*(struct thing *const *)a)->i,
            y = (*(struct thing *const *)b)->i;
    return (x > y) - (x < y);
}

/* FNV-1a over 64 bits. */
uint64_t list_hash_text(const struct obv_container *set, const void *element)
{
    const char *text = *(const char *const *)element;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t size = text[0] == '~' ? 1 : strlen(text);
    (void)set;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* No hash here looks at the set. */
uint64_t list_hash(const struct value *member)
{
    static const struct obv_container none;
    bool is_text = member->kind == VALUE_TEXT;
    if (!is_text && member->kind != VALUE_OBJECT) {
        fail("%s is no member of a set", value_print(member));
    }
    enum list_class number = is_text ? SETS_OF_TEXTS : SETS;
    const void *element = list_element(number, member);
    return obv_container_kind_of(world.list_classes[number])
        ->hash(&none, &element);
}
