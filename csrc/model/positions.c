/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements that are told apart by where they stand: positions, `#n`, and
 * occurrences, `n`. An occurrence is the element that stood at n first; the
 * index map follows it, and each edit is applied to the map once, forward. The
 * element at a position before the edits is found by following the position
 * through them: one of the edits has removed it, or it stands somewhere now.
 */
#include "model/children.h"
#include "model/context.h"
#include "model/value.h"

#include <stdio.h>

static struct obv__lock *lock_of(const struct obv_container *container)
{
    return &obv__container_context(container)->paths;
}

/* The field of the element at a position; NULL: there is none. */
static const void *element_at_now(const struct obv_container *container,
                                  size_t position)
{
    const struct obv_container_kind *kind = obv__container_kind(container);
    return position < kind->count(container) ? kind->at(container, position)
                                             : NULL;
}

/* Cells -------------------------------------------------------------------- */

static struct obv__cell *cell_of_entry(struct obv__index_entry *entry)
{
    return entry ? OBV__STRUCT_OF(struct obv__cell, followed, entry) : NULL;
}

static struct obv__cell *cell_at_locked(struct obv_container *container,
                                        bool is_occurrence, size_t position,
                                        bool make)
{
    struct obv__elements *elements = obv__elements_of(container);
    struct obv__cell *cell =
        elements ? cell_of_entry(obv__index_map_find(
                       &elements->maps[is_occurrence], position))
                 : NULL;
    if (!cell && make) {
        cell = obv__cell_create_locked(container);
        if (cell) {
            cell->is_occurrence = is_occurrence;
            (void)obv__index_map_add(
                &obv__elements_of(container)->maps[is_occurrence],
                &cell->followed, position);
        }
    }
    return cell;
}

/* The position of a cell's element; SIZE_MAX: the element has left. */
static size_t position_locked(const struct obv__cell *cell)
{
    return cell->is_gone      ? SIZE_MAX
           : cell->is_dropped ? cell->dropped_at
                              : obv__index_map_position(&cell->followed);
}

static size_t cell_position(const struct obv__cell *cell)
{
    obv__lock_enter(lock_of(cell->container));
    size_t position = position_locked(cell);
    obv__lock_leave(lock_of(cell->container));
    return position;
}

/* The first cell, of a position or of an occurrence, from `*position` on; or
   NULL. `*position` receives where the cell stands. */
static struct obv__cell *cell_from(const struct obv_container *container,
                                   bool of_occurrence, size_t *position)
{
    obv__lock_enter(lock_of(container));
    struct obv__elements *elements = obv__elements_of(container);
    struct obv__cell *cell =
        elements ? cell_of_entry(obv__index_map_from(
                       &elements->maps[of_occurrence], *position))
                 : NULL;
    *position = cell ? position_locked(cell) : SIZE_MAX;
    obv__lock_leave(lock_of(container));
    return cell;
}

/* Elements of paths -------------------------------------------------------- */

/* Whether an occurrence is followed from one container into another: from a
   constant container into the one that takes its place. The elements are
   compared later, with no lock held (wiring.c). */
static bool goes_over(const struct obv_container *from,
                      const struct obv_container *to)
{
    return from != to && obv__is_constant(&from->object) &&
           obv__is_constant(&to->object);
}

/* Aims a path at an occurrence: bound to a cell once, it hangs there or
   nowhere. */
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
    return position < container->count
               ? obv__aim_at(cell_at_locked(container, true, position, make),
                             make)
               : (struct obv__aim){.is_past_end = !cell};
}

static struct obv__aim place_position(const struct obv_element *element,
                                      struct obv_container *container,
                                      struct obv_object *at, bool make)
{
    return element->kind == OBV_ELEMENT_OCCURRENCE
               ? place_occurrence(element, container, at, make)
               : obv__aim_at(cell_at_locked(container, false,
                                            (size_t)element->number, make),
                             make);
}

/* Takes a cell out of the index map. Its element may stand there still, and be
   read as the one followed before. */
