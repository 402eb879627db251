/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dictionaries: a hash table of pairs. An edit of several keys is prepared,
 * which may fail; made, which may not; told; and then what has gone is given
 * back. Nothing of the dictionary is used once it has been told of, since a
 * handler may have edited it.
 */
#include "collections/collection.h"

#include <observable/dictionary.h>

struct pair {
    struct obv__entry entry; /* must stand first */
    void *key;               /* a copy */
};

static struct pair *pair_of_link(struct obv_hash_entry *link)
{
    return (struct pair *)(void *)link;
}

static const struct obv_dictionary *
dictionary_of(const struct obv_container *container)
{
    return (const struct obv_dictionary *)(const void *)container;
}

static const struct obv_key_kind *
key_kind_of(const struct obv_dictionary *dictionary)
{
    return dictionary->collection.kind->container.key;
}

static uint64_t hash_of_key(const struct obv_dictionary *dictionary,
                            const void *key)
{
    const struct obv_key_kind *kind = key_kind_of(dictionary);
    return kind->hash(kind, key);
}

static struct pair *find_in(const struct obv_dictionary *dictionary,
                            const struct obv_hash_table *table, uint64_t hash,
                            const void *key)
{
    const struct obv_key_kind *kind = key_kind_of(dictionary);
    struct obv_hash_entry *link = obv_hash_table_find(table, hash);
    while (link && !kind->equal(kind, pair_of_link(link)->key, key)) {
        link = obv_hash_table_find_next(link);
    }
    return link ? pair_of_link(link) : NULL;
}

static struct pair *find_key(const struct obv_dictionary *dictionary,
                             const void *key)
{
    return find_in(dictionary, &dictionary->table, hash_of_key(dictionary, key),
                   key);
}

/* Pairs -------------------------------------------------------------------- */

static void *copy_pair_key(const struct obv_dictionary *dictionary,
                           const void *key)
{
    const struct obv_key_kind *kind = key_kind_of(dictionary);
    const char *text = NULL;
    if (kind != &obv_text_keys) {
        return kind->copy(kind, key);
    }
    return obv_string_copy(dictionary->collection.kind->cls, key, &text) ==
                   OBV_OK
               ? (void *)(uintptr_t)text
               : NULL;
}

static void free_pair_key(const struct obv_dictionary *dictionary, void *key)
{
    const struct obv_key_kind *kind = key_kind_of(dictionary);
    if (kind == &obv_text_keys) {
        obv_string_free(dictionary->collection.kind->cls, key);
    } else {
        kind->free(kind, key);
    }
}

/* A pair without an element, or NULL. */
static struct pair *make_pair(const struct obv_dictionary *dictionary,
                              const void *key)
{
    const struct obv_collection *collection = &dictionary->collection;
    struct pair *pair = obv__collection_memory(collection, 1, sizeof *pair);
    void *copy = pair ? copy_pair_key(dictionary, key) : NULL;
    if (!copy) {
        obv__collection_free(collection->kind, pair, sizeof *pair);
        return NULL;
    }
    *pair = (struct pair){.key = copy};
    return pair;
}

static void free_pair(const struct obv_dictionary *dictionary,
                      struct pair *pair)
{
    obv__element_let_go(dictionary->collection.kind, pair->entry.element);
    free_pair_key(dictionary, pair->key);
    obv__collection_free(dictionary->collection.kind, pair, sizeof *pair);
}

/* Of those that come or go. */
static void free_pairs(const struct obv_dictionary *dictionary,
                       struct obv__entry *first)
{
    while (first) {
        struct pair *pair = pair_of_link(&first->link);
        first = first->next;
        free_pair(dictionary, pair);
    }
}

/* What a container says ---------------------------------------------------- */

static size_t count_dictionary(const struct obv_container *container)
{
    return obv_dictionary_count(dictionary_of(container));
}

static const void *find_element(const struct obv_container *container,
                                const void *key)
{
    const struct pair *pair = find_key(dictionary_of(container), key);
    return pair ? &pair->entry.element : NULL;
}

