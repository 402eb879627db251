/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths that were given lately, by their text.
 *
 * How threads share it. The cache's own reference keeps a path alive, and both
 * go only under the lock: so a path that is found there takes one reference
 * more under the lock as well. Then it is the finder's, who compares the text
 * with no lock held; a hash alone proves nothing. A path that is pushed out is
 * given back behind the lock, since that may call the allocator. Two threads
 * that miss the same text both make a path, and both put theirs: one is of no
 * use, neither is wrong.
 *
 * Owed: the path of a text is that of the text, whoever put it there.
 */
#include "path/path_cache.h"

#include "base/names.h"
#include "path/path.h"

#include <string.h>

/* A text on its way through the cache. */
struct sought {
    const char *text;
    size_t length;
    uint64_t hash;
    struct obv__cached_path *set;
};

void obv__path_cache_init(struct obv__path_cache *cache,
                          struct obv_names *names)
{
    cache->names = names;
    obv__lock_init(&cache->lock);
}

/* Puts an entry in front of a set; answers the path that goes for it, or NULL. */
static struct obv_path *push_recent_locked(struct obv__cached_path *set,
                                           struct obv__cached_path entry)
{
    for (size_t i = 0; i < OBV__CACHE_WAYS; i++) {
        struct obv__cached_path before = set[i];
        set[i] = entry;
        entry = before;
    }
    return entry.path;
}

void obv__path_cache_clear(struct obv__path_cache *cache)
{
    struct obv__cached_path all[OBV__CACHE_SETS][OBV__CACHE_WAYS];
    obv__lock_enter(&cache->lock);
    memcpy(all, cache->recent, sizeof all);
    memset(cache->recent, 0, sizeof cache->recent);
    obv__lock_leave(&cache->lock);
    for (size_t i = 0; i < OBV__CACHE_SETS; i++) {
        for (size_t way = 0; way < OBV__CACHE_WAYS; way++) {
            obv_path_destroy(all[i][way].path);
        }
    }
}

static struct sought seek_text(struct obv__path_cache *cache, const char *text)
{
    struct sought sought = {.text = text, .length = strlen(text)};
    sought.hash = obv__names_hash(cache->names, text, sought.length);
    sought.set = cache->recent[sought.hash % OBV__CACHE_SETS];
    return sought;
}

/* The path of this hash, which is the last used from now on, with a reference; or
   NULL. */
static struct obv_path *take_recent_locked(const struct sought *sought)
{
    struct obv__cached_path *set = sought->set;
    size_t i = 0;
    while (i < OBV__CACHE_WAYS &&
           !(set[i].path && set[i].hash == sought->hash)) {
        i++;
    }
    if (i == OBV__CACHE_WAYS) {
        return NULL;
    }
    struct obv__cached_path found = set[i];
    set[i] = set[0];
    set[0] = found;
    return obv__path_retain(found.path);
}

static bool is_of_text(const struct obv_path *path, const struct sought *sought)
{
    size_t length;
    const char *text = obv__path_text(path, &length);
    return length == sought->length && memcmp(text, sought->text, length) == 0;
}

static struct obv_path *take_cached(struct obv__path_cache *cache,
                                    const struct sought *sought)
{
    obv__lock_enter(&cache->lock);
    struct obv_path *path = take_recent_locked(sought);
    obv__lock_leave(&cache->lock);
    if (path && !is_of_text(path, sought)) {
        obv_path_destroy(path);
        path = NULL;
    }
    return path;
}

static void keep_cached(struct obv__path_cache *cache,
                        const struct sought *sought,
                        const struct obv_path *path)
{
    const struct obv__cached_path entry = {sought->hash,
                                           obv__path_retain(path)};
    obv__lock_enter(&cache->lock);
    struct obv_path *old = push_recent_locked(sought->set, entry);
    obv__lock_leave(&cache->lock);
    obv_path_destroy(old);
}

enum obv_status obv__path_cache_parse(struct obv__path_cache *cache,
                                      const char *text, struct obv_path **path,
                                      struct obv_error *error)
{
    const struct sought sought = seek_text(cache, text);
    enum obv_status status = OBV_OK;
    *path = take_cached(cache, &sought);
    if (!*path) {
        status = obv_path_parse(cache->names, text, sought.length, path, error);
        if (status == OBV_OK) {
            keep_cached(cache, &sought, *path);
        }
    }
    return status;
}

enum obv_status obv__path_cache_find(struct obv__path_cache *cache,
                                     const char *text, struct obv_path **path,
                                     struct obv_error *error)
{
    const struct sought sought = seek_text(cache, text);
    *path = take_cached(cache, &sought);
    return *path
               ? OBV_OK
               : obv_path_find(cache->names, text, sought.length, path, error);
}
