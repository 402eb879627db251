/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths that were given lately, by their text.
 *
 * How threads share it. The cache's own reference keeps a path alive, and both
 * go only under the lock: so a path that is found there takes one reference
 * more under the lock as well. Then it is the finder's, who compares the text
 * with no lock held. A path that is pushed out is
 * given back behind the lock, since that may call the allocator. Two threads
 * that miss the same text both make a path, and both put theirs: one is of no
 * use, neither is wrong.
 *
 * Owed: the path of a text is that of the text, whoever put it there.
 */
#include "path/path_cache.h"

#include "path/path.h"

#include <string.h>

void obv__path_cache_init(struct obv__path_cache *cache,
                          struct obv_names *names)
{
    cache->names = names;
}

void obv__path_cache_clear(struct obv__path_cache *cache)
{
    struct obv_path *all[OBV__CACHED_PATHS];
    obv__lock_enter(&cache->lock);
    memcpy(all, cache->recent, sizeof all);
    memset(cache->recent, 0, sizeof cache->recent);
    obv__lock_leave(&cache->lock);
    for (size_t i = 0; i < OBV__CACHED_PATHS; i++) {
        obv_path_destroy(all[i]);
    }
}

static bool is_of_text(const struct obv_path *path, const char *text,
                       size_t length)
{
    size_t own_length;
    const char *own = obv__path_text(path, &own_length);
    return own_length == length && memcmp(own, text, length) == 0;
}

/* `parses`: what is not there is parsed, and kept. */
OBV__INLINE enum obv_status cached_path(struct obv__path_cache *cache,
                                        const char *text, bool parses,
                                        struct obv_path **path,
                                        struct obv_error *error)
{
    size_t length;
    struct obv_path **place =
        &cache->recent[obv__path_cache_place(text, &length)];
    obv__lock_enter(&cache->lock);
    struct obv_path *found = *place ? obv__path_retain(*place) : NULL;
    obv__lock_leave(&cache->lock);
    if (found && is_of_text(found, text, length)) {
        *path = found;
        return OBV_OK;
    }
    obv_path_destroy(found);
    if (!parses) {
        return obv_path_find(cache->names, text, length, path, error);
    }
    enum obv_status status =
        obv_path_parse(cache->names, text, length, path, error);
    if (status == OBV_OK) {
        obv__lock_enter(&cache->lock);
        struct obv_path *old = *place;
        *place = obv__path_retain(*path);
        obv__lock_leave(&cache->lock);
        obv_path_destroy(old);
    }
    return status;
}

enum obv_status obv__path_cache_parse(struct obv__path_cache *cache,
                                      const char *text, struct obv_path **path,
                                      struct obv_error *error)
{
    return cached_path(cache, text, true, path, error);
}

enum obv_status obv__path_cache_find(struct obv__path_cache *cache,
                                     const char *text, struct obv_path **path,
                                     struct obv_error *error)
{
    return cached_path(cache, text, false, path, error);
}
