/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of containers, and cells.
 */
#include "model/container.h"

#include "model/each.h"
#include "model/foreign_entry.h"
#include "model/value.h"

#include <string.h>

const char obv__missing = 0;

static struct obv__lock *paths_lock(const struct obv_object *object)
{
    return &obv__class_of(object)->context->paths;
}

/* Cells ------------------------------------------------------------------- */

static struct obv__elements *elements_ensure(struct obv_container *container)
{
    struct obv__elements *elements = obv__elements_of(container);
    if (!elements) {
        elements = obv__context_allocate(
            obv__class_of(&container->object)->context, sizeof *elements);
        if (elements) {
            memset(elements, 0, sizeof *elements);
            obv_index_map_init(&elements->occurrences);
            /* Relaxed: the owner's telling looks whether there is any. */
            obv__store_relaxed(&container->reserved, (void *)elements);
        }
    }
    return elements;
}

static int compare_cells(const struct obv__cell *a, const struct obv__cell *b)
{
    return (a->position > b->position) - (a->position < b->position);
}

/* Not every function that this makes is used. */
RB_GENERATE_INTERNAL(obv__cells, obv__cell, entry, compare_cells,
                     __attribute__((unused)) static)

struct obv__cell *obv__cell_find_locked(const struct obv_container *container,
                                        size_t position)
{
    struct obv__elements *elements = obv__elements_of(container);
    struct obv__cell like = {.position = position};
    return elements ? RB_FIND(obv__cells, &elements->cells, &like) : NULL;
}

struct obv__cell *obv__cell_from(const struct obv_object *container,
                                 size_t position)
{
    struct obv__cell like = {.position = position};
    obv__lock_enter(paths_lock(container));
    struct obv__elements *elements =
        obv__elements_of(obv__container(container));
    struct obv__cell *cell =
        elements ? RB_NFIND(obv__cells, &elements->cells, &like) : NULL;
    obv__lock_leave(paths_lock(container));
    return cell;
}

/* NULL: no memory. */
static struct obv__cell *make_cell(struct obv_container *container,
                                   bool is_occurrence)
{
    const struct obv_class *cls = obv__class_of(&container->object);
    struct obv__cell *cell =
        elements_ensure(container)
            ? obv__context_allocate(cls->context, sizeof *cell)
            : NULL;
    if (cell) {
        *cell = (struct obv__cell){.container = container,
                                   .is_occurrence = is_occurrence};
        obv_object_init(&cell->object, cls->container->cells);
    }
    return cell;
}

struct obv__cell *obv__cell_make_locked(struct obv_container *container,
                                        size_t position)
{
    struct obv__cell *cell = obv__cell_find_locked(container, position);
    if (!cell) {
        cell = make_cell(container, false);
        if (cell) {
            cell->position = position;
            RB_INSERT(obv__cells, &obv__elements_of(container)->cells, cell);
        }
    }
    return cell;
}

/* Its element may stand there still, and be read as what was followed before. */
static void take_out(struct obv__elements *elements, struct obv__cell *cell)
{
    if (!cell->is_occurrence) {
        RB_REMOVE(obv__cells, &elements->cells, cell);
    } else if (!cell->is_gone) {
        size_t position = obv_index_map_position(&cell->followed);
        obv_index_map_take(&elements->occurrences, &cell->followed);
        cell->dropped_at = position;
    }
}

void obv__cell_drop_if_idle_locked(struct obv__cell *cell)
{
    struct obv_detail_node *node = obv__node(&cell->object);
    const uintptr_t *head = node ? obv__list(node, 0) : NULL;
    if (head && obv__first(head)) {
        return;
    }
    struct obv_class *cls = obv__class_of(&cell->object);
    take_out(obv__elements_of(cell->container), cell);
    cell->is_dropped = true;
    obv__retire(&cls->context->retired, &cell->retired, OBV__RETIRED_CELL);
}

/* With its node, which an edit may have looked for since the cell was dropped,
   and so lends no word of its own. */
void obv__cell_free(struct obv_context *context, struct obv__retired *block)
{
    struct obv__cell *cell =
        (struct obv__cell *)(void *)((char *)block -
                                     offsetof(struct obv__cell, retired));
    struct obv_detail_node *node = obv__node(&cell->object);
    if (node) {
        obv__node_free(context, (struct obv__retired *)(void *)node);
    }
    obv__context_free(context, cell, sizeof *cell);
}

/* Occurrences --------------------------------------------------------------- */

static struct obv__cell *cell_of_entry(struct obv_index_entry *entry)
{
    return entry ? (struct obv__cell *)(void *)((char *)entry -
                                                offsetof(struct obv__cell,
                                                         followed))
                 : NULL;
}

