/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of containers: those that are told together are one change. What they do
 * to which element the container's kind of elements says.
 */
#include "dispatch/delivery.h"
#include "dispatch/loop.h"
#include "dispatch/work_list.h"
#include "edit/edit.h"
#include "edit/edit_list.h"
#include "model/misuse.h"
#include "model/children.h"
#include "wiring/place.h"

/* The slot of the only property that a container has of its own. */
enum { COUNT };

/* The content is one place: whether it differs is all that is known of it. */
static const struct obv__edited *
stored_over_in(struct obv__edited_places *places, struct obv_object *object)
{
    struct obv__container_edits *edits = (void *)places;
    const struct obv__elements_kind *kind =
        obv__elements_kind(&edits->container->object);
    enum obv__edit_kind how;
    if (!obv__class_of(object)->container ||
        obv__container(object) != edits->container) {
        return NULL;
    }
    edits->at = (struct obv__edited){object, COUNT, &edits->before};
    bool is_touched =
        obv__is_cell(object)
            ? kind->change(edits, obv__cell(object), &edits->at.old, &how)
            : kind->change_of_all(edits, &how) && how != OBV__EDIT_EQUAL;
    return is_touched ? &edits->at : NULL;
}

/* One round over the places of an edit. */
struct round {
    struct obv__work_list *work;
    uint64_t since;
    size_t depth;   /* of those that were left by the first round; 0: that */
    size_t deepest; /* of those that are left */
    /* The change of the content as a whole. */
    bool is_touched;
    enum obv__edit_kind all;
};

static void collect_cell(struct round *round)
{
    /* Nothing stays behind at one that has left. */
    uint64_t since = round->work->edit.kind == OBV__EDIT_LEAVES
                         ? obv__registration_epoch()
                         : round->since;
    if (round->depth == 0) {
        size_t left = obv__edit_collect(round->work, since);
        round->deepest = left > round->deepest ? left : round->deepest;
    } else {
        obv__edit_collect_crossing(round->work, round->depth, since);
    }
}

static void collect_if_touched(const struct obv__container_edits *edits,
                               struct obv__cell *cell, struct round *round)
{
    struct obv__edit *edit = &round->work->edit;
    edit->at = (struct obv__edited){&cell->object, 0, NULL};
    if (obv__elements_kind(&cell->object)
            ->change(edits, cell, &edit->at.old, &edit->kind)) {
        collect_cell(round);
    }
}

/* Whether a computed property has read the element of a cell alone. */
static bool is_read_alone(const struct obv__cell *cell)
{
    struct obv_detail_node *node = obv__node(&cell->object);
    return node && obv__source_hub((uintptr_t)obv__list(node, 0));
}

/* Marks those that have read one element alone. Equal ones leave them as they are,
   other objects that count as equal do not. */
static void invalidate_cells(const struct obv__container_edits *edits,
                             const struct round *round)
{
    const struct obv__elements_kind *kind =
        obv__elements_kind(&edits->container->object);
    struct obv__cell *cell = kind->next_cell(edits, NULL);
    for (; cell; cell = kind->next_cell(edits, cell)) {
        const void *old;
        enum obv__edit_kind how;
        if (is_read_alone(cell) && kind->change(edits, cell, &old, &how) &&
            how != OBV__EDIT_EQUAL) {
            obv__edit_invalidate_cell(round->work, &cell->object, round->since);
        }
    }
}

static void collect_cells(const struct obv__container_edits *edits,
                          struct round *round)
{
    const struct obv__elements_kind *kind =
        obv__elements_kind(&edits->container->object);
    struct obv__cell *cell = kind->next_cell(edits, NULL);
    for (; cell; cell = kind->next_cell(edits, cell)) {
        collect_if_touched(edits, cell, round);
    }
    /* Code of the program may have told of another edit meanwhile, which leaves
       what this one has touched to this one. */
    for (cell = edits->touched; cell; cell = cell->next_touched) {
        if (cell->is_gone) {
            collect_if_touched(edits, cell, round);
        }
    }
}

/* The content and the count; false: they were left alone. */
static bool turn_to_all(const struct obv__container_edits *edits,
                        const struct round *round)
{
    struct obv__edit *edit = &round->work->edit;
    edit->at =
        (struct obv__edited){&edits->container->object, COUNT, &edits->before};
    edit->kind = round->all;
    return round->is_touched;
}

/* Some paths may cross the container more than once, and the edit be of several
   places of one path. From the root down: what is above moves what is below, and
   compares it with what is stored over. */
