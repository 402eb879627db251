/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keyed collections: what dictionaries and sets do alike. Both are a hash table
 * of entries; a set is a dictionary whose keys are its elements.
 *
 * One function makes every edit. It says of the entries whose keys are listed,
 * of the other entries and of listed keys that are not there whether they leave
 * or enter. The edit is prepared, which may fail; made, which may not; told; and
 * then what has left is given back. Nothing of the collection is used once it
 * has been told of, since a handler may have edited it.
 */
#ifndef OBV_KEYED_H
#define OBV_KEYED_H

#include "base/hash_table.h"
#include "collections/collection.h"

/** An entry; of a dictionary the beginning of a struct obv__pair. */
struct obv__entry {
    struct obv_hash_entry link; /* must stand first */
    void *element;
    union {
        size_t mark;             /* of an edit that is being prepared; else 0 */
        struct obv__entry *next; /* of those that enter or leave */
    };
};

struct obv__pair {
    struct obv__entry entry; /* must stand first */
    void *key;               /* a copy */
};

static inline struct obv__entry *obv__entry_of(struct obv_hash_entry *link)
{
    return (struct obv__entry *)(void *)link;
}

/** The table behind a keyed collection. */
static inline struct obv_hash_table *
obv__keyed_table(const struct obv_collection *collection)
{
    return (struct obv_hash_table *)(uintptr_t)(collection + 1);
}

/** The hash of a key, and the entry that has it; NULL: there is none. */
uint64_t obv__keyed_hash(const struct obv_collection *collection,
                         const void *key);
struct obv__entry *obv__keyed_find(const struct obv_collection *collection,
                                   const void *key);

enum {
    OBV__LISTED_LEAVE = 1,
    OBV__OTHERS_LEAVE = 2,
    OBV__NEW_ENTER = 4 /* and those that are there get their new elements */
};

/**
 * One edit of several keys.
 *
 * @param keys      `count` pointers: keys; of a set the elements.
 * @param elements  of a dictionary into which keys enter, as many; else NULL.
 */
enum obv_status obv__keyed_combine(struct obv_collection *collection,
                                   const void *keys, const void *elements,
                                   size_t count, unsigned how);

/** Puts all of one collection into another one of its class. */
enum obv_status obv__keyed_copy(const struct obv_collection *from,
                                struct obv_collection *into);

/** As struct obv_container_kind says. */
bool obv__keyed_element_next(const struct obv_container *container,
                             struct obv_container_cursor *cursor);

/** The same for programs. */
bool obv__keyed_walk(const struct obv_collection *collection,
                     struct obv_collection_cursor *cursor);

/** Gives back what a collection has that has ended. */
void obv__keyed_let_go(struct obv_collection *collection);

#endif
