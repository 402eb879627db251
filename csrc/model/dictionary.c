/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that are told apart by keys. A cell is found by its key's number, and
 * may stand for a key that is not there (DI-1). Edits of one key that are told
 * together are one: the first says what was there, and what is there now is
 * read.
 */
#include "model/context.h"
#include "model/edited_keys.h"
#include "model/value.h"
#include "path/path.h"

#include <string.h>

static struct obv_context *
dictionary_context(const struct obv_container *container)
{
    return obv__class_of(&container->object)->context;
}

static const struct obv_container_kind *
dictionary_kind(const struct obv_container *container)
{
    return obv__class_of(&container->object)->container->kind;
}

/* Cells ----------------------------------------------------------------------- */

static struct obv__cell *cell_of_key(struct obv_hash_entry *entry)
{
    return entry ? (struct obv__cell *)(void *)((char *)entry -
                                                offsetof(struct obv__cell,
                                                         by_key))
                 : NULL;
}

static struct obv__cell *
find_keyed_locked(const struct obv_container *container,
                  const struct obv__key *key)
{
    const struct obv__elements *elements = obv__elements_of(container);
    return elements
               ? cell_of_key(obv_hash_table_find(&elements->keyed, key->number))
               : NULL;
}

/* Takes a reference of the key. */
static struct obv__cell *make_keyed_locked(struct obv_container *container,
                                           struct obv__key *key)
{
    struct obv__cell *cell = find_keyed_locked(container, key);
    if (!cell) {
        cell = obv__cell_create_locked(container);
        if (cell) {
            obv__key_retain(dictionary_context(container), key);
            cell->key = key;
            obv_hash_table_add(&obv__elements_of(container)->keyed,
                               &dictionary_context(container)->allocator,
                               &cell->by_key, key->number);
        }
    }
    return cell;
}

static void take_keyed_out(struct obv__cell *cell)
{
    struct obv_context *context = dictionary_context(cell->container);
    obv_hash_table_take(&obv__elements_of(cell->container)->keyed,
                        &context->allocator, &cell->by_key);
}

/* Elements of paths ----------------------------------------------------------- */

/* The text that a path names a key by. */
static const char *text_of_key(const struct obv_container *container,
                               const struct obv_element *element)
{
    return obv_names_text(dictionary_context(container)->names, element->name,
                          NULL);
}

static bool has_key(const struct obv_container_kind *kind,
                    const struct obv_element *element)
{
    return element->kind == OBV_ELEMENT_NAME && kind->key == &obv_text_keys;
}

static struct obv__aim place_keyed(const struct obv_element *element,
                                   struct obv_container *container,
                                   struct obv_object *at, bool make)
{
    struct obv_context *context = dictionary_context(container);
    struct obv__key *key =
        obv__key_take_text(context, text_of_key(container, element), make);
    struct obv__cell *cell = NULL;
    (void)at;
    if (key) {
        cell = make ? make_keyed_locked(container, key)
                    : find_keyed_locked(container, key);
        obv__key_release(context, key);
    }
    return (struct obv__aim){.target = cell ? &cell->object : NULL,
                             .out_of_memory = make && !cell};
}

static const void *find_keyed(const struct obv_container *container,
                              const struct obv_element *element)
{
    return dictionary_kind(container)->find(container,
                                            text_of_key(container, element));
}

static const void *field_of_key(const struct obv__cell *cell)
{
    return dictionary_kind(cell->container)
        ->find(cell->container, cell->key->value);
}

static void print_key(const struct obv__cell *cell, char *text, size_t size)
{
    const struct obv__key *key = cell->key;
    const char *name = key->kind->text ? key->kind->text(key->value) : "a key";
    (void)obv__path_print_name(name, strlen(name), text, size);
}

/* Contents -------------------------------------------------------------------- */

static bool next_keyed(const struct obv_container *container,
                       struct obv_container_cursor *cursor)
{
    return dictionary_kind(container)->next(container, cursor);
}

static bool dictionaries_are_equal(const struct obv_container *a,
                                   const struct obv_container *b)
{
    const struct obv_property *element =
        &obv__class_of(&a->object)->container->element;
    struct obv_container_cursor cursor = {.index = 0};
    bool same = dictionary_kind(a)->key == dictionary_kind(b)->key &&
                dictionary_kind(a)->count(a) == dictionary_kind(b)->count(b);
    while (same && next_keyed(a, &cursor)) {
        const void *other = dictionary_kind(b)->find(b, cursor.key);
        same = other && obv__value_equal(element, cursor.element, other);
    }
    return same;
}

/* Edits ----------------------------------------------------------------------- */

/* What an edit says was there. */
static const void *old_of(const struct obv_container_edit *edit)
{
    return edit->removed == 0 ? &obv__missing : edit->old;
}

/* The key of an edit, with a reference, if anybody has it; `make`: in any
   case. */
