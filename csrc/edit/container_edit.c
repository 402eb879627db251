/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of containers: those that are told together are one change. The
 * container's kind of elements says what they do to which element.
 */
#include "dispatch/loop.h"
#include "dispatch/work_list.h"
#include "edit/edit.h"
#include "model/misuse.h"
#include "model/recorder.h"
#include "dispatch/trace.h"
#include "model/children.h"
#include "model/value.h"

static void leave_cell(struct obv__cell *cell)
{
    cell->is_touched = cell->has_moved = false;
    obv__members_finish_edit(&cell->object);
}

/* Whether a path leads on through a cell. Asked once, before the edit is told:
   telling it takes paths away. */
static bool leads_on(const struct obv__cell *cell)
{
    const struct obv_detail_node *node = obv__node(&cell->object);
    return node &&
           (obv__load_acquire(&node->slots[0].head) & OBV_DETAIL_SLOW_PATH);
}

/* Compares the cells that edits have touched; cells that were empty and are so
   now are left out. An equal member of a set in the place of another is
   followed. */
static void compare_touched(struct obv__container_edits *edits)
{
    struct obv__cell *cell = edits->touched, *next;
    edits->touched = NULL;
    for (; cell; cell = next) {
        const void *now = obv__elements_kind(&cell->object)->field(cell);
        next = cell->next_touched;
        cell->leads_on = leads_on(cell);
        cell->kind =
            (uint8_t)(cell->has_moved ? OBV__EDIT_SET
                      : edits->kind->hash
                          ? OBV__EDIT_ALIKE
                          : obv__edit_kind_of(edits->element, cell->old, now));
        if (now || cell->old != &obv__missing) {
            cell->next_touched = edits->touched;
            edits->touched = cell;
        } else {
            leave_cell(cell);
        }
    }
}

/* Marks the readers of the touched places. An equal element leaves its readers
   valid (EQ-1); another object that counts as equal does not: a reader may have
   gone on through it. */
static void mark_places(const struct obv__container_edits *edits,
                        struct obv__work_list *work, uint64_t since)
{
    const struct obv__cell *cell = edits->touched;
    if (edits->is_touched && edits->all != OBV__EDIT_EQUAL) {
        obv__edit_mark(work, &edits->container->object,
                       edits->before != edits->container->count, since);
    }
    for (; cell; cell = cell->next_touched) {
        if (cell->kind != OBV__EDIT_EQUAL) {
            obv__edit_mark(work, &cell->object, true, since);
        }
    }
}

/* Collects at all places for one depth; returns the next depth. */
static size_t collect_places(const struct obv__container_edits *edits,
                             struct obv__work_list *work, size_t depth,
                             uint64_t since)
{
    struct obv__cell *cell = edits->touched;
    size_t next = OBV__NO_DEPTH;
    for (; cell; cell = cell->next_touched) {
        work->edit.at = (struct obv__edited){&cell->object, 0, cell->old};
        work->edit.kind = cell->is_gone ? OBV__EDIT_LEAVES : cell->kind;
        /* An occurrence that has left keeps no watcher: also those that came
           since are told. */
        next = obv__edit_collect(work, true, cell->leads_on, depth, next,
                                 cell->is_gone ? obv__registration_epoch()
                                               : since);
    }
    if (edits->is_touched) {
        work->edit.at = (struct obv__edited){&edits->container->object,
                                             OBV__SLOT_COUNT, &edits->before};
        work->edit.kind = edits->all;
        next = obv__edit_collect(work, edits->before != edits->container->count,
                                 true, depth, next, since);
    }
    return next;
}

/* Forgets the touched cells, and lets go of members that have gone. */
static void finish_edits(struct obv__container_edits *edits)
{
    while (edits->touched) {
        struct obv__cell *cell = edits->touched;
        edits->touched = cell->next_touched;
        leave_cell(cell);
    }
    obv__members_finish_edit(&edits->container->object);
}

OBV__NOINLINE static void tell_places(struct obv__container_edits *edits,
                                      struct obv__thread *self, uint64_t since)
{
    struct obv__work_list work;
    size_t depth = 0;
    obv__work_list_init(&work, self, obv__container_context(edits->container));
    work.edit.places = edits;
    mark_places(edits, &work, since);
    while (depth != OBV__NO_DEPTH) {
        depth = collect_places(edits, &work, depth, since);
    }
    finish_edits(edits);
    obv__work_list_deliver(&work);
}

