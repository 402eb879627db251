/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists that the runner keeps itself and tells of, as any user of
 * <observable/container.h> would: their content is an array of pointers. What
 * an edit has removed is let go when the library has been told.
 */
#include "list.h"

#include "count.h"
#include "thing.h"

#include <stdlib.h>
#include <string.h>

union item {
    struct thing *thing; /* held, or NULL */
    char *text;          /* its own, or NULL */
};

struct own {
    struct list list; /* must stand first */
    struct count count;
    enum list_class number;
    bool is_of_texts;
    size_t used;
    union item *items;
    /* A dictionary's, one for each item; else NULL. */
    char **keys;
};

static struct own *own_of(const struct obv_container *container)
{
    return (struct own *)(uintptr_t)container;
}

static size_t used(const struct obv_container *container)
{
    return own_of(container)->used;
}

static const void *item_at(const struct obv_container *container,
                           size_t position)
{
    return &own_of(container)->items[position];
}

static size_t find_key(const struct own *list, const char *key)
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
    const struct own *list = own_of(container);
    size_t position = find_key(list, key);
    return position == SIZE_MAX ? NULL : &list->items[position];
}

static bool next_item(const struct obv_container *container,
                      struct obv_container_cursor *cursor)
{
    const struct own *list = own_of(container);
    size_t i = cursor->index++;
    if (i < list->used) {
        cursor->key = list->keys ? list->keys[i] : NULL;
        cursor->element = &list->items[i];
    }
    return i < list->used;
}

static bool retain_hook(struct obv_object *object)
{
    return count_try(&((struct own *)object)->count);
}

static void release_own(struct own *list);

static void release_hook(struct obv_object *object)
{
    release_own((struct own *)object);
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
        .instance_size = sizeof(struct own), .element = elements,              \
        .count = used, .retain = retain_hook, .release = release_hook,         \
        __VA_ARGS__                                                            \
    }
#define BY_POSITION .at = item_at
#define BY_KEY      .key = &obv_text_keys, .find = item_of, .next = next_item

#define BY_HASH(hash_of) .hash = hash_of, .member = member_of, .next = next_item

