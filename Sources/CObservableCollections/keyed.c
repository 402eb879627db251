/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dictionaries and sets: hash tables of entries; a set is a dictionary whose keys
 * are its elements.
 *
 * One function, combine_keys(), makes every edit from a list of keys. Its flags
 * say whether entries with listed keys leave, whether other entries leave, and
 * whether listed keys that are not there enter. The edit is prepared, which may
 * fail; made, which cannot fail; told; then the entries that left are freed.
 * The collection is not used after telling, since a handler may have edited it.
 */
#include "collection.h"

#include <observable/dictionary.h>
#include <observable/set.h>

#include <string.h>

_Static_assert(offsetof(struct obv_dictionary, table) ==
                       sizeof(struct obv_collection) &&
                   offsetof(struct obv_set, table) ==
                       sizeof(struct obv_collection),
               "the table stands behind the collection");

/* An entry; of a dictionary the beginning of a struct obv__pair. */
struct obv__entry {
    struct obv_hash_entry link; /* must stand first */
    void *element;
    union {
        size_t mark;             /* its number in `listed` in an edit, else 0 */
        struct obv__entry *next; /* of entries taken out of the table */
    };
};

struct obv__pair {
    struct obv__entry entry; /* must stand first */
    void *key;               /* a copy */
};

static inline struct obv__entry *obv__entry_of(struct obv_hash_entry *link)
{
    return (struct obv__entry *)(void *)link;
}

/* Keys --------------------------------------------------------------------- */

/* The kind of a dictionary's keys; NULL: the collection is a set. */
static const struct obv_key_kind *
keys_of(const struct obv_collection *collection)
{
    return collection->kind->container.key;
}

static struct obv__pair *keyed_pair_of(struct obv__entry *entry)
{
    return (struct obv__pair *)(void *)entry;
}

static uint64_t hash_of_key(const struct obv_collection *collection,
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
                                  uint64_t hash, const void *key)
{
    struct obv_hash_entry *link =
        obv__hash_table_find(obv__keyed_table(collection), hash);
    while (link && !is_key_of(collection, obv__entry_of(link), key)) {
        link = obv__hash_table_find_next(link);
    }
    return link ? obv__entry_of(link) : NULL;
}

static struct obv__entry *find_entry(const struct obv_collection *collection,
                                     const void *key)
{
    return find_in(collection, hash_of_key(collection, key), key);
}

/* Copies a dictionary's key, and frees a copy; NULL: no memory. Text keys have
   no functions of their own for that. */
static void *copy_key(const struct obv_collection *collection, const void *key)
{
    const struct obv_key_kind *keys = keys_of(collection);
    const char *text = NULL;
    if (keys->copy) {
        return keys->copy(keys, key);
    }
    enum obv_status status = obv_string_copy(collection->kind->cls, key, &text);
    return status == OBV_OK ? (void *)(uintptr_t)text : NULL;
}

static void free_key_copy(const struct obv_collection *collection, void *key)
{
    const struct obv_key_kind *keys = keys_of(collection);
    if (keys->free) {
        keys->free(keys, key);
    } else {
        obv_string_free(collection->kind->cls, key);
    }
}

/* Entries ------------------------------------------------------------------ */

static size_t keyed_entry_size(const struct obv_collection *collection)
{
    return keys_of(collection) ? sizeof(struct obv__pair)
                               : sizeof(struct obv__entry);
}

/* A new entry, in no table and without an element; NULL: no memory. */
static struct obv__entry *make_entry(const struct obv_collection *collection,
                                     const void *key)
{
    size_t size = keyed_entry_size(collection);
    struct obv__entry *entry = obv__collection_memory(collection, 1, size);
    if (!entry) {
        return NULL;
    }
    memset(entry, 0, size);
    if (keys_of(collection)) {
        keyed_pair_of(entry)->key = copy_key(collection, key);
        if (!keyed_pair_of(entry)->key) {
            obv__collection_free(collection->kind, entry, size);
            return NULL;
        }
    }
    return entry;
}

static void free_entry(const struct obv_collection *collection,
                       struct obv__entry *entry)
{
    obv__element_let_go(collection->kind, entry->element);
    if (keys_of(collection)) {
        free_key_copy(collection, keyed_pair_of(entry)->key);
    }
    obv__collection_free(collection->kind, entry, keyed_entry_size(collection));
}

/* Frees a list of entries. */
static void free_keyed_entries(const struct obv_collection *collection,
                               struct obv__entry *first)
{
    while (first) {
        struct obv__entry *entry = first;
        first = first->next;
        free_entry(collection, entry);
    }
}

