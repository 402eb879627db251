/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that are told apart by keys or by hashes. A cell of a key may stand
 * for an element that is not there (DI-1). A cell of a hash stands for every
 * member that has it, and each that enters or leaves touches the cell (SE-2).
 *
 * Of several edits of one key that are told together each counts: there and
 * back is a change (EQ-7).
 */
#include "model/children.h"
#include "model/context.h"
#include "model/recorder.h"
#include "model/value.h"
#include "path/path.h"

#include <stdio.h>
#include <string.h>

/* Cells -------------------------------------------------------------------- */

static struct obv__cell *find_cell_locked(const struct obv_container *container,
                                          uint64_t number)
{
    const struct obv__elements *elements = obv__elements_of(container);
    struct obv_hash_entry *entry =
        elements ? obv__hash_table_find(&elements->keyed, number) : NULL;
    return entry ? OBV__STRUCT_OF(struct obv__cell, by_key, entry) : NULL;
}

struct obv__cell *obv__keyed_cell_locked(struct obv_container *container,
                                         uint64_t number, struct obv_key *key,
                                         bool make)
{
    struct obv__cell *cell = find_cell_locked(container, number);
    if (!cell && make) {
        cell = obv__cell_create_locked(container);
        if (cell) {
            obv__hash_table_add(&obv__elements_of(container)->keyed,
                                &obv__container_context(container)->allocator,
                                &cell->by_key, number);
        }
    }
    if (cell && key && !cell->key) {
        obv__key_retain(key);
        cell->key = key;
    }
    return cell;
}

static void take_keyed_out(struct obv__cell *cell)
{
    obv__hash_table_take(&obv__elements_of(cell->container)->keyed,
                         &obv__container_context(cell->container)->allocator,
                         &cell->by_key);
}

static bool next_keyed(const struct obv_container *container,
                       struct obv_container_cursor *cursor)
{
    return obv__container_kind(container)->next(container, cursor);
}

/* Elements of paths -------------------------------------------------------- */

/* The text that a path names a key by. */
static const char *text_of_key(const struct obv_container *container,
                               const struct obv_element *element)
{
    return obv_names_text(obv__container_context(container)->names,
                          element->name, NULL);
}

/* The key of an element, if it is given by itself and not by its name. */
static struct obv_key *key_in(const struct obv_element *element)
{
    return element->kind == OBV_ELEMENT_KEY ? obv__key_in(element) : NULL;
}

static bool has_keyed(const struct obv_container_kind *kind,
                      const struct obv_element *element)
{
    const struct obv_key *key = key_in(element);
    return kind->hash ? element->kind == OBV_ELEMENT_MEMBER
           : key      ? key->kind == kind->key
                      : element->kind == OBV_ELEMENT_NAME &&
                       (kind->key == &obv_text_keys || kind->key->named);
}

static struct obv__aim place_keyed(const struct obv_element *element,
                                   struct obv_container *container,
                                   struct obv_object *at, bool make)
{
    struct obv_context *context = obv__container_context(container);
    const struct obv_container_kind *kind = obv__container_kind(container);
    struct obv_key *given = key_in(element), *own = NULL;
    if (kind->key && !given) {
        own = obv__key_take_named(context, kind->key,
                                  text_of_key(container, element), make);
    }
    struct obv_key *key = given ? given : own;
    struct obv__aim aim = obv__aim_at(
        key || kind->hash
            ? obv__keyed_cell_locked(
                  container, key ? key->number : element->number, key, make)
            : NULL,
        make);
    (void)at;
    obv__key_release(own);
    return aim;
}

static const void *find_keyed(const struct obv_container *container,
                              const struct obv_element *element)
{
    const struct obv_container_kind *kind = obv__container_kind(container);
    const struct obv_key *given = key_in(element);
    if (kind->hash) {
        return kind->member(container, element->number, 0);
    }
    if (given) {
        return kind->find(container, given->value);
    }
    const void *key =
        obv__key_name_begin(kind->key, text_of_key(container, element));
    const void *found = key ? kind->find(container, key) : NULL;
    obv__key_name_end(kind->key, key);
    return found;
}

/* The element of a cell; of a hash the first member. */
static const void *field_of_keyed(const struct obv__cell *cell)
{
    const struct obv_container_kind *kind =
        obv__container_kind(cell->container);
    return kind->hash ? kind->member(cell->container, cell->by_key.hash, 0)
                      : kind->find(cell->container, cell->key->value);
}

