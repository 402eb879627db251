/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of recently parsed paths, by their text, one for each context. If a
 * text is found, its path is used again: nothing is scanned, interned,
 * allocated.
 *
 * The cache holds a reference of each path, and is bounded. A path that is
 * pushed out lives on while others hold it, and its text is parsed again the
 * next time. path_cache.c says how threads share the cache.
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

/** The place of a text in the cache, and the text's length. A place has one
    path, which the next text of that place pushes out. Texts chosen to collide
    are only parsed again, so any hash will do. */
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

/** Empties the cache: before the table of names is freed, and when the program
    asks for memory back. The cache may be used on. */
void obv__path_cache_clear(struct obv__path_cache *cache);

/** obv_path_parse() of a text with a NUL behind it. */
enum obv_status obv__path_cache_parse(struct obv__path_cache *cache,
                                      const char *text, struct obv_path **path,
                                      struct obv_error *error);

/** obv_path_find() of a text with a NUL behind it: interns and keeps
    nothing. */
enum obv_status obv__path_cache_find(struct obv__path_cache *cache,
                                     const char *text, struct obv_path **path,
                                     struct obv_error *error);

#endif
