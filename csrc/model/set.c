/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that are told apart by their hashes: the members of a set. A cell
 * stands for every member with its hash, and is found by it, however many
 * members and cells there are. Whoever enters or leaves touches it (SE-2).
 */
#include "model/context.h"
#include "model/children.h"
#include "model/container_class.h"
#include "model/edited_keys.h"
#include "model/keyed_cell.h"
#include "model/value.h"

#include <stdio.h>
#include <string.h>

/* Elements of paths -------------------------------------------------------- */

static bool has_hash(const struct obv_container_kind *kind,
                     const struct obv_element *element)
{
    (void)kind;
    return element->kind == OBV_ELEMENT_MEMBER;
}

static struct obv__aim place_hash(const struct obv_element *element,
                                  struct obv_container *container,
                                  struct obv_object *at, bool make)
{
    uint64_t hash = element->number;
    (void)at;
    return obv__aim_at(make ? obv__keyed_cell_ensure_locked(container, hash)
                            : obv__keyed_cell_find_locked(container, hash),
                       make);
}

/* The first member with a hash. */
static const void *find_member_of_hash(const struct obv_container *container,
                                       const struct obv_element *element)
{
    return obv__container_kind(container)->member(container, element->number,
                                                  0);
}

static const void *field_of_hash(const struct obv__cell *cell)
{
    return obv__container_kind(cell->container)
        ->member(cell->container, cell->by_key.hash, 0);
}

static void print_hash(const struct obv__cell *cell, char *text, size_t size)
{
    (void)snprintf(text, size, "&%llu", (unsigned long long)cell->by_key.hash);
}

/* Contents ----------------------------------------------------------------- */

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

/* As many with the hash, and each in both. */
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

static bool sets_are_equal(const struct obv_container *a,
                           const struct obv_container *b)
{
    struct obv_container_cursor cursor = {.index = 0};
    bool same =
        obv__container_kind(a)->hash == obv__container_kind(b)->hash &&
        obv__container_kind(a)->count(a) == obv__container_kind(b)->count(b);
    while (same && obv__keyed_next(a, &cursor)) {
        same = find_equal(b, cursor.element) != NULL;
    }
    return same;
}

/* Edits -------------------------------------------------------------------- */

static bool is_in(const struct obv_container_edit *edit)
{
    return edit->inserted != 0;
}

static bool was_in(const struct obv_container_edit *edit)
{
    return edit->removed != 0;
}

static const void *who_left(const struct obv_container_edit *edit)
{
    return edit->old ? edit->old : edit->key;
}

/* Counts a change among the members of a container, or behind a cell. */
static void count_change(const struct obv__container_edits *edits,
                         struct obv_object *object,
                         const struct obv__edited_key *edited)
{
    const struct obv_container_edit *first = edited->first;
    if (!obv__members_of(object)) {
        return;
    }
    struct obv_object *old =
        was_in(first)
            ? obv__element_object_take(edits->element, who_left(first))
            : NULL;
    if (old) {
        obv__member_leaves(object, old);
    }
    if (is_in(edited->last)) {
        obv__member_enters(object, obv__element_object_take(edits->element,
                                                            edited->last->key));
    }
}

/* What stood first among those with a hash, as far as it is known: who has left;
   if only this one has come nobody. */
static const void *old_of_cell(const struct obv__container_edits *edits,
                               const struct obv_container_edit *first,
                               const struct obv__cell *cell)
{
    if (was_in(first)) {
        return who_left(first);
    }
    return edits->kind->member(edits->container, cell->by_key.hash, 1)
               ? NULL
               : &obv__missing;
}

/* Whether a member has entered or left; or only been replaced by an equal
   one. */
static bool has_moved(const struct obv__edited_key *edited)
{
    return was_in(edited->first) != is_in(edited->last);
}

static enum obv__edit_kind
change_of_member(const struct obv__container_edits *edits,
                 const struct obv__edited_key *edited)
{
    return has_moved(edited)
               ? OBV__EDIT_SET
               : obv__edit_kind_of(edits->element, who_left(edited->first),
                                   edited->last->key);
}

