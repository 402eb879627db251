/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of elements that are told apart by where they stand. An element that
 * stood at a position before is found by following it through the edits: one of
 * them has removed it, or it stands somewhere now.
 */
#include "model/positions.h"

#include "model/children.h"
#include "model/context.h"
#include "model/value.h"

#include <string.h>

/* What is wrong ------------------------------------------------------------ */

/* Without memory: every cycle leads back to where it began. */
static bool is_order_by_cycles(const size_t *order, size_t count)
{
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        size_t at = order[i], length = 1;
        while (at != i && length <= count) {
            at = order[at];
            length++;
        }
        good = at == i;
    }
    return good;
}

static bool is_order(struct obv_context *context, const size_t *order,
                     size_t count)
{
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        good = order[i] < count;
    }
    uint8_t *seen = good ? obv__context_allocate(context, count) : NULL;
    if (!seen) {
        return good && is_order_by_cycles(order, count);
    }
    memset(seen, 0, count);
    for (size_t i = 0; good && i < count; i++) {
        good = !seen[order[i]];
        seen[order[i]] = true;
    }
    obv__context_free(context, seen, count);
    return good;
}

OBV__NOINLINE static bool is_good_move(const struct obv__container_edits *edits,
                                       const struct obv_container_edit *edit,
                                       size_t count)
{
    if (edit->removed != 0 || edit->inserted != 0 ||
        edit->moved > count - edit->position) {
        return false;
    }
    return edit->order
               ? is_order(obv__class_of(&edits->container->object)->context,
                          edit->order, edit->moved)
               : edit->to <= count - edit->moved;
}

bool obv__position_edits_check(const struct obv__container_edits *edits,
                               size_t *count)
{
    const struct obv_container_edit *edit = edits->edits;
    size_t now = edits->before;
    for (size_t left = edits->count; left != 0; left--, edit++) {
        if (edit->position > now || edit->removed > now - edit->position ||
            edit->inserted > SIZE_MAX - (now - edit->removed) ||
            (edit->moved != 0 && !is_good_move(edits, edit, now))) {
            return false;
        }
        now += edit->inserted - edit->removed;
    }
    *count = now;
    return true;
}

/* What was there ----------------------------------------------------------- */

/* Where what stood at a position before an edit stands behind it, if the edit has
   not removed it. */
static size_t position_after(const struct obv_container_edit *edit,
                             size_t position)
{
    size_t moved = edit->moved;
    if (moved == 0) {
        return position >= edit->position
                   ? position + edit->inserted - edit->removed
                   : position;
    }
    bool is_moved =
        position >= edit->position && position - edit->position < moved;
    if (edit->order) {
        return is_moved
                   ? edit->position + edit->order[position - edit->position]
                   : position;
    }
    if (is_moved) {
        return edit->to + (position - edit->position);
    }
    /* Without them, then with them again. */
    position -= position >= edit->position ? moved : 0;
    return position + (position >= edit->to ? moved : 0);
}

const void *obv__removed_element(const struct obv__container_edits *edits,
                                 const struct obv_container_edit *edit,
                                 size_t i)
{
    return edit->old
               ? (const char *)edit->old + i * (size_t)edits->element->size
               : NULL;
}

/* The element at a position before the edits from `from` on: one of them has
   removed it, or it stands somewhere now, `stays`: where it stood; NULL: it is
   not known. */
static const void *before_edit(const struct obv__container_edits *edits,
                               size_t from, size_t position, bool *stays)
{
    size_t now = position;
    *stays = false;
    for (size_t i = from; i < edits->count; i++) {
        const struct obv_container_edit *edit = &edits->edits[i];
        if (now >= edit->position && now - edit->position < edit->removed) {
            return obv__removed_element(edits, edit, now - edit->position);
        }
        now = position_after(edit, now);
    }
    *stays = now == position;
    /* It is not there if code of the program has told of another edit since. */
    return now < edits->container->count
               ? edits->kind->at(edits->container, now)
               : NULL;
}

/* The change of a position; false: it was left alone. */
static bool edit_at(const struct obv__container_edits *edits, size_t position,
                    const void **old, enum obv__edit_kind *kind)
{
    const void *now = obv__element_at(edits->container, position);
    bool stays = !now;
    *old = &obv__missing;
    if (position < edits->before) {
        *old = before_edit(edits, 0, position, &stays);
    }
    if (!stays) {
        *kind = obv__edit_kind_of(edits->element, *old, now);
    }
    return !stays;
}

static bool is_move(const struct obv_container_edit *edit)
{
    return edit->moved != 0 && !edit->order;
}

/* The first position that an edit touches, and behind the last, if all of them
   together leave the count. */
static size_t first_position(const struct obv__container_edits *edits)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < edits->count; i++) {
        const struct obv_container_edit *edit = &edits->edits[i];
        first = edit->position < first ? edit->position : first;
        first = is_move(edit) && edit->to < first ? edit->to : first;
    }
    return first;
}

static size_t behind_last_position(const struct obv__container_edits *edits)
{
    size_t behind = 0;
    for (size_t i = 0; i < edits->count; i++) {
        const struct obv_container_edit *edit = &edits->edits[i];
        size_t from = is_move(edit) && edit->to > edit->position
                          ? edit->to
                          : edit->position;
        size_t end = from + edit->removed + edit->moved;
        behind = end > behind ? end : behind;
        behind += edit->inserted - edit->removed;
    }
    return behind;
}

