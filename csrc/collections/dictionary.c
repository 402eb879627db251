/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dictionaries.
 */
#include "collections/keyed.h"

#include <observable/dictionary.h>

static struct obv__entry *
find_in_dictionary(const struct obv_dictionary *dictionary, const void *key)
{
    if (key) {
        obv_container_tell_read_key(&dictionary->container, key);
    }
    return key ? obv__keyed_find(&dictionary->collection, key) : NULL;
}

/* Creation ----------------------------------------------------------------- */

/* Also what tells its classes from others. */
static size_t count_dictionary(const struct obv_container *container)
{
    return obv_dictionary_count(
        (const struct obv_dictionary *)(const void *)container);
}

static const void *find_element(const struct obv_container *container,
                                const void *key)
{
    const struct obv__entry *entry = obv__keyed_find(
        (const struct obv_collection *)(const void *)container, key);
    return entry ? &entry->element : NULL;
}

enum obv_status
obv_dictionary_class_create(struct obv_context *context,
                            const struct obv_collection_kind *kind,
                            struct obv_class **cls, struct obv_error *error)
{
    const struct obv_container_kind access = {
        .instance_size = sizeof(struct obv_dictionary),
        .count = count_dictionary,
        .key = kind && kind->key ? kind->key : &obv_text_keys,
        .find = find_element,
        .next = obv__keyed_element_next};
    return obv__collection_class_make(context, kind, &access, obv__keyed_let_go,
                                      cls, error);
}

enum obv_status obv_dictionary_create(struct obv_class *cls,
                                      struct obv_dictionary **dictionary,
                                      struct obv_error *error)
{
    struct obv_collection *made = NULL;
    enum obv_status status = obv__collection_create(
        cls, count_dictionary, dictionary ? &made : NULL, error);
    if (status == OBV_OK) {
        *dictionary = (struct obv_dictionary *)(void *)made;
    }
    return status;
}

enum obv_status obv_dictionary_copy(const struct obv_dictionary *dictionary,
                                    struct obv_dictionary **copy,
                                    struct obv_error *error)
{
    struct obv_collection *made = NULL;
    enum obv_status status =
        obv__collection_copy(dictionary ? &dictionary->collection : NULL,
                             copy ? &made : NULL, obv__keyed_copy, error);
    if (status == OBV_OK) {
        *copy = (struct obv_dictionary *)(void *)made;
    }
    return status;
}

void obv_dictionary_retain(struct obv_dictionary *dictionary)
{
    if (dictionary) {
        (void)obv__collection_hold(&dictionary->collection);
    }
}

void obv_dictionary_release(struct obv_dictionary *dictionary)
{
    if (dictionary) {
        obv__collection_release(&dictionary->collection);
    }
}

/* Reading ------------------------------------------------------------------ */

void *obv_dictionary_get(const struct obv_dictionary *dictionary,
                         const void *key)
{
    const struct obv__entry *entry =
        dictionary ? find_in_dictionary(dictionary, key) : NULL;
    return entry ? entry->element : NULL;
}

bool obv_dictionary_has(const struct obv_dictionary *dictionary,
                        const void *key)
{
    return dictionary && find_in_dictionary(dictionary, key);
}

bool obv_dictionary_next(const struct obv_dictionary *dictionary,
                         struct obv_collection_cursor *cursor)
{
    return obv__keyed_walk(&dictionary->collection, cursor);
}

/* Editing ------------------------------------------------------------------ */

static enum obv_status combine_keys(struct obv_dictionary *dictionary,
                                    const void *keys, const void *elements,
                                    size_t count, unsigned how)
{
    if (!dictionary || (count != 0 && (!keys || !elements))) {
        return OBV_E_ARGUMENT;
    }
    return obv__keyed_combine(&dictionary->collection, keys, elements, count,
                              how);
}

enum obv_status obv_dictionary_put(struct obv_dictionary *dictionary,
                                   const void *key, const void *element)
{
    return combine_keys(dictionary, &key, &element, 1, OBV__NEW_ENTER);
}

enum obv_status obv_dictionary_merge(struct obv_dictionary *dictionary,
                                     const void *keys, const void *elements,
                                     size_t count)
{
    return combine_keys(dictionary, keys, elements, count, OBV__NEW_ENTER);
}

enum obv_status obv_dictionary_assign(struct obv_dictionary *dictionary,
                                      const void *keys, const void *elements,
                                      size_t count)
{
    return combine_keys(dictionary, keys, elements, count,
                        OBV__OTHERS_LEAVE | OBV__NEW_ENTER);
}

enum obv_status obv_dictionary_clear(struct obv_dictionary *dictionary)
{
    return combine_keys(dictionary, NULL, NULL, 0, OBV__OTHERS_LEAVE);
}

enum obv_status obv_dictionary_delete(struct obv_dictionary *dictionary,
                                      const void *key)
{
    return dictionary && key ? obv__keyed_combine(&dictionary->collection, &key,
                                                  NULL, 1, OBV__LISTED_LEAVE)
                             : OBV_E_ARGUMENT;
}