static void print_keyed(const struct obv__cell *cell, char *text, size_t size)
{
    if (cell->key) {
        const char *name = obv__key_text(cell->key);
        (void)obv__path_print_name(name, strlen(name), text, size);
    } else {
        (void)snprintf(text, size, "&%llu",
                       (unsigned long long)cell->by_key.hash);
    }
}

/* Members ------------------------------------------------------------------ */

static bool next_of_hash(const struct obv__cell *cell,
                         struct obv_container_cursor *cursor)
{
    cursor->element =
        obv__container_kind(cell->container)
            ->member(cell->container, cell->by_key.hash, cursor->index++);
    return cursor->element != NULL;
}

/* The member of a set that equals an element, or NULL. */
static const void *find_equal(const struct obv_container *container,
                              const void *element)
{
    const struct obv_container_kind *kind = obv__container_kind(container);
    const struct obv_property *like =
        &obv__class_of(&container->object)->container->element;
    uint64_t hash = kind->hash(container, element);
    size_t i = 0;
    const void *member = kind->member(container, hash, i);
    while (member && !obv__value_equal(like, member, element)) {
        member = kind->member(container, hash, ++i);
    }
    return member;
}

/* Whether the members of two hashes are equal: as many, and each in both. */
static bool hashes_are_equal(const struct obv__cell *a,
                             const struct obv__cell *b)
{
    struct obv_container_cursor in_a = {.index = 0}, in_b = {.index = 0};
    bool same = obv__container_kind(a->container)->hash ==
                obv__container_kind(b->container)->hash;
    bool more = true;
    while (same && more) {
        more = next_of_hash(a, &in_a);
        same = more == next_of_hash(b, &in_b) &&
               (!more || find_equal(b->container, in_a.element));
    }
    return same;
}

/* Edits -------------------------------------------------------------------- */

bool obv__edited_key_take(const struct obv_container *container,
                          const struct obv_container_edit *edit, bool make,
                          struct obv_key **key, uint64_t *number)
{
    const struct obv_container_kind *kind = obv__container_kind(container);
    *key = NULL;
    if (!kind->key) {
        *number = kind->hash(container, edit->key);
        return true;
    }
    const struct obv__key_asked asked = {kind->key, edit->key,
                                         kind->key->hash(kind->key, edit->key)};
    *key = obv__key_take(obv__container_context(container), &asked, make);
    *number = *key ? (*key)->number : 0;
    return *key != NULL;
}

static bool check_keyed(const struct obv__container_edits *edits, size_t *count)
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

/* The element before an edit, by the edit; NULL: it is not known. */
static const void *old_of(const struct obv__container_edits *edits,
                          const struct obv_container_edit *edit)
{
    return edit->removed == 0                ? &obv__missing
           : edits->kind->hash && !edit->old ? edit->key
                                             : edit->old;
}

/* The element that is there now, or NULL. */
static const void *now_of(const struct obv__container_edits *edits,
                          const struct obv_container_edit *edit)
{
    return edits->kind->key ? edits->kind->find(edits->container, edit->key)
           : edit->inserted != 0 ? edit->key
                                 : NULL;
}

/* Counts what an edit removes and inserts among the members of a set, or behind
   one of its cells. */
static void count_change(const struct obv__container_edits *edits,
                         const struct obv_container_edit *edit,
                         struct obv_object *object)
{
    const struct obv__member_set *set = obv__members_of(object);
    if (set && !set->is_incomplete) {
        if (edit->removed != 0) {
            obv__member_leaves(
                object,
                obv__element_object_take(edits->element, old_of(edits, edit)));
        }
        if (edit->inserted != 0) {
            obv__member_enters(
                object, obv__element_object_take(edits->element, edit->key));
        }
    }
}

/* The cell of an edit, or NULL. */
static struct obv__cell *cell_of_edit(const struct obv__container_edits *edits,
                                      const struct obv_container_edit *edit)
{
    struct obv_context *context = obv__container_context(edits->container);
    uint64_t number;
    struct obv_key *key;
    if (!obv__edited_key_take(edits->container, edit, false, &key, &number)) {
        return NULL;
    }
    obv__lock_enter(&context->paths);
    struct obv__cell *cell = find_cell_locked(edits->container, number);
    obv__lock_leave(&context->paths);
    obv__key_release(key);
    return cell;
}

