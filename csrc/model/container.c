/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells, and what is kept of a container.
 */
#include "model/container.h"

#include "model/observed_state.h"
#include "model/value.h"

/* Cells ------------------------------------------------------------------- */

struct obv__elements *obv__elements_ensure(struct obv_container *container)
{
    struct obv__elements *elements = obv__elements_of(container);
    if (!elements) {
        elements = obv__context_allocate_zeroed(
            obv__container_context(container), sizeof *elements);
        if (elements) {
            TAILQ_INIT(&elements->all);
            obv__index_map_init(&elements->maps[false]);
            obv__index_map_init(&elements->maps[true]);
            /* Relaxed: the owner's telling looks whether there is any. */
            obv__store_relaxed(&container->reserved, (void *)elements);
        }
    }
    return elements;
}

/* Relaxed: an edit's owner looks whether there is any; a thread that begins to
   observe has told the owner's, and one that has just stopped costs it a
   look. */
static void count_cells_locked(struct obv__elements *elements, size_t more)
{
    obv__store_relaxed(&elements->cell_count, elements->cell_count + more);
}

struct obv__cell *obv__cell_create_locked(struct obv_container *container)
{
    const struct obv_class *cls = obv__class_of(&container->object);
    struct obv__elements *elements = obv__elements_ensure(container);
    struct obv__cell *cell =
        elements ? obv__context_allocate(cls->context, sizeof *cell) : NULL;
    if (cell) {
        *cell = (struct obv__cell){.container = container};
        obv_object_init(&cell->object, cls->container->cells);
        TAILQ_INSERT_TAIL(&elements->all, cell, of_container);
        count_cells_locked(elements, 1);
    }
    return cell;
}

struct obv_object *obv__place_behind(struct obv_object *object,
                                     const struct obv_object *place)
{
    const struct obv_class *cls = obv__class_of(object);
    if (!cls->container) {
        return NULL;
    }
    obv__lock_enter(&cls->context->paths);
    const struct obv__elements *elements =
        obv__elements_of(obv__container(object));
    /* A cell that was dropped says still which was behind it. */
    struct obv__cell *next = place != object
                                 ? TAILQ_NEXT(obv__cell(place), of_container)
                             : elements ? TAILQ_FIRST(&elements->all)
                                        : NULL;
    obv__lock_leave(&cls->context->paths);
    return next ? &next->object : NULL;
}

/* Edits -------------------------------------------------------------------- */

void obv__cell_touch(struct obv__container_edits *edits, struct obv__cell *cell,
                     const void *old)
{
    if (!cell->is_touched) {
        cell->is_touched = true;
        cell->old = old;
        cell->next_touched = edits->touched;
        edits->touched = cell;
    }
}

/* The content is one place: whether it differs is all that is known of it. */
const struct obv__edited *
obv__container_stored_over(struct obv__container_edits *edits,
                           struct obv_object *object)
{
    bool is_touched = edits->is_touched && edits->all != OBV__EDIT_EQUAL;
    if (!obv__class_of(object)->container ||
        obv__container(object) != edits->container) {
        return NULL;
    }
    edits->at = (struct obv__edited){object, OBV__SLOT_COUNT, &edits->before};
    if (obv__is_cell(object)) {
        edits->at.old = obv__cell(object)->old;
        is_touched = obv__cell(object)->is_touched;
    }
    return is_touched ? &edits->at : NULL;
}

enum obv__edit_kind obv__edit_kind_of(const struct obv_property *element,
                                      const void *old, const void *now)
{
    if (!old || old == &obv__missing || !now ||
        !obv__value_equal(element, old, now)) {
        return OBV__EDIT_SET;
    }
    struct obv_object *before = obv__element_object_take(element, old);
    struct obv_object *after = obv__element_object_take(element, now);
    bool are_one = before == after;
    obv__element_object_leave(before);
    obv__element_object_leave(after);
    return are_one ? OBV__EDIT_EQUAL : OBV__EDIT_ALIKE;
}

bool obv__is_kept_here(const struct obv_object *object)
{
    const struct obv_class *cls = obv__class_or_null(object);
    return cls && obv__class_is_constant(cls) && cls->retain;
}

struct obv_object *obv__element_object_take(const struct obv_property *element,
                                            const void *field)
{
    bool held = false;
    struct obv_object *object = field && field != &obv__missing
                                    ? obv__value_object(element, field, &held)
                                    : NULL;
    if (object && held != obv__is_kept_here(object)) {
        const struct obv_class *cls = obv__class_of(object);
        if (held) {
            cls->release(object);
        } else if (!cls->retain(object)) {
            object = NULL;
        }
    }
    return object;
}

void obv__element_object_leave(struct obv_object *object)
{
    if (object && obv__is_kept_here(object)) {
        obv__class_of(object)->release(object);
    }
}

/* The end of a cell -------------------------------------------------------- */

void obv__cell_drop_if_idle_locked(struct obv__cell *cell)
{
    struct obv_detail_node *node = obv__node(&cell->object);
    const uintptr_t *head = node ? obv__list(node, 0) : NULL;
    if (head && obv__first(head)) {
        return;
    }
    struct obv_class *cls = obv__class_of(&cell->object);
    struct obv__elements *elements = obv__elements_of(cell->container);
    obv__elements_kind(&cell->object)->take_out(cell);
    TAILQ_REMOVE(&elements->all, cell, of_container);
    count_cells_locked(elements, (size_t)-1);
    cell->is_dropped = true;
    if (cell->members) {
        obv__members_free_locked(cls->context, cell->members);
    }
    obv__retire(&cls->context->retired, &cell->retired, OBV__RETIRED_CELL);
}

void obv__cells_sweep_locked(struct obv__cell *but)
{
    struct obv__elements *elements = obv__elements_of(but->container);
    struct obv__cell *cell = TAILQ_FIRST(&elements->all);
    if (elements->cell_count <= elements->swept_at) {
        return;
    }
    while (cell) {
        struct obv__cell *next = TAILQ_NEXT(cell, of_container);
        if (cell != but && !cell->is_touched) {
            obv__cell_drop_if_idle_locked(cell);
        }
        cell = next;
    }
    elements->swept_at = 2 * elements->cell_count + 8;
}

/* With its node, which an edit may have looked for since the cell was dropped,
   and so lends no word of its own. */
void obv__cell_free(struct obv_context *context, struct obv__retired *block)
{
    struct obv__cell *cell = OBV__STRUCT_OF(struct obv__cell, retired, block);
    struct obv_detail_node *node = obv__node(&cell->object);
    struct obv__more *state = node ? obv__more(node) : NULL;
    if (state) { /* nothing else of it is kept for a cell */
        obv__observed_state_free(context, &state->retired);
    }
    if (node) {
        obv__node_free(context, (struct obv__retired *)(void *)node);
    }
    obv__key_release(cell->key);
    obv__context_free(context, cell->members, sizeof *cell->members);
    obv__context_free(context, cell, sizeof *cell);
}

void obv__elements_free_locked(struct obv_container *container)
{
    struct obv__elements *elements = obv__elements_of(container);
    if (elements) {
        struct obv_context *context = obv__container_context(container);
        obv__members_free_locked(context, &elements->members);
        obv__store_relaxed(&container->reserved, (void *)NULL);
        obv__context_free(context, elements, sizeof *elements);
    }
}
