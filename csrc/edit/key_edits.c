/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of keys and members.
 */
#include "edit/key_edits.h"

#include "edit/told_edits.h"
#include "model/copy.h"
#include "model/keyed_cell.h"
#include "model/value.h"

struct obv__recorded_key {
    struct obv_hash_entry entry; /* must stand first */
    struct obv__recorded_key *next;
    struct obv__key *key;   /* a reference; of a set NULL */
    struct obv_value value; /* as that of struct obv_key_edit */
    bool was_there, is_there;
};

static struct obv__recorded_key *recorded_of(struct obv_hash_entry *entry)
{
    return (struct obv__recorded_key *)(void *)entry;
}

void obv__key_edits_init(struct obv__key_edits *keys)
{
    keys->first = keys->last = NULL;
    obv__hash_table_init(&keys->table);
}

/* The end ------------------------------------------------------------------ */

static void free_recorded(struct obv_context *context,
                          struct obv__recorded_key *recorded)
{
    obv__value_drop(context, &recorded->value);
    if (recorded->key) {
        obv__key_release(context, recorded->key);
    }
    obv__context_free(context, recorded, sizeof *recorded);
}

void obv__recorded_keys_free(struct obv_context *context,
                             struct obv__recorded_key *first)
{
    while (first) {
        struct obv__recorded_key *next = first->next;
        free_recorded(context, first);
        first = next;
    }
    obv__keys_free_gone(context);
}

/* Takes all out of the table. */
static struct obv__recorded_key *take_recorded(struct obv_context *context,
                                               struct obv__key_edits *keys)
{
    struct obv__recorded_key *first = keys->first;
    obv__hash_table_deinit(&keys->table, &context->allocator);
    obv__key_edits_init(keys);
    return first;
}

void obv__key_edits_begin(struct obv_context *context,
                          struct obv__key_edits *keys)
{
    obv__recorded_keys_free(context, take_recorded(context, keys));
}

/* Recording ---------------------------------------------------------------- */

/* A member is itself, though it always counts as different. */
static enum obv_compare compared_by(const struct obv_value *member)
{
    return member->property && member->property->flags & OBV_ALWAYS_DIFFERENT
               ? OBV_COMPARE_IDENTITY
               : OBV_COMPARE_DECLARED;
}

static struct obv__recorded_key *
find_recorded(const struct obv__key_edits *keys,
              const struct obv__recorded_key *sought, uint64_t hash)
{
    struct obv_hash_entry *entry = obv__hash_table_find(&keys->table, hash);
    while (entry && !sought->key &&
           !obv__values_equal(&recorded_of(entry)->value, &sought->value,
                              compared_by(&sought->value))) {
        entry = obv__hash_table_find_next(entry);
    }
    return entry ? recorded_of(entry) : NULL;
}

/* What an edit names, with a copy of what stood there before it. False: no
   memory. */
static bool read_key_edit(const struct obv__container_edits *edits,
                          const struct obv_container_edit *edit,
                          struct obv__recorded_key *read, uint64_t *hash)
{
    struct obv_context *context = obv__container_context(edits->container);
    bool is_set = !edits->kind->key;
    const void *value = is_set ? edit->key : edit->old;
    *hash = obv__edited_key_hash(edits, edit);
    *read = (struct obv__recorded_key){.was_there = edit->removed != 0,
                                       .is_there = edit->inserted != 0};
    if (!is_set) {
        const struct obv__key_asked asked = {edits->kind->key, edit->key,
                                             *hash};
        read->key = obv__key_take(context, &asked, true);
        if (!read->key) {
            return false;
        }
        *hash = read->key->number;
        value = edit->removed != 0 && value ? value : &obv__missing;
    }
    /* A member without a copy cannot be told from another one. */
    return obv__value_copy(context, &edits->container->object, edits->element,
                           value, &read->value) &&
           (!is_set || obv_value_is_reachable(&read->value));
}

static void enter_recorded(struct obv_context *context,
                           struct obv__key_edits *keys,
                           struct obv__recorded_key *recorded, uint64_t hash)
{
    obv__hash_table_add(&keys->table, &context->allocator, &recorded->entry,
                        hash);
    if (keys->last) {
        keys->last->next = recorded;
    } else {
        keys->first = recorded;
    }
    keys->last = recorded;
}

static bool record_key_edit(struct obv__key_edits *keys,
                            const struct obv__container_edits *edits,
                            const struct obv_container_edit *edit)
{
    struct obv_context *context = obv__container_context(edits->container);
    struct obv__recorded_key *made =
        obv__context_allocate(context, sizeof *made);
    uint64_t hash;
    if (!made) {
        return false;
    }
    bool good = read_key_edit(edits, edit, made, &hash);
    struct obv__recorded_key *found =
        good ? find_recorded(keys, made, hash) : NULL;
    if (found) {
        found->is_there = made->is_there;
    }
    if (!good || found) {
        free_recorded(context, made);
    } else {
        enter_recorded(context, keys, made, hash);
    }
    return good;
}

bool obv__key_edits_record(struct obv__key_edits *keys,
                           const struct obv__container_edits *edits)
{
    bool good = true;
    for (size_t i = 0; good && i < edits->count; i++) {
        const struct obv_container_edit *edit = &edits->edits[i];
        bool is_edit = edit->removed != 0 || edit->inserted != 0;
        good = !is_edit || record_key_edit(keys, edits, edit);
    }
    return good;
}

/* Telling ------------------------------------------------------------------ */

static size_t tell_recorded(struct obv__recorded_key *recorded,
                            struct obv_key_edit *edits)
{
    size_t count = 0;
    for (; recorded; recorded = recorded->next) {
        /* Of a dictionary another element may stand there. */
        bool has_changed = recorded->was_there != recorded->is_there ||
                           (recorded->key && recorded->is_there);
        if (has_changed) {
            edits[count++] = (struct obv_key_edit){
                recorded->key ? recorded->key->value : NULL, recorded->value,
                recorded->was_there, recorded->is_there};
        }
    }
    return count;
}

bool obv__key_edits_tell(struct obv_context *context,
                         struct obv__key_edits *keys, struct obv_edits *edits)
{
    size_t count = keys->table.count;
    if (count == 0) {
        return true;
    }
    struct obv__told_edits *told =
        obv__told_edits_create(context, count * sizeof(struct obv_key_edit));
    if (!told) {
        return false;
    }
    struct obv_key_edit *told_keys = (void *)(told + 1);
    told->keys = take_recorded(context, keys);
    edits->reserved = told;
    edits->keys = told_keys;
    edits->key_count = tell_recorded(told->keys, told_keys);
    return true;
}
