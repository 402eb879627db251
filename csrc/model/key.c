/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of a context, by their hashes.
 *
 * A key of the program's is looked for in turns: the lock is held to go from one
 * key with the hash to the next, and the program compares while it is not. A key
 * that is compared is kept by a reference, so that it can be gone on from. A new
 * one is added behind the last, in the same turn that finds no further one.
 */
#include "model/key.h"

#include "base/hash.h"
#include "model/context.h"
#include "model/owned.h"

#include <string.h>

static struct obv_key *key_of(struct obv_hash_entry *entry)
{
    return (struct obv_key *)(void *)entry;
}

/* Text keys ---------------------------------------------------------------- */

/* The process's key for hashes of texts: drawn with the first context, or
   earlier, when the hash of a text is first asked for. */
static struct obv__hash_key text_secret;
static bool has_secret;

static void draw_secret(void)
{
    static struct obv__lock lock;
    obv__lock_enter(&lock);
    if (!has_secret) {
        obv__hash_key_init(&text_secret);
        obv__store_release(&has_secret, true);
    }
    obv__lock_leave(&lock);
}

static uint64_t hash_text(const struct obv_key_kind *kind, const void *key)
{
    (void)kind;
    if (OBV__UNLIKELY(!obv__load_acquire(&has_secret))) {
        draw_secret();
    }
    return obv__hash(&text_secret, key, strlen(key));
}

static bool texts_are_equal(const struct obv_key_kind *kind, const void *a,
                            const void *b)
{
    (void)kind;
    return strcmp(a, b) == 0;
}

static const char *print_text(const struct obv_key_kind *kind, const void *key)
{
    (void)kind;
    return key;
}

/* A text is copied by the core, with the context's allocator. */
const struct obv_key_kind obv_text_keys = {.size = sizeof obv_text_keys,
                                           .hash = hash_text,
                                           .equal = texts_are_equal,
                                           .text = print_text};

/* Making and freeing ------------------------------------------------------- */

static bool is_of_program(const struct obv_key_kind *kind)
{
    return kind != &obv_text_keys;
}

static void *copy_key_value(struct obv_context *context,
                            const struct obv_key_kind *kind, const void *value)
{
    return kind == &obv_text_keys ? obv__text_copy(context, value)
                                  : kind->copy(kind, value);
}

static void free_key_value(struct obv_context *context,
                           const struct obv_key_kind *kind, void *value)
{
    if (is_of_program(kind)) {
        kind->free(kind, value);
    } else {
        obv__text_free(context, value);
    }
}

static void free_key(struct obv_key *key)
{
    struct obv_context *context = key->context;
    free_key_value(context, key->kind, key->value);
    obv__context_free(context, key, sizeof *key);
}

void obv__keys_free_gone(struct obv_context *context)
{
    struct obv__keys *keys = &context->keys;
    if (!obv__load_relaxed(&keys->gone)) {
        return;
    }
    obv__lock_enter(&context->keys.lock);
    struct obv_key *key = keys->gone;
    obv__store_relaxed(&keys->gone, NULL);
    obv__lock_leave(&context->keys.lock);
    while (key) {
        struct obv_hash_entry *next = key->entry.next;
        free_key(key);
        key = next ? key_of(next) : NULL;
    }
}

static const struct obv__key_calls calls_of_paths = {
    .retain = obv__key_retain, .release = obv__key_release};

/* Adds a key, whose value it takes over; NULL: no memory. */
static struct obv_key *add_key_locked(struct obv_context *context,
                                      const struct obv_key_kind *kind,
                                      void *value, uint64_t hash)
{
    struct obv_key *key = obv__context_allocate(context, sizeof *key);
    if (!key) {
        return NULL;
    }
    *key = (struct obv_key){.kind = kind,
                            .value = value,
                            .number = ++context->keys.last,
                            .references = 1,
                            .calls = &calls_of_paths,
                            .context = context};
    obv__hash_table_add(&context->keys.table, &context->allocator, &key->entry,
                        hash);
    obv__hash_table_add(&context->keys.by_number, &context->allocator,
                        &key->by_number, key->number);
    return key;
}

/* The program's own code runs later, without the lock. */
static void release_locked(struct obv_key *key)
{
    struct obv_context *context = key->context;
    struct obv__keys *keys = &context->keys;
    if (--key->references != 0) {
        return;
    }
    obv__hash_table_take(&keys->by_number, &context->allocator,
                         &key->by_number);
    obv__hash_table_take(&keys->table, &context->allocator, &key->entry);
    if (is_of_program(key->kind)) {
        key->entry.next = keys->gone ? &keys->gone->entry : NULL;
        obv__store_relaxed(&keys->gone, key);
    } else {
        free_key(key);
    }
}

void obv__key_release(struct obv_key *key)
{
    if (key) {
        struct obv__lock *lock = &key->context->keys.lock;
        obv__lock_enter(lock);
        release_locked(key);
        obv__lock_leave(lock);
    }
}

void obv__key_retain(struct obv_key *key)
{
    struct obv__lock *lock = &key->context->keys.lock;
    obv__lock_enter(lock);
    key->references++;
    obv__lock_leave(lock);
}

