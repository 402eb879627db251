/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys that edits have touched, by their hashes.
 */
#include "model/edited_keys.h"

#include "model/context.h"
#include "model/value.h"

static struct obv_context *
context_of_edits(const struct obv__container_edits *edits)
{
    return obv__class_of(&edits->container->object)->context;
}

uint64_t obv__edited_key_hash(const struct obv__container_edits *edits,
                              const struct obv_container_edit *edit)
{
    const struct obv_container_kind *kind = edits->kind;
    return kind->key ? kind->key->hash(kind->key, edit->key)
                     : kind->hash(edits->container, edit->key);
}

static bool is_same_key(const struct obv__container_edits *edits,
                        const struct obv_container_edit *a,
                        const struct obv_container_edit *b)
{
    const struct obv_container_kind *kind = edits->kind;
    return kind->key ? kind->key->equal(kind->key, a->key, b->key)
                     : obv__value_equal(edits->element, a->key, b->key);
}

static struct obv__edited_key *key_of_entry(struct obv_hash_entry *entry)
{
    return (struct obv__edited_key *)(void *)entry;
}

static struct obv__edited_key *
find_edited(const struct obv__container_edits *edits,
            const struct obv_hash_table *table,
            const struct obv_container_edit *edit, uint64_t hash)
{
    struct obv_hash_entry *entry = obv__hash_table_find(table, hash);
    while (entry && !is_same_key(edits, key_of_entry(entry)->first, edit)) {
        entry = obv__hash_table_find_next(entry);
    }
    return entry ? key_of_entry(entry) : NULL;
}

OBV__NOINLINE static void collect_keys(struct obv__container_edits *edits)
{
    const struct obv_allocator *allocator = &context_of_edits(edits)->allocator;
    struct obv_hash_table table;
    edits->key_count = 0;
    edits->keys = obv__context_allocate(context_of_edits(edits),
                                        edits->count * sizeof *edits->keys);
    if (!edits->keys) {
        return;
    }
    obv__hash_table_init(&table);
    for (size_t i = 0; i < edits->count; i++) {
        const struct obv_container_edit *edit = &edits->edits[i];
        uint64_t hash = obv__edited_key_hash(edits, edit);
        struct obv__edited_key *key = find_edited(edits, &table, edit, hash);
        if (!key) {
            key = &edits->keys[edits->key_count++];
            key->first = edit;
            obv__hash_table_add(&table, allocator, &key->entry, hash);
        }
        key->last = edit;
    }
    obv__hash_table_deinit(&table, allocator);
}

void obv__edited_keys_begin(struct obv__container_edits *edits)
{
    if (edits->count > 1) {
        collect_keys(edits);
    }
}

void obv__edited_keys_end(struct obv__container_edits *edits)
{
    if (edits->keys) {
        obv__context_free(context_of_edits(edits), edits->keys,
                          edits->count * sizeof *edits->keys);
    }
}

bool obv__edited_keys_check(const struct obv__container_edits *edits,
                            size_t *count)
{
    bool good = true;
    *count = edits->before;
    for (size_t i = 0; good && i < edits->count; i++) {
        const struct obv_container_edit *edit = &edits->edits[i];
        good = edit->key && edit->removed <= 1 && edit->inserted <= 1 &&
               edit->position == 0 && edit->moved == 0 &&
               *count + edit->inserted >= edit->removed;
        *count += edit->inserted - edit->removed;
    }
    return good;
}

struct obv__cell *
obv__edited_keys_next_cell(const struct obv__container_edits *edits,
                           const struct obv__cell *cell)
{
    return cell ? cell->next_touched : edits->touched;
}
