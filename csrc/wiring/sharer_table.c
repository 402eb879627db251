/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of those that share a node.
 */
#include "wiring/sharer_table.h"

#include <string.h>

#define ROOM_AT_FIRST 8

/* Every bit of the place depends on all bits of `number` (the finalizer of
   MurmurHash3). `room` is a power of two. */
static uint32_t place_of(uint64_t number, uint32_t room)
{
    number = (number ^ number >> 33) * UINT64_C(0xff51afd7ed558ccd);
    number = (number ^ number >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return (uint32_t)(number ^ number >> 33) & (room - 1);
}

static uint32_t *list_by_key(const struct obv__sharer_table *table,
                             uint32_t key)
{
    return &table->lists[place_of(key, table->room)];
}

static uint32_t *list_by_object(const struct obv__sharer_table *table,
                                const struct obv_object *object)
{
    return &table
                ->lists[table->room + place_of((uintptr_t)object, table->room)];
}

static void enter_lists(struct obv__sharer_table *table,
                        struct obv__sharer *sharer)
{
    uint32_t place = (uint32_t)(sharer - table->first) + 1;
    uint32_t *by_key = list_by_key(table, sharer->key);
    uint32_t *by_object = list_by_object(table, sharer->object);
    sharer->next_by_key = *by_key;
    *by_key = place;
    sharer->next_by_object = *by_object;
    *by_object = place;
}

static void leave_lists(struct obv__sharer_table *table,
                        const struct obv__sharer *sharer)
{
    uint32_t place = (uint32_t)(sharer - table->first) + 1;
    uint32_t *at = list_by_key(table, sharer->key);
    while (*at != place) {
        at = &table->first[*at - 1].next_by_key;
    }
    *at = sharer->next_by_key;
    at = list_by_object(table, sharer->object);
    while (*at != place) {
        at = &table->first[*at - 1].next_by_object;
    }
    *at = sharer->next_by_object;
}

static size_t bytes_of_room(size_t room)
{
    return room * (sizeof(struct obv__sharer) + 2 * sizeof(uint32_t));
}

void obv__sharer_table_free(struct obv_context *context,
                            const struct obv__sharer_table *table)
{
    obv__context_free(context, table->first, bytes_of_room(table->room));
}

bool obv__sharer_table_reserve(struct obv_context *context,
                               struct obv__sharer_table *table)
{
    if (table->count < table->room) {
        return true;
    }
    uint32_t room = table->room == 0 ? ROOM_AT_FIRST : 2 * table->room;
    struct obv__sharer_table grown = {.count = table->count, .room = room};
    if (room > table->room) {
        grown.first = obv__context_allocate(context, bytes_of_room(room));
    }
    if (!grown.first) {
        return false;
    }
    grown.lists = (uint32_t *)(void *)(grown.first + room);
    memset(grown.lists, 0, 2 * (size_t)room * sizeof *grown.lists);
    for (uint32_t i = 0; i < table->count; i++) {
        grown.first[i] = table->first[i];
        enter_lists(&grown, &grown.first[i]);
    }
    obv__sharer_table_free(context, table);
    *table = grown;
    return true;
}

void obv__sharer_table_add(struct obv__sharer_table *table,
                           struct obv_object *object, uint32_t key)
{
    struct obv__sharer *sharer = &table->first[table->count++];
    *sharer = (struct obv__sharer){.object = object, .key = key};
    enter_lists(table, sharer);
}

void obv__sharer_table_remove(struct obv__sharer_table *table,
                              struct obv__sharer *sharer)
{
    struct obv__sharer *last = obv__sharer_last(table);
    leave_lists(table, sharer);
    if (sharer != last) {
        leave_lists(table, last);
        *sharer = *last;
        enter_lists(table, sharer);
    }
    table->count--;
}

struct obv__sharer *obv__sharer_by_key(const struct obv__sharer_table *table,
                                       uint32_t key)
{
    uint32_t at = table->count == 0 ? 0 : *list_by_key(table, key);
    while (at != 0 && table->first[at - 1].key != key) {
        at = table->first[at - 1].next_by_key;
    }
    return at == 0 ? NULL : &table->first[at - 1];
}

struct obv__sharer *obv__sharer_by_object(const struct obv__sharer_table *table,
                                          const struct obv_object *object)
{
    uint32_t at = table->count == 0 ? 0 : *list_by_object(table, object);
    while (at != 0 && table->first[at - 1].object != object) {
        at = table->first[at - 1].next_by_object;
    }
    return at == 0 ? NULL : &table->first[at - 1];
}