static struct obv__key *take_key_of(const struct obv__container_edits *edits,
                                    const struct obv_container_edit *edit,
                                    bool make)
{
    const struct obv__key_asked asked = {edits->kind->key, edit->key,
                                         obv__edited_key_hash(edits, edit)};
    return obv__key_take(dictionary_context(edits->container), &asked, make);
}

static void touch_key(struct obv__container_edits *edits,
                      const struct obv_container_edit *edit,
                      const struct obv__key *key)
{
    struct obv__lock *lock = &dictionary_context(edits->container)->paths;
    obv__lock_enter(lock);
    struct obv__cell *cell = find_keyed_locked(edits->container, key);
    obv__lock_leave(lock);
    if (cell) {
        obv__cell_touch(edits, cell, old_of(edit));
    }
}

/* The object that a `*` leads to by a key now, or NULL. */
static struct obv_object *
object_at_key(const struct obv__container_edits *edits, const void *key)
{
    struct obv_object *const *field =
        edits->element->kind == OBV_KIND_object
            ? edits->kind->find(edits->container, key)
            : NULL;
    return field ? *field : NULL;
}

static void begin_keyed(struct obv__container_edits *edits)
{
    struct obv_object *object = &edits->container->object;
    const struct obv__member_set *set = obv__members_of(object);
    bool has_members = set != NULL;
    bool is_known = !has_members || !set->is_incomplete;
    struct obv__edited_key edited;
    obv__edited_keys_begin(edits);
    for (size_t i = 0; obv__edited_key(edits, i, &edited); i++) {
        struct obv__key *key = take_key_of(edits, edited.first, has_members);
        if (key) {
            touch_key(edits, edited.first, key);
            if (has_members) {
                obv__member_put(object, key,
                                object_at_key(edits, edited.first->key));
            }
            obv__key_release(dictionary_context(edits->container), key);
        } else {
            is_known = is_known && !has_members;
        }
    }
    if (!is_known) {
        obv__members_recount(object);
    }
}

/* The change from what an edit says was there; false: nothing is there now, nor
   was. */
static bool change_from(const struct obv__container_edits *edits,
                        const void *old, const void *now,
                        enum obv__edit_kind *kind)
{
    *kind = obv__edit_kind_of(edits->element, old, now);
    return now || old != &obv__missing;
}

static bool change_of_key(const struct obv__container_edits *edits,
                          const struct obv__cell *cell, const void **old,
                          enum obv__edit_kind *kind)
{
    *old = cell->old;
    return cell->is_touched &&
           change_from(edits, cell->old, field_of_key(cell), kind);
}

/* What stood at a key before the edits; NULL: it is not known. */
static const void *before_edits(const struct obv__container_edits *edits,
                                const void *key)
{
    struct obv__edited_key edited;
    for (size_t i = 0; obv__edited_key(edits, i, &edited); i++) {
        if (edits->kind->key->equal(edited.first->key, key)) {
            return old_of(edited.first);
        }
    }
    const void *stays = edits->kind->find(edits->container, key);
    return stays ? stays : &obv__missing;
}

static bool dictionaries_were_equal(const struct obv__container_edits *edits,
                                    const struct obv_container *other)
{
    struct obv_container_cursor cursor = {.index = 0};
    bool same = edits->kind->key == dictionary_kind(other)->key &&
                edits->before == dictionary_kind(other)->count(other);
    while (same && next_keyed(other, &cursor)) {
        const void *was = before_edits(edits, cursor.key);
        same = was && was != &obv__missing &&
               obv__value_equal(edits->element, was, cursor.element);
    }
    return same;
}

static bool change_of_all_keys(const struct obv__container_edits *edits,
                               enum obv__edit_kind *kind)
{
    bool is_touched = edits->before != edits->container->count;
    struct obv__edited_key edited;
    *kind = is_touched ? OBV__EDIT_SET : OBV__EDIT_EQUAL;
    for (size_t i = 0;
         *kind != OBV__EDIT_SET && obv__edited_key(edits, i, &edited); i++) {
        enum obv__edit_kind here;
        if (change_from(edits, old_of(edited.first),
                        edits->kind->find(edits->container, edited.first->key),
                        &here)) {
            is_touched = true;
            *kind = here == OBV__EDIT_EQUAL ? *kind : here;
        }
    }
    return is_touched;
}

const struct obv__elements_kind obv__dictionary = {
    .place = place_keyed,
    .take_out = take_keyed_out,
    .has = has_key,
    .words = "this dictionary has keys and a count, and nothing else",
    .find = find_keyed,
    .field = field_of_key,
    .print = print_key,
    .next = next_keyed,
    .were_equal = dictionaries_were_equal,
    .are_equal = dictionaries_are_equal,
    .check = obv__edited_keys_check,
    .begin = begin_keyed,
    .next_cell = obv__edited_keys_next_cell,
    .finish = obv__edited_keys_end,
    .change = change_of_key,
    .change_of_all = change_of_all_keys};