static bool next_element(const struct obv_container *container,
                         struct obv_container_cursor *cursor)
{
    struct obv_hash_entry *link =
        obv_hash_table_next(&dictionary_of(container)->table, cursor->state);
    if (link) {
        cursor->state = link;
        cursor->key = pair_of_link(link)->key;
        cursor->element = &pair_of_link(link)->entry.element;
    }
    return link != NULL;
}

static void let_go_of_dictionary(struct obv_collection *collection)
{
    struct obv_dictionary *dictionary =
        (struct obv_dictionary *)(void *)collection;
    free_pairs(dictionary, obv__entries_take(collection, &dictionary->table));
}

/* Creation ----------------------------------------------------------------- */

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
        .next = next_element};
    return obv__collection_class_make(context, kind, &access,
                                      let_go_of_dictionary, cls, error);
}

enum obv_status obv_dictionary_create(struct obv_class *cls,
                                      struct obv_dictionary **dictionary,
                                      struct obv_error *error)
{
    struct obv_collection *made = NULL;
    enum obv_status status =
        dictionary
            ? obv__collection_allocate(cls, count_dictionary, &made, error)
            : obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    if (status == OBV_OK) {
        *dictionary = (struct obv_dictionary *)(void *)made;
        obv_hash_table_init(&(*dictionary)->table);
        obv__collection_init(made, cls);
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
    const struct pair *pair =
        dictionary && key ? find_key(dictionary, key) : NULL;
    if (dictionary) {
        obv_container_tell_read(&dictionary->container);
    }
    return pair ? pair->entry.element : NULL;
}

bool obv_dictionary_has(const struct obv_dictionary *dictionary,
                        const void *key)
{
    if (dictionary) {
        obv_container_tell_read(&dictionary->container);
    }
    return dictionary && key && find_key(dictionary, key);
}

bool obv_dictionary_next(const struct obv_dictionary *dictionary,
                         struct obv_collection_cursor *cursor)
{
    struct obv_container_cursor at = {.state =
                                          (void *)(uintptr_t)cursor->state};
    obv_container_tell_read(&dictionary->container);
    bool found = next_element(&dictionary->container, &at);
    if (found) {
        cursor->state = at.state;
        cursor->key = at.key;
        cursor->element = pair_of_link(at.state)->entry.element;
    }
    return found;
}

/* Several keys at once ----------------------------------------------------- */

/* An element that comes to a key that is there; then the one that has gone. */
struct put {
    struct pair *pair;
    void *element;
};

struct merge {
    struct obv_dictionary *dictionary;
    bool is_all; /* the other keys go */
    /* Of keys that are there, each once: its pair's mark is its number, from 1
       on. */
    struct put *puts;
    size_t put_count, put_room;
    /* Pairs that come, one after the other and, of several keys, by them. */
    struct obv__entry *come, *gone;
    size_t come_count, gone_count;
    struct obv_hash_table *new_keys;
    struct obv_container_edit *edits;
    /* On the stack: of up to OBV__FEW. */
    struct put *few_puts;
    struct obv_container_edit *few_edits;
};

/* A pair that comes; NULL: no memory. */
static struct pair *make_new_pair(struct merge *merge, uint64_t hash,
                                  const void *key)
{
    struct obv_dictionary *dictionary = merge->dictionary;
    struct pair *pair = make_pair(dictionary, key);
    if (!pair) {
        return NULL;
    }
    if (merge->new_keys) {
        obv_hash_table_add(merge->new_keys,
                           obv__collection_allocator(&dictionary->collection),
                           &pair->entry.link, hash);
    }
    pair->entry.link.hash = hash;
    pair->entry.next = merge->come;
    merge->come = &pair->entry;
    merge->come_count++;
    return pair;
}

/* Where the new element of a key goes to; NULL: no memory. */
static void **place_of_key(struct merge *merge, const void *key)
{
    struct obv_dictionary *dictionary = merge->dictionary;
    uint64_t hash = hash_of_key(dictionary, key);
    struct pair *pair = find_in(dictionary, &dictionary->table, hash, key);
    if (pair) {
        if (pair->entry.mark == 0) {
            merge->puts[merge->put_count++] = (struct put){pair, NULL};
            pair->entry.mark = merge->put_count;
        }
        return &merge->puts[pair->entry.mark - 1].element;
    }
    if (merge->new_keys) {
        pair = find_in(dictionary, merge->new_keys, hash, key);
    }
    if (!pair) {
        pair = make_new_pair(merge, hash, key);
    }
    return pair ? &pair->entry.element : NULL;
}

static enum obv_status take_pairs(struct merge *merge, const void *keys,
                                  const void *elements, size_t count)
{
    const struct obv_collection *collection = &merge->dictionary->collection;
    for (size_t i = 0; i < count; i++) {
        const void *key = obv__pointer_at(keys, i);
        void *taken;
        enum obv_status status =
            key ? obv__element_take(collection->kind,
                                    obv__pointer_at(elements, i), &taken)
                : OBV_E_ARGUMENT;
        if (status != OBV_OK) {
            return status;
        }
        void **place = place_of_key(merge, key);
        obv__element_let_go(collection->kind, place ? *place : taken);
        if (!place) {
            return OBV_E_MEMORY;
        }
        *place = taken;
    }
    return OBV_OK;
}

static size_t edit_count(const struct merge *merge)
{
    return merge->gone_count + merge->put_count + merge->come_count;
}

static bool make_room_for_edits(struct merge *merge)
{
    merge->gone_count =
        merge->is_all
            ? obv_dictionary_count(merge->dictionary) - merge->put_count
            : 0;
    if (edit_count(merge) > OBV__FEW) {
        merge->edits =
            obv__collection_memory(&merge->dictionary->collection,
                                   edit_count(merge), sizeof *merge->edits);
    }
    return merge->edits != NULL;
}

/* The keys that no other edit is of. */
static void take_others_out(struct merge *merge)
{
    struct obv_hash_table *table = &merge->dictionary->table;
    struct obv_hash_entry *link = obv_hash_table_next(table, NULL);
    for (; link; link = obv_hash_table_next(table, link)) {
        struct obv__entry *entry = obv__entry_of(link);
        if (entry->mark == 0) {
            entry->next = merge->gone;
            merge->gone = entry;
        }
    }
    for (struct obv__entry *entry = merge->gone; entry; entry = entry->next) {
        obv_hash_table_take(
            table, obv__collection_allocator(&merge->dictionary->collection),
            &entry->link);
    }
}

static void forget_marks(const struct merge *merge)
{
    for (size_t i = 0; i < merge->put_count; i++) {
        merge->puts[i].pair->entry.mark = 0;
    }
}

static void empty_new_keys(struct merge *merge)
{
    if (merge->new_keys) {
        obv_hash_table_deinit(
            merge->new_keys,
            obv__collection_allocator(&merge->dictionary->collection));
    }
}

static void put_elements(struct merge *merge)
{
    for (size_t i = 0; i < merge->put_count; i++) {
        struct put *put = &merge->puts[i];
        void *old = put->pair->entry.element;
        put->pair->entry.element = put->element;
        put->element = old;
    }
}

static void add_new_keys(struct merge *merge)
{
    struct obv_dictionary *dictionary = merge->dictionary;
    while (merge->come) {
        struct obv__entry *entry = merge->come;
        merge->come = entry->next;
        entry->mark = 0;
        obv_hash_table_add(&dictionary->table,
                           obv__collection_allocator(&dictionary->collection),
                           &entry->link, entry->link.hash);
    }
}

/* In the order of `obv_dictionary_assign`: what goes, then what stays or
   comes. */
static void write_edits(struct merge *merge)
{
    struct obv_container_edit *edit = merge->edits;
    for (struct obv__entry *entry = merge->gone; entry; entry = entry->next) {
        *edit++ =
            (struct obv_container_edit){.key = pair_of_link(&entry->link)->key,
                                        .removed = 1,
                                        .old = &entry->element};
    }
    for (size_t i = 0; i < merge->put_count; i++) {
        *edit++ = (struct obv_container_edit){.key = merge->puts[i].pair->key,
                                              .removed = 1,
                                              .inserted = 1,
                                              .old = &merge->puts[i].element};
    }
    for (struct obv__entry *entry = merge->come; entry; entry = entry->next) {
        *edit++ = (struct obv_container_edit){
            .key = pair_of_link(&entry->link)->key, .inserted = 1};
    }
}

/* Afterwards `come` are none, and the elements of `puts` have gone. */
static void make_merge(struct merge *merge)
{
    empty_new_keys(merge);
    if (merge->is_all) {
        take_others_out(merge);
    }
    forget_marks(merge);
    put_elements(merge);
    write_edits(merge);
    add_new_keys(merge);
    obv__collection_tell(&merge->dictionary->collection, merge->edits,
                         edit_count(merge));
}

/* What has gone; of one that has failed, what should have come. */
static void end_merge(struct merge *merge)
{
    struct obv_collection *collection = &merge->dictionary->collection;
    for (size_t i = 0; i < merge->put_count; i++) {
        obv__element_let_go(collection->kind, merge->puts[i].element);
    }
    free_pairs(merge->dictionary, merge->gone);
    free_pairs(merge->dictionary, merge->come);
    if (merge->edits && merge->edits != merge->few_edits) {
        obv__collection_free(collection->kind, merge->edits,
                             edit_count(merge) * sizeof *merge->edits);
    }
    if (merge->puts != merge->few_puts) {
        obv__collection_free(collection->kind, merge->puts,
                             merge->put_room * sizeof *merge->puts);
    }
}

/* The dictionary is held. */
static enum obv_status merge_held(struct merge *merge, const void *keys,
                                  const void *elements, size_t count)
{
    enum obv_status status = take_pairs(merge, keys, elements, count);
    if (status == OBV_OK && !make_room_for_edits(merge)) {
        status = OBV_E_MEMORY;
    }
    if (status == OBV_OK) {
        make_merge(merge);
    } else {
        forget_marks(merge);
        empty_new_keys(merge);
    }
    end_merge(merge);
    return status;
}

static enum obv_status merge_pairs(struct obv_dictionary *dictionary,
                                   const void *keys, const void *elements,
                                   size_t count, bool is_all)
{
    if (!dictionary || (count != 0 && (!keys || !elements))) {
        return OBV_E_ARGUMENT;
    }
    if (dictionary->collection.derivation) {
        return OBV_E_DERIVED;
    }
    if (!obv__collection_hold(&dictionary->collection)) {
        return OBV_E_ENDED;
    }
    struct put few_puts[OBV__FEW];
    struct obv_container_edit few_edits[OBV__FEW];
    struct obv_hash_table new_keys;
    struct merge merge = {.dictionary = dictionary,
                          .is_all = is_all,
                          .puts = few_puts,
                          .put_room = count,
                          .edits = few_edits,
                          .few_puts = few_puts,
                          .few_edits = few_edits};
    enum obv_status status = OBV_E_MEMORY;
    if (count > 1) { /* one cannot stand there twice */
        obv_hash_table_init(&new_keys);
        merge.new_keys = &new_keys;
    }
    if (count > OBV__FEW) {
        merge.puts = obv__collection_memory(&dictionary->collection, count,
                                            sizeof *merge.puts);
    }
    if (merge.puts) {
        status = merge_held(&merge, keys, elements, count);
    }
    obv_dictionary_release(dictionary);
    return status;
}

enum obv_status obv_dictionary_merge(struct obv_dictionary *dictionary,
                                     const void *keys, const void *elements,
                                     size_t count)
{
    return merge_pairs(dictionary, keys, elements, count, false);
}

enum obv_status obv_dictionary_assign(struct obv_dictionary *dictionary,
                                      const void *keys, const void *elements,
                                      size_t count)
{
    return merge_pairs(dictionary, keys, elements, count, true);
}

enum obv_status obv_dictionary_clear(struct obv_dictionary *dictionary)
{
    return merge_pairs(dictionary, NULL, NULL, 0, true);
}

enum obv_status obv_dictionary_put(struct obv_dictionary *dictionary,
                                   const void *key, const void *element)
{
    return merge_pairs(dictionary, &key, &element, 1, false);
}

enum obv_status obv_dictionary_delete(struct obv_dictionary *dictionary,
                                      const void *key)
{
    if (!dictionary || !key) {
        return OBV_E_ARGUMENT;
    }
    if (dictionary->collection.derivation) {
        return OBV_E_DERIVED;
    }
    if (!obv__collection_hold(&dictionary->collection)) {
        return OBV_E_ENDED;
    }
    struct obv_collection *collection = &dictionary->collection;
    struct pair *pair = find_key(dictionary, key);
    if (pair) {
        const struct obv_container_edit told = {
            .key = pair->key, .removed = 1, .old = &pair->entry.element};
        obv_hash_table_take(&dictionary->table,
                            obv__collection_allocator(collection),
                            &pair->entry.link);
        obv__collection_tell(collection, &told, 1);
        free_pair(dictionary, pair);
    }
    obv_dictionary_release(dictionary);
    return OBV_OK;
}

enum obv_status obv_dictionary_copy(const struct obv_dictionary *dictionary,
                                    struct obv_dictionary **copy,
                                    struct obv_error *error)
{
    struct obv_collection_cursor cursor = {.state = NULL};
    struct obv_dictionary *made = NULL;
    enum obv_status status =
        dictionary && copy
            ? obv_dictionary_create(dictionary->collection.kind->cls, &made,
                                    error)
            : obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    if (status != OBV_OK) {
        return status;
    }
    while (status == OBV_OK && obv_dictionary_next(dictionary, &cursor)) {
        status = obv_dictionary_put(made, cursor.key, cursor.element);
    }
    if (status != OBV_OK) {
        obv_dictionary_release(made);
        return obv__fail(error, status, obv_status_text(status));
    }
    *copy = made;
    return OBV_OK;
}

/* A derived dictionary ----------------------------------------------------- */

struct obv__entry *
obv__dictionary_make_pair(const struct obv_dictionary *dictionary,
                          const void *key, void *object)
{
    struct pair *pair = make_pair(dictionary, key);
    if (!pair) {
        return NULL;
    }
    pair->entry.link.hash = hash_of_key(dictionary, key);
    /* It is alive: the caller holds it. */
    (void)obv__element_take(dictionary->collection.kind, object,
                            &pair->entry.element);
    return &pair->entry;
}

void obv__dictionary_free_pair(const struct obv_dictionary *dictionary,
                               struct obv__entry *pair)
{
    free_pair(dictionary, pair_of_link(&pair->link));
}

void obv__dictionary_take_pair(struct obv_dictionary *dictionary,
                               struct obv__entry *pair,
                               struct obv_container_edit *told)
{
    obv_hash_table_take(&dictionary->table,
                        obv__collection_allocator(&dictionary->collection),
                        &pair->link);
    *told = (struct obv_container_edit){.key = pair_of_link(&pair->link)->key,
                                        .removed = 1,
                                        .old = &pair->element};
}

void obv__dictionary_put_pair(struct obv_dictionary *dictionary,
                              struct obv__entry *pair,
                              struct obv_container_edit *told)
{
    obv_hash_table_add(&dictionary->table,
                       obv__collection_allocator(&dictionary->collection),
                       &pair->link, pair->link.hash);
    *told = (struct obv_container_edit){.key = pair_of_link(&pair->link)->key,
                                        .inserted = 1};
}