struct obv__cell *
obv__occurrence_find_locked(const struct obv_container *container,
                            size_t position)
{
    const struct obv__elements *elements = obv__elements_of(container);
    return elements ? cell_of_entry(
                          obv_index_map_find(&elements->occurrences, position))
                    : NULL;
}

struct obv__cell *obv__occurrence_make_locked(struct obv_container *container,
                                              size_t position)
{
    struct obv__cell *cell = obv__occurrence_find_locked(container, position);
    if (!cell) {
        cell = make_cell(container, true);
        if (cell) {
            (void)obv_index_map_add(&obv__elements_of(container)->occurrences,
                                    &cell->followed, position);
        }
    }
    return cell;
}

size_t obv__cell_position(const struct obv__cell *cell)
{
    struct obv__lock *lock = paths_lock(&cell->object);
    if (!cell->is_occurrence) {
        return cell->position;
    }
    obv__lock_enter(lock);
    size_t position = cell->is_gone ? SIZE_MAX
                      : cell->is_dropped
                          ? cell->dropped_at
                          : obv_index_map_position(&cell->followed);
    obv__lock_leave(lock);
    return position;
}

bool obv__has_occurrences(const struct obv_container *container)
{
    struct obv__lock *lock = paths_lock(&container->object);
    obv__lock_enter(lock);
    const struct obv__elements *elements = obv__elements_of(container);
    bool has = elements && elements->occurrences.root;
    obv__lock_leave(lock);
    return has;
}

/* Put back where it stood, or gone. */
static void settle_removed_locked(struct obv_index_map *map,
                                  struct obv__cell *cell, size_t from,
                                  const struct obv__span *span)
{
    if (from < span->inserted) {
        (void)obv_index_map_add(map, &cell->followed, span->position + from);
        cell->is_back = true;
    } else {
        cell->is_gone = true;
        cell->gone_from = from;
    }
}

struct obv__cell *obv__occurrences_replace(struct obv_container *container,
                                           const struct obv__span *span)
{
    struct obv__lock *lock = paths_lock(&container->object);
    struct obv_index_map removed;
    struct obv_index_entry *entry;
    struct obv__cell *first = NULL;
    obv__lock_enter(lock);
    struct obv_index_map *map = &obv__elements_of(container)->occurrences;
    obv_index_map_remove(map, span->position, span->removed, &removed);
    /* They stood in the program's array, which has room for all of them. */
    (void)obv_index_map_insert(map, span->position, span->inserted);
    while ((entry = removed.root) != NULL) {
        struct obv__cell *cell = cell_of_entry(entry);
        size_t from = obv_index_map_position(entry);
        obv_index_map_take(&removed, entry);
        settle_removed_locked(map, cell, from, span);
        if (cell->is_gone) {
            cell->next_gone = first;
            first = cell;
        }
    }
    obv__lock_leave(lock);
    return first;
}

struct obv__cell *obv__occurrence_put_back(struct obv_container *container,
                                           const struct obv__span *span,
                                           size_t *at)
{
    struct obv__lock *lock = paths_lock(&container->object);
    size_t room =
        span->removed < span->inserted ? span->removed : span->inserted;
    struct obv__cell *found = NULL;
    obv__lock_enter(lock);
    struct obv_index_entry *entry = obv_index_map_from(
        &obv__elements_of(container)->occurrences, span->position + *at);
    for (; entry && !found; entry = obv_index_map_next(entry)) {
        *at = obv_index_map_position(entry) - span->position;
        struct obv__cell *cell = cell_of_entry(entry);
        found = *at < room && cell->is_back ? cell : NULL;
    }
    if (found) {
        found->is_back = false;
    }
    obv__lock_leave(lock);
    return found;
}

void obv__occurrence_leaves(struct obv__cell *cell)
{
    struct obv__lock *lock = paths_lock(&cell->object);
    obv__lock_enter(lock);
    /* Another thread may have stopped the last that hung there. */
    if (!cell->is_dropped && !cell->is_gone) {
        obv_index_map_take(&obv__elements_of(cell->container)->occurrences,
                           &cell->followed);
        cell->is_gone = true;
    }
    obv__lock_leave(lock);
}

void obv__occurrences_move(struct obv_container *container, size_t position,
                           size_t count, size_t to)
{
    struct obv__lock *lock = paths_lock(&container->object);
    obv__lock_enter(lock);
    obv_index_map_move(&obv__elements_of(container)->occurrences, position,
                       count, to);
    obv__lock_leave(lock);
}