/* The edit that tells that an entry enters, or leaves. */
static struct obv_container_edit
keyed_edit(const struct obv_collection *collection, struct obv__entry *entry,
           bool enters)
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

/* The entry of a listed key with its new element; once the edit is made, with
   the element that it replaced. */
struct listed {
    struct obv__entry *entry;
    void *element;
    bool is_new; /* the key was not there; the table has the entry already */
};

struct combining {
    struct obv_collection *collection;
    unsigned how;  /* enum obv_set_combination */
    bool replaces; /* listed keys that are there get other elements */
    /* Each key once; its entry's mark is its number here, from 1 on. */
    struct listed *listed;
    size_t listed_count, new_count;
    struct obv__entry *gone; /* entries that leave */
    struct obv_container_edit *edits;
    size_t edit_count;
};

/* Lists a key that is there or is to enter; `is_first`: it was not listed
   before. NULL: the key is neither, or there is no memory (`status`). */
static struct listed *list_key(struct combining *combining, const void *key,
                               bool *is_first, enum obv_status *status)
{
    const struct obv_collection *collection = combining->collection;
    uint64_t hash = hash_of_key(collection, key);
    struct obv__entry *entry = find_in(collection, hash, key);
    bool is_new = !entry && (combining->how & OBV_SET_NEW_ENTER);
    if (is_new) {
        entry = make_entry(collection, key);
        if (!entry) {
            *status = OBV_E_MEMORY;
            return NULL;
        }
        obv__hash_table_add(obv__keyed_table(collection),
                            obv__collection_allocator(collection), &entry->link,
                            hash);
        combining->new_count++;
    }
    if (!entry) {
        return NULL;
    }
    *is_first = entry->mark == 0;
    if (*is_first) {
        combining->listed[combining->listed_count++] =
            (struct listed){entry, NULL, is_new};
        entry->mark = combining->listed_count;
    }
    return &combining->listed[entry->mark - 1];
}

static enum obv_status take_keys(struct combining *combining, const void *keys,
                                 const void *elements, size_t count)
{
    const struct obv_collection_class *cls = combining->collection->kind;
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && i < count; i++) {
        const void *key = obv__pointer_at(keys, i);
        bool is_first = false;
        void *taken;
        status = key ? OBV_OK : OBV_E_ARGUMENT;
        struct listed *listed =
            key ? list_key(combining, key, &is_first, &status) : NULL;
        if (listed && (combining->replaces || (listed->is_new && is_first))) {
            status = obv__element_take(
                cls, elements ? obv__pointer_at(elements, i) : key, &taken);
            void **place =
                listed->is_new ? &listed->entry->element : &listed->element;
            if (status == OBV_OK) {
                obv__element_let_go(cls, *place);
                *place = taken;
            }
        }
    }
    return status;
}

static bool leaves(const struct combining *combining,
                   const struct listed *listed)
{
    return !listed->is_new && (combining->how & OBV_SET_LISTED_LEAVE);
}

/* Room for the edits: on the stack for a few. */
static bool make_room_for_edits(struct combining *combining)
{
    size_t listed = combining->listed_count;
    size_t others = obv__keyed_table(combining->collection)->count - listed;
    combining->edit_count =
        combining->new_count +
        (combining->how & OBV_SET_OTHERS_LEAVE ? others : 0) +
        (combining->replaces || combining->how & OBV_SET_LISTED_LEAVE
             ? listed - combining->new_count
             : 0);
    if (combining->edit_count > OBV__FEW) {
        combining->edits =
            obv__collection_memory(combining->collection, combining->edit_count,
                                   sizeof *combining->edits);
    }
    return combining->edits != NULL;
}

static void let_leave(struct combining *combining, struct obv__entry *entry)
{
    entry->next = combining->gone;
    combining->gone = entry;
}

/* Takes entries out of the table into `gone`, and clears the marks. `is_made`:
   the entries that leave; else the new ones, since the edit is given up. */
static void choose_leaving(struct combining *combining, bool is_made)
{
    struct obv_hash_table *table = obv__keyed_table(combining->collection);
    struct obv_hash_entry *link =
        is_made && (combining->how & OBV_SET_OTHERS_LEAVE)
            ? obv__hash_table_next(table, NULL)
            : NULL;
    for (; link; link = obv__hash_table_next(table, link)) {
        if (obv__entry_of(link)->mark == 0) {
            let_leave(combining, obv__entry_of(link));
        }
    }
    for (size_t i = 0; i < combining->listed_count; i++) {
        struct listed *listed = &combining->listed[i];
        listed->entry->mark = 0;
        if (is_made ? leaves(combining, listed) : listed->is_new) {
            let_leave(combining, listed->entry);
        }
    }
    for (struct obv__entry *entry = combining->gone; entry;
         entry = entry->next) {
        obv__hash_table_take(table,
                             obv__collection_allocator(combining->collection),
                             &entry->link);
    }
}

