/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keyed collections.
 */
#include "collections/keyed.h"

#include <observable/dictionary.h>
#include <observable/set.h>

#include <string.h>

_Static_assert(offsetof(struct obv_dictionary, table) ==
                       sizeof(struct obv_collection) &&
                   offsetof(struct obv_set, table) ==
                       sizeof(struct obv_collection),
               "the table stands behind the collection");

/* Keys --------------------------------------------------------------------- */

/* NULL: of a set. */
static const struct obv_key_kind *
keys_of(const struct obv_collection *collection)
{
    return collection->kind->container.key;
}

static struct obv__pair *keyed_pair_of(struct obv__entry *entry)
{
    return (struct obv__pair *)(void *)entry;
}

uint64_t obv__keyed_hash(const struct obv_collection *collection,
                         const void *key)
{
    const struct obv_key_kind *keys = keys_of(collection);
    return keys
               ? keys->hash(keys, key)
               : collection->kind->container.hash(&collection->container, &key);
}

static bool is_key_of(const struct obv_collection *collection,
                      struct obv__entry *entry, const void *key)
{
    const struct obv_key_kind *keys = keys_of(collection);
    const struct obv_collection_kind *kind = collection->kind->kind;
    if (keys) {
        return keys->equal(keys, keyed_pair_of(entry)->key, key);
    }
    if (kind->equal) {
        return kind->equal(&entry->element, &key);
    }
    return entry->element == key || (kind->element == OBV_KIND_string &&
                                     strcmp(entry->element, key) == 0);
}

static struct obv__entry *find_in(const struct obv_collection *collection,
                                  const struct obv_hash_table *table,
                                  uint64_t hash, const void *key)
{
    struct obv_hash_entry *link = obv__hash_table_find(table, hash);
    while (link && !is_key_of(collection, obv__entry_of(link), key)) {
        link = obv__hash_table_find_next(link);
    }
    return link ? obv__entry_of(link) : NULL;
}

struct obv__entry *obv__keyed_find(const struct obv_collection *collection,
                                   const void *key)
{
    return find_in(collection, obv__keyed_table(collection),
                   obv__keyed_hash(collection, key), key);
}

static void *copy_dictionary_key(const struct obv_collection *collection,
                                 const void *key)
{
    const struct obv_key_kind *keys = keys_of(collection);
    const char *text = NULL;
    if (keys != &obv_text_keys) {
        return keys->copy(keys, key);
    }
    return obv_string_copy(collection->kind->cls, key, &text) == OBV_OK
               ? (void *)(uintptr_t)text
               : NULL;
}

static void free_dictionary_key(const struct obv_collection *collection,
                                void *key)
{
    const struct obv_key_kind *keys = keys_of(collection);
    if (keys == &obv_text_keys) {
        obv_string_free(collection->kind->cls, key);
    } else {
        keys->free(keys, key);
    }
}

/* Entries ------------------------------------------------------------------ */

static size_t keyed_entry_size(const struct obv_collection *collection)
{
    return keys_of(collection) ? sizeof(struct obv__pair)
                               : sizeof(struct obv__entry);
}

struct obv__entry *obv__keyed_make(const struct obv_collection *collection,
                                   const void *key)
{
    size_t size = keyed_entry_size(collection);
    struct obv__entry *entry = obv__collection_memory(collection, 1, size);
    if (!entry) {
        return NULL;
    }
    memset(entry, 0, size);
    if (keys_of(collection)) {
        keyed_pair_of(entry)->key = copy_dictionary_key(collection, key);
        if (!keyed_pair_of(entry)->key) {
            obv__collection_free(collection->kind, entry, size);
            return NULL;
        }
    }
    return entry;
}

void obv__keyed_free(const struct obv_collection *collection,
                     struct obv__entry *entry)
{
    obv__element_let_go(collection->kind, entry->element);
    if (keys_of(collection)) {
        free_dictionary_key(collection, keyed_pair_of(entry)->key);
    }
    obv__collection_free(collection->kind, entry, keyed_entry_size(collection));
}

