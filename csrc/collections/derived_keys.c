/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derived arrays of dictionaries and sets: their elements stand as their keys
 * came. A value that is put at a key stands where the one before it stood; a
 * key that comes back stands last.
 */
#include "collections/derived.h"

#include "model/class.h"
#include "model/container.h"
#include "model/key.h"
#include "model/value.h"

#include <stdlib.h>

static struct obv_context *
context_of_keys(const struct obv_derivation *derivation)
{
    return derivation->owner->kind->context;
}

/* Finding ------------------------------------------------------------------ */

static struct obv__derived_key *derived_key_of(struct obv_hash_entry *entry)
{
    return (struct obv__derived_key *)(void *)entry;
}

static struct obv__derived_key *
find_derived_member(const struct obv_derivation *derivation, uint64_t hash,
                    const void *member)
{
    const struct obv_property *element =
        &obv__class_of(&derivation->source->object)->container->element;
    struct obv_hash_entry *entry =
        obv__hash_table_find(&derivation->keys, hash);
    while (
        entry && derived_key_of(entry)->member != member &&
        !obv__value_equal(element, &derived_key_of(entry)->member, &member)) {
        entry = obv__hash_table_find_next(entry);
    }
    return entry ? derived_key_of(entry) : NULL;
}

static struct obv__derived_key *add_key(struct obv_derivation *derivation,
                                        uint64_t hash)
{
    struct obv_context *context = context_of_keys(derivation);
    struct obv__derived_key *key =
        obv__context_allocate_zeroed(context, sizeof *key);
    if (key) {
        obv__hash_table_add(&derivation->keys, &context->allocator,
                            &key->by_hash, hash);
    }
    return key;
}

void obv__derived_forget_key(struct obv_derivation *derivation,
                             struct obv__derived_key *key)
{
    struct obv_context *context = context_of_keys(derivation);
    obv__hash_table_take(&derivation->keys, &context->allocator, &key->by_hash);
    if (key->key) {
        obv__key_release(context, key->key);
        obv__keys_free_gone(context);
    } else {
        obv__element_let_go(derivation->input, key->member);
    }
    obv__context_free(context, key, sizeof *key);
}

static enum obv_status find_or_add_member(struct obv_derivation *derivation,
                                          const void *member,
                                          struct obv__derived_key **found)
{
    uint64_t hash = derivation->access->hash(derivation->source, &member);
    void *held;
    *found = find_derived_member(derivation, hash, member);
    if (*found) {
        return OBV_OK;
    }
    enum obv_status status =
        obv__element_take(derivation->input, member, &held);
    if (status != OBV_OK) {
        return status;
    }
    *found = add_key(derivation, hash);
    if (!*found) {
        obv__element_let_go(derivation->input, held);
        return OBV_E_MEMORY;
    }
    (*found)->member = held;
    return OBV_OK;
}

static enum obv_status find_or_add_key(struct obv_derivation *derivation,
                                       const void *value,
                                       struct obv__derived_key **found)
{
    struct obv_context *context = context_of_keys(derivation);
    const struct obv_key_kind *kind = derivation->access->key;
    const struct obv__key_asked asked = {kind, value, kind->hash(kind, value)};
    struct obv__key *key = obv__key_take(context, &asked, true);
    if (!key) {
        return OBV_E_MEMORY;
    }
    struct obv_hash_entry *entry =
        obv__hash_table_find(&derivation->keys, key->number);
    *found = entry ? derived_key_of(entry) : add_key(derivation, key->number);
    if (!entry && *found) {
        (*found)->key = key;
        return OBV_OK;
    }
    obv__key_release(context, key);
    obv__keys_free_gone(context);
    return *found ? OBV_OK : OBV_E_MEMORY;
}

/* Of a set a member is its own key. */
static enum obv_status find_or_add(struct obv_derivation *derivation,
                                   const void *key, const void *element,
                                   struct obv__derived_key **found)
{
    return derivation->access->key
               ? find_or_add_key(derivation, key, found)
               : find_or_add_member(derivation, element, found);
}

const void *obv__derived_at_key(const struct obv_derivation *derivation,
                                const struct obv__derived_key *key)
{
    if (!key->key) {
        return key->member;
    }
    const void *at =
        derivation->access->find(derivation->source, key->key->value);
    return at ? obv__pointer_at(at, 0) : NULL;
}

/* What has become of keys -------------------------------------------------- */

/* A key that was there, by the place of its entry, or comes behind all. */
struct keyed_step {
    size_t place;
    struct obv__derived_key *key;
    bool goes, comes;
};

struct keyed_steps {
    struct obv_derivation *derivation;
    struct keyed_step *steps;
    size_t count, come;
    struct obv_edit_run *runs;
    struct obv__derived_key **keys; /* of those that come */
    size_t room;
};

static size_t size_of_steps(size_t room)
{
    return room * (sizeof(struct keyed_step) + 2 * sizeof(struct obv_edit_run) +
                   sizeof(struct obv__derived_key *));
}

static bool begin_steps(struct keyed_steps *steps,
                        struct obv_derivation *derivation, size_t room)
{
    *steps = (struct keyed_steps){.derivation = derivation, .room = room};
    if (room <= PTRDIFF_MAX / 512) {
        steps->steps = obv__context_allocate(context_of_keys(derivation),
                                             size_of_steps(room));
    }
    if (steps->steps) {
        steps->runs = (void *)(steps->steps + room);
        steps->keys = (void *)(steps->runs + 2 * room);
    }
    return steps->steps != NULL;
}