void obv__occurrences_permute(struct obv_container *container,
                              size_t (*to)(void *context, size_t position),
                              void *context)
{
    struct obv__lock *lock = paths_lock(&container->object);
    obv__lock_enter(lock);
    obv_index_map_permute(&obv__elements_of(container)->occurrences, to,
                          context);
    obv__lock_leave(lock);
}

/* Walks --------------------------------------------------------------------- */

static struct obv__cell *occurrence_from(const struct obv_object *container,
                                         size_t position)
{
    obv__lock_enter(paths_lock(container));
    const struct obv__elements *elements =
        obv__elements_of(obv__container(container));
    struct obv__cell *cell = elements ? cell_of_entry(obv_index_map_from(
                                            &elements->occurrences, position))
                                      : NULL;
    obv__lock_leave(paths_lock(container));
    return cell;
}

static void walk_to(struct obv__cell_walk *walk, size_t position)
{
    walk->cell = walk->is_occurrence
                     ? occurrence_from(walk->container, position)
                     : obv__cell_from(walk->container, position);
    if (!walk->cell && !walk->is_occurrence) {
        walk->is_occurrence = true;
        walk->cell = occurrence_from(walk->container, 0);
    }
    walk->position = walk->cell ? obv__cell_position(walk->cell) : SIZE_MAX;
}

struct obv__cell_walk obv__cell_walk(const struct obv_object *container)
{
    struct obv__cell_walk walk = {.container = container};
    walk_to(&walk, 0);
    return walk;
}

void obv__cell_walk_on(struct obv__cell_walk *walk)
{
    if (walk->position == SIZE_MAX) {
        walk->cell = NULL;
    } else {
        walk_to(walk, walk->position + 1);
    }
}

/* Reading ----------------------------------------------------------------- */

const void *obv__element(const struct obv_container *container, size_t position)
{
    const struct obv_container_kind *kind =
        obv__class_of(&container->object)->container->kind;
    return position < kind->count(container) ? kind->at(container, position)
                                             : NULL;
}

const void *obv__cell_field(const struct obv_object *object,
                            const struct obv_property *property,
                            uint64_t *scalar)
{
    const struct obv__cell *cell = obv__cell(object);
    (void)property;
    (void)scalar;
    return obv__element(cell->container, obv__cell_position(cell));
}

/* Members ------------------------------------------------------------------ */

void obv__member_leaves(struct obv_container *container,
                        struct obv_object *object)
{
    struct obv__lock *lock = paths_lock(&container->object);
    obv__lock_enter(lock);
    obv__member_leaves_locked(container, object);
    obv__lock_leave(lock);
}

static void enter_locked(struct obv_container *container,
                         struct obv_object *object)
{
    if (!obv__member_enters_locked(container, object)) {
        obv__elements_of(container)->is_incomplete = true;
    }
}

void obv__member_enters(struct obv_container *container,
                        struct obv_object *object)
{
    struct obv__lock *lock = paths_lock(&container->object);
    obv__lock_enter(lock);
    enter_locked(container, object);
    obv__lock_leave(lock);
}

/* The program is asked before the lock. */
void obv__members_recount(struct obv_container *container)
{
    const struct obv_container_kind *kind =
        obv__class_of(&container->object)->container->kind;
    struct obv_context *context = obv__class_of(&container->object)->context;
    size_t count = kind->count(container);
    struct obv_object **objects =
        count != 0 && count <= SIZE_MAX / sizeof *objects
            ? obv__context_allocate(context, count * sizeof *objects)
            : NULL;
    bool is_read = objects || count == 0;
    for (size_t i = 0; objects && i < count; i++) {
        memcpy(&objects[i], kind->at(container, i), sizeof *objects);
    }
    obv__lock_enter(&context->paths);
    struct obv__elements *elements = obv__elements_of(container);
    elements->has_members = true;
    elements->is_incomplete = !is_read;
    if (is_read) {
        obv__members_leave_locked(container);
    }
    for (size_t i = 0; objects && i < count; i++) {
        enter_locked(container, objects[i]);
    }
    obv__lock_leave(&context->paths);
    obv__context_free(context, objects, count * sizeof *objects);
}

void obv__members_finish_edit(struct obv_container *container)
{
    struct obv__lock *lock = paths_lock(&container->object);
    obv__lock_enter(lock);
    obv__members_settle_locked(container);
    obv__lock_leave(lock);
}

void obv__elements_free_locked(struct obv_container *container)
{
    struct obv__elements *elements = obv__elements_of(container);
    if (elements) {
        obv__members_free_locked(container);
        obv__store_relaxed(&container->reserved, (void *)NULL);
        obv__context_free(obv__class_of(&container->object)->context, elements,
                          sizeof *elements);
    }
}