/* Of those that enter or leave. */
static void free_keyed_entries(const struct obv_collection *collection,
                               struct obv__entry *first)
{
    while (first) {
        struct obv__entry *entry = first;
        first = first->next;
        obv__keyed_free(collection, entry);
    }
}

struct obv_container_edit
obv__keyed_edit(const struct obv_collection *collection,
                struct obv__entry *entry, bool enters)
{
    bool is_set = !keys_of(collection);
    return (struct obv_container_edit){
        .key =
            is_set ? (const void *)&entry->element : keyed_pair_of(entry)->key,
        .removed = !enters,
        .inserted = enters,
        .old = enters || is_set ? NULL : &entry->element};
}

/* Edits -------------------------------------------------------------------- */

/* A listed key that is there, and the element that comes to it; once the edit is
   made, the one that has gone. */
struct listed {
    struct obv__entry *entry;
    void *element;
};

struct combining {
    struct obv_collection *collection;
    unsigned how;
    bool replaces; /* listed keys that are there get other elements */
    /* Each once: the mark of its entry is its number, from 1 on. */
    struct listed *listed;
    size_t listed_count;
    /* Entries that enter, one behind the other and, of several keys, by
       them. */
    struct obv__entry *come, *gone;
    size_t come_count, gone_count;
    struct obv_hash_table *new_keys;
    struct obv_container_edit *edits;
};

static struct obv__entry *make_new_entry(struct combining *combining,
                                         uint64_t hash, const void *key)
{
    struct obv__entry *entry = obv__keyed_make(combining->collection, key);
    if (entry) {
        if (combining->new_keys) {
            obv__hash_table_add(
                combining->new_keys,
                obv__collection_allocator(combining->collection), &entry->link,
                hash);
        }
        entry->link.hash = hash;
        entry->next = combining->come;
        combining->come = entry;
        combining->come_count++;
    }
    return entry;
}

/* A listed key; `place` receives where its element is to go, NULL: nowhere. */
static enum obv_status list_key(struct combining *combining, const void *key,
                                void ***place)
{
    const struct obv_collection *collection = combining->collection;
    uint64_t hash = obv__keyed_hash(collection, key);
    struct obv__entry *entry =
        find_in(collection, obv__keyed_table(collection), hash, key);
    *place = NULL;
    if (entry) {
        if (entry->mark == 0) {
            combining->listed[combining->listed_count++].entry = entry;
            entry->mark = combining->listed_count;
        }
        *place = combining->replaces
                     ? &combining->listed[entry->mark - 1].element
                     : NULL;
        return OBV_OK;
    }
    if (!(combining->how & OBV__NEW_ENTER)) {
        return OBV_OK;
    }
    if (combining->new_keys) {
        entry = find_in(collection, combining->new_keys, hash, key);
    }
    bool is_known = entry != NULL;
    entry = is_known ? entry : make_new_entry(combining, hash, key);
    if (entry && (!is_known || combining->replaces)) {
        *place = &entry->element;
    }
    return entry ? OBV_OK : OBV_E_MEMORY;
}

static enum obv_status take_keys(struct combining *combining, const void *keys,
                                 const void *elements, size_t count)
{
    const struct obv_collection *collection = combining->collection;
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && i < count; i++) {
        const void *key = obv__pointer_at(keys, i);
        void **place = NULL, *taken;
        status = key ? list_key(combining, key, &place) : OBV_E_ARGUMENT;
        if (!place) {
            continue;
        }
        status = obv__element_take(
            collection->kind, elements ? obv__pointer_at(elements, i) : key,
            &taken);
        if (status == OBV_OK) {
            obv__element_let_go(collection->kind, *place);
            *place = taken;
        }
    }
    return status;
}

static size_t edit_count(const struct combining *combining)
{
    return combining->gone_count + combining->come_count +
           (combining->replaces ? combining->listed_count : 0);
}

static void let_leave(struct combining *combining, struct obv__entry *entry)
{
    entry->next = combining->gone;
    combining->gone = entry;
}