/* Keys that should have come and have not are forgotten. */
static void end_steps(struct keyed_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        struct obv__derived_key *key = steps->steps[i].key;
        if (steps->steps[i].comes && !key->entry) {
            obv__derived_forget_key(steps->derivation, key);
        }
    }
    obv__context_free(context_of_keys(steps->derivation), steps->steps,
                      size_of_steps(steps->room));
}

static void add_step(struct keyed_steps *steps, struct obv__derived_key *key,
                     bool comes)
{
    size_t before = obv__order_count(steps->derivation->entries.root);
    bool goes = key->entry != NULL;
    steps->steps[steps->count++] = (struct keyed_step){
        goes ? obv__order_place(&key->entry->node) : before + steps->come, key,
        goes, comes};
    steps->come += comes;
}

static enum obv_status note_key_edit(struct keyed_steps *steps,
                                     const struct obv_key_edit *edit)
{
    struct obv_derivation *derivation = steps->derivation;
    struct obv__derived_key *key;
    enum obv_status status =
        find_or_add(derivation, edit->key, edit->value.as.pointer, &key);
    if (status != OBV_OK) {
        return status;
    }
    bool stays = key->entry && edit->is_there &&
                 (!key->key || obv__derived_has_come_again(
                                   derivation, &edit->value,
                                   obv__derived_at_key(derivation, key)));
    if (!key->entry && !edit->is_there) {
        obv__derived_forget_key(derivation, key);
    } else if (!stays) {
        add_step(steps, key, edit->is_there);
    }
    return OBV_OK;
}

static int by_step_place(const void *a, const void *b)
{
    const struct keyed_step *left = a, *right = b;
    return (left->place > right->place) - (left->place < right->place);
}

/* Those that go, and those that come, by their places: as an edit list has
   them. */
static size_t write_runs(struct keyed_steps *steps)
{
    size_t count = 0, come = 0, lost = 0;
    if (steps->count > 1) {
        qsort(steps->steps, steps->count, sizeof *steps->steps, by_step_place);
    }
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->steps[i].goes) {
            steps->runs[count++] = (struct obv_edit_run){steps->steps[i].place,
                                                         OBV_NOWHERE, 1, NULL};
        }
    }
    for (size_t i = 0; i < steps->count; i++) {
        const struct keyed_step *step = &steps->steps[i];
        if (step->comes) {
            steps->keys[come++] = step->key;
            steps->runs[count++] =
                (struct obv_edit_run){OBV_NOWHERE, step->place - lost, 1, NULL};
        } else {
            lost++;
        }
    }
    return count;
}

static enum obv_status follow_steps(struct keyed_steps *steps,
                                    enum obv_status status)
{
    if (status == OBV_OK && steps->count != 0) {
        size_t count = write_runs(steps);
        status = obv__derived_follow_runs(steps->derivation, steps->runs, count,
                                          steps->keys);
    }
    end_steps(steps);
    return status;
}

enum obv_status obv__derived_follow_keys(struct obv_derivation *derivation,
                                         const struct obv_edits *edits)
{
    struct keyed_steps steps;
    enum obv_status status = OBV_OK;
    if (!begin_steps(&steps, derivation, edits->key_count)) {
        return OBV_E_MEMORY;
    }
    for (size_t i = 0; status == OBV_OK && i < edits->key_count; i++) {
        status = note_key_edit(&steps, &edits->keys[i]);
    }
    return follow_steps(&steps, status);
}

/* All of them -------------------------------------------------------------- */

/* A value is another one perhaps; a member is itself. */
static enum obv_status note_all_keys(struct keyed_steps *steps)
{
    const struct obv_derivation *derivation = steps->derivation;
    struct obv_container_cursor cursor = {.index = 0};
    enum obv_status status = OBV_OK;
    while (status == OBV_OK && steps->count < steps->room &&
           derivation->access->next(derivation->source, &cursor)) {
        struct obv__derived_key *key;
        status = find_or_add(steps->derivation, cursor.key,
                             obv__pointer_at(cursor.element, 0), &key);
        if (status == OBV_OK) {
            key->is_there = true;
            if (key->key || !key->entry) {
                add_step(steps, key, true);
            }
        }
    }
    return status;
}

static void note_missing_keys(struct keyed_steps *steps)
{
    struct obv__order_tree *entries = &steps->derivation->entries;
    struct obv__order_node *node =
        entries->root ? obv__order_at(entries, 0) : NULL;
    for (; node; node = obv__order_next(node)) {
        struct obv__derived_key *key = obv__derived_entry_of(node)->key;
        if (!key->is_there) {
            add_step(steps, key, false);
        }
    }
}

static void forget_what_is_there(struct obv_derivation *derivation)
{
    struct obv_hash_entry *entry =
        obv__hash_table_next(&derivation->keys, NULL);
    for (; entry; entry = obv__hash_table_next(&derivation->keys, entry)) {
        derived_key_of(entry)->is_there = false;
    }
}

enum obv_status obv__derived_read_all_keys(struct obv_derivation *derivation)
{
    struct keyed_steps steps;
    size_t before = obv__order_count(derivation->entries.root);
    if (!begin_steps(&steps, derivation,
                     before + derivation->source->count + 1)) {
        return OBV_E_MEMORY;
    }
    enum obv_status status = note_all_keys(&steps);
    if (status == OBV_OK) {
        note_missing_keys(&steps);
    }
    forget_what_is_there(derivation);
    return follow_steps(&steps, status);
}
