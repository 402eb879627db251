/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that are told apart by where they stand: `#n`, and `n`, which follows
 * the element that stood there first. Their edits are in position_edits.c.
 */
#include "model/positions.h"
#include "model/container_class.h"

#include "model/context.h"
#include "model/value.h"

#include <stdio.h>
#include <string.h>

static struct obv__lock *lock_of(const struct obv_container *container)
{
    return &obv__container_context(container)->paths;
}

const void *obv__element_at(const struct obv_container *container,
                            size_t position)
{
    const struct obv_container_kind *kind = obv__container_kind(container);
    return position < kind->count(container) ? kind->at(container, position)
                                             : NULL;
}

/* Cells of positions ------------------------------------------------------- */

static int compare_cells(const struct obv__cell *a, const struct obv__cell *b)
{
    return (a->position > b->position) - (a->position < b->position);
}

/* Not every function that this makes is used. */
RB_GENERATE_INTERNAL(obv__cells, obv__cell, entry, compare_cells,
                     __attribute__((unused)) static)

static struct obv__cell *
find_position_locked(const struct obv_container *container, size_t position)
{
    struct obv__elements *elements = obv__elements_of(container);
    struct obv__cell like = {.position = position};
    return elements ? RB_FIND(obv__cells, &elements->cells, &like) : NULL;
}

static struct obv__cell *make_position_locked(struct obv_container *container,
                                              size_t position)
{
    struct obv__cell *cell = find_position_locked(container, position);
    if (!cell) {
        cell = obv__cell_create_locked(container);
        if (cell) {
            cell->position = position;
            RB_INSERT(obv__cells, &obv__elements_of(container)->cells, cell);
        }
    }
    return cell;
}

struct obv__cell *obv__cell_from(const struct obv_container *container,
                                 size_t position)
{
    struct obv__cell like = {.position = position};
    obv__lock_enter(lock_of(container));
    struct obv__elements *elements = obv__elements_of(container);
    struct obv__cell *cell =
        elements ? RB_NFIND(obv__cells, &elements->cells, &like) : NULL;
    obv__lock_leave(lock_of(container));
    return cell;
}

/* Cells of occurrences ----------------------------------------------------- */

static struct obv__cell *cell_of_entry(struct obv__index_entry *entry)
{
    return entry ? (struct obv__cell *)(void *)((char *)entry -
                                                offsetof(struct obv__cell,
                                                         followed))
                 : NULL;
}

static struct obv__cell *
find_occurrence_locked(const struct obv_container *container, size_t position)
{
    const struct obv__elements *elements = obv__elements_of(container);
    return elements ? cell_of_entry(
                          obv__index_map_find(&elements->occurrences, position))
                    : NULL;
}

static struct obv__cell *make_occurrence_locked(struct obv_container *container,
                                                size_t position)
{
    struct obv__cell *cell = find_occurrence_locked(container, position);
    if (!cell) {
        cell = obv__cell_create_locked(container);
        if (cell) {
            cell->is_occurrence = true;
            (void)obv__index_map_add(&obv__elements_of(container)->occurrences,
                                     &cell->followed, position);
        }
    }
    return cell;
}

static size_t position_locked(const struct obv__cell *cell)
{
    return cell->is_gone      ? SIZE_MAX
           : cell->is_dropped ? cell->dropped_at
                              : obv__index_map_position(&cell->followed);
}

size_t obv__cell_position(const struct obv__cell *cell)
{
    struct obv__lock *lock = lock_of(cell->container);
    if (!cell->is_occurrence) {
        return cell->position;
    }
    obv__lock_enter(lock);
    size_t position = position_locked(cell);
    obv__lock_leave(lock);
    return position;
}

bool obv__has_occurrences(const struct obv_container *container)
{
    struct obv__lock *lock = lock_of(container);
    obv__lock_enter(lock);
    const struct obv__elements *elements = obv__elements_of(container);
    bool has_some = elements && elements->occurrences.root;
    obv__lock_leave(lock);
    return has_some;
}

