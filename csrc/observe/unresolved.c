/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths that lead nowhere: a list of each group, under its lock. An observation
 * of one pair has none: it is a group if its path leads nowhere.
 */
#include "observe/unresolved.h"

#include "model/context.h"
#include "path/path.h"

struct obv__unresolved {
    struct obv__unresolved *next;
    const struct obv__watcher *member; /* or the group's own watcher */
    struct obv_path *path;             /* a reference */
    bool is_reported;                  /* to the diagnostics hook */
};

bool obv__unresolved_add(struct obv__group *group,
                         const struct obv__watcher *member,
                         const struct obv_path *path)
{
    struct obv__unresolved *entry =
        obv__context_allocate(group->context, sizeof *entry);
    if (!entry) {
        return false;
    }
    *entry = (struct obv__unresolved){.member = member,
                                      .path = obv__path_retain(path)};
    obv__lock_enter(&group->lock);
    struct obv__unresolved **last = &group->unresolved;
    while (*last) {
        last = &(*last)->next;
    }
    *last = entry;
    obv__lock_leave(&group->lock);
    return true;
}

void obv__unresolved_forget(struct obv__group *group,
                            const struct obv__watcher *member)
{
    obv__lock_enter(&group->lock);
    struct obv__unresolved **place = &group->unresolved;
    while (*place && (*place)->member != member) {
        place = &(*place)->next;
    }
    struct obv__unresolved *entry = *place;
    if (entry) {
        *place = entry->next;
    }
    obv__lock_leave(&group->lock);
    if (entry) {
        obv_path_destroy(entry->path);
        obv__context_free(group->context, entry, sizeof *entry);
    }
}

struct obv_path *obv__unresolved_unreported(struct obv__watcher *observation)
{
    struct obv__group *group = obv__group_or_null(observation);
    struct obv_path *path = NULL;
    if (!group) {
        return NULL;
    }
    obv__lock_enter(&group->lock);
    struct obv__unresolved *entry = group->unresolved;
    while (entry && entry->is_reported) {
        entry = entry->next;
    }
    if (entry) {
        path = obv__path_retain(entry->path);
        entry->is_reported = true;
    }
    obv__lock_leave(&group->lock);
    return path;
}

struct obv_path *obv__unresolved_of(const struct obv__watcher *pair)
{
    struct obv__group *group = obv__what(pair) == OBV__MEMBER ? pair->of : NULL;
    if (!group) {
        return NULL;
    }
    obv__lock_enter(&group->lock);
    const struct obv__unresolved *entry = group->unresolved;
    while (entry && entry->member != pair) {
        entry = entry->next;
    }
    struct obv_path *path = entry ? obv__path_retain(entry->path) : NULL;
    obv__lock_leave(&group->lock);
    return path;
}

struct obv_path *obv__unresolved_at(struct obv__watcher *observation,
                                    size_t *index)
{
    struct obv__group *group = obv__group_or_null(observation);
    if (!group) {
        return NULL;
    }
    obv__lock_enter(&group->lock);
    const struct obv__unresolved *entry = group->unresolved;
    while (entry && *index != 0) {
        entry = entry->next;
        --*index;
    }
    struct obv_path *path = entry ? obv__path_retain(entry->path) : NULL;
    obv__lock_leave(&group->lock);
    return path;
}
