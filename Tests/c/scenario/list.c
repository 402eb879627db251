/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists: their content is an array of pointers. What an edit has removed is let
 * go when the library has been told.
 */
#include "list.h"

#include "thing.h"

#include <stdlib.h>
#include <string.h>

static struct list *list_of(const struct obv_container *container)
{
    return (struct list *)(uintptr_t)container;
}

static size_t used(const struct obv_container *container)
{
    return list_of(container)->used;
}

static const void *item_at(const struct obv_container *container,
                           size_t position)
{
    return &list_of(container)->items[position];
}

static bool retain_hook(struct obv_object *object)
{
    return count_try(&((struct list *)object)->count);
}

static void release_hook(struct obv_object *object)
{
    list_release((struct list *)object);
}

static const struct obv_container_kind kind_of_things = {
    .size = sizeof kind_of_things,
    .name = "list of things",
    .instance_size = sizeof(struct list),
    .element = OBV_ELEMENT(object),
    .count = used,
    .at = item_at,
    .retain = retain_hook,
    .release = release_hook};

static const struct obv_container_kind kind_of_texts = {
    .size = sizeof kind_of_texts,
    .name = "list of texts",
    .instance_size = sizeof(struct list),
    .element = OBV_ELEMENT(string),
    .count = used,
    .at = item_at,
    .retain = retain_hook,
    .release = release_hook};

enum obv_status list_make_classes(struct obv_context *context)
{
    enum obv_status status = obv_container_class_create(
        context, &kind_of_things, &world.list_class, NULL);
    return status ? status
                  : obv_container_class_create(context, &kind_of_texts,
                                               &world.texts_class, NULL);
}

bool list_is_one(const struct obv_object *object)
{
    const struct obv_class *cls = obv_object_class(object);
    return cls == world.list_class || cls == world.texts_class;
}

/* --- items --------------------------------------------------------------- */

static union item item_take(const struct list *list, const struct value *value)
{
    union item item = {NULL};
    if (list->is_of_texts && value->kind == VALUE_TEXT) {
        size_t size = strlen(value->text) + 1;
        item.text = memcpy(malloc(size), value->text, size);
    } else if (!list->is_of_texts && value->kind == VALUE_OBJECT) {
        item.thing = world_thing(value->object->name);
        thing_retain(item.thing);
    } else {
        fail("this list cannot hold %s", value_print(value));
    }
    return item;
}

static void items_let_go(const struct list *list, const union item *items,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list->is_of_texts) {
            free(items[i].text);
        } else {
            thing_release(items[i].thing);
        }
    }
}

struct value list_item(const struct list *list, size_t position)
{
    const union item *item = &list->items[position];
    if (!list->is_of_texts) {
        return (struct value){.kind = VALUE_OBJECT,
                              .object = item->thing->named};
    }
    size_t size = strlen(item->text) + 1;
    return (struct value){.kind = VALUE_TEXT,
                          .text = memcpy(keep(size), item->text, size)};
}

struct value list_value(struct list *list)
{
    struct value *items = keep(list->used * sizeof *items);
    for (size_t i = 0; i < list->used; i++) {
        items[i] = list_item(list, i);
    }
    return (struct value){.kind = VALUE_LIST,
                          .list = list,
                          .items = items,
                          .item_count = list->used};
}

/* --- lists --------------------------------------------------------------- */

static union item *room_for(size_t count)
{
    union item *items = calloc(count + 1, sizeof *items);
    if (!items) {
        abort();
    }
    return items;
}

struct list *list_create(bool is_of_texts, const struct value *items,
                         size_t count)
{
    struct list *list = calloc(1, sizeof *list);
    if (!list) {
        abort();
    }
    list->is_of_texts = is_of_texts;
    list->used = count;
    list->items = room_for(count);
    for (size_t i = 0; i < count; i++) {
        list->items[i] = item_take(list, &items[i]);
    }
    count_init(&list->count);
    enum obv_status status = obv_container_init(
        &list->container, is_of_texts ? world.texts_class : world.list_class);
    if (status) {
        fail("a list cannot be made: %s", obv_status_name(status));
    }
    world.lists_alive++;
    return list;
}

void list_release(struct list *list)
{
    if (count_drop(&list->count)) {
        (void)obv_object_deinit(&list->container.object);
        items_let_go(list, list->items, list->used);
        free(list->items);
        free(list);
        world.lists_alive--;
    }
}

/* --- edits --------------------------------------------------------------- */

/* Makes one edit; answers what it has removed. */
static union item *splice(struct list *list, const struct list_edit *edit)
{
    size_t count = list->used - edit->removed + edit->inserted;
    union item *items = room_for(count), *removed = room_for(edit->removed);
    size_t rest = edit->position + edit->removed;
    memcpy(items, list->items, edit->position * sizeof *items);
    for (size_t i = 0; i < edit->inserted; i++) {
        items[edit->position + i] = item_take(list, &edit->values[i]);
    }
    memcpy(items + edit->position + edit->inserted, list->items + rest,
           (list->used - rest) * sizeof *items);
    memcpy(removed, list->items + edit->position,
           edit->removed * sizeof *removed);
    free(list->items);
    list->items = items;
    list->used = count;
    return removed;
}

static void tell(struct list *list, const struct obv_container_edit *edit)
{
    struct obv_error error = {.status = OBV_OK};
    if (obv_container_edited(&list->container, edit, 1, &error)) {
        fail("an edit was refused: %s", error.message);
    }
}

static void hold(struct list *list)
{
    if (!count_try(&list->count)) {
        fail("the list is at its end");
    }
}

void list_edit(struct list *list, const struct list_edit *edit)
{
    hold(list);
    union item *removed = splice(list, edit);
    tell(list, &(struct obv_container_edit){.position = edit->position,
                                            .removed = edit->removed,
                                            .inserted = edit->inserted,
                                            .old = removed});
    items_let_go(list, removed, edit->removed);
    free(removed);
    list_release(list);
}

void list_move(struct list *list, size_t from, size_t to)
{
    union item item = list->items[from];
    hold(list);
    memmove(list->items + from, list->items + from + 1,
            (list->used - from - 1) * sizeof item);
    memmove(list->items + to + 1, list->items + to,
            (list->used - to - 1) * sizeof item);
    list->items[to] = item;
    tell(list,
         &(struct obv_container_edit){.position = from, .moved = 1, .to = to});
    list_release(list);
}

void list_reorder(struct list *list, const size_t *order)
{
    union item *items = room_for(list->used);
    hold(list);
    for (size_t i = 0; i < list->used; i++) {
        items[order[i]] = list->items[i];
    }
    free(list->items);
    list->items = items;
    tell(list,
         &(struct obv_container_edit){.moved = list->used, .order = order});
    list_release(list);
}
