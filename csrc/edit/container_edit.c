/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of containers: those that are told together are one change. An element
 * that stood at a position before is found by following it through the edits:
 * one of them has removed it, or it stands somewhere now.
 */
#include "dispatch/delivery.h"
#include "dispatch/work_list.h"
#include "edit/edit.h"
#include "model/container.h"
#include "model/value.h"
#include "wiring/place.h"

#include <string.h>

struct told_edits {
    struct obv__edited_places places; /* first */
    struct obv__edited at;            /* the one that was asked for last */
    struct obv_container *container;
    const struct obv_container_kind *kind;
    const struct obv_property *element;
    const struct obv_container_edit *edits;
    size_t count;
    size_t before;             /* the count that was told last */
    struct obv__cell *touched; /* of occurrences */
};

/* What is wrong -------------------------------------------------------------- */

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

static bool is_good_move(const struct told_edits *told,
                         const struct obv_container_edit *edit, size_t count)
{
    if (edit->removed != 0 || edit->inserted != 0 ||
        edit->moved > count - edit->position) {
        return false;
    }
    return edit->order
               ? is_order(obv__class_of(&told->container->object)->context,
                          edit->order, edit->moved)
               : edit->to <= count - edit->moved;
}

/* The count that the edits make of the one that was told last; false: one of them
   cannot be. */
static bool count_after(const struct told_edits *told, size_t *count)
{
    *count = told->before;
    for (size_t i = 0; i < told->count; i++) {
        const struct obv_container_edit *edit = &told->edits[i];
        if (edit->position > *count ||
            edit->removed > *count - edit->position ||
            (edit->moved != 0 && !is_good_move(told, edit, *count))) {
            return false;
        }
        *count += edit->inserted - edit->removed;
    }
    return true;
}

/* What was there ------------------------------------------------------------- */

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

/* Where an element that an edit has removed lies; NULL: it is not known. */
static const void *removed_at(const struct told_edits *told,
                              const struct obv_container_edit *edit, size_t i)
{
    return edit->old ? (const char *)edit->old + i * (size_t)told->element->size
                     : NULL;
}

/* The element at a position before the edits from `from` on: one of them has
   removed it, or it stands somewhere now, `stays`: where it stood; NULL: it is
   not known. */
static const void *before_edit(const struct told_edits *told, size_t from,
                               size_t position, bool *stays)
{
    size_t now = position;
    *stays = false;
    for (size_t i = from; i < told->count; i++) {
        const struct obv_container_edit *edit = &told->edits[i];
        if (now >= edit->position && now - edit->position < edit->removed) {
            return removed_at(told, edit, now - edit->position);
        }
        now = position_after(edit, now);
    }
    *stays = now == position;
    return told->kind->at(told->container, now);
}

static enum obv__edit_kind kind_between(const struct obv_property *element,
                                        const void *old, const void *now)
{
    if (!old || old == &obv__missing || !now ||
        !obv__value_equal(element, old, now)) {
        return OBV__EDIT_SET;
    }
    return element->kind == OBV_KIND_object &&
                   memcmp(old, now, sizeof(struct obv_object *)) != 0
               ? OBV__EDIT_ALIKE
               : OBV__EDIT_EQUAL;
}

/* The change of a position; false: it was left alone. */
static bool edit_at(const struct told_edits *told, size_t position,
                    const void **old, enum obv__edit_kind *kind)
{
    const void *now = obv__element(told->container, position);
    bool stays = !now;
    *old = &obv__missing;
    if (position < told->before) {
        *old = before_edit(told, 0, position, &stays);
    }
    if (!stays) {
        *kind = kind_between(told->element, *old, now);
    }
    return !stays;
}

static bool is_move(const struct obv_container_edit *edit)
{
    return edit->moved != 0 && !edit->order;
}

/* The first position that an edit touches, and behind the last, if all of them
   together leave the count. */
static size_t first_position(const struct told_edits *told)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < told->count; i++) {
        const struct obv_container_edit *edit = &told->edits[i];
        first = edit->position < first ? edit->position : first;
        first = is_move(edit) && edit->to < first ? edit->to : first;
    }
    return first;
}

static size_t behind_last_position(const struct told_edits *told)
{
    size_t behind = 0;
    for (size_t i = 0; i < told->count; i++) {
        const struct obv_container_edit *edit = &told->edits[i];
        size_t from = is_move(edit) && edit->to > edit->position
                          ? edit->to
                          : edit->position;
        size_t end = from + edit->removed + edit->moved;
        behind = end > behind ? end : behind;
        behind += edit->inserted - edit->removed;
    }
    return behind;
}

