/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that are told apart by keys. A cell is found by its key's number, and
 * may stand for a key that is not there (DI-1). Edits of one key that are told
 * together are one: the first says what was there, and what is there now is
 * read.
 */
#include "model/context.h"
#include "model/children.h"
#include "model/container_class.h"
#include "model/edited_keys.h"
#include "model/keyed_cell.h"
#include "model/value.h"
#include "path/path.h"

#include <string.h>

/* Elements of paths -------------------------------------------------------- */

/* The text that a path names a key by. */
static const char *text_of_key(const struct obv_container *container,
                               const struct obv_element *element)
{
    return obv_names_text(obv__container_context(container)->names,
                          element->name, NULL);
}

static bool is_key(const struct obv_element *element)
{
    return element->kind == OBV_ELEMENT_KEY;
}

static bool has_key(const struct obv_container_kind *kind,
                    const struct obv_element *element)
{
    return is_key(element)
               ? obv__key_of_element(element)->kind == kind->key
               : element->kind == OBV_ELEMENT_NAME &&
                     (kind->key == &obv_text_keys || kind->key->named);
}

/* The key that an element says, with a reference; `make`: it is made if there is
   none. */
static struct obv__key *take_key_said(const struct obv_container *container,
                                      const struct obv_element *element,
                                      bool make)
{
    struct obv_context *context = obv__container_context(container);
    if (!is_key(element)) {
        return obv__key_take_named(context, obv__container_kind(container)->key,
                                   text_of_key(container, element), make);
    }
    obv__key_retain(context, obv__key_of_element(element));
    return obv__key_of_element(element);
}

/* Takes a reference of the key. */
static struct obv__cell *ensure_keyed_locked(struct obv_container *container,
                                             struct obv__key *key)
{
    struct obv__cell *cell =
        obv__keyed_cell_ensure_locked(container, key->number);
    if (cell && !cell->key) {
        obv__key_retain(obv__container_context(container), key);
        cell->key = key;
    }
    return cell;
}

static struct obv__aim place_keyed(const struct obv_element *element,
                                   struct obv_container *container,
                                   struct obv_object *at, bool make)
{
    struct obv_context *context = obv__container_context(container);
    struct obv__key *key = take_key_said(container, element, make);
    struct obv__cell *cell = NULL;
    (void)at;
    if (key) {
        cell = make ? ensure_keyed_locked(container, key)
                    : obv__keyed_cell_find_locked(container, key->number);
        obv__key_release(context, key);
    }
    return obv__aim_at(cell, make);
}

static const void *find_keyed(const struct obv_container *container,
                              const struct obv_element *element)
{
    const struct obv_container_kind *kind = obv__container_kind(container);
    if (is_key(element)) {
        return kind->find(container, obv__key_of_element(element)->value);
    }
    const void *key =
        obv__key_name_begin(kind->key, text_of_key(container, element));
    const void *found = key ? kind->find(container, key) : NULL;
    obv__key_name_end(kind->key, key);
    return found;
}

static const void *field_of_key(const struct obv__cell *cell)
{
    return obv__container_kind(cell->container)
        ->find(cell->container, cell->key->value);
}

static void print_key(const struct obv__cell *cell, char *text, size_t size)
{
    const char *name = obv__key_text(cell->key);
    (void)obv__path_print_name(name, strlen(name), text, size);
}

/* Contents ----------------------------------------------------------------- */

static bool dictionaries_are_equal(const struct obv_container *a,
                                   const struct obv_container *b)
{
    const struct obv_property *element =
        &obv__class_of(&a->object)->container->element;
    struct obv_container_cursor cursor = {.index = 0};
    bool same =
        obv__container_kind(a)->key == obv__container_kind(b)->key &&
        obv__container_kind(a)->count(a) == obv__container_kind(b)->count(b);
    while (same && obv__keyed_next(a, &cursor)) {
        const void *other = obv__container_kind(b)->find(b, cursor.key);
        same = other && obv__value_equal(element, cursor.element, other);
    }
    return same;
}

/* Edits -------------------------------------------------------------------- */

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
    return obv__key_take(obv__container_context(edits->container), &asked,
                         make);
}

static void touch_key(struct obv__container_edits *edits,
                      const struct obv_container_edit *edit,
                      const struct obv__key *key)
{
    struct obv__cell *cell =
        obv__keyed_cell_find(edits->container, key->number);
    if (cell) {
        obv__cell_touch(edits, cell, old_of(edit));
    }
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
                const void *now =
                    edits->kind->find(edits->container, edited.first->key);
                obv__member_put(object, key,
                                obv__element_object_take(edits->element, now));
            }
            obv__key_release(obv__container_context(edits->container), key);
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
        if (edits->kind->key->equal(edits->kind->key, edited.first->key, key)) {
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
    bool same = edits->kind->key == obv__container_kind(other)->key &&
                edits->before == obv__container_kind(other)->count(other);
    while (same && obv__keyed_next(other, &cursor)) {
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
    .take_out = obv__keyed_cell_take_out,
    .has = has_key,
    .words = "this dictionary has keys and a count, and nothing else",
    .find = find_keyed,
    .field = field_of_key,
    .print = print_key,
    .next = obv__keyed_next,
    .were_equal = dictionaries_were_equal,
    .are_equal = dictionaries_are_equal,
    .check = obv__edited_keys_check,
    .begin = begin_keyed,
    .next_cell = obv__edited_keys_next_cell,
    .finish = obv__edited_keys_end,
    .change = change_of_key,
    .change_of_all = change_of_all_keys};