struct obv_key *obv__key_retain_number(struct obv_context *context,
                                       uint64_t number)
{
    struct obv_key *key = NULL;
    obv__lock_enter(&context->keys.lock);
    struct obv_hash_entry *entry =
        obv__hash_table_find(&context->keys.by_number, number);
    if (entry) {
        key = OBV__STRUCT_OF(struct obv_key, by_number, entry);
        key->references++;
    }
    obv__lock_leave(&context->keys.lock);
    return key;
}

void obv__keys_init(struct obv__keys *keys)
{
    *keys = (struct obv__keys){.last = OBV__KEY_NUMBERS};
    draw_secret();
}

void obv__keys_free(struct obv_context *context)
{
    struct obv__keys *keys = &context->keys;
    obv__keys_free_gone(context);
    obv__hash_table_deinit(&keys->table, &context->allocator);
    obv__hash_table_deinit(&keys->by_number, &context->allocator);
}

/* Looking for one ---------------------------------------------------------- */

/* The first key of a kind from an entry on, which has its hash. */
static struct obv_key *of_kind(struct obv_hash_entry *entry,
                               const struct obv_key_kind *kind)
{
    while (entry && key_of(entry)->kind != kind) {
        entry = obv__hash_table_find_next(entry);
    }
    return entry ? key_of(entry) : NULL;
}

const void *obv__key_name_begin(const struct obv_key_kind *kind,
                                const char *name)
{
    return name && kind->named ? kind->named(kind, name) : name;
}

void obv__key_name_end(const struct obv_key_kind *kind, const void *key)
{
    if (kind->named && key) {
        kind->free(kind, (void *)(uintptr_t)key);
    }
}

/* Goes on to the next key with the hash, with a reference; behind the last `copy`
   becomes one, if it is given. */
static struct obv_key *next_key(struct obv_context *context,
                                const struct obv__key_asked *asked,
                                struct obv_key *before, void *copy)
{
    obv__lock_enter(&context->keys.lock);
    struct obv_key *key =
        before
            ? of_kind(obv__hash_table_find_next(&before->entry), asked->kind)
            : of_kind(obv__hash_table_find(&context->keys.table, asked->hash),
                      asked->kind);
    if (key) {
        key->references++;
    } else if (copy) {
        key = add_key_locked(context, asked->kind, copy, asked->hash);
    }
    if (key && before) {
        release_locked(before);
    }
    obv__lock_leave(&context->keys.lock);
    return key;
}

struct obv_key *obv__key_take(struct obv_context *context,
                              const struct obv__key_asked *asked, bool make)
{
    struct obv_key *key = NULL, *next;
    void *copy = NULL;
    bool is_found = false;
    while (!is_found) {
        next = next_key(context, asked, key, copy);
        if (next) {
            key = next;
            is_found =
                key->value == copy ||
                asked->kind->equal(asked->kind, key->value, asked->value);
        } else if (copy || !make ||
                   !(copy =
                         copy_key_value(context, asked->kind, asked->value))) {
            break;
        }
    }
    if (copy && !(is_found && key->value == copy)) {
        free_key_value(context, asked->kind, copy);
    }
    if (!is_found) {
        obv__key_release(key);
    }
    return is_found ? key : NULL;
}

struct obv_key *obv__key_take_named(struct obv_context *context,
                                    const struct obv_key_kind *kind,
                                    const char *name, bool make)
{
    struct obv__key_asked asked = {kind, obv__key_name_begin(kind, name), 0};
    struct obv_key *key = NULL;
    if (asked.value) {
        asked.hash = kind->hash(kind, asked.value);
        key = obv__key_take(context, &asked, make);
    }
    obv__key_name_end(kind, asked.value);
    return key;
}

/* Of programs ---------------------------------------------------------------- */

bool obv__key_kind_is_good(const struct obv_key_kind *kind)
{
    return kind->size == sizeof *kind && kind->hash && kind->equal &&
           (!is_of_program(kind) || (kind->copy && kind->free));
}

enum obv_status obv_key_take(struct obv_context *context,
                             const struct obv_key_kind *kind, const void *key,
                             struct obv_key **taken)
{
    context = obv__context_or_default(context);
    if (!kind || !key || !taken || !obv__key_kind_is_good(kind) ||
        !is_of_program(kind) || kind->named) {
        return OBV_E_ARGUMENT;
    }
    if (!context) {
        return OBV_E_MEMORY;
    }
    const struct obv__key_asked asked = {kind, key, kind->hash(kind, key)};
    struct obv_key *found = obv__key_take(context, &asked, true);
    if (!found) {
        return OBV_E_MEMORY;
    }
    *taken = found;
    return OBV_OK;
}

const void *obv_key_value(const struct obv_key *key,
                          const struct obv_key_kind **kind)
{
    *kind = key->kind;
    return key->value;
}

void obv_key_release(struct obv_key *key)
{
    if (key) {
        struct obv_context *context = key->context;
        obv__key_release(key);
        obv__keys_free_gone(context);
    }
}