/* Each --------------------------------------------------------------------- */

static bool holds_objects(const struct obv_object *container)
{
    return obv__class_of(container)->container->element.kind == OBV_KIND_object;
}

/* Sees to it that the members are counted, if there is memory. An edit under
   way decides itself on what it has touched. */
static void ensure_members(struct obv_container *container, bool again)
{
    struct obv__lock *lock = paths_lock(&container->object);
    obv__lock_enter(lock);
    const struct obv__elements *elements = elements_ensure(container);
    bool must = elements &&
                (!elements->has_members || (elements->is_incomplete && again));
    bool is_edited = elements && elements->touched;
    obv__lock_leave(lock);
    if (must) {
        obv__members_recount(container);
    }
    if (must && !is_edited) {
        obv__members_finish_edit(container);
    }
}

static bool next_touched(struct obv_object *object, struct obv__child *child,
                         bool *out_of_memory)
{
    struct obv__elements *elements = obv__elements_of(obv__container(object));
    obv__lock_enter(paths_lock(object));
    struct obv__member *member = elements ? elements->touched : NULL;
    while (child->key != 0 && member && member->key != child->key) {
        member = member->next_touched;
    }
    member = child->key != 0 && member ? member->next_touched : member;
    if (member) {
        *child = (struct obv__child){
            member->count != 0 ? member->key : OBV__NO_SLOT, member->key};
    }
    *out_of_memory = elements && elements->is_incomplete;
    obv__lock_leave(paths_lock(object));
    return member != NULL;
}

static bool next_element(struct obv_object *object, enum obv__which which,
                         struct obv__child *child, bool *out_of_memory)
{
    struct obv_container *container = obv__container(object);
    if (which == OBV__WHICH_TOUCHED) {
        return next_touched(object, child, out_of_memory);
    }
    if (which == OBV__WHICH_END || !holds_objects(object)) {
        return false;
    }
    ensure_members(container, child->key == 0);
    obv__lock_enter(paths_lock(object));
    struct obv__elements *elements = obv__elements_of(container);
    *out_of_memory = !elements || elements->is_incomplete;
    struct obv__member *member =
        elements ? obv__member_from_locked(elements, child->key + 1) : NULL;
    if (member) {
        *child = (struct obv__child){member->key, member->key};
    }
    obv__lock_leave(paths_lock(object));
    return member != NULL;
}

/* The paths lock is held. */
static bool has_element(struct obv_object *object, uint32_t key)
{
    struct obv__elements *elements = obv__elements_of(obv__container(object));
    struct obv__member *member =
        elements ? obv__member_from_locked(elements, key) : NULL;
    return member && member->key == key && member->count != 0;
}

static struct obv_object *object_of_element(struct obv_object *object,
                                            uint32_t slot, bool *held)
{
    struct obv__elements *elements = obv__elements_of(obv__container(object));
    *held = false;
    obv__lock_enter(paths_lock(object));
    struct obv__member *member =
        elements ? obv__member_from_locked(elements, slot) : NULL;
    struct obv_object *child =
        member && member->key == slot && member->count != 0 ? member->object
                                                            : NULL;
    obv__lock_leave(paths_lock(object));
    return child;
}

static bool contents_differ(struct obv_object *before, struct obv_object *after,
                            const struct obv__edited *edited)
{
    const struct obv_container *a = obv__container(before);
    const struct obv_container *b = obv__container(after);
    const struct obv_property *was = &obv__class_of(before)->container->element;
    const struct obv_property *is = &obv__class_of(after)->container->element;
    size_t count = obv__class_of(before)->container->kind->count(a);
    bool same = !edited && obv__properties_alike(was, is) &&
                count == obv__class_of(after)->container->kind->count(b);
    for (size_t i = 0; same && i < count; i++) {
        same = obv__value_equal(was, obv__element(a, i), obv__element(b, i));
    }
    return !same;
}

const struct obv__each obv__each_of_container = {.next = next_element,
                                                 .has = has_element,
                                                 .object = object_of_element,
                                                 .differs = contents_differ};

/* Classes ----------------------------------------------------------------- */

static bool retain_cell(struct obv_object *cell)
{
    struct obv_object *container = &obv__cell(cell)->container->object;
    return obv__class_of(container)->retain(container);
}

static void release_cell(struct obv_object *cell)
{
    struct obv_object *container = &obv__cell(cell)->container->object;
    obv__class_of(container)->release(container);
}

