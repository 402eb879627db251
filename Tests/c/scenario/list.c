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

size_t list_find(const struct list *list, const char *key)
{
    size_t i = 0;
    while (i < list->used && strcmp(list->keys[i], key) != 0) {
        i++;
    }
    return i < list->used ? i : SIZE_MAX;
}

static const void *item_of(const struct obv_container *container,
                           const void *key)
{
    const struct list *list = list_of(container);
    size_t position = list_find(list, key);
    return position == SIZE_MAX ? NULL : &list->items[position];
}

static bool next_item(const struct obv_container *container,
                      struct obv_container_cursor *cursor)
{
    const struct list *list = list_of(container);
    size_t i = cursor->index++;
    if (i < list->used) {
        cursor->key = list->keys ? list->keys[i] : NULL;
        cursor->element = &list->items[i];
    }
    return i < list->used;
}

static bool retain_hook(struct obv_object *object)
{
    return count_try(&((struct list *)object)->count);
}

static void release_hook(struct obv_object *object)
{
    list_release((struct list *)object);
}

/* Values of a dictionary are equal by what they are: a Thing is itself. */
#define THINGS                                                                 \
    {                                                                          \
        .name = "element", .kind = OBV_KIND_object, .type = "Thing"            \
    }
#define TEXTS OBV_ELEMENT(string)
#define KIND(kind_name, elements, ...)                                         \
    {                                                                          \
        .size = sizeof(struct obv_container_kind), .name = kind_name,          \
        .instance_size = sizeof(struct list), .element = elements,             \
        .count = used, .retain = retain_hook, .release = release_hook,         \
        __VA_ARGS__                                                            \
    }
#define BY_POSITION .at = item_at
#define BY_KEY      .key = &obv_text_keys, .find = item_of, .next = next_item

#define BY_HASH(hash_of) .hash = hash_of, .member = member_of, .next = next_item

/* FNV-1a over 64 bits; a Thing by its address, which it is. */
static uint64_t hash_bytes(const char *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t hash_of_thing(const struct obv_container *container,
                              const void *element)
{
    (void)container;
    return hash_bytes(element, sizeof(struct thing *));
}

/* Texts of one letter behind a `~` collide. */
static uint64_t hash_of_text(const struct obv_container *container,
                             const void *element)
{
    (void)container;
    const union item *item = element;
    return hash_bytes(item->text,
                      item->text[0] == '~' ? 1 : strlen(item->text));
}

uint64_t list_hash(const struct value *member)
{
    union item item = {NULL};
    if (member->kind == VALUE_TEXT) {
        item.text = (char *)(uintptr_t)member->text;
        return hash_of_text(NULL, &item);
    }
    if (member->kind != VALUE_OBJECT) {
        fail("%s is no member of a set", value_print(member));
    }
    item.thing = world_thing(member->object->name);
    return hash_of_thing(NULL, &item);
}

static uint64_t hash_at(const struct list *list, size_t position)
{
    const union item *item = &list->items[position];
    return list->is_of_texts ? hash_of_text(NULL, item)
                             : hash_of_thing(NULL, item);
}

static const void *member_of(const struct obv_container *container,
                             uint64_t hash, size_t index)
{
    const struct list *list = list_of(container);
    for (size_t i = 0; i < list->used; i++) {
        if (hash_at(list, i) == hash && index-- == 0) {
            return &list->items[i];
        }
    }
    return NULL;
}

enum {
    LISTS,
    LISTS_OF_TEXTS,
    DICTIONARIES,
    DICTIONARIES_OF_TEXTS,
    SETS,
    SETS_OF_TEXTS,
    CONSTANTS
};

static const struct obv_container_kind kinds[LIST_CLASSES] = {
    [LISTS] = KIND("list of things", THINGS, BY_POSITION),
    [LISTS_OF_TEXTS] = KIND("list of texts", TEXTS, BY_POSITION),
    [DICTIONARIES] = KIND("dictionary of things", THINGS, BY_KEY),
    [DICTIONARIES_OF_TEXTS] = KIND("dictionary of texts", TEXTS, BY_KEY),
    [SETS] = KIND("set of things", THINGS, BY_HASH(hash_of_thing)),
    [SETS_OF_TEXTS] = KIND("set of texts", TEXTS, BY_HASH(hash_of_text)),
    [CONSTANTS] = KIND("constant list of things", THINGS, BY_POSITION,
                       .is_constant = true)};

static size_t kind_number(bool is_of_texts, const struct value *content)
{
    size_t first = content->kind == VALUE_DICTIONARY ? DICTIONARIES
                   : content->kind == VALUE_SET      ? SETS
                                                     : LISTS;
    return content->is_constant ? CONSTANTS : first + (is_of_texts ? 1u : 0u);
}

enum obv_status list_make_classes(struct obv_context *context)
{
    enum obv_status status = OBV_OK;
    for (size_t i = 0; i < LIST_CLASSES && status == OBV_OK; i++) {
        status = obv_container_class_create(context, &kinds[i],
                                            &world.list_classes[i], NULL);
    }
    return status;
}

bool list_is_one(const struct obv_object *object)
{
    const struct obv_class *cls = obv_object_class(object);
    bool found = false;
    for (size_t i = 0; i < LIST_CLASSES; i++) {
        found = found || cls == world.list_classes[i];
    }
    return found;
}

bool list_is_constant(const struct list *list)
{
    return obv_object_class(&list->container.object) ==
           world.list_classes[CONSTANTS];
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
    const char **keys = keep(list->used * sizeof *keys);
    for (size_t i = 0; i < list->used; i++) {
        items[i] = list_item(list, i);
        if (list->keys) {
            size_t size = strlen(list->keys[i]) + 1;
            keys[i] = memcpy(keep(size), list->keys[i], size);
        }
    }
    return (struct value){.kind = list->keys     ? VALUE_DICTIONARY
                                  : list->is_set ? VALUE_SET
                                                 : VALUE_LIST,
                          .list = list,
                          .items = items,
                          .keys = keys,
                          .item_count = list->used};
}

/* --- lists --------------------------------------------------------------- */

static void *room_for_bytes(size_t size)
{
    void *room = calloc(1, size);
    if (!room) {
        abort();
    }
    return room;
}

static union item *room_for(size_t count)
{
    return room_for_bytes((count + 1) * sizeof(union item));
}

static char *text_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(room_for_bytes(size), text, size);
}