/* The change of the content; false: it was left alone. */
static bool edit_of_all(const struct told_edits *told,
                        enum obv__edit_kind *kind)
{
    size_t behind = behind_last_position(told);
    bool is_touched = told->before != told->container->count;
    *kind = is_touched ? OBV__EDIT_SET : OBV__EDIT_EQUAL;
    for (size_t i = first_position(told); i < behind && *kind != OBV__EDIT_SET;
         i++) {
        const void *old;
        enum obv__edit_kind here;
        if (edit_at(told, i, &old, &here)) {
            is_touched = true;
            *kind = here == OBV__EDIT_EQUAL ? *kind : here;
        }
    }
    return is_touched;
}

/* The objects that a `*` leads to, if it does: who has gone, and who has come. */
static bool count_edit(const struct told_edits *told, size_t at)
{
    const struct obv_container_edit *edit = &told->edits[at];
    bool known = edit->removed == 0 || edit->old;
    for (size_t i = 0; known && i < edit->removed; i++) {
        struct obv_object *const *gone = removed_at(told, edit, i);
        obv__member_leaves(told->container, *gone);
    }
    for (size_t i = 0; known && i < edit->inserted; i++) {
        bool stays;
        struct obv_object *const *come =
            before_edit(told, at + 1, edit->position + i, &stays);
        known = come != NULL;
        if (known) {
            obv__member_enters(told->container, *come);
        }
    }
    return known;
}

static void count_members(const struct told_edits *told)
{
    const struct obv__elements *elements = told->container->reserved;
    if (elements && elements->has_members) {
        bool known = !elements->is_incomplete;
        for (size_t i = 0; known && i < told->count; i++) {
            known = count_edit(told, i);
        }
        if (!known) {
            obv__members_recount(told->container);
        }
    }
}

/* Occurrences ---------------------------------------------------------------- */

/* What stood there first is what all the edits have stored over. */
static void touch(struct told_edits *told, struct obv__cell *cell,
                  const void *old)
{
    if (!cell->is_touched) {
        cell->is_touched = true;
        cell->old = old;
        cell->next_touched = told->touched;
        told->touched = cell;
    }
}

/* Who comes back to where it stood has not gone. */
static void follow_replacing(struct told_edits *told, size_t at)
{
    const struct obv_container_edit *edit = &told->edits[at];
    const struct obv__span span = {edit->position, edit->removed,
                                   edit->inserted};
    struct obv__cell *next,
        *cell = obv__occurrences_replace(told->container, &span);
    for (; cell; cell = next) {
        size_t i = cell->gone_from;
        const void *old = removed_at(told, edit, i);
        bool stays;
        next = cell->next_gone;
        touch(told, cell, old);
        if (i < edit->inserted &&
            kind_between(told->element, old,
                         before_edit(told, at + 1, edit->position + i,
                                     &stays)) != OBV__EDIT_SET) {
            obv__occurrence_return(cell, edit->position + i);
        }
    }
}

static size_t to_position(void *edit, size_t position)
{
    return position_after(edit, position);
}

static void follow(struct told_edits *told)
{
    if (!obv__has_occurrences(told->container)) {
        return;
    }
    for (size_t i = 0; i < told->count; i++) {
        const struct obv_container_edit *edit = &told->edits[i];
        if (edit->moved == 0) {
            follow_replacing(told, i);
        } else if (edit->order) {
            obv__occurrences_permute(told->container, to_position,
                                     (void *)(uintptr_t)edit);
        } else {
            obv__occurrences_move(told->container, edit->position, edit->moved,
                                  edit->to);
        }
    }
}

/* The change of an occurrence that an edit has touched. */
static enum obv__edit_kind kind_of_touched(const struct told_edits *told,
                                           const struct obv__cell *cell)
{
    size_t position = obv__cell_position(cell);
    return position == SIZE_MAX
               ? OBV__EDIT_LEAVES
               : kind_between(told->element, cell->old,
                              obv__element(told->container, position));
}

static void forget_touched(struct told_edits *told)
{
    while (told->touched) {
        struct obv__cell *cell = told->touched;
        told->touched = cell->next_touched;
        cell->is_touched = false;
    }
}

/* All places ----------------------------------------------------------------- */

/* The change of a cell's element; false: it was left alone. */
static bool edit_of_cell(const struct told_edits *told,
                         const struct obv__cell *cell, const void **old,
                         enum obv__edit_kind *kind)
{
    if (!cell->is_occurrence) {
        return edit_at(told, cell->position, old, kind);
    }
    *old = cell->old;
    return cell->is_touched;
}

/* The content is one place: whether it differs is all that is known of it. */
static const struct obv__edited *
stored_over_in(struct obv__edited_places *places, struct obv_object *object)
{
    struct told_edits *told = (struct told_edits *)(void *)places;
    enum obv__edit_kind kind;
    if (!obv__class_of(object)->container ||
        obv__container(object) != told->container) {
        return NULL;
    }
    told->at = (struct obv__edited){object, 0, &told->before};
    bool is_touched =
        obv__is_cell(object)
            ? edit_of_cell(told, obv__cell(object), &told->at.old, &kind)
            : edit_of_all(told, &kind) && kind != OBV__EDIT_EQUAL;
    return is_touched ? &told->at : NULL;
}