/* The order of telling: leaving, replaced, entering. */
static void make_edits(struct combining *combining)
{
    const struct obv_collection *collection = combining->collection;
    struct obv_container_edit *edit = combining->edits;
    struct obv_container_edit *enters =
        edit + (combining->edit_count - combining->new_count);
    choose_leaving(combining, true);
    for (struct obv__entry *entry = combining->gone; entry;
         entry = entry->next) {
        *edit++ = keyed_edit(collection, entry, false);
    }
    for (size_t i = 0; i < combining->listed_count; i++) {
        struct listed *listed = &combining->listed[i];
        void *old = listed->entry->element;
        if (listed->is_new) {
            *enters++ = keyed_edit(collection, listed->entry, true);
        } else if (combining->replaces) {
            listed->entry->element = listed->element;
            listed->element = old;
            *edit = keyed_edit(collection, listed->entry, true);
            edit->removed = 1;
            edit++->old = &listed->element;
        }
    }
}

/*
 * One edit of several keys.
 *
 * @param keys      `count` pointers: keys; of a set the elements.
 * @param elements  of a dictionary into which keys enter, as many; else NULL.
 */
static enum obv_status combine_keys(struct obv_collection *collection,
                                    const void *keys, const void *elements,
                                    size_t count, unsigned how)
{
    if (!obv__collection_hold(&collection->container.object)) {
        return OBV_E_ENDED;
    }
    struct listed few[OBV__FEW];
    struct obv_container_edit few_edits[OBV__FEW];
    struct combining combining = {.collection = collection,
                                  .how = how,
                                  .replaces = elements != NULL,
                                  .listed = few,
                                  .edits = few_edits};
    if (count > OBV__FEW) {
        combining.listed =
            obv__collection_memory(collection, count, sizeof *combining.listed);
    }
    enum obv_status status = combining.listed
                                 ? take_keys(&combining, keys, elements, count)
                                 : OBV_E_MEMORY;
    if (status == OBV_OK && !make_room_for_edits(&combining)) {
        status = OBV_E_MEMORY;
    }
    if (status == OBV_OK) {
        make_edits(&combining);
        obv__collection_tell(collection, combining.edits, combining.edit_count);
    } else {
        choose_leaving(&combining, false);
    }
    for (size_t i = 0; i < combining.listed_count; i++) {
        obv__element_let_go(collection->kind, combining.listed[i].element);
    }
    free_keyed_entries(collection, combining.gone);
    if (combining.edits != few_edits) {
        obv__collection_free(collection->kind, combining.edits,
                             combining.edit_count * sizeof *combining.edits);
    }
    if (combining.listed != few) {
        obv__collection_free(collection->kind, combining.listed,
                             count * sizeof *combining.listed);
    }
    obv__collection_release(&collection->container.object);
    return status;
}

/* A container's answers ---------------------------------------------------- */

static size_t count_keyed(const struct obv_container *container)
{
    return obv__keyed_table(
               (const struct obv_collection *)(const void *)container)
        ->count;
}