struct list *list_create(bool is_of_texts, const struct value *content)
{
    bool has_keys = content->kind == VALUE_DICTIONARY;
    struct list *list = room_for_bytes(sizeof *list);
    list->is_of_texts = is_of_texts;
    list->is_set = content->kind == VALUE_SET;
    list->used = content->item_count;
    list->items = room_for(list->used);
    list->keys =
        has_keys ? room_for_bytes((list->used + 1) * sizeof *list->keys) : NULL;
    for (size_t i = 0; i < list->used; i++) {
        list->items[i] = item_take(list, &content->items[i]);
        if (has_keys) {
            list->keys[i] = text_copy(content->keys[i]);
        }
    }
    count_init(&list->count);
    enum obv_status status = obv_container_init(
        &list->container,
        world.list_classes[kind_number(is_of_texts, content)]);
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
        for (size_t i = 0; list->keys && i < list->used; i++) {
            free(list->keys[i]);
        }
        free(list->keys);
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

static void tell_all(struct list *list, const struct obv_container_edit *edits,
                     size_t count)
{
    struct obv_error error = {.status = OBV_OK};
    if (obv_container_edited(&list->container, edits, count, &error)) {
        fail("an edit was refused: %s", error.message);
    }
}

static void tell(struct list *list, const struct obv_container_edit *edit)
{
    tell_all(list, edit, 1);
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

/* --- dictionaries -------------------------------------------------------- */

/* Makes room for one more item, at the end. */
static void grow(struct list *list)
{
    union item *items = room_for(list->used + 1);
    char **keys = room_for_bytes((list->used + 2) * sizeof *keys);
    memcpy(items, list->items, list->used * sizeof *items);
    memcpy(keys, list->keys, list->used * sizeof *keys);
    free(list->items);
    free(list->keys);
    list->items = items;
    list->keys = keys;
}

/* Puts one item or takes it away; answers what to tell, with what was there in
   `old`; false: nothing has changed. */
static bool put(struct list *list, const struct list_put *one, union item *old,
                struct obv_container_edit *edit)
{
    size_t at = list_find(list, one->key);
    bool was = at != SIZE_MAX, is = one->value != NULL;
    *edit = (struct obv_container_edit){
        .key = one->key, .removed = was, .inserted = is, .old = old};
    if (was) {
        *old = list->items[at];
    } else if (is) {
        grow(list);
        at = list->used++;
        list->keys[at] = text_copy(one->key);
    }
    if (is) {
        list->items[at] = item_take(list, one->value);
    } else if (was) {
        free(list->keys[at]);
        list->used--;
        list->items[at] = list->items[list->used];
        list->keys[at] = list->keys[list->used];
    }
    return was || is;
}

void list_put(struct list *list, const struct list_put *puts, size_t count)
{
    union item *old = room_for(count);
    struct obv_container_edit *edits =
        room_for_bytes((count + 1) * sizeof *edits);
    size_t told = 0;
    hold(list);
    for (size_t i = 0; i < count; i++) {
        told += put(list, &puts[i], &old[told], &edits[told]);
    }
    tell_all(list, edits, told);
    for (size_t i = 0; i < told; i++) {
        items_let_go(list, &old[i], edits[i].removed);
    }
    free(edits);
    free(old);
    list_release(list);
}

/* --- sets ---------------------------------------------------------------- */

static size_t find_member(const struct list *list, const struct value *member)
{
    size_t i = 0;
    while (i < list->used) {
        struct value item = list_item(list, i);
        if (value_equal(&item, member)) {
            return i;
        }
        i++;
    }
    return SIZE_MAX;
}

/* Makes one change; answers what to tell, with the member in `member`; false:
   nothing has changed. */
static bool change(struct list *list, const struct list_change *one,
                   union item *member, struct obv_container_edit *edit)
{
    size_t at = find_member(list, one->member);
    if ((at != SIZE_MAX) == one->is_in) {
        return false;
    }
    *edit = (struct obv_container_edit){
        .key = member, .removed = !one->is_in, .inserted = one->is_in};
    if (one->is_in) {
        union item *items = room_for(list->used + 1);
        memcpy(items, list->items, list->used * sizeof *items);
        free(list->items);
        list->items = items;
        *member = list->items[list->used++] = item_take(list, one->member);
    } else {
        *member = list->items[at];
        list->items[at] = list->items[--list->used];
    }
    return true;
}

void list_change(struct list *list, const struct list_change *changes,
                 size_t count)
{
    union item *members = room_for(count);
    struct obv_container_edit *edits =
        room_for_bytes((count + 1) * sizeof *edits);
    size_t told = 0;
    hold(list);
    for (size_t i = 0; i < count; i++) {
        told += change(list, &changes[i], &members[told], &edits[told]);
    }
    tell_all(list, edits, told);
    for (size_t i = 0; i < told; i++) {
        items_let_go(list, &members[i], edits[i].removed);
    }
    free(edits);
    free(members);
    list_release(list);
}
