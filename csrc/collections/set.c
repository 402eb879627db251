/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets: a hash table of members. Every edit but one says of the members among
 * some elements, of the other members and of the elements that are none whether
 * they leave or enter. It is prepared, which may fail; made, which may not;
 * told; and then what has left is given back. Nothing of the set is used once
 * it has been told of, since a handler may have edited it.
 */
#include "collections/collection.h"

#include <observable/set.h>

#include <string.h>

static const struct obv_set *
set_of_container(const struct obv_container *container)
{
    return (const struct obv_set *)(const void *)container;
}

/* Whether two elements are equal, each given by where it lies. */
static bool are_members_equal(const struct obv_set *set, const void *a,
                              const void *b)
{
    const struct obv_collection_kind *kind = set->collection.kind->kind;
    const void *left = obv__pointer_at(a, 0), *right = obv__pointer_at(b, 0);
    if (kind->equal) {
        return kind->equal(a, b);
    }
    return left == right ||
           (kind->element == OBV_KIND_string && strcmp(left, right) == 0);
}

static uint64_t hash_member(const struct obv_set *set, const void *element)
{
    return set->collection.kind->container.hash(&set->container, &element);
}

static struct obv__entry *find_member_in(const struct obv_set *set,
                                         const struct obv_hash_table *table,
                                         uint64_t hash, const void *element)
{
    struct obv_hash_entry *link = obv_hash_table_find(table, hash);
    while (link &&
           !are_members_equal(set, &obv__entry_of(link)->element, &element)) {
        link = obv_hash_table_find_next(link);
    }
    return link ? obv__entry_of(link) : NULL;
}

static void free_set_member(const struct obv_set *set, struct obv__entry *entry)
{
    obv__element_let_go(set->collection.kind, entry->element);
    obv__collection_free(set->collection.kind, entry, sizeof *entry);
}

/* Of those that enter or leave. */
static void free_set_members(const struct obv_set *set,
                             struct obv__entry *first)
{
    while (first) {
        struct obv__entry *entry = first;
        first = first->next;
        free_set_member(set, entry);
    }
}

/* What a container says ---------------------------------------------------- */

static size_t count_set(const struct obv_container *container)
{
    return obv_set_count(set_of_container(container));
}

static bool next_in_set(const struct obv_container *container,
                        struct obv_container_cursor *cursor)
{
    struct obv_hash_entry *link =
        obv_hash_table_next(&set_of_container(container)->table, cursor->state);
    if (link) {
        cursor->state = link;
        cursor->element = &obv__entry_of(link)->element;
    }
    return link != NULL;
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
    struct obv_hash_entry *link =
        obv_hash_table_find(&set_of_container(container)->table, hash);
    for (; link && index != 0; index--) {
        link = obv_hash_table_find_next(link);
    }
    return link ? &obv__entry_of(link)->element : NULL;
}

static void let_go_of_set(struct obv_collection *collection)
{
    struct obv_set *set = (struct obv_set *)(void *)collection;
    free_set_members(set, obv__entries_take(collection, &set->table));
}

/* Creation ----------------------------------------------------------------- */