static void take_position_out(struct obv__cell *cell)
{
    if (!cell->is_gone) {
        size_t position = obv__index_map_position(&cell->followed);
        obv__index_map_take(
            &obv__elements_of(cell->container)->maps[cell->is_occurrence],
            &cell->followed);
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
    return element_at_now(container, (size_t)element->number);
}

static const void *field_of_position(const struct obv__cell *cell)
{
    return element_at_now(cell->container, cell_position(cell));
}

static void print_position(const struct obv__cell *cell, char *text,
                           size_t size)
{
    (void)snprintf(text, size, cell->is_occurrence ? "%zu" : "#%zu",
                   cell_position(cell));
}

static bool next_position(const struct obv_container *container,
                          struct obv_container_cursor *cursor)
{
    cursor->element = element_at_now(container, cursor->index++);
    return cursor->element != NULL;
}

/* Edits that are none ------------------------------------------------------ */

/* Whether `order` is a permutation. Without memory each number is looked for
   among those before it. */
static bool is_order(struct obv_context *context, const size_t *order,
                     size_t count)
{
    bool good = true;
    uint8_t *seen = obv__context_allocate_zeroed(context, count);
    for (size_t i = 0; good && i < count; i++) {
        good = order[i] < count && !(seen && seen[order[i]]);
        for (size_t j = seen ? i : 0; good && j < i; j++) {
            good = order[j] != order[i];
        }
        if (good && seen) {
            seen[order[i]] = true;
        }
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
    return edit->order ? is_order(obv__container_context(edits->container),
                                  edit->order, edit->moved)
                       : edit->to <= count - edit->moved;
}

static bool check_positions(const struct obv__container_edits *edits,
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

/* Former positions --------------------------------------------------------- */

size_t obv__position_after(void *of_edit, size_t position)
{
    const struct obv_container_edit *edit = of_edit;
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
    /* The position without the moved elements, then with them at their
       place. */
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
   removed it, or it stands somewhere now, `stays` (or NULL): where it stood.
   NULL: it is not known. */
static const void *before_edit(const struct obv__container_edits *edits,
                               size_t from, size_t position, bool *stays)
{
    size_t now = position;
    for (size_t i = from; i < edits->count; i++) {
        const struct obv_container_edit *edit = &edits->edits[i];
        if (now >= edit->position && now - edit->position < edit->removed) {
            return obv__removed_element(edits, edit, now - edit->position);
        }
        now = obv__position_after((void *)(uintptr_t)edit, now);
    }
    if (stays) {
        *stays = now == position;
    }
    /* It is not there if code of the program has told of another edit since. */
    return now < edits->container->count
               ? edits->kind->at(edits->container, now)
               : NULL;
}

/* The element at a position before all edits; false: it stands there still. */
static bool was_at(const struct obv__container_edits *edits, size_t position,
                   const void **old)
{
    bool stays = false;
    *old = position < edits->before ? before_edit(edits, 0, position, &stays)
                                    : &obv__missing;
    return !stays;
}

static const void *like_position(const struct obv_container *container,
                                 const struct obv__container_edits *edits,
                                 const struct obv_container_cursor *cursor)
{
    return edits ? before_edit(edits, 0, cursor->index - 1, NULL)
                 : element_at_now(container, cursor->index - 1);
}

/* The positions that the edits touch, if together they leave the count as it
   was: from `*first` on, up to the one that is returned. */
static size_t touched_range(const struct obv__container_edits *edits,
                            size_t *first)
{
    size_t behind = 0;
    *first = SIZE_MAX;
    for (size_t i = 0; i < edits->count; i++) {
        const struct obv_container_edit *edit = &edits->edits[i];
        bool is_move = edit->moved != 0 && !edit->order;
        size_t low =
            is_move && edit->to < edit->position ? edit->to : edit->position;
        size_t high =
            is_move && edit->to > edit->position ? edit->to : edit->position;
        size_t end = high + edit->removed + edit->moved;
        *first = low < *first ? low : *first;
        behind = end > behind ? end : behind;
        behind += edit->inserted - edit->removed;
    }
    return behind;
}

static bool change_of_positions(const struct obv__container_edits *edits,
                                enum obv__edit_kind *kind)
{
    size_t first, behind = touched_range(edits, &first);
    bool is_touched = edits->before != edits->container->count;
    *kind = is_touched ? OBV__EDIT_SET : OBV__EDIT_EQUAL;
    for (size_t i = first; i < behind && *kind != OBV__EDIT_SET; i++) {
        const void *old;
        if (was_at(edits, i, &old)) {
            enum obv__edit_kind here = obv__edit_kind_of(
                edits->element, old, element_at_now(edits->container, i));
            is_touched = true;
            *kind = here == OBV__EDIT_EQUAL ? *kind : here;
        }
    }
    return is_touched;
}

/* Effects of edits --------------------------------------------------------- */

/* Counts the members that an edit removes and inserts; false: some are not
   known. */
static bool count_edit(const struct obv__container_edits *edits, size_t at)
{
    struct obv_object *object = &edits->container->object;
    const struct obv_container_edit *edit = &edits->edits[at];
    bool known = edit->removed == 0 || edit->old;
    for (size_t i = 0; known && i < edit->removed; i++) {
        obv__member_leaves(
            object, obv__element_object_take(
                        edits->element, obv__removed_element(edits, edit, i)));
    }
    for (size_t i = 0; known && i < edit->inserted; i++) {
        const void *come = before_edit(edits, at + 1, edit->position + i, NULL);
        known = come != NULL;
        if (known) {
            obv__member_enters(object,
                               obv__element_object_take(edits->element, come));
        }
    }
    return known;
}

static void count_members(const struct obv__container_edits *edits)
{
    struct obv_object *object = &edits->container->object;
    const struct obv__member_set *set = obv__members_of(object);
    bool known = !set || !set->is_incomplete;
    for (size_t i = 0; set && known && i < edits->count; i++) {
        known = count_edit(edits, i);
    }
    if (!known) {
        obv__members_recount(object);
    }
}

/* Touches the occurrences that an edit removes. An element that the edit puts
   back where it stood has not gone (`is_back`). */
static void touch_removed(struct obv__container_edits *edits, size_t at)
{
    const struct obv_container_edit *edit = &edits->edits[at];
    size_t position = edit->position;
    struct obv__cell *cell;
    for (; (cell = cell_from(edits->container, true, &position)) &&
           position - edit->position < edit->removed;
         position++) {
        size_t i = position - edit->position;
        const void *old = obv__removed_element(edits, edit, i);
        obv__cell_touch(edits, cell, old);
        cell->is_back = i < edit->inserted &&
                        obv__edit_kind_of(edits->element, old,
                                          before_edit(edits, at + 1, position,
                                                      NULL)) != OBV__EDIT_SET;
    }
}

/* Another thread may have stopped the last that hung at one meanwhile. */
static void replace_locked(struct obv__index_map *map,
                           const struct obv_container_edit *edit)
{
    struct obv__index_map removed =
        obv__index_map_remove(map, edit->position, edit->removed);
    struct obv__index_entry *entry;
    obv__index_map_insert(map, edit->position, edit->inserted);
    while ((entry = removed.root) != NULL) {
        struct obv__cell *cell = cell_of_entry(entry);
        size_t position = edit->position + obv__index_map_position(entry);
        obv__index_map_take(&removed, entry);
        cell->is_gone = !cell->is_back;
        if (cell->is_back) {
            (void)obv__index_map_add(map, entry, position);
        }
    }
}

static void follow_occurrences(struct obv__container_edits *edits)
{
    struct obv__index_map *map =
        &obv__elements_of(edits->container)->maps[true];
    struct obv__lock *lock = lock_of(edits->container);
    for (size_t i = 0; i < edits->count; i++) {
        struct obv_container_edit edit = edits->edits[i];
        if (edit.removed != 0) {
            touch_removed(edits, i);
        }
        obv__lock_enter(lock);
        if (edit.moved == 0) {
            replace_locked(map, &edit);
        } else if (edit.order) {
            obv__index_map_permute(map, obv__position_after, &edit);
        } else {
            obv__index_map_move(map, edit.position, edit.moved, edit.to);
        }
        obv__lock_leave(lock);
    }
}

static void begin_positions(struct obv__container_edits *edits)
{
    size_t position = 0;
    struct obv__cell *cell;
    if (cell_from(edits->container, true, &position)) {
        follow_occurrences(edits);
    }
    count_members(edits);
    (void)touched_range(edits, &position);
    for (; (cell = cell_from(edits->container, false, &position)); position++) {
        const void *old;
        if (was_at(edits, position, &old)) {
            obv__cell_touch(edits, cell, old);
        }
        if (position == SIZE_MAX) {
            break;
        }
    }
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
    .like = like_position,
    .check = check_positions,
    .begin = begin_positions,
    .change_of_all = change_of_positions};