bool obv__position_edits_were_equal(const struct obv__container_edits *edits,
                                    const struct obv_container *other)
{
    bool same = edits->before == obv__container_kind(other)->count(other);
    for (size_t i = 0; same && i < edits->before; i++) {
        bool stays;
        const void *was = before_edit(edits, 0, i, &stays);
        const void *is = obv__element_at(other, i);
        same = was && is && obv__value_equal(edits->element, was, is);
    }
    return same;
}

bool obv__position_edits_change_all(const struct obv__container_edits *edits,
                                    enum obv__edit_kind *kind)
{
    size_t behind = behind_last_position(edits);
    bool is_touched = edits->before != edits->container->count;
    *kind = is_touched ? OBV__EDIT_SET : OBV__EDIT_EQUAL;
    for (size_t i = first_position(edits); i < behind && *kind != OBV__EDIT_SET;
         i++) {
        const void *old;
        enum obv__edit_kind here;
        if (edit_at(edits, i, &old, &here)) {
            is_touched = true;
            *kind = here == OBV__EDIT_EQUAL ? *kind : here;
        }
    }
    return is_touched;
}

/* The objects that a `*` leads to, if it does: who has gone, and who has come. */
static bool count_edit(const struct obv__container_edits *edits, size_t at)
{
    const struct obv_container_edit *edit = &edits->edits[at];
    bool known = edit->removed == 0 || edit->old;
    for (size_t i = 0; known && i < edit->removed; i++) {
        obv__member_leaves(
            &edits->container->object,
            obv__element_object_take(edits->element,
                                     obv__removed_element(edits, edit, i)));
    }
    for (size_t i = 0; known && i < edit->inserted; i++) {
        bool stays;
        const void *come =
            before_edit(edits, at + 1, edit->position + i, &stays);
        known = come != NULL;
        if (known) {
            obv__member_enters(&edits->container->object,
                               obv__element_object_take(edits->element, come));
        }
    }
    return known;
}

static void count_members(const struct obv__container_edits *edits)
{
    struct obv_object *object = &edits->container->object;
    const struct obv__member_set *set = obv__members_of(object);
    if (set) {
        bool known = !set->is_incomplete;
        for (size_t i = 0; known && i < edits->count; i++) {
            known = count_edit(edits, i);
        }
        if (!known) {
            obv__members_recount(object);
        }
    }
}

/* Occurrences -------------------------------------------------------------- */

/* Whether an element that an edit has removed is what stands there now. */
static bool is_same_again(const struct obv__container_edits *edits, size_t at,
                          size_t i)
{
    const struct obv_container_edit *edit = &edits->edits[at];
    bool stays;
    const void *now = before_edit(edits, at + 1, edit->position + i, &stays);
    return obv__edit_kind_of(edits->element,
                             obv__removed_element(edits, edit, i),
                             now) != OBV__EDIT_SET;
}

/* Who comes back to where it stood has not gone. */
static void follow_replacing(struct obv__container_edits *edits, size_t at)
{
    const struct obv_container_edit *edit = &edits->edits[at];
    struct obv__cell *cell = obv__occurrences_replace(edits->container, edit);
    for (; cell; cell = cell->next_gone) {
        obv__cell_touch(edits, cell,
                        obv__removed_element(edits, edit, cell->gone_from));
    }
    for (size_t i = 0;
         (cell = obv__occurrence_put_back(edits->container, edit, &i)) != NULL;
         i++) {
        obv__cell_touch(edits, cell, obv__removed_element(edits, edit, i));
        if (!is_same_again(edits, at, i)) {
            obv__occurrence_leaves(cell);
        }
    }
}

static size_t to_position(void *edit, size_t position)
{
    return position_after(edit, position);
}

static void follow_occurrences(struct obv__container_edits *edits)
{
    if (!obv__has_occurrences(edits->container)) {
        return;
    }
    for (size_t i = 0; i < edits->count; i++) {
        const struct obv_container_edit *edit = &edits->edits[i];
        if (edit->moved == 0) {
            follow_replacing(edits, i);
        } else if (edit->order) {
            obv__occurrences_permute(edits->container, to_position, edit);
        } else {
            obv__occurrences_move(edits->container, edit);
        }
    }
}

/* The change of an occurrence that an edit has touched. */
static enum obv__edit_kind
kind_of_touched(const struct obv__container_edits *edits,
                const struct obv__cell *cell)
{
    size_t position = obv__cell_position(cell);
    return position == SIZE_MAX
               ? OBV__EDIT_LEAVES
               : obv__edit_kind_of(edits->element, cell->old,
                                   obv__element_at(edits->container, position));
}

/* Cells -------------------------------------------------------------------- */

void obv__position_edits_begin(struct obv__container_edits *edits)
{
    follow_occurrences(edits);
    count_members(edits);
}

/* The positions that are observed, from the first that an edit touches on; then
   the occurrences that one has touched. */
struct obv__cell *
obv__position_edits_next(const struct obv__container_edits *edits,
                         const struct obv__cell *cell)
{
    if (cell && cell->is_occurrence) {
        return cell->next_touched;
    }
    size_t from = cell ? cell->position + 1 : first_position(edits);
    bool is_last = cell && cell->position == SIZE_MAX;
    struct obv__cell *next =
        is_last ? NULL : obv__cell_from(edits->container, from);
    return next ? next : edits->touched;
}

bool obv__position_edits_change(const struct obv__container_edits *edits,
                                const struct obv__cell *cell, const void **old,
                                enum obv__edit_kind *kind)
{
    if (!cell->is_occurrence) {
        return edit_at(edits, cell->position, old, kind);
    }
    *old = cell->old;
    if (cell->is_touched) {
        *kind = kind_of_touched(edits, cell);
    }
    return cell->is_touched;
}