/* One round over the places of an edit. */
struct round {
    struct obv__work_list *work;
    uint64_t since;
    size_t depth;   /* of those that were left by the first round; 0: that */
    size_t deepest; /* of those that are left */
};

static void collect_cell(struct round *round)
{
    if (round->depth == 0) {
        size_t left = obv__edit_collect(round->work, round->since);
        round->deepest = left > round->deepest ? left : round->deepest;
    } else {
        obv__edit_collect_crossing(round->work, round->depth, round->since);
    }
}

/* The positions that are observed, from the first that an edit touches on. */
static void collect_positions(const struct told_edits *told,
                              struct round *round)
{
    struct obv__edit *edit = &round->work->edit;
    struct obv__cell *cell =
        obv__cell_from(&told->container->object, first_position(told));
    while (cell) {
        edit->at = (struct obv__edited){&cell->object, 0, NULL};
        if (edit_at(told, cell->position, &edit->at.old, &edit->kind)) {
            collect_cell(round);
        }
        cell = obv__cell_after(cell);
    }
}

static void collect_occurrences(const struct told_edits *told,
                                struct round *round)
{
    for (struct obv__cell *cell = told->touched; cell;
         cell = cell->next_touched) {
        round->work->edit.at =
            (struct obv__edited){&cell->object, 0, cell->old};
        round->work->edit.kind = kind_of_touched(told, cell);
        collect_cell(round);
    }
}

/* The content and the count; false: they were left alone. */
static bool turn_to_all(const struct told_edits *told,
                        struct obv__work_list *work)
{
    work->edit.at =
        (struct obv__edited){&told->container->object, 0, &told->before};
    return edit_of_all(told, &work->edit.kind);
}

/* Some paths may cross the container more than once, and the edit be of several
   places of one path. From the root down: what is above moves what is below, and
   compares it with what is stored over. */
OBV__NOINLINE static void collect_by_depth(const struct told_edits *told,
                                           struct round *round)
{
    struct obv__work_list *work = round->work;
    bool with_count = told->before != told->container->count;
    if (turn_to_all(told, work)) {
        size_t deepest = obv__edit_deepest_of_all(work, with_count);
        obv__edit_collect_all_at(work, with_count, 0, round->since);
        round->deepest = deepest > round->deepest ? deepest : round->deepest;
    }
    for (round->depth = 1; round->depth <= round->deepest; round->depth++) {
        collect_positions(told, round);
        collect_occurrences(told, round);
        if (turn_to_all(told, work)) {
            obv__edit_collect_all_at(work, with_count, round->depth,
                                     round->since);
        }
    }
}

static void tell_of(struct told_edits *told)
{
    struct obv__thread *self = obv__thread_self();
    struct obv_object *object = &told->container->object;
    struct obv__work_list work;
    obv__epoch_enter(self);
    struct round round = {.work = &work, .since = obv__registration_epoch()};
    obv__work_list_init(&work, self, obv__class_of(object)->context);
    work.edit.places = &told->places;
    follow(told);
    /* Before a position leads to a `*` of this very container. */
    count_members(told);
    collect_positions(told, &round);
    collect_occurrences(told, &round);
    if (round.deepest != 0) {
        collect_by_depth(told, &round);
    } else if (turn_to_all(told, &work)) {
        obv__edit_collect_all(&work, told->before != told->container->count,
                              round.since);
    }
    obv__members_finish_edit(told->container);
    forget_touched(told);
    obv__work_list_deliver(&work);
    obv__epoch_leave(self);
}

enum obv_status obv_container_edited(struct obv_container *container,
                                     const struct obv_container_edit *edits,
                                     size_t count, struct obv_error *error)
{
    if (!container || (count != 0 && !edits)) {
        return obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    }
    enum obv_status status = obv__check_object(&container->object, error);
    if (status != OBV_OK) {
        return status;
    }
    const struct obv_class *cls = obv__class_of(&container->object);
    if (!cls->container) {
        return obv__fail(error, OBV_E_ARGUMENT, "this object is no container");
    }
    struct told_edits told = {.places = {container, stored_over_in},
                              .container = container,
                              .kind = cls->container->kind,
                              .element = &cls->container->element,
                              .edits = edits,
                              .count = count,
                              .before = container->count};
    size_t after;
    if (!count_after(&told, &after) || after != told.kind->count(container)) {
        return obv__fail(
            error, OBV_E_ARGUMENT,
            "an edit goes past the end or is none, or the count is "
            "not what the edits make of it");
    }
    container->count = after;
    bool is_observed = obv__node(&container->object) ||
                       obv__load_relaxed(&container->reserved);
    if (count != 0 && is_observed) {
        tell_of(&told);
    }
    return OBV_OK;
}