/* Put back where it stood, or gone. */
static void settle_removed_locked(struct obv__index_map *map,
                                  struct obv__cell *cell, size_t from,
                                  const struct obv_container_edit *edit)
{
    if (from < edit->inserted) {
        (void)obv__index_map_add(map, &cell->followed, edit->position + from);
        cell->is_back = true;
    } else {
        cell->is_gone = true;
        cell->gone_from = from;
    }
}

struct obv__cell *
obv__occurrences_replace(struct obv_container *container,
                         const struct obv_container_edit *edit)
{
    struct obv__lock *lock = lock_of(container);
    struct obv__index_map removed;
    struct obv__index_entry *entry;
    struct obv__cell *first = NULL;
    obv__lock_enter(lock);
    struct obv__index_map *map = &obv__elements_of(container)->occurrences;
    obv__index_map_remove(map, edit->position, edit->removed, &removed);
    /* They stood in the program's array, which has room for all of them. */
    (void)obv__index_map_insert(map, edit->position, edit->inserted);
    while ((entry = removed.root) != NULL) {
        struct obv__cell *cell = cell_of_entry(entry);
        size_t from = obv__index_map_position(entry);
        obv__index_map_take(&removed, entry);
        settle_removed_locked(map, cell, from, edit);
        if (cell->is_gone) {
            cell->next_gone = first;
            first = cell;
        }
    }
    obv__lock_leave(lock);
    return first;
}

struct obv__cell *
obv__occurrence_put_back(struct obv_container *container,
                         const struct obv_container_edit *edit, size_t *at)
{
    struct obv__lock *lock = lock_of(container);
    size_t end =
        edit->position +
        (edit->removed < edit->inserted ? edit->removed : edit->inserted);
    size_t position = edit->position + *at;
    struct obv__cell *cell;
    obv__lock_enter(lock);
    const struct obv__index_map *map =
        &obv__elements_of(container)->occurrences;
    do {
        struct obv__index_entry *entry = obv__index_map_from(map, position);
        cell = cell_of_entry(entry);
        position = entry ? obv__index_map_position(entry) + 1 : end + 1;
    } while (position <= end && !cell->is_back);
    cell = position <= end ? cell : NULL;
    if (cell) {
        cell->is_back = false;
        *at = position - 1 - edit->position;
    }
    obv__lock_leave(lock);
    return cell;
}

void obv__occurrence_leaves(struct obv__cell *cell)
{
    struct obv__lock *lock = lock_of(cell->container);
    obv__lock_enter(lock);
    /* Another thread may have stopped the last that hung there. */
    if (!cell->is_dropped && !cell->is_gone) {
        obv__index_map_take(&obv__elements_of(cell->container)->occurrences,
                            &cell->followed);
        cell->is_gone = true;
    }
    obv__lock_leave(lock);
}

void obv__occurrences_move(struct obv_container *container,
                           const struct obv_container_edit *edit)
{
    struct obv__lock *lock = lock_of(container);
    obv__lock_enter(lock);
    obv__index_map_move(&obv__elements_of(container)->occurrences,
                        edit->position, edit->moved, edit->to);
    obv__lock_leave(lock);
}

void obv__occurrences_permute(struct obv_container *container,
                              size_t (*to)(void *edit, size_t position),
                              const struct obv_container_edit *edit)
{
    struct obv__lock *lock = lock_of(container);
    obv__lock_enter(lock);
    obv__index_map_permute(&obv__elements_of(container)->occurrences, to,
                           (void *)(uintptr_t)edit);
    obv__lock_leave(lock);
}

/* Elements of paths -------------------------------------------------------- */

/* Whether an occurrence is followed from one container into another: into that
   which takes the place of a constant one. The elements are compared later, with
   no lock held (compare.c). */