static const char *wrong_with_element(const struct obv_property *element)
{
    const uint32_t known = OBV_ALWAYS_DIFFERENT | OBV_UNSIGNED;
    return element->kind == OBV_KIND_custom || (element->flags & ~known)
               ? "elements are custom, or have a flag that is not for them"
               : NULL;
}

static const char cell_prefix[] = "element of ";

static void fill_tables(struct obv__container_class *made,
                        const struct obv_container_kind *kind)
{
    made->kind = kind;
    made->count =
        (struct obv_property){.name = "count",
                              .kind = OBV_KIND_size,
                              .offset = offsetof(struct obv_container, count),
                              .size = sizeof(size_t)};
    made->element = kind->element;
    made->element.name = "element";
    if (made->element.size == 0) {
        made->element.size = (uint32_t)obv__value_size(made->element.kind);
    }
    made->element.offset = sizeof(struct obv__cell);
    made->element.flags |= OBV__AFAR;
    made->table = (struct obv_class_table){.size = sizeof made->table,
                                           .name = kind->name,
                                           .instance_size = kind->instance_size,
                                           .properties = &made->count,
                                           .property_count = 1,
                                           .retain = kind->retain,
                                           .release = kind->release};
    made->cell_table = (struct obv_class_table){
        .size = sizeof made->table,
        .name = made->cell_name,
        .instance_size = sizeof(struct obv__cell) + made->element.size,
        .properties = &made->element,
        .property_count = 1,
        .retain = kind->retain ? retain_cell : NULL,
        .release = kind->retain ? release_cell : NULL};
}

static enum obv_status make_classes(struct obv_context *context,
                                    struct obv__container_class *made,
                                    struct obv_class **cls,
                                    struct obv_error *error)
{
    enum obv_status status =
        obv__class_make(context, &made->cell_table, true, &made->cells, error);
    if (status != OBV_OK) {
        return status;
    }
    status = obv__class_make(context, &made->table, false, cls, error);
    if (status != OBV_OK) {
        obv__class_unmake(made->cells);
        return status;
    }
    /* Before the first object. */
    made->cells->runs_code = true;
    made->cells->is_foreign = false;
    made->cells->is_cell = true;
    made->cells->field = obv__cell_field;
    made->cells->container = made;
    (*cls)->container = made;
    (*cls)->each = &obv__each_of_container;
    return OBV_OK;
}

enum obv_status
obv_container_class_create(struct obv_context *context,
                           const struct obv_container_kind *kind,
                           struct obv_class **cls, struct obv_error *error)
{
    context = obv__context_or_default(context);
    if (!context) {
        return obv__fail(error, OBV_E_MEMORY, obv_status_text(OBV_E_MEMORY));
    }
    if (!kind || !cls || kind->size != sizeof *kind || !kind->name ||
        !kind->count || !kind->at ||
        kind->instance_size < sizeof(struct obv_container)) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "the kind is null or incomplete, or its struct is "
                         "smaller than a container");
    }
    const char *wrong = wrong_with_element(&kind->element);
    if (wrong) {
        return obv__bad_layout(error, kind->name, NULL, 0, wrong);
    }
    size_t size = sizeof(struct obv__container_class) + sizeof cell_prefix +
                  strlen(kind->name);
    struct obv__container_class *made = obv__context_allocate(context, size);
    if (!made) {
        return obv__fail(error, OBV_E_MEMORY, obv_status_text(OBV_E_MEMORY));
    }
    memset(made, 0, size);
    made->size = size;
    memcpy(made->cell_name, cell_prefix, sizeof cell_prefix);
    memcpy(made->cell_name + sizeof cell_prefix - 1, kind->name,
           strlen(kind->name) + 1);
    fill_tables(made, kind);
    enum obv_status status = make_classes(context, made, cls, error);
    if (status != OBV_OK) {
        obv__context_free(context, made, size);
        return status;
    }
    obv__lock_enter(&context->lists);
    made->next = context->containers;
    context->containers = made;
    obv__lock_leave(&context->lists);
    return status;
}

void obv__container_classes_free(struct obv_context *context)
{
    while (context->containers) {
        struct obv__container_class *first = context->containers;
        context->containers = first->next;
        obv__context_free(context, first, first->size);
    }
    obv__member_keys_free(context);
}

enum obv_status obv_container_init(struct obv_container *container,
                                   struct obv_class *cls)
{
    if (!container || !cls || !cls->container || cls->is_cell) {
        return OBV_E_ARGUMENT;
    }
    container->reserved = NULL;
    container->count = cls->container->kind->count(container);
    obv_object_init(&container->object, cls);
    return OBV_OK;
}
