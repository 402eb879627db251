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

/** A path by the hash of its text, under the names' key. */
struct obv__cached_path {
    uint64_t hash;
    struct obv_path *path; /* NULL: none */
};

struct obv__path_cache {
    struct obv_names *names; /* constant */
    struct obv__lock lock;   /* guards the rest */
    /* By the hash: each text has one place. */
    struct obv__cached_path recent[OBV__CACHED_PATHS];
};

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