/* A Thing is its address. */
static uint64_t hash_of_thing(const struct obv_container *container,
                              const void *element)
{
    (void)container;
    return (uint64_t)(uintptr_t) * (struct thing *const *)element *
           UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t hash_at(const struct own *list, size_t position)
{
    const union item *item = &list->items[position];
    return list->is_of_texts ? list_hash_text(NULL, item)
                             : hash_of_thing(NULL, item);
}

static const void *member_of(const struct obv_container *container,
                             uint64_t hash, size_t index)
{
    const struct own *list = own_of(container);
    for (size_t i = 0; i < list->used; i++) {
        if (hash_at(list, i) == hash && index-- == 0) {
            return &list->items[i];
        }
    }
    return NULL;
}

static const struct obv_container_kind kinds[LIST_CLASSES] = {
    [LISTS] = KIND("list of things", THINGS, BY_POSITION),
    [LISTS_OF_TEXTS] = KIND("list of texts", TEXTS, BY_POSITION),
    [DICTIONARIES] = KIND("dictionary of things", THINGS, BY_KEY),
    [DICTIONARIES_OF_TEXTS] = KIND("dictionary of texts", TEXTS, BY_KEY),
    [SETS] = KIND("set of things", THINGS, BY_HASH(hash_of_thing)),
    [SETS_OF_TEXTS] = KIND("set of texts", TEXTS, BY_HASH(list_hash_text)),
    [CONSTANTS] = KIND("constant list of things", THINGS, BY_POSITION,
                       .is_constant = true)};

static enum obv_status make_class(struct obv_context *context,
                                  enum list_class number,
                                  struct obv_class **cls)
{
    return obv_container_class_create(context, &kinds[number], cls, NULL);
}

/* --- items --------------------------------------------------------------- */

static char *text_copy(const char *text);

static union item item_take(const struct own *list, const struct value *value)
{
    const void *element = list_element(list->number, value);
    union item item = {NULL};
    if (list->is_of_texts) {
        item.text = text_copy(element);
    } else {
        item.thing = (struct thing *)(uintptr_t)element;
        thing_retain(item.thing);
    }
    return item;
}

static void items_let_go(const struct own *list, const union item *items,
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

static bool has_item(const struct value *items, size_t count,
                     const struct value *item)
{
    bool found = false;
    for (size_t i = 0; !found && i < count; i++) {
        found = value_equal(&items[i], item);
    }
    return found;
}

/* A set has what is written twice once. */
static void fill(struct own *list, const struct value *content)
{
    bool is_set = content->kind == VALUE_SET;
    for (size_t i = 0; i < content->item_count; i++) {
        const struct value *item = &content->items[i];
        if (is_set && has_item(content->items, i, item)) {
            continue;
        }
        if (list->keys) {
            list->keys[list->used] = text_copy(content->keys[i]);
        }
        list->items[list->used++] = item_take(list, item);
    }
}

static struct list *create_own(enum list_class number,
                               const struct value *content)
{
    bool has_keys = content->kind == VALUE_DICTIONARY;
    struct own *list = room_for_bytes(sizeof *list);
    list->number = number;
    list->is_of_texts = list_is_of_texts(number);
    list->items = room_for(content->item_count);
    list->keys =
        has_keys
            ? room_for_bytes((content->item_count + 1) * sizeof *list->keys)
            : NULL;
    fill(list, content);
    count_init(&list->count);
    enum obv_status status =
        obv_container_init(&list->list.container, world.list_classes[number]);
    if (status) {
        fail("a list cannot be made: %s", obv_status_name(status));
    }
    world.lists_alive++;
    return &list->list;
}

static void release_own(struct own *list)
{
    if (count_drop(&list->count)) {
        (void)obv_object_deinit(&list->list.container.object);
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
static union item *splice(struct own *list, const struct list_edit *edit)
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

static void tell_all(struct own *list, const struct obv_container_edit *edits,
                     size_t count)
{
    struct obv_error error = {.status = OBV_OK};
    if (obv_container_edited(&list->list.container, edits, count, &error)) {
        fail("an edit was refused: %s", error.message);
    }
}

static void tell(struct own *list, const struct obv_container_edit *edit)
{
    tell_all(list, edit, 1);
}

static void hold(struct own *list)
{
    if (!count_try(&list->count)) {
        fail("the list is at its end");
    }
}

static void edit_own(struct list *edited, const struct list_edit *edit)
{
    struct own *list = own_of(&edited->container);
    hold(list);
    union item *removed = splice(list, edit);
    tell(list, &(struct obv_container_edit){.position = edit->position,
                                            .removed = edit->removed,
                                            .inserted = edit->inserted,
                                            .old = removed});
    items_let_go(list, removed, edit->removed);
    free(removed);
    release_own(list);
}

static void move_own(struct list *edited, size_t from, size_t to)
{
    struct own *list = own_of(&edited->container);
    union item item = list->items[from];
    hold(list);
    memmove(list->items + from, list->items + from + 1,
            (list->used - from - 1) * sizeof item);
    memmove(list->items + to + 1, list->items + to,
            (list->used - to - 1) * sizeof item);
    list->items[to] = item;
    tell(list,
         &(struct obv_container_edit){.position = from, .moved = 1, .to = to});
    release_own(list);
}

static void reorder_own(struct list *edited, enum list_order how,
                        const size_t *order)
{
    (void)how;
    struct own *list = own_of(&edited->container);
    union item *items = room_for(list->used);
    hold(list);
    for (size_t i = 0; i < list->used; i++) {
        items[order[i]] = list->items[i];
    }
    free(list->items);
    list->items = items;
    tell(list,
         &(struct obv_container_edit){.moved = list->used, .order = order});
    release_own(list);
}

/* --- dictionaries -------------------------------------------------------- */

/* Makes room for one more item, at the end. */
static void grow(struct own *list)
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
static bool put(struct own *list, const struct list_put *one, union item *old,
                struct obv_container_edit *edit)
{
    size_t at = find_key(list, one->key);
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

static void put_several(struct own *list, const struct list_put *puts,
                        size_t count)
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
    release_own(list);
}

static void put_own(struct list *list, const struct list_put *put)
{
    put_several(own_of(&list->container), put, 1);
}

static bool has_key_from(const struct value *content, size_t from,
                         const char *key)
{
    while (from < content->item_count &&
           strcmp(content->keys[from], key) != 0) {
        from++;
    }
    return from < content->item_count;
}

/* Tells of items that go, then of those that stay or come. Of equal keys the
   last one counts. */
static void assign_own(struct list *list, const struct value *content)
{
    struct value old = list_value(list);
    size_t count = 0;
    struct list_put *puts =
        keep((old.item_count + content->item_count + 1) * sizeof *puts);
    for (size_t i = 0; i < old.item_count; i++) {
        if (!has_key_from(content, 0, old.keys[i])) {
            puts[count++] = (struct list_put){old.keys[i], NULL};
        }
    }
    for (size_t i = 0; i < content->item_count; i++) {
        if (!has_key_from(content, i + 1, content->keys[i])) {
            puts[count++] =
                (struct list_put){content->keys[i], &content->items[i]};
        }
    }
    put_several(own_of(&list->container), puts, count);
}

/* --- sets ---------------------------------------------------------------- */

struct member_change {
    const struct value *member;
    bool is_in;
};

static size_t find_member(struct own *list, const struct value *member)
{
    struct value all = list_value(&list->list);
    size_t i = 0;
    while (i < list->used && !value_equal(&all.items[i], member)) {
        i++;
    }
    return i < list->used ? i : SIZE_MAX;
}

/* Makes one change; answers what to tell, with the member in `member`; false:
   nothing has changed. */
static bool change(struct own *list, const struct member_change *one,
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

static void change_members(struct own *list,
                           const struct member_change *changes, size_t count)
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
    release_own(list);
}

static bool is_in_combination(enum list_combination how, bool in_set,
                              bool in_other)
{
    switch (how) {
    case LIST_UNION:
        return in_set || in_other;
    case LIST_INTERSECT:
        return in_set && in_other;
    case LIST_SUBTRACT:
        return in_set && !in_other;
    case LIST_SYMMETRIC:
        return in_set != in_other;
    case LIST_ASSIGN:
        break;
    }
    return in_other;
}

static void combine_own(struct list *set, enum list_combination how,
                        const struct value *members, size_t member_count)
{
    struct value old = list_value(set);
    size_t count = 0;
    struct member_change *changes =
        keep((old.item_count + member_count + 1) * sizeof *changes);
    for (size_t i = 0; i < old.item_count; i++) {
        const struct value *item = &old.items[i];
        bool in_other = has_item(members, member_count, item);
        changes[count++] = (struct member_change){
            item, is_in_combination(how, true, in_other)};
    }
    for (size_t i = 0; i < member_count; i++) {
        if (!has_item(old.items, old.item_count, &members[i])) {
            changes[count++] = (struct member_change){
                &members[i], is_in_combination(how, false, true)};
        }
    }
    change_members(own_of(&set->container), changes, count);
}

const struct list_way own_lists = {.make_class = make_class,
                                   .create = create_own,
                                   .edit = edit_own,
                                   .move = move_own,
                                   .reorder = reorder_own,
                                   .put = put_own,
                                   .assign = assign_own,
                                   .combine = combine_own};