static void forget_marks(const struct combining *combining)
{
    for (size_t i = 0; i < combining->listed_count; i++) {
        combining->listed[i].entry->mark = 0;
    }
}

/* Takes out what leaves; the marks are forgotten. */
static void take_out(struct combining *combining)
{
    struct obv_hash_table *table = obv__keyed_table(combining->collection);
    struct obv_hash_entry *link = combining->how & OBV__OTHERS_LEAVE
                                      ? obv__hash_table_next(table, NULL)
                                      : NULL;
    for (; link; link = obv__hash_table_next(table, link)) {
        if (obv__entry_of(link)->mark == 0) {
            let_leave(combining, obv__entry_of(link));
        }
    }
    forget_marks(combining);
    for (size_t i = 0;
         combining->how & OBV__LISTED_LEAVE && i < combining->listed_count;
         i++) {
        let_leave(combining, combining->listed[i].entry);
    }
    for (struct obv__entry *entry = combining->gone; entry;
         entry = entry->next) {
        obv__hash_table_take(table,
                             obv__collection_allocator(combining->collection),
                             &entry->link);
    }
}

static void replace_elements(struct combining *combining)
{
    for (size_t i = 0; combining->replaces && i < combining->listed_count;
         i++) {
        struct listed *listed = &combining->listed[i];
        void *old = listed->entry->element;
        listed->entry->element = listed->element;
        listed->element = old;
    }
}

/* First what leaves, then what is replaced, then what enters. */
static void write_edits(const struct combining *combining)
{
    const struct obv_collection *collection = combining->collection;
    struct obv_container_edit *edit = combining->edits;
    struct obv__entry *entry = combining->gone;
    for (; entry; entry = entry->next) {
        *edit++ = obv__keyed_edit(collection, entry, false);
    }
    for (size_t i = 0; combining->replaces && i < combining->listed_count;
         i++, edit++) {
        *edit = obv__keyed_edit(collection, combining->listed[i].entry, true);
        edit->removed = 1;
        edit->old = &combining->listed[i].element;
    }
    for (entry = combining->come; entry; entry = entry->next) {
        *edit++ = obv__keyed_edit(collection, entry, true);
    }
}

static void put_in(struct combining *combining)
{
    const struct obv_collection *collection = combining->collection;
    while (combining->come) {
        struct obv__entry *entry = combining->come;
        combining->come = entry->next;
        entry->mark = 0;
        obv__hash_table_add(obv__keyed_table(collection),
                            obv__collection_allocator(collection), &entry->link,
                            entry->link.hash);
    }
}

static void empty_new_keys(struct combining *combining)
{
    if (combining->new_keys) {
        obv__hash_table_deinit(combining->new_keys, obv__collection_allocator(
                                                        combining->collection));
    }
}

/* What has left; of one that has failed, what should have entered. */
static void end_combining(struct combining *combining)
{
    const struct obv_collection *collection = combining->collection;
    for (size_t i = 0; i < combining->listed_count; i++) {
        obv__element_let_go(collection->kind, combining->listed[i].element);
    }
    free_keyed_entries(collection, combining->gone);
    free_keyed_entries(collection, combining->come);
}

/* Room for the edits: on the stack for a few. */
static bool make_room_for_edits(struct combining *combining)
{
    size_t listed = combining->listed_count;
    size_t others = obv__keyed_table(combining->collection)->count - listed;
    combining->gone_count = (combining->how & OBV__LISTED_LEAVE ? listed : 0) +
                            (combining->how & OBV__OTHERS_LEAVE ? others : 0);
    if (edit_count(combining) > OBV__FEW) {
        combining->edits =
            obv__collection_memory(combining->collection, edit_count(combining),
                                   sizeof *combining->edits);
    }
    return combining->edits != NULL;
}