static bool goes_over(const struct obv_container *from,
                      const struct obv_container *to)
{
    return from != to && obv__is_constant(&from->object) &&
           obv__is_constant(&to->object);
}

/* Once it hangs at an occurrence it hangs there, or nowhere. */
static struct obv__aim place_occurrence(const struct obv_element *element,
                                        struct obv_container *container,
                                        struct obv_object *at, bool make)
{
    struct obv__cell *cell = at ? obv__cell(at) : NULL;
    if (cell && !goes_over(cell->container, container)) {
        bool is_there = cell->container == container && !cell->is_gone;
        return obv__aim_at(is_there ? cell : NULL, false);
    }
    size_t position = cell ? position_locked(cell) : (size_t)element->number;
    if (position >= container->count) {
        return (struct obv__aim){.is_past_end = !cell};
    }
    return obv__aim_at(make ? make_occurrence_locked(container, position)
                            : find_occurrence_locked(container, position),
                       make);
}

static struct obv__aim place_position(const struct obv_element *element,
                                      struct obv_container *container,
                                      struct obv_object *at, bool make)
{
    size_t position = (size_t)element->number;
    return element->kind == OBV_ELEMENT_OCCURRENCE
               ? place_occurrence(element, container, at, make)
               : obv__aim_at(make ? make_position_locked(container, position)
                                  : find_position_locked(container, position),
                             make);
}

/* Its element may stand there still, and be read as what was followed before. */
static void take_position_out(struct obv__cell *cell)
{
    struct obv__elements *elements = obv__elements_of(cell->container);
    if (!cell->is_occurrence) {
        RB_REMOVE(obv__cells, &elements->cells, cell);
    } else if (!cell->is_gone) {
        size_t position = obv__index_map_position(&cell->followed);
        obv__index_map_take(&elements->occurrences, &cell->followed);
        cell->dropped_at = position;
    }
}

static bool has_position(const struct obv_container_kind *kind,
                         const struct obv_element *element)
{
    (void)kind;
    return element->kind == OBV_ELEMENT_POSITION ||
           element->kind == OBV_ELEMENT_OCCURRENCE;
}

static const void *find_position(const struct obv_container *container,
                                 const struct obv_element *element)
{
    return obv__element_at(container, (size_t)element->number);
}

static const void *field_of_position(const struct obv__cell *cell)
{
    return obv__element_at(cell->container, obv__cell_position(cell));
}

static void print_position(const struct obv__cell *cell, char *text,
                           size_t size)
{
    (void)snprintf(text, size, cell->is_occurrence ? "%zu" : "#%zu",
                   obv__cell_position(cell));
}

/* Contents ----------------------------------------------------------------- */

static bool next_position(const struct obv_container *container,
                          struct obv_container_cursor *cursor)
{
    cursor->element = obv__element_at(container, cursor->index++);
    return cursor->element != NULL;
}

static bool arrays_are_equal(const struct obv_container *a,
                             const struct obv_container *b)
{
    const struct obv__container_class *cls =
        obv__class_of(&a->object)->container;
    size_t count = cls->kind->count(a);
    bool same = count == obv__container_kind(b)->count(b);
    for (size_t i = 0; same && i < count; i++) {
        same = obv__value_equal(&cls->element, obv__element_at(a, i),
                                obv__element_at(b, i));
    }
    return same;
}

const struct obv__elements_kind obv__positions = {
    .place = place_position,
    .take_out = take_position_out,
    .has = has_position,
    .words = "this container has positions and a count, and nothing else",
    .find = find_position,
    .field = field_of_position,
    .print = print_position,
    .next = next_position,
    .were_equal = obv__position_edits_were_equal,
    .are_equal = arrays_are_equal,
    .check = obv__position_edits_check,
    .begin = obv__position_edits_begin,
    .next_cell = obv__position_edits_next,
    .change = obv__position_edits_change,
    .change_of_all = obv__position_edits_change_all};