/* The edit that was the first of a key, or of an equal member; or NULL. */
static const struct obv_container_edit *
first_edit_of(const struct obv__container_edits *edits,
              const struct obv_container_cursor *cursor)
{
    for (size_t i = 0; edits && i < edits->count; i++) {
        const struct obv_container_edit *edit = &edits->edits[i];
        if (edits->kind->key ? edits->kind->key->equal(edits->kind->key,
                                                       edit->key, cursor->key)
                             : obv__value_equal(edits->element, edit->key,
                                                cursor->element)) {
            return edit;
        }
    }
    return NULL;
}

/* Touches the cell of a hash. The old value is the first member of that hash
   before the edits, as far as it is known: one that leaves and did not come by
   them; none if all have come by them. */
static void touch_hash(struct obv__container_edits *edits,
                       const struct obv_container_edit *edit,
                       struct obv__cell *cell)
{
    const void *old = old_of(edits, edit);
    if (edit->removed == 0 &&
        edits->kind->member(edits->container, cell->by_key.hash, 1)) {
        old = NULL;
    }
    count_change(edits, edit, &cell->object);
    if (cell->is_touched && cell->old == &obv__missing && edit->removed != 0 &&
        first_edit_of(edits, &(struct obv_container_cursor){
                                 .element = edit->key}) == edit) {
        cell->old = old;
    }
    obv__cell_touch(edits, cell, old);
    cell->has_moved = cell->has_moved || edit->removed != edit->inserted;
}

static void begin_keyed(struct obv__container_edits *edits)
{
    struct obv_object *object = &edits->container->object;
    const struct obv__member_set *set = obv__members_of(object);
    for (size_t i = 0; i < edits->count; i++) {
        const struct obv_container_edit *edit = &edits->edits[i];
        if (edit->removed == 0 && edit->inserted == 0) {
            continue;
        }
        struct obv__cell *cell = cell_of_edit(edits, edit);
        if (edits->kind->hash) {
            count_change(edits, edit, object);
        } else if (set) {
            obv__member_put(
                object, edit->key,
                obv__element_object_take(edits->element, now_of(edits, edit)));
        }
        if (cell && edits->kind->hash) {
            touch_hash(edits, edit, cell);
        } else if (cell) {
            obv__cell_touch(edits, cell, old_of(edits, edit));
        }
    }
    if (set && set->is_incomplete) {
        obv__members_recount(object);
    }
}

static bool change_of_keyed(const struct obv__container_edits *edits,
                            enum obv__edit_kind *kind)
{
    bool is_touched = edits->before != edits->container->count;
    *kind = is_touched ? OBV__EDIT_SET : OBV__EDIT_EQUAL;
    for (size_t i = 0; *kind != OBV__EDIT_SET && i < edits->count; i++) {
        const void *old = old_of(edits, &edits->edits[i]);
        const void *now = now_of(edits, &edits->edits[i]);
        if (now || old != &obv__missing) {
            enum obv__edit_kind here =
                obv__edit_kind_of(edits->element, old, now);
            is_touched = true;
            *kind = here == OBV__EDIT_EQUAL ? *kind : here;
        }
    }
    return is_touched;
}

/* Contents ----------------------------------------------------------------- */

static const void *like_keyed(const struct obv_container *container,
                              const struct obv__container_edits *edits,
                              const struct obv_container_cursor *cursor)
{
    const struct obv_container_kind *kind = obv__container_kind(container);
    const struct obv_container_edit *first = first_edit_of(edits, cursor);
    return first       ? old_of(edits, first)
           : kind->key ? kind->find(container, cursor->key)
                       : find_equal(container, cursor->element);
}

#define OBV__KEYED                                                             \
    .place = place_keyed, .take_out = take_keyed_out, .has = has_keyed,        \
    .find = find_keyed, .field = field_of_keyed, .print = print_keyed,         \
    .next = next_keyed, .like = like_keyed, .check = check_keyed,              \
    .begin = begin_keyed, .change_of_all = change_of_keyed

const struct obv__elements_kind obv__dictionary = {
    OBV__KEYED,
    .words = "this dictionary has keys and a count, and nothing else"};

const struct obv__elements_kind obv__set = {
    OBV__KEYED,
    .words = "this set has members by their hashes and a count, and nothing "
             "else",
    .next_behind = next_of_hash, .behind_are_equal = hashes_are_equal};