/* The collection is held. */
static enum obv_status combine_held(struct combining *combining,
                                    const void *keys, const void *elements,
                                    size_t count)
{
    struct obv_container_edit few[OBV__FEW];
    combining->edits = few;
    enum obv_status status = take_keys(combining, keys, elements, count);
    if (status == OBV_OK && !make_room_for_edits(combining)) {
        status = OBV_E_MEMORY;
    }
    empty_new_keys(combining);
    if (status == OBV_OK) {
        size_t edits = edit_count(combining);
        take_out(combining);
        replace_elements(combining);
        write_edits(combining);
        put_in(combining);
        obv__collection_tell(combining->collection, combining->edits, edits);
        end_combining(combining);
        if (combining->edits != few) {
            obv__collection_free(combining->collection->kind, combining->edits,
                                 edits * sizeof *combining->edits);
        }
    } else {
        forget_marks(combining);
        end_combining(combining);
    }
    return status;
}

enum obv_status obv__keyed_combine(struct obv_collection *collection,
                                   const void *keys, const void *elements,
                                   size_t count, unsigned how)
{
    if (!obv__collection_hold(collection)) {
        return OBV_E_ENDED;
    }
    struct listed few[OBV__FEW];
    struct obv_hash_table new_keys;
    struct combining combining = {.collection = collection,
                                  .how = how,
                                  .replaces = elements != NULL,
                                  .listed = few};
    enum obv_status status = OBV_E_MEMORY;
    if (count > 1) { /* one cannot stand there twice */
        obv__hash_table_init(&new_keys);
        combining.new_keys = &new_keys;
    }
    if (count > OBV__FEW) {
        combining.listed =
            obv__collection_memory(collection, count, sizeof *combining.listed);
    }
    if (combining.listed) {
        memset(combining.listed, 0,
               (count > OBV__FEW ? count : OBV__FEW) *
                   sizeof *combining.listed);
        status = combine_held(&combining, keys, elements, count);
    }
    if (combining.listed != few) {
        obv__collection_free(collection->kind, combining.listed,
                             count * sizeof *combining.listed);
    }
    obv__collection_release(collection);
    return status;
}

enum obv_status obv__keyed_copy(const struct obv_collection *from,
                                struct obv_collection *into)
{
    struct obv_collection_cursor cursor = {.state = NULL};
    bool is_set = !keys_of(from);
    enum obv_status status = OBV_OK;
    while (status == OBV_OK && obv__keyed_walk(from, &cursor)) {
        status = obv__keyed_combine(
            into, is_set ? (const void *)&cursor.element : &cursor.key,
            is_set ? NULL : &cursor.element, 1, OBV__NEW_ENTER);
    }
    return status;
}

/* What a container says ---------------------------------------------------- */

bool obv__keyed_element_next(const struct obv_container *container,
                             struct obv_container_cursor *cursor)
{
    const struct obv_collection *collection =
        (const struct obv_collection *)(const void *)container;
    struct obv_hash_entry *link =
        obv__hash_table_next(obv__keyed_table(collection), cursor->state);
    if (link) {
        cursor->state = link;
        cursor->key = keys_of(collection)
                          ? keyed_pair_of(obv__entry_of(link))->key
                          : NULL;
        cursor->element = &obv__entry_of(link)->element;
    }
    return link != NULL;
}

bool obv__keyed_walk(const struct obv_collection *collection,
                     struct obv_collection_cursor *cursor)
{
    struct obv_container_cursor at = {.state =
                                          (void *)(uintptr_t)cursor->state};
    obv_container_tell_read(&collection->container);
    bool found = obv__keyed_element_next(&collection->container, &at);
    if (found) {
        cursor->state = at.state;
        cursor->key = at.key;
        cursor->element = obv__entry_of(at.state)->element;
    }
    return found;
}

void obv__keyed_let_go(struct obv_collection *collection)
{
    struct obv_hash_table *table = obv__keyed_table(collection);
    struct obv_hash_entry *link = obv__hash_table_next(table, NULL);
    struct obv__entry *first = NULL;
    for (; link; link = obv__hash_table_next(table, link)) {
        obv__entry_of(link)->next = first;
        first = obv__entry_of(link);
    }
    obv__hash_table_deinit(table, obv__collection_allocator(collection));
    free_keyed_entries(collection, first);
}