/* Whether the container is watched as one place: by its count, or by `*`, whose
   watchers set a bit in the slot of the count as well. */
static bool is_watched_as_one(const struct obv_container *container)
{
    const struct obv_detail_node *node = obv__node(&container->object);
    return node && obv__load_acquire(&node->slots[OBV__SLOT_COUNT].head) != 0;
}

OBV__NOINLINE static void tell_cells_and_all(struct obv__container_edits *edits,
                                             struct obv__thread *self)
{
    const struct obv__elements_kind *kind =
        obv__elements_kind(&edits->container->object);
    obv__epoch_enter(self);
    uint64_t since = obv__registration_epoch();
    kind->begin(edits);
    compare_touched(edits);
    edits->is_touched = is_watched_as_one(edits->container) &&
                        kind->change_of_all(edits, &edits->all);
    if (edits->touched || edits->is_touched) {
        tell_places(edits, self, since);
    } else {
        finish_edits(edits);
    }
    obv__epoch_leave(self);
}

/* If no element is watched, the container is a place like any other, whose
   count says that it differs. */
static void tell_edits(struct obv__container_edits *edits)
{
    const struct obv_container *container = edits->container;
    struct obv__thread *self = obv__thread_self();
    void **told = &self->slots[OBV__THREAD_TOLD];
    edits->outer = *told;
    *told = edits;
    bool is_traced = obv__is_traced();
    if (is_traced) {
        obv__trace_set(&edits->container->object, OBV__SLOT_COUNT, false);
    }
    if (obv__elements_are_watched(container) ||
        container->count == edits->before || is_traced) {
        tell_cells_and_all(edits, self);
    } else if (is_watched_as_one(container)) {
        obv__edit_from(&edits->container->object, OBV__SLOT_COUNT,
                       &edits->before);
    }
    *told = (void *)(uintptr_t)edits->outer;
}

const struct obv_container_edit *
obv_container_edits(const struct obv_container *container, size_t *count)
{
    const struct obv__container_edits *told =
        obv__thread_self()->slots[OBV__THREAD_TOLD];
    while (told && told->container != container) {
        told = told->outer;
    }
    *count = told ? told->count : 0;
    return told ? told->edits : NULL;
}

/* Field by field: a compiler that clears the whole takes longer than the
   edit. */
static void edits_init(struct obv__container_edits *told,
                       struct obv_container *container,
                       const struct obv_container_edit *edits, size_t count)
{
    const struct obv__container_class *cls =
        obv__class_of(&container->object)->container;
    told->container = container;
    told->kind = cls->kind;
    told->element = &cls->element;
    told->edits = edits;
    told->count = count;
    told->before = container->count;
    told->touched = NULL;
    told->is_touched = false;
}

enum obv_status obv_container_edited(struct obv_container *container,
                                     const struct obv_container_edit *edits,
                                     size_t count, struct obv_error *error)
{
    if (!container || (count != 0 && !edits)) {
        return obv__fail(error, OBV_E_ARGUMENT, "an argument is null");
    }
    const struct obv_class *cls = obv__class_or_null(&container->object);
    if (!cls || !cls->container) {
        enum obv_status status = obv__check_object(&container->object, error);
        return status != OBV_OK ? status
                                : obv__fail(error, OBV_E_ARGUMENT,
                                            "this object is no container");
    }
    if (obv__class_is_constant(cls)) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "a constant container is not edited");
    }
    struct obv__container_edits told;
    size_t after;
    edits_init(&told, container, edits, count);
    if (!cls->container->elements->check(&told, &after) ||
        after != told.kind->count(container)) {
        if (OBV__CHECKS_MISUSE) {
            obv__tell_misuse(cls->context, OBV__EDIT_NOT_TOLD, cls, NULL);
        }
        return obv__fail(
            error, OBV_E_ARGUMENT,
            "an edit goes past the end or is none, or the count is "
            "not what the edits make of it");
    }
    container->count = after;
    const struct obv__elements *elements = obv__elements_of(container);
    if (count == 0) {
        return OBV_OK;
    }
    if (elements && elements->recorders) {
        struct obv__recorder *unwanted =
            obv__recorders_tell(container, edits, count);
        tell_edits(&told);
        obv__recorders_let_go(unwanted);
    } else if (elements || obv__node(&container->object)) {
        tell_edits(&told);
    }
    return OBV_OK;
}