OBV__NOINLINE static void
collect_by_depth(const struct obv__container_edits *edits, struct round *round)
{
    struct obv__work_list *work = round->work;
    bool with_count = edits->before != edits->container->count;
    if (turn_to_all(edits, round)) {
        size_t deepest = obv__edit_deepest_of_all(work, with_count);
        obv__edit_collect_all_at(work, with_count, 0, round->since);
        round->deepest = deepest > round->deepest ? deepest : round->deepest;
    }
    for (round->depth = 1; round->depth <= round->deepest; round->depth++) {
        collect_cells(edits, round);
        if (turn_to_all(edits, round)) {
            obv__edit_collect_all_at(work, with_count, round->depth,
                                     round->since);
        }
    }
}

/* What was touched is forgotten, and members that have gone are let go of. */
static void finish_edits(struct obv__container_edits *edits)
{
    struct obv_object *object = &edits->container->object;
    const struct obv__elements_kind *kind = obv__elements_kind(object);
    if (edits->touched) {
        obv__cells_forget_touched(edits);
    }
    if (kind->finish) {
        kind->finish(edits);
    }
    obv__members_finish_edit(object);
}

OBV__NOINLINE static void tell_places(struct obv__container_edits *edits,
                                      struct obv__thread *self, uint64_t since)
{
    struct obv__work_list work;
    struct obv_object *object = &edits->container->object;
    struct round round = {.work = &work, .since = since};
    round.is_touched =
        obv__elements_kind(object)->change_of_all(edits, &round.all);
    obv__work_list_init(&work, self, obv__class_of(object)->context);
    work.edit.places = &edits->places;
    /* Equal elements leave what has read them as it is (EQ-1); other objects that
       count as equal do not: it may have gone on to them. */
    if (round.is_touched && round.all != OBV__EDIT_EQUAL) {
        obv__edit_invalidate(&work, object,
                             edits->before != edits->container->count, since);
    }
    invalidate_cells(edits, &round);
    collect_cells(edits, &round);
    if (round.deepest != 0) {
        collect_by_depth(edits, &round);
    } else if (turn_to_all(edits, &round)) {
        obv__edit_collect_all(&work, edits->before != edits->container->count,
                              since);
    }
    finish_edits(edits);
    obv__work_list_deliver(&work);
}

/* Whether anybody watches the container as one place. The slot of the count knows
   of who watches all as well. */
static bool is_watched_as_one(const struct obv_container *container)
{
    const struct obv_detail_node *node = obv__node(&container->object);
    return node && obv__load_acquire(&node->slots[COUNT].head) != 0;
}

OBV__NOINLINE static void tell_cells_and_all(struct obv__container_edits *edits,
                                             struct obv__thread *self)
{
    const struct obv__elements_kind *kind =
        obv__elements_kind(&edits->container->object);
    obv__epoch_enter(self);
    uint64_t since = obv__registration_epoch();
    kind->begin(edits);
    if (kind->next_cell(edits, NULL) || is_watched_as_one(edits->container)) {
        tell_places(edits, self, since);
    } else {
        finish_edits(edits);
    }
    obv__epoch_leave(self);
}

/* Where no element is watched the container is a place like any other, whose
   count says that it differs. */
static void tell_edits(struct obv__container_edits *edits)
{
    const struct obv_container *container = edits->container;
    struct obv__thread *self = obv__thread_self();
    void **told = &self->slots[OBV__THREAD_TOLD];
    edits->outer = *told;
    *told = edits;
    if (obv__elements_are_watched(container) ||
        container->count == edits->before) {
        tell_cells_and_all(edits, self);
    } else if (is_watched_as_one(container)) {
        obv__edit_from(&edits->container->object, COUNT, &edits->before);
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

/* Field by field: a compiler that clears the whole takes longer than the edit. */
static void edits_init(struct obv__container_edits *told,
                       struct obv_container *container,
                       const struct obv_container_edit *edits, size_t count)
{
    const struct obv__container_class *cls =
        obv__class_of(&container->object)->container;
    told->places.container = container;
    told->places.stored_over = stored_over_in;
    told->container = container;
    told->kind = cls->kind;
    told->element = &cls->element;
    told->edits = edits;
    told->count = count;
    told->before = container->count;
    told->touched = NULL;
    told->keys = NULL;
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
    if (elements && elements->edit_lists) {
        struct obv_edit_list *given_back = obv__edit_lists_record(&told);
        tell_edits(&told);
        obv__edit_lists_free(given_back);
    } else if (elements || obv__node(&container->object)) {
        tell_edits(&told);
    }
    return OBV_OK;
}
