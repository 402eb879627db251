/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interned names: a hash table by text and an array by id, under one lock. They
 * are asked where a path is not in its cache, and where something is printed.
 *
 * Owed: an id stands for one text, a text has one id, for the table's whole
 * life; whoever has an id can have its text.
 */
#include "base/names.h"

#include "base/hash.h"
#include "base/hash_table.h"
#include "base/memory.h"
#include "platform/lock.h"

#include <string.h>

#define NAMES_MAX (UINT32_MAX / 2)

struct name {
    struct obv_hash_entry entry; /* must stand first */
    uint32_t id;
    uint32_t length;
    char text[];
};

struct obv_names {
    struct obv_allocator allocator; /* constant */
    struct obv__hash_key key;       /* constant */
    struct obv__lock lock;          /* guards the rest */
    uint32_t count;
    size_t room;         /* of `by_id` */
    struct name **by_id; /* the first has the id 1 */
    struct obv_hash_table by_text;
};

/* The lock of a table that is only asked. */
static struct obv__lock *lock_of_names(const struct obv_names *names)
{
    return (struct obv__lock *)(uintptr_t)&names->lock;
}

static size_t name_size(size_t length)
{
    return sizeof(struct name) + length + 1;
}

enum obv_status obv__names_create(const struct obv_allocator *allocator,
                                  struct obv_names **names)
{
    struct obv_allocator from;
    obv__allocator_init(&from, allocator);
    struct obv_names *made = obv__allocate_zeroed(&from, sizeof *made);
    if (!made) {
        return OBV_E_MEMORY;
    }
    made->allocator = from;
    obv__hash_key_init(&made->key);
    *names = made;
    return OBV_OK;
}

void obv__names_destroy(struct obv_names *names)
{
    struct obv_allocator allocator = names->allocator;
    obv__hash_table_deinit(&names->by_text, &allocator);
    for (uint32_t i = 0; i < names->count; i++) {
        obv__free(&allocator, names->by_id[i],
                  name_size(names->by_id[i]->length));
    }
    obv__free(&allocator, names->by_id, names->room * sizeof *names->by_id);
    obv__free(&allocator, names, sizeof *names);
}

const struct obv_allocator *obv__names_allocator(const struct obv_names *names)
{
    return &names->allocator;
}

static struct name *find_name_locked(const struct obv_names *names,
                                     uint64_t hash, const char *text,
                                     size_t length)
{
    struct obv_hash_entry *entry = obv__hash_table_find(&names->by_text, hash);
    for (; entry; entry = obv__hash_table_find_next(entry)) {
        struct name *name = (struct name *)entry;
        if (name->length == length &&
            (length == 0 || memcmp(name->text, text, length) == 0)) {
            return name;
        }
    }
    return NULL;
}

static enum obv_status add_name_locked(struct obv_names *names, uint64_t hash,
                                       const char *text, size_t length,
                                       struct name **made)
{
    if (names->count == NAMES_MAX) {
        return OBV_E_LIMIT;
    }
    if (names->count == names->room) {
        struct name **by_id = obv__grown(&names->allocator, names->by_id, NULL,
                                         &names->room, sizeof *by_id);
        if (!by_id) {
            return OBV_E_MEMORY;
        }
        names->by_id = by_id;
    }
    struct name *name =
        obv__allocate_zeroed(&names->allocator, name_size(length));
    if (!name) {
        return OBV_E_MEMORY;
    }
    name->length = (uint32_t)length;
    if (length) {
        memcpy(name->text, text, length);
    }
    names->by_id[names->count++] = name;
    name->id = names->count;
    obv__hash_table_add(&names->by_text, &names->allocator, &name->entry, hash);
    *made = name;
    return OBV_OK;
}

enum obv_status obv_names_intern(struct obv_names *names, const char *text,
                                 size_t length, uint32_t *id)
{
    if (!names || !id || (!text && length)) {
        return OBV_E_ARGUMENT;
    }
    if (length > OBV_NAME_LENGTH_MAX) {
        return OBV_E_LIMIT;
    }
    uint64_t hash = obv__hash(&names->key, text, length);
    enum obv_status status = OBV_OK;
    obv__lock_enter(&names->lock);
    struct name *name = find_name_locked(names, hash, text, length);
    if (!name) {
        status = add_name_locked(names, hash, text, length, &name);
    }
    if (name) {
        *id = name->id;
    }
    obv__lock_leave(&names->lock);
    return status;
}

uint32_t obv__names_find(const struct obv_names *names, const char *text,
                         size_t length)
{
    uint64_t hash = obv__hash(&names->key, text, length);
    obv__lock_enter(lock_of_names(names));
    const struct name *name = find_name_locked(names, hash, text, length);
    uint32_t id = name ? name->id : OBV_NAME_NONE;
    obv__lock_leave(lock_of_names(names));
    return id;
}

const char *obv_names_text(const struct obv_names *names, uint32_t id,
                           size_t *length)
{
    obv__lock_enter(lock_of_names(names));
    bool known = id != OBV_NAME_NONE && id <= names->count;
    const struct name *name = known ? names->by_id[id - 1] : NULL;
    obv__lock_leave(lock_of_names(names));
    if (length) {
        *length = name ? name->length : 0;
    }
    return name ? name->text : NULL;
}