/* Those that have left come first: what one of them was is known. */
static void touch_cells(struct obv__container_edits *edits, bool have_left)
{
    struct obv__edited_key edited;
    for (size_t i = 0; obv__edited_key(edits, i, &edited); i++) {
        bool is_touched = was_in(edited.first) || is_in(edited.last);
        struct obv__cell *cell =
            is_touched && was_in(edited.first) == have_left
                ? obv__keyed_cell_find(
                      edits->container,
                      obv__edited_key_hash(edits, edited.first))
                : NULL;
        if (cell) {
            count_change(edits, &cell->object, &edited);
            obv__cell_touch(edits, cell,
                            old_of_cell(edits, edited.first, cell));
            cell->has_moved = cell->has_moved || has_moved(&edited);
        }
    }
}

static void begin_of_set(struct obv__container_edits *edits)
{
    struct obv_object *object = &edits->container->object;
    struct obv__edited_key edited;
    obv__edited_keys_begin(edits);
    if (obv__members_of(object)) {
        for (size_t i = 0; obv__edited_key(edits, i, &edited); i++) {
            count_change(edits, object, &edited);
        }
    }
    if (edits->count > 1 || was_in(edits->edits)) {
        touch_cells(edits, true);
    }
    if (edits->count > 1 || !was_in(edits->edits)) {
        touch_cells(edits, false);
    }
}

/* Whoever enters or leaves is a change, whatever stands there first; an equal one
   in the place of another is followed. */
static bool change_of_hash(const struct obv__container_edits *edits,
                           const struct obv__cell *cell, const void **old,
                           enum obv__edit_kind *kind)
{
    (void)edits;
    *old = cell->old;
    *kind = cell->has_moved ? OBV__EDIT_SET : OBV__EDIT_ALIKE;
    return cell->is_touched;
}

/* Whether an element was a member before the edits. */
static bool was_member(const struct obv__container_edits *edits,
                       const void *element)
{
    struct obv__edited_key edited;
    for (size_t i = 0; obv__edited_key(edits, i, &edited); i++) {
        if (obv__value_equal(edits->element, edited.first->key, element)) {
            return was_in(edited.first);
        }
    }
    return find_equal(edits->container, element) != NULL;
}

static bool sets_were_equal(const struct obv__container_edits *edits,
                            const struct obv_container *other)
{
    struct obv_container_cursor cursor = {.index = 0};
    bool same = edits->kind->hash == obv__container_kind(other)->hash &&
                edits->before == obv__container_kind(other)->count(other);
    while (same && obv__keyed_next(other, &cursor)) {
        same = was_member(edits, cursor.element);
    }
    return same;
}

static bool change_of_set(const struct obv__container_edits *edits,
                          enum obv__edit_kind *kind)
{
    struct obv__edited_key edited;
    bool is_touched = false;
    *kind = OBV__EDIT_EQUAL;
    for (size_t i = 0;
         *kind != OBV__EDIT_SET && obv__edited_key(edits, i, &edited); i++) {
        if (was_in(edited.first) || is_in(edited.last)) {
            enum obv__edit_kind here = change_of_member(edits, &edited);
            is_touched = true;
            *kind = here == OBV__EDIT_EQUAL ? *kind : here;
        }
    }
    return is_touched;
}

const struct obv__elements_kind obv__set = {
    .place = place_hash,
    .take_out = obv__keyed_cell_take_out,
    .has = has_hash,
    .words = "this set has members by their hashes and a count, and nothing "
             "else",
    .find = find_member_of_hash,
    .field = field_of_hash,
    .print = print_hash,
    .next = obv__keyed_next,
    .next_behind = next_of_hash,
    .behind_are_equal = hashes_are_equal,
    .were_equal = sets_were_equal,
    .are_equal = sets_are_equal,
    .check = obv__edited_keys_check,
    .begin = begin_of_set,
    .next_cell = obv__edited_keys_next_cell,
    .change = change_of_hash,
    .change_of_all = change_of_set,
    .finish = obv__edited_keys_end};
