/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interned names. Two structures hold the same entries:
 *
 *   the tree     by text: each entry has four children, chosen by two bits of
 *                the text's hash at each level. It only grows at its ends, so
 *                nothing is moved or hashed again, and a reader needs no lock.
 *   the segments by id: segment s holds 64 << s entries and stays where it is.
 *
 * Memory is taken before the lock is entered; under it stand a walk down the
 * tree and four stores.
 *
 * Owed: an id stands for one text, a text has one id, for the table's whole
 * life; whoever has an id can have its text.
 */
#include "base/names.h"

#include "base/hash.h"
#include "base/memory.h"
#include "platform/atomic.h"
#include "platform/lock.h"

#include <string.h>

#define SEGMENT_FIRST UINT64_C(64)
#define SEGMENTS      27 /* 64 * (2^27 - 1) entries: all ids there can be */
#define NAMES_MAX     (UINT32_MAX / 2)

struct name {
    struct name *child[4]; /* written once each, under the lock; read by any */
    uint64_t hash;         /* this and all below: constant */
    uint32_t id;
    uint32_t length;
    char text[];
};

struct obv_names {
    struct obv_allocator allocator;  /* constant */
    struct obv__hash_key key;        /* constant */
    struct name *root;               /* written once, under the lock */
    struct name **segment[SEGMENTS]; /* each installed once, by exchange */
    uint32_t count;                  /* written under the lock; read by any */
    struct obv__lock lock;           /* one thread at a time adds */
};

/* Where an entry stands: its segment, and its place in that. */
struct name_place {
    unsigned segment;
    size_t index;
};

static size_t segment_size(unsigned segment)
{
    return ((size_t)SEGMENT_FIRST << segment) * sizeof(struct name *);
}

static struct name_place name_place_of(uint32_t id)
{
    uint64_t n = (uint64_t)id - 1 + SEGMENT_FIRST;
    unsigned segment = 0;
    while (n >= SEGMENT_FIRST << (segment + 1)) {
        segment++;
    }
    return (struct name_place){segment,
                               (size_t)(n - (SEGMENT_FIRST << segment))};
}

static size_t name_size(size_t length)
{
    return sizeof(struct name) + length + 1;
}

static struct name *name_make(const struct obv_names *names, uint64_t hash,
                              const char *text, size_t length)
{
    struct name *name =
        obv__allocate_zeroed(&names->allocator, name_size(length));
    if (name) {
        name->hash = hash;
        name->length = (uint32_t)length;
        if (length) {
            memcpy(name->text, text, length);
        }
    }
    return name;
}

static void name_free(const struct obv_names *names, struct name *name)
{
    obv__free(&names->allocator, name, name_size(name->length));
}

static bool name_is(const struct name *name, uint64_t hash, const char *text,
                    size_t length)
{
    return name->hash == hash && name->length == length &&
           (length == 0 || memcmp(name->text, text, length) == 0);
}

/* Walks down to the entry of a text; NULL if there is none, and then `*link`
   is where it would hang. */
static struct name *name_seek(const struct obv_names *names, uint64_t hash,
                              const char *text, size_t length,
                              struct name *const **link)
{
    struct name *const *at = &names->root;
    struct name *name;
    uint64_t bits = hash;
    /* Acquire, pairs with the last store of insert_locked(): without it we
       could find an entry and read its text before that was written. */
    while ((name = obv__load_acquire(at))) {
        if (name_is(name, hash, text, length)) {
            break;
        }
        at = &name->child[bits >> 62];
        bits <<= 2;
    }
    *link = at;
    return name;
}

enum obv_status obv_names_create(const struct obv_allocator *allocator,
                                 struct obv_names **names)
{
    if (!names) {
        return OBV_E_ARGUMENT;
    }
    struct obv_allocator from;
    obv__allocator_init(&from, allocator);
    struct obv_names *made = obv__allocate_zeroed(&from, sizeof *made);
    if (!made) {
        return OBV_E_MEMORY;
    }
    made->allocator = from;
    obv__hash_key_init(&made->key);
    obv__lock_init(&made->lock);
    *names = made;
    return OBV_OK;
}

const struct obv_allocator *obv__names_allocator(const struct obv_names *names)
{
    return &names->allocator;
}

uint64_t obv__names_hash(const struct obv_names *names, const char *text,
                         size_t length)
{
    return obv__hash(&names->key, text, length);
}

/* The entry of an id that is in range. */
static struct name *name_at(const struct obv_names *names, uint32_t id)
{
    struct name_place place = name_place_of(id);
    /* Relaxed: obv_names_text() orders both by its load of the count; in
       destroy and check the caller is alone. */
    struct name **segment = obv__load_relaxed(&names->segment[place.segment]);
    return obv__load_relaxed(&segment[place.index]);
}

