/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of those that share a node.
 */
#include "wiring/sharer_table.h"

#include <string.h>

#define ROOM_AT_FIRST 4

/* Every bit of the place depends on all bits of `number` (the finalizer of
   MurmurHash3). `room` is a power of two. */
static uint32_t list_number(uint64_t number, uint32_t room)
{
    number = (number ^ number >> 33) * UINT64_C(0xff51afd7ed558ccd);
    number = (number ^ number >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return (uint32_t)(number ^ number >> 33) & (room - 1);
}

static uint32_t *list_by_key(const struct obv__sharer_table *all, uint32_t key)
{
    return &all->lists[list_number(key, all->room)];
}

static uint32_t *list_by_object(const struct obv__sharer_table *all,
                                const struct obv_object *object)
{
    return &all->lists[all->room + list_number((uintptr_t)object, all->room)];
}

static void enter_lists(struct obv__sharer_table *all,
                        struct obv__sharer *sharer)
{
    uint32_t place = (uint32_t)(sharer - all->first) + 1;
    uint32_t *by_key = list_by_key(all, sharer->key);
    uint32_t *by_object = list_by_object(all, sharer->object);
    sharer->next_by_key = *by_key;
    *by_key = place;
    sharer->next_by_object = *by_object;
    *by_object = place;
}

static void leave_lists(struct obv__sharer_table *all,
                        const struct obv__sharer *sharer)
{
    uint32_t place = (uint32_t)(sharer - all->first) + 1;
    uint32_t *at = list_by_key(all, sharer->key);
    while (*at != place) {
        at = &all->first[*at - 1].next_by_key;
    }
    *at = sharer->next_by_key;
    at = list_by_object(all, sharer->object);
    while (*at != place) {
        at = &all->first[*at - 1].next_by_object;
    }
    *at = sharer->next_by_object;
}

static size_t bytes_of_room(size_t room)
{
    return room * (sizeof(struct obv__sharer) + 2 * sizeof(uint32_t));
}

void obv__sharer_table_free(struct obv_context *context,
                            const struct obv__sharer_table *all)
{
    obv__context_free(context, all->first, bytes_of_room(all->room));
}

bool obv__sharer_table_reserve(struct obv_context *context,
                               struct obv__sharer_table *all)
{
    if (all->count < all->room) {
        return true;
    }
    uint32_t room = all->room == 0 ? ROOM_AT_FIRST : 2 * all->room;
    struct obv__sharer_table grown = {.count = all->count, .room = room};
    if (room > all->room) {
        grown.first = obv__context_allocate(context, bytes_of_room(room));
    }
    if (!grown.first) {
        return false;
    }
    grown.lists = (uint32_t *)(void *)(grown.first + room);
    memset(grown.lists, 0, 2 * (size_t)room * sizeof *grown.lists);
    for (uint32_t i = 0; i < all->count; i++) {
        grown.first[i] = all->first[i];
        enter_lists(&grown, &grown.first[i]);
    }
    obv__sharer_table_free(context, all);
    *all = grown;
    return true;
}

void obv__sharer_table_add(struct obv__sharer_table *all,
                           struct obv_object *object, uint32_t key)
{
    struct obv__sharer *sharer = &all->first[all->count++];
    *sharer = (struct obv__sharer){.object = object, .key = key};
    enter_lists(all, sharer);
}

void obv__sharer_table_remove(struct obv__sharer_table *all,
                              struct obv__sharer *sharer)
{
    struct obv__sharer *last = obv__sharer_last(all);
    leave_lists(all, sharer);
    if (sharer != last) {
        leave_lists(all, last);
        *sharer = *last;
        enter_lists(all, sharer);
    }
    all->count--;
}

struct obv__sharer *obv__sharer_by_key(const struct obv__sharer_table *all,
                                       uint32_t key)
{
    uint32_t at = all->count == 0 ? 0 : *list_by_key(all, key);
    while (at != 0 && all->first[at - 1].key != key) {
        at = all->first[at - 1].next_by_key;
    }
    return at == 0 ? NULL : &all->first[at - 1];
}

struct obv__sharer *obv__sharer_by_object(const struct obv__sharer_table *all,
                                          const struct obv_object *object)
{
    uint32_t at = all->count == 0 ? 0 : *list_by_object(all, object);
    while (at != 0 && all->first[at - 1].object != object) {
        at = all->first[at - 1].next_by_object;
    }
    return at == 0 ? NULL : &all->first[at - 1];
}