static bool next_entry(const struct obv_container *container,
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

static bool walk_keyed(const struct obv_collection *collection,
                       struct obv_collection_cursor *cursor)
{
    struct obv_container_cursor at = {.state =
                                          (void *)(uintptr_t)cursor->state};
    obv_container_tell_read(&collection->container);
    bool found = next_entry(&collection->container, &at);
    if (found) {
        cursor->state = at.state;
        cursor->key = at.key;
        cursor->element = obv__entry_of(at.state)->element;
    }
    return found;
}

enum obv_status obv__keyed_fill(const struct obv_collection *from,
                                struct obv_collection *into)
{
    struct obv_collection_cursor cursor = {.state = NULL};
    bool is_set = !keys_of(from);
    enum obv_status status = OBV_OK;
    while (status == OBV_OK && walk_keyed(from, &cursor)) {
        status = combine_keys(
            into, is_set ? (const void *)&cursor.element : &cursor.key,
            is_set ? NULL : &cursor.element, 1, OBV_SET_NEW_ENTER);
    }
    return status;
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

/* Dictionaries ------------------------------------------------------------- */

static struct obv__entry *
find_in_dictionary(const struct obv_dictionary *dictionary, const void *key)
{
    if (key) {
        obv_container_tell_read_key(&dictionary->container, key);
    }
    return key ? find_entry(&dictionary->collection, key) : NULL;
}

static const void *find_element(const struct obv_container *container,
                                const void *key)
{
    const struct obv__entry *entry =
        find_entry((const struct obv_collection *)(const void *)container, key);
    return entry ? &entry->element : NULL;
}

enum obv_status
obv_dictionary_class_create(struct obv_context *context,
                            const struct obv_collection_kind *kind,
                            struct obv_class **cls, struct obv_error *error)
{
    const struct obv_container_kind access = {
        .instance_size = sizeof(struct obv_dictionary),
        .count = count_keyed,
        .key = kind && kind->key ? kind->key : &obv_text_keys,
        .find = find_element,
        .next = next_entry};
    return obv__collection_class_make(OBV_COLLECTION_DICTIONARY, context, kind,
                                      &access, cls, error);
}

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
    return walk_keyed(&dictionary->collection, cursor);
}

static enum obv_status combine_pairs(struct obv_dictionary *dictionary,
                                     const void *keys, const void *elements,
                                     size_t count, unsigned how)
{
    if (!dictionary || (count != 0 && (!keys || !elements))) {
        return OBV_E_ARGUMENT;
    }
    return combine_keys(&dictionary->collection, keys, elements, count, how);
}

enum obv_status obv_dictionary_put(struct obv_dictionary *dictionary,
                                   const void *key, const void *element)
{
    return combine_pairs(dictionary, &key, &element, 1, OBV_SET_NEW_ENTER);
}

enum obv_status obv_dictionary_merge(struct obv_dictionary *dictionary,
                                     const void *keys, const void *elements,
                                     size_t count)
{
    return combine_pairs(dictionary, keys, elements, count, OBV_SET_NEW_ENTER);
}

enum obv_status obv_dictionary_assign(struct obv_dictionary *dictionary,
                                      const void *keys, const void *elements,
                                      size_t count)
{
    return combine_pairs(dictionary, keys, elements, count,
                         OBV_SET_OTHERS_LEAVE | OBV_SET_NEW_ENTER);
}

enum obv_status obv_dictionary_clear(struct obv_dictionary *dictionary)
{
    return combine_pairs(dictionary, NULL, NULL, 0, OBV_SET_OTHERS_LEAVE);
}

enum obv_status obv_dictionary_delete(struct obv_dictionary *dictionary,
                                      const void *key)
{
    return dictionary && key ? combine_keys(&dictionary->collection, &key, NULL,
                                            1, OBV_SET_LISTED_LEAVE)
                             : OBV_E_ARGUMENT;
}

/* Sets --------------------------------------------------------------------- */

/* Hashes by address and by text are two functions: sets may be compared only if
   they have one hash function. */
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

enum obv_status obv_set_class_create(struct obv_context *context,
                                     const struct obv_collection_kind *kind,
                                     struct obv_class **cls,
                                     struct obv_error *error)
{
    struct obv_container_kind access = {.instance_size = sizeof(struct obv_set),
                                        .count = count_keyed,
                                        .next = next_entry,
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
    return obv__collection_class_make(OBV_COLLECTION_SET, context, kind,
                                      &access, cls, error);
}

void *obv_set_find(const struct obv_set *set, const void *element)
{
    if (!set) {
        return NULL;
    }
    if (element) {
        obv_container_tell_read_hash(&set->container,
                                     hash_of_key(&set->collection, element));
    }
    const struct obv__entry *entry =
        element ? find_entry(&set->collection, element) : NULL;
    return entry ? entry->element : NULL;
}

uint64_t obv_set_hash(const struct obv_set *set, const void *element)
{
    return set && element ? hash_of_key(&set->collection, element) : 0;
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
    return walk_keyed(&set->collection, cursor);
}

enum obv_status obv_set_combine(struct obv_set *set, const void *elements,
                                size_t count, unsigned how)
{
    enum {
        ALL = OBV_SET_LISTED_LEAVE | OBV_SET_OTHERS_LEAVE | OBV_SET_NEW_ENTER
    };
    if (!set || (count != 0 && !elements) || (how & ~(unsigned)ALL)) {
        return OBV_E_ARGUMENT;
    }
    return combine_keys(&set->collection, elements, NULL, count, how);
}

enum obv_status obv_set_add(struct obv_set *set, const void *element)
{
    return obv_set_combine(set, &element, 1, OBV_SET_NEW_ENTER);
}

enum obv_status obv_set_discard(struct obv_set *set, const void *element)
{
    return obv_set_combine(set, &element, 1, OBV_SET_LISTED_LEAVE);
}
