/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of containers: those that are told together are one change. What they do
 * to which element the container's kind of elements says.
 */
#include "dispatch/delivery.h"
#include "dispatch/work_list.h"
#include "edit/edit.h"
#include "edit/edit_list.h"
#include "model/children.h"
#include "wiring/place.h"

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
    edits->at = (struct obv__edited){object, 0, &edits->before};
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
                        struct obv__work_list *work)
{
    struct obv_object *object = &edits->container->object;
    work->edit.at = (struct obv__edited){object, 0, &edits->before};
    return obv__elements_kind(object)->change_of_all(edits, &work->edit.kind);
}

/* Some paths may cross the container more than once, and the edit be of several
   places of one path. From the root down: what is above moves what is below, and
   compares it with what is stored over. */
OBV__NOINLINE static void
collect_by_depth(const struct obv__container_edits *edits, struct round *round)
{
    struct obv__work_list *work = round->work;
    bool with_count = edits->before != edits->container->count;
    if (turn_to_all(edits, work)) {
        size_t deepest = obv__edit_deepest_of_all(work, with_count);
        obv__edit_collect_all_at(work, with_count, 0, round->since);
        round->deepest = deepest > round->deepest ? deepest : round->deepest;
    }
    for (round->depth = 1; round->depth <= round->deepest; round->depth++) {
        collect_cells(edits, round);
        if (turn_to_all(edits, work)) {
            obv__edit_collect_all_at(work, with_count, round->depth,
                                     round->since);
        }
    }
}

static void tell_edits(struct obv__container_edits *edits)
{
    struct obv__thread *self = obv__thread_self();
    struct obv_object *object = &edits->container->object;
    const struct obv__elements_kind *kind = obv__elements_kind(object);
    struct obv__work_list work;
    obv__epoch_enter(self);
    struct round round = {.work = &work, .since = obv__registration_epoch()};
    obv__work_list_init(&work, self, obv__class_of(object)->context);
    work.edit.places = &edits->places;
    kind->begin(edits);
    collect_cells(edits, &round);
    if (round.deepest != 0) {
        collect_by_depth(edits, &round);
    } else if (turn_to_all(edits, &work)) {
        obv__edit_collect_all(&work, edits->before != edits->container->count,
                              round.since);
    }
    obv__cells_forget_touched(edits);
    if (kind->finish) {
        kind->finish(edits);
    }
    obv__members_finish_edit(object);
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
    if (obv__class_is_constant(cls)) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "a constant container is not edited");
    }
    struct obv__container_edits told = {.places = {container, stored_over_in},
                                        .container = container,
                                        .kind = cls->container->kind,
                                        .element = &cls->container->element,
                                        .edits = edits,
                                        .count = count,
                                        .before = container->count};
    size_t after;
    if (!cls->container->elements->check(&told, &after) ||
        after != told.kind->count(container)) {
        return obv__fail(
            error, OBV_E_ARGUMENT,
            "an edit goes past the end or is none, or the count is "
            "not what the edits make of it");
    }
    container->count = after;
    bool is_observed = obv__node(&container->object) ||
                       obv__load_relaxed(&container->reserved);
    if (count != 0 && is_observed) {
        struct obv_edit_list *given_back = obv__edit_lists_record(&told);
        tell_edits(&told);
        obv__edit_lists_free(given_back);
    }
    return OBV_OK;
}