enum obv_status obv_set_class_create(struct obv_context *context,
                                     const struct obv_collection_kind *kind,
                                     struct obv_class **cls,
                                     struct obv_error *error)
{
    struct obv_container_kind access = {.instance_size = sizeof(struct obv_set),
                                        .count = count_set,
                                        .next = next_in_set,
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
    return obv__collection_class_make(context, kind, &access, let_go_of_set,
                                      cls, error);
}

enum obv_status obv_set_create(struct obv_class *cls, struct obv_set **set,
                               struct obv_error *error)
{
    struct obv_collection *made = NULL;
    enum obv_status status =
        set ? obv__collection_allocate(cls, count_set, &made, error)
            : obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    if (status == OBV_OK) {
        *set = (struct obv_set *)(void *)made;
        obv_hash_table_init(&(*set)->table);
        obv__collection_init(made, cls);
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
    const struct obv__entry *entry =
        set && element ? find_member_in(set, &set->table,
                                        hash_member(set, element), element)
                       : NULL;
    if (set) {
        obv_container_tell_read(&set->container);
    }
    return entry ? entry->element : NULL;
}

uint64_t obv_set_hash(const struct obv_set *set, const void *element)
{
    return set && element ? hash_member(set, element) : 0;
}

void *obv_set_member(const struct obv_set *set, uint64_t hash, size_t index)
{
    const void *at =
        set ? member_with_hash(&set->container, hash, index) : NULL;
    if (set) {
        obv_container_tell_read(&set->container);
    }
    return at ? (void *)(uintptr_t)obv__pointer_at(at, 0) : NULL;
}

bool obv_set_next(const struct obv_set *set,
                  struct obv_collection_cursor *cursor)
{
    struct obv_container_cursor at = {.state =
                                          (void *)(uintptr_t)cursor->state};
    obv_container_tell_read(&set->container);
    bool found = next_in_set(&set->container, &at);
    if (found) {
        cursor->state = at.state;
        cursor->element = obv__entry_of(at.state)->element;
    }
    return found;
}

/* Several at once ---------------------------------------------------------- */

enum { LISTED_LEAVE = 1, OTHERS_LEAVE = 2, NEW_ENTER = 4 };

struct combining {
    struct obv_set *set;
    unsigned how;
    /* Members among the elements, each once; they are marked. */
    struct obv__entry **listed;
    size_t listed_count, listed_room;
    /* Members that enter, one after the other and, of several elements, by
       their hashes. */
    struct obv__entry *come, *gone;
    size_t come_count, gone_count;
    struct obv_hash_table *new_members;
    struct obv_container_edit *edits;
    /* On the stack: of up to OBV__FEW. */
    struct obv__entry **few_listed;
    struct obv_container_edit *few_edits;
};

static enum obv_status make_member(struct combining *combining, uint64_t hash,
                                   const void *element)
{
    const struct obv_collection *collection = &combining->set->collection;
    struct obv__entry *entry =
        obv__collection_memory(collection, 1, sizeof *entry);
    enum obv_status status =
        entry ? obv__element_take(collection->kind, element, &entry->element)
              : OBV_E_MEMORY;
    if (status != OBV_OK) {
        obv__collection_free(collection->kind, entry, sizeof *entry);
        return status;
    }
    if (combining->new_members) {
        obv_hash_table_add(combining->new_members,
                           obv__collection_allocator(collection), &entry->link,
                           hash);
    }
    entry->link.hash = hash;
    entry->next = combining->come;
    combining->come = entry;
    combining->come_count++;
    return OBV_OK;
}

static enum obv_status take_member(struct combining *combining,
                                   const void *element)
{
    const struct obv_set *set = combining->set;
    if (!element) {
        return OBV_E_ARGUMENT;
    }
    uint64_t hash = hash_member(set, element);
    struct obv__entry *entry = find_member_in(set, &set->table, hash, element);
    if (entry) {
        if (entry->mark == 0) {
            entry->mark = 1;
            combining->listed[combining->listed_count++] = entry;
        }
        return OBV_OK;
    }
    bool is_new = (combining->how & NEW_ENTER) &&
                  (!combining->new_members ||
                   !find_member_in(set, combining->new_members, hash, element));
    return is_new ? make_member(combining, hash, element) : OBV_OK;
}

static enum obv_status take_members(struct combining *combining,
                                    const void *elements, size_t count)
{
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && i < count; i++) {
        status = take_member(combining, obv__pointer_at(elements, i));
    }
    return status;
}

static size_t count_edits(const struct combining *combining)
{
    return combining->gone_count + combining->come_count;
}

static bool allocate_edits(struct combining *combining)
{
    size_t others = obv_set_count(combining->set) - combining->listed_count;
    combining->gone_count =
        (combining->how & LISTED_LEAVE ? combining->listed_count : 0) +
        (combining->how & OTHERS_LEAVE ? others : 0);
    if (count_edits(combining) > OBV__FEW) {
        combining->edits = obv__collection_memory(&combining->set->collection,
                                                  count_edits(combining),
                                                  sizeof *combining->edits);
    }
    return combining->edits != NULL;
}

static void let_leave(struct combining *combining, struct obv__entry *entry)
{
    entry->next = combining->gone;
    combining->gone = entry;
}

/* Those that leave; the marks are forgotten. */
static void choose_leaving(struct combining *combining)
{
    struct obv_hash_table *table = &combining->set->table;
    struct obv_hash_entry *link =
        combining->how & OTHERS_LEAVE ? obv_hash_table_next(table, NULL) : NULL;
    for (; link; link = obv_hash_table_next(table, link)) {
        if (obv__entry_of(link)->mark == 0) {
            let_leave(combining, obv__entry_of(link));
        }
    }
    for (size_t i = 0; i < combining->listed_count; i++) {
        combining->listed[i]->mark = 0;
        if (combining->how & LISTED_LEAVE) {
            let_leave(combining, combining->listed[i]);
        }
    }
}

static struct obv_container_edit *write_leaving(struct combining *combining,
                                                struct obv_container_edit *edit)
{
    struct obv_set *set = combining->set;
    for (struct obv__entry *entry = combining->gone; entry;
         entry = entry->next) {
        obv_hash_table_take(&set->table,
                            obv__collection_allocator(&set->collection),
                            &entry->link);
        *edit++ =
            (struct obv_container_edit){.key = &entry->element, .removed = 1};
    }
    return edit;
}

static void write_entering(struct combining *combining,
                           struct obv_container_edit *edit)
{
    struct obv_set *set = combining->set;
    while (combining->come) {
        struct obv__entry *entry = combining->come;
        combining->come = entry->next;
        entry->mark = 0;
        obv_hash_table_add(&set->table,
                           obv__collection_allocator(&set->collection),
                           &entry->link, entry->link.hash);
        *edit++ =
            (struct obv_container_edit){.key = &entry->element, .inserted = 1};
    }
}

static void empty_new_members(struct combining *combining)
{
    if (combining->new_members) {
        obv_hash_table_deinit(
            combining->new_members,
            obv__collection_allocator(&combining->set->collection));
    }
}

/* Afterwards `come` are none. */
static void make_combining(struct combining *combining)
{
    empty_new_members(combining);
    choose_leaving(combining);
    write_entering(combining, write_leaving(combining, combining->edits));
    obv__collection_tell(&combining->set->collection, combining->edits,
                         count_edits(combining));
}

/* Those that have left; of one that has failed, those that should have
   entered. */
static void end_combining(struct combining *combining)
{
    struct obv_set *set = combining->set;
    free_set_members(set, combining->gone);
    free_set_members(set, combining->come);
    if (combining->edits && combining->edits != combining->few_edits) {
        obv__collection_free(set->collection.kind, combining->edits,
                             count_edits(combining) * sizeof *combining->edits);
    }
    if (combining->listed != combining->few_listed) {
        obv__collection_free(set->collection.kind, combining->listed,
                             combining->listed_room *
                                 sizeof *combining->listed);
    }
}

/* The set is held. */
static enum obv_status combine_held(struct combining *combining,
                                    const void *elements, size_t count)
{
    enum obv_status status = take_members(combining, elements, count);
    if (status == OBV_OK && !allocate_edits(combining)) {
        status = OBV_E_MEMORY;
    }
    if (status == OBV_OK) {
        make_combining(combining);
    } else {
        for (size_t i = 0; i < combining->listed_count; i++) {
            combining->listed[i]->mark = 0;
        }
        empty_new_members(combining);
    }
    end_combining(combining);
    return status;
}

static enum obv_status combine(struct obv_set *set, const void *elements,
                               size_t count, unsigned how)
{
    if (!set || (count != 0 && !elements)) {
        return OBV_E_ARGUMENT;
    }
    if (!obv__collection_hold(&set->collection)) {
        return OBV_E_ENDED;
    }
    struct obv__entry *few_listed[OBV__FEW];
    struct obv_container_edit few_edits[OBV__FEW];
    struct obv_hash_table new_members;
    struct combining combining = {.set = set,
                                  .how = how,
                                  .listed = few_listed,
                                  .listed_room = count,
                                  .edits = few_edits,
                                  .few_listed = few_listed,
                                  .few_edits = few_edits};
    enum obv_status status = OBV_E_MEMORY;
    if (count > 1) { /* one cannot stand there twice */
        obv_hash_table_init(&new_members);
        combining.new_members = &new_members;
    }
    if (count > OBV__FEW) {
        combining.listed = obv__collection_memory(&set->collection, count,
                                                  sizeof *combining.listed);
    }
    if (combining.listed) {
        status = combine_held(&combining, elements, count);
    }
    obv_set_release(set);
    return status;
}

enum obv_status obv_set_add(struct obv_set *set, const void *element)
{
    return combine(set, &element, 1, NEW_ENTER);
}

enum obv_status obv_set_discard(struct obv_set *set, const void *element)
{
    return combine(set, &element, 1, LISTED_LEAVE);
}

enum obv_status obv_set_clear(struct obv_set *set)
{
    return combine(set, NULL, 0, OTHERS_LEAVE);
}

enum obv_status obv_set_union(struct obv_set *set, const void *elements,
                              size_t count)
{
    return combine(set, elements, count, NEW_ENTER);
}

enum obv_status obv_set_intersect(struct obv_set *set, const void *elements,
                                  size_t count)
{
    return combine(set, elements, count, OTHERS_LEAVE);
}

enum obv_status obv_set_subtract(struct obv_set *set, const void *elements,
                                 size_t count)
{
    return combine(set, elements, count, LISTED_LEAVE);
}

enum obv_status obv_set_symmetric(struct obv_set *set, const void *elements,
                                  size_t count)
{
    return combine(set, elements, count, LISTED_LEAVE | NEW_ENTER);
}

enum obv_status obv_set_assign(struct obv_set *set, const void *elements,
                               size_t count)
{
    return combine(set, elements, count, OTHERS_LEAVE | NEW_ENTER);
}

enum obv_status obv_set_copy(const struct obv_set *set, struct obv_set **copy,
                             struct obv_error *error)
{
    struct obv_collection_cursor cursor = {.state = NULL};
    struct obv_set *made = NULL;
    enum obv_status status =
        set && copy ? obv_set_create(set->collection.kind->cls, &made, error)
                    : obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    if (status != OBV_OK) {
        return status;
    }
    while (status == OBV_OK && obv_set_next(set, &cursor)) {
        status = obv_set_add(made, cursor.element);
    }
    if (status != OBV_OK) {
        obv_set_release(made);
        return obv__fail(error, status, obv_status_text(status));
    }
    *copy = made;
    return OBV_OK;
}
