/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paths whose text a context was given lately: who gives the same text again
 * is given the same path, and nothing is scanned, interned or allocated.
 *
 * The cache holds a reference of each, and is bounded: what is pushed out lives on
 * where it is kept, and is parsed again when its text comes again. path_cache.c
 * says how threads share it.
 */
#ifndef OBV_PATH_CACHE_H
#define OBV_PATH_CACHE_H

#include "platform/lock.h"

#include <observable/path.h>

enum { OBV__CACHED_PATHS = 128 };

struct obv__path_cache {
    struct obv_names *names;                    /* constant */
    struct obv__lock lock;                      /* guards the rest */
    struct obv_path *recent[OBV__CACHED_PATHS]; /* by place; NULL: none */
};

/** The place of a text, and its length. A text has one, whose path is pushed out
    by the next one's: who chooses texts that meet there has them parsed again, so
    any hash will do. */
static inline size_t obv__path_cache_place(const char *of, size_t *length)
{
    size_t place = 0, i = 0;
    for (; of[i] != '\0'; i++) {
        place = (place ^ (unsigned char)of[i]) * 0x01000193;
    }
    *length = i;
    return place % OBV__CACHED_PATHS;
}

/** An empty cache; the rest of it is zeroed already. */
void obv__path_cache_init(struct obv__path_cache *cache,
                          struct obv_names *names);

/** Gives every reference back. Before the names go, and when memory is asked
    for; the cache may be used on. */
void obv__path_cache_clear(struct obv__path_cache *cache);

/** obv_path_parse() of a text with a NUL behind it. */
enum obv_status obv__path_cache_parse(struct obv__path_cache *cache,
                                      const char *text, struct obv_path **path,
                                      struct obv_error *error);

/** obv_path_find() of one: nothing is interned, and nothing kept. */
enum obv_status obv__path_cache_find(struct obv__path_cache *cache,
                                     const char *text, struct obv_path **path,
                                     struct obv_error *error);

#endif
