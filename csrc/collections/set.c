/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets.
 */
#include "collections/keyed.h"

#include <observable/set.h>

/* What a container says ---------------------------------------------------- */

/* Also what tells its classes from others. */
static size_t count_set(const struct obv_container *container)
{
    return obv_set_count((const struct obv_set *)(const void *)container);
}

/* Two functions, since sets whose hashes are of one function are compared. */
static uint64_t hash_address(const struct obv_container *container,
                             const void *element)
{
    (void)container;
    return (uint64_t)(uintptr_t)obv__pointer_at(element, 0);
}

static uint64_t hash_string(const struct obv_container *container,
                            const void *element)
{
    (void)container;
    return obv_text_keys.hash(&obv_text_keys, obv__pointer_at(element, 0));
}

static const void *member_with_hash(const struct obv_container *container,
                                    uint64_t hash, size_t index)
{
    const struct obv_collection *set =
        (const struct obv_collection *)(const void *)container;
    struct obv_hash_entry *link =
        obv__hash_table_find(obv__keyed_table(set), hash);
    for (; link && index != 0; index--) {
        link = obv__hash_table_find_next(link);
    }
    return link ? &obv__entry_of(link)->element : NULL;
}

/* Creation ----------------------------------------------------------------- */

enum obv_status obv_set_class_create(struct obv_context *context,
                                     const struct obv_collection_kind *kind,
                                     struct obv_class **cls,
                                     struct obv_error *error)
{
    struct obv_container_kind access = {.instance_size = sizeof(struct obv_set),
                                        .count = count_set,
                                        .next = obv__keyed_element_next,
                                        .member = member_with_hash};
    if (kind && kind->equal && !kind->hash) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "elements with a comparison have a hash in a set");
    }
    if (kind) {
        access.hash = kind->hash                         ? kind->hash
                      : kind->element == OBV_KIND_string ? hash_string
                                                         : hash_address;
    }
    return obv__collection_class_make(context, kind, &access, obv__keyed_let_go,
                                      cls, error);
}

enum obv_status obv_set_create(struct obv_class *cls, struct obv_set **set,
                               struct obv_error *error)
{
    struct obv_collection *made = NULL;
    enum obv_status status =
        obv__collection_create(cls, count_set, set ? &made : NULL, error);
    if (status == OBV_OK) {
        *set = (struct obv_set *)(void *)made;
    }
    return status;
}

enum obv_status obv_set_copy(const struct obv_set *set, struct obv_set **copy,
                             struct obv_error *error)
{
    struct obv_collection *made = NULL;
    enum obv_status status =
        obv__collection_copy(set ? &set->collection : NULL, copy ? &made : NULL,
                             obv__keyed_copy, error);
    if (status == OBV_OK) {
        *copy = (struct obv_set *)(void *)made;
    }
    return status;
}

void obv_set_retain(struct obv_set *set)
{
    if (set) {
        (void)obv__collection_hold(&set->collection);
    }
}

void obv_set_release(struct obv_set *set)
{
    if (set) {
        obv__collection_release(&set->collection);
    }
}

/* Reading ------------------------------------------------------------------ */

void *obv_set_find(const struct obv_set *set, const void *element)
{
    if (!set) {
        return NULL;
    }
    if (element) {
        obv_container_tell_read_hash(
            &set->container, obv__keyed_hash(&set->collection, element));
    }
    const struct obv__entry *entry =
        element ? obv__keyed_find(&set->collection, element) : NULL;
    return entry ? entry->element : NULL;
}

uint64_t obv_set_hash(const struct obv_set *set, const void *element)
{
    return set && element ? obv__keyed_hash(&set->collection, element) : 0;
}

void *obv_set_member(const struct obv_set *set, uint64_t hash, size_t index)
{
    if (!set) {
        return NULL;
    }
    obv_container_tell_read_hash(&set->container, hash);
    const void *at = member_with_hash(&set->container, hash, index);
    return at ? (void *)(uintptr_t)obv__pointer_at(at, 0) : NULL;
}

bool obv_set_next(const struct obv_set *set,
                  struct obv_collection_cursor *cursor)
{
    return obv__keyed_walk(&set->collection, cursor);
}

/* Editing ------------------------------------------------------------------ */

static enum obv_status combine(struct obv_set *set, const void *elements,
                               size_t count, unsigned how)
{
    if (!set || (count != 0 && !elements)) {
        return OBV_E_ARGUMENT;
    }
    return obv__keyed_combine(&set->collection, elements, NULL, count, how);
}

enum obv_status obv_set_add(struct obv_set *set, const void *element)
{
    return combine(set, &element, 1, OBV__NEW_ENTER);
}

enum obv_status obv_set_discard(struct obv_set *set, const void *element)
{
    return combine(set, &element, 1, OBV__LISTED_LEAVE);
}

enum obv_status obv_set_clear(struct obv_set *set)
{
    return combine(set, NULL, 0, OBV__OTHERS_LEAVE);
}

enum obv_status obv_set_union(struct obv_set *set, const void *elements,
                              size_t count)
{
    return combine(set, elements, count, OBV__NEW_ENTER);
}

enum obv_status obv_set_intersect(struct obv_set *set, const void *elements,
                                  size_t count)
{
    return combine(set, elements, count, OBV__OTHERS_LEAVE);
}

enum obv_status obv_set_subtract(struct obv_set *set, const void *elements,
                                 size_t count)
{
    return combine(set, elements, count, OBV__LISTED_LEAVE);
}

enum obv_status obv_set_symmetric(struct obv_set *set, const void *elements,
                                  size_t count)
{
    return combine(set, elements, count, OBV__LISTED_LEAVE | OBV__NEW_ENTER);
}

enum obv_status obv_set_assign(struct obv_set *set, const void *elements,
                               size_t count)
{
    return combine(set, elements, count, OBV__OTHERS_LEAVE | OBV__NEW_ENTER);
}