void obv_names_destroy(struct obv_names *names)
{
    if (!names) {
        return;
    }
    for (uint32_t id = 1; id <= names->count; id++) {
        name_free(names, name_at(names, id));
    }
    for (unsigned s = 0; s < SEGMENTS; s++) {
        obv__free(&names->allocator, names->segment[s], segment_size(s));
    }
    struct obv_allocator allocator = names->allocator;
    obv__free(&allocator, names, sizeof *names);
}

/* Sees to it that the next id has a place. Another thread may take that place
   before we do; the caller then asks again. */
static enum obv_status name_reserve(struct obv_names *names)
{
    /* Relaxed: a guess, insert_locked() decides. */
    uint32_t count = obv__load_relaxed(&names->count);
    if (count == NAMES_MAX) {
        return OBV_E_LIMIT;
    }
    unsigned s = name_place_of(count + 1).segment;
    /* Relaxed: only whether it is there. */
    if (obv__load_relaxed(&names->segment[s])) {
        return OBV_OK;
    }
    struct name **segment =
        obv__allocate_zeroed(&names->allocator, segment_size(s));
    if (!segment) {
        return OBV_E_MEMORY;
    }
    struct name **none = NULL;
    /* Release, pairs with the acquire of the segment in insert_locked():
       without it our zeros could land on an entry already put there. */
    if (!obv__cas_acq_rel(&names->segment[s], &none, segment)) {
        obv__free(&names->allocator, segment, segment_size(s));
    }
    return OBV_OK;
}

/* Answers the entry of `made`'s text, `made` itself if there was none; NULL if
   name_reserve() has to be asked again. */
static struct name *insert_locked(struct obv_names *names, struct name *made)
{
    struct name *const *link;
    struct name *name =
        name_seek(names, made->hash, made->text, made->length, &link);
    /* Relaxed: written under this lock only. */
    uint32_t id = obv__load_relaxed(&names->count) + 1;
    if (name || id > NAMES_MAX) {
        return name;
    }
    struct name_place place = name_place_of(id);
    /* Acquire, pairs with the exchange in name_reserve(). */
    struct name **segment = obv__load_acquire(&names->segment[place.segment]);
    if (!segment) {
        return NULL;
    }
    made->id = id;
    /* Relaxed: the count's store orders it. */
    obv__store_relaxed(&segment[place.index], made);
    /* Release, pairs with the count's load in obv_names_text(): without it an
       id that is in range could have no entry yet. */
    obv__store_release(&names->count, id);
    /* Release, pairs with the load in name_seek(): without it a thread could
       find the entry and not see its text, its id, or a count that admits the
       id. From here on other threads find the name. */
    obv__store_release((struct name **)link, made);
    return made;
}

static enum obv_status intern_new(struct obv_names *names, struct name *made,
                                  struct name **name)
{
    struct name *found;
    /* Repeats only if other threads have filled the place that was reserved:
       they made progress. */
    do {
        enum obv_status status = name_reserve(names);
        if (status != OBV_OK) {
            name_free(names, made);
            return status;
        }
        obv__lock_enter(&names->lock);
        found = insert_locked(names, made);
        obv__lock_leave(&names->lock);
    } while (!found);
    if (found != made) {
        name_free(names, made);
    }
    *name = found;
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
    struct name *const *link;
    uint64_t hash = obv__hash(&names->key, text, length);
    struct name *name = name_seek(names, hash, text, length, &link);
    if (!name) {
        struct name *made = name_make(names, hash, text, length);
        enum obv_status status =
            made ? intern_new(names, made, &name) : OBV_E_MEMORY;
        if (status != OBV_OK) {
            return status;
        }
    }
    *id = name->id;
    return OBV_OK;
}

uint32_t obv_names_find(const struct obv_names *names, const char *text,
                        size_t length)
{
    struct name *const *link;
    uint64_t hash = obv__hash(&names->key, text, length);
    const struct name *name = name_seek(names, hash, text, length, &link);
    return name ? name->id : OBV_NAME_NONE;
}

const char *obv_names_text(const struct obv_names *names, uint32_t id,
                           size_t *length)
{
    /* Acquire, pairs with the count's store in insert_locked(). */
    bool known = id != OBV_NAME_NONE && id <= obv__load_acquire(&names->count);
    const struct name *name = known ? name_at(names, id) : NULL;
    if (length) {
        *length = name ? name->length : 0;
    }
    return name ? name->text : NULL;
}

uint32_t obv_names_count(const struct obv_names *names)
{
    /* Acquire, pairs with the count's store in insert_locked(): all up to the
       answer have their texts. */
    return obv__load_acquire(&names->count);
}

bool obv_names_check(const struct obv_names *names)
{
    for (uint32_t id = 1; id <= names->count; id++) {
        const struct name *name = name_at(names, id);
        if (!name || name->id != id || name->text[name->length] != '\0' ||
            obv_names_find(names, name->text, name->length) != id) {
            return false;
        }
    }
    return true;
}
