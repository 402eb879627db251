/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of containers, and cells.
 */
#include "model/container.h"

#include "model/each.h"
#include "model/foreign_entry.h"
#include "model/observed_state.h"
#include "model/value.h"

#include <string.h>

const char obv__missing = 0;

static struct obv__lock *paths_lock(const struct obv_object *object)
{
    return &obv__class_of(object)->context->paths;
}

/* Cells ------------------------------------------------------------------- */

struct obv__elements *obv__elements_ensure(struct obv_container *container)
{
    struct obv__elements *elements = obv__elements_of(container);
    if (!elements) {
        elements = obv__context_allocate(
            obv__class_of(&container->object)->context, sizeof *elements);
        if (elements) {
            memset(elements, 0, sizeof *elements);
            TAILQ_INIT(&elements->all);
            obv_index_map_init(&elements->occurrences);
            obv_hash_table_init(&elements->keyed);
            /* Relaxed: the owner's telling looks whether there is any. */
            obv__store_relaxed(&container->reserved, (void *)elements);
        }
    }
    return elements;
}

struct obv__cell *obv__cell_create_locked(struct obv_container *container)
{
    const struct obv_class *cls = obv__class_of(&container->object);
    struct obv__elements *elements = obv__elements_ensure(container);
    struct obv__cell *cell =
        elements ? obv__context_allocate(cls->context, sizeof *cell) : NULL;
    if (cell) {
        *cell = (struct obv__cell){.container = container,
                                   .serial = ++elements->last_serial};
        obv_object_init(&cell->object, cls->container->cells);
        TAILQ_INSERT_TAIL(&elements->all, cell, of_container);
    }
    return cell;
}

/* One that was dropped says no more which is behind it. */
static struct obv__cell *next_locked(const struct obv__elements *elements,
                                     const struct obv__cell *cell)
{
    if (cell && !cell->is_dropped) {
        return TAILQ_NEXT(cell, of_container);
    }
    struct obv__cell *next = TAILQ_FIRST(&elements->all);
    while (next && cell && next->serial <= cell->serial) {
        next = TAILQ_NEXT(next, of_container);
    }
    return next;
}

struct obv__cell *obv__cell_next(const struct obv_object *container,
                                 const struct obv__cell *cell)
{
    obv__lock_enter(paths_lock(container));
    const struct obv__elements *elements =
        obv__elements_of(obv__container(container));
    struct obv__cell *next = elements ? next_locked(elements, cell) : NULL;
    obv__lock_leave(paths_lock(container));
    return next;
}

/* Edits --------------------------------------------------------------------- */

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

void obv__cells_forget_touched(struct obv__container_edits *edits)
{
    while (edits->touched) {
        struct obv__cell *cell = edits->touched;
        edits->touched = cell->next_touched;
        cell->is_touched = cell->has_moved = false;
        obv__members_finish_edit(&cell->object);
    }
}

enum obv__edit_kind obv__edit_kind_of(const struct obv_property *element,
                                      const void *old, const void *now)
{
    if (!old || old == &obv__missing || !now ||
        !obv__value_equal(element, old, now)) {
        return OBV__EDIT_SET;
    }
    return obv__element_object(element, old) !=
                   obv__element_object(element, now)
               ? OBV__EDIT_ALIKE
               : OBV__EDIT_EQUAL;
}

struct obv_object *obv__element_object(const struct obv_property *element,
                                       const void *field)
{
    bool held = false;
    struct obv_object *object = field && field != &obv__missing
                                    ? obv__value_object(element, field, &held)
                                    : NULL;
    if (held) {
        obv__class_of(object)->release(object);
    }
    return object;
}

/* The end of a cell ----------------------------------------------------------- */

void obv__cell_drop_if_idle_locked(struct obv__cell *cell)
{
    struct obv_detail_node *node = obv__node(&cell->object);
    const uintptr_t *head = node ? obv__list(node, 0) : NULL;
    if (head && obv__first(head)) {
        return;
    }
    struct obv_class *cls = obv__class_of(&cell->object);
    obv__elements_kind(&cell->object)->take_out(cell);
    TAILQ_REMOVE(&obv__elements_of(cell->container)->all, cell, of_container);
    cell->is_dropped = true;
    if (cell->members) {
        obv__members_free_locked(cls->context, cell->members);
    }
    obv__retire(&cls->context->retired, &cell->retired, OBV__RETIRED_CELL);
}

/* With its node, which an edit may have looked for since the cell was dropped,
   and so lends no word of its own. */
void obv__cell_free(struct obv_context *context, struct obv__retired *block)
{
    char *start = (char *)block - offsetof(struct obv__cell, retired);
    struct obv__cell *cell = (struct obv__cell *)(void *)start;
    struct obv_detail_node *node = obv__node(&cell->object);
    struct obv__more *state = node ? obv__more(node) : NULL;
    if (state) { /* nothing else of it is kept for a cell */
        obv__observed_state_free(context, &state->retired);
    }
    if (node) {
        obv__node_free(context, (struct obv__retired *)(void *)node);
    }
    if (cell->key) {
        obv__key_release(context, cell->key);
    }
    if (cell->members) {
        obv__context_free(context, cell->members, sizeof *cell->members);
    }
    obv__context_free(context, cell, sizeof *cell);
}

const void *obv__cell_field(const struct obv_object *object,
                            const struct obv_property *property,
                            uint64_t *scalar)
{
    const struct obv__cell *cell = obv__cell(object);
    (void)property;
    (void)scalar;
    return obv__elements_kind(object)->field(cell);
}

void obv__elements_free_locked(struct obv_container *container)
{
    struct obv__elements *elements = obv__elements_of(container);
    if (elements) {
        struct obv_context *context =
            obv__class_of(&container->object)->context;
        obv__members_free_locked(context, &elements->members);
        obv__store_relaxed(&container->reserved, (void *)NULL);
        obv__context_free(context, elements, sizeof *elements);
    }
}

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

/* A constant one stands for a value that is followed: it is held meanwhile. */
static void hold_followed(struct obv_object *object, uint32_t property,
                          bool is_followed)
{
    const struct obv_class *cls = obv__class_of(object);
    (void)property;
    if (is_followed) {
        (void)cls->retain(object);
    } else {
        cls->release(object);
    }
}

static const char *wrong_with_element_line(const struct obv_property *element)
{
    const uint32_t known = OBV_ALWAYS_DIFFERENT | OBV_UNSIGNED;
    return (element->custom && !element->custom->same) ||
                   (element->flags & ~known)
               ? "elements have a flag that is not for them, or are custom and "
                 "cannot be compared"
               : NULL;
}

static const char cell_prefix[] = "element of ";

static void fill_tables(struct obv__container_class *made,
                        const struct obv_container_kind *kind)
{
    bool is_held = kind->is_constant && kind->retain;
    made->kind = kind;
    made->elements = kind->key    ? &obv__dictionary
                     : kind->hash ? &obv__set
                                  : &obv__positions;
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
                                           .release = kind->release,
                                           .observed_changed =
                                               is_held ? hold_followed : NULL};
    made->cell_table = (struct obv_class_table){
        .size = sizeof made->table,
        .name = made->cell_name,
        .instance_size = sizeof(struct obv__cell) + made->element.size,
        .properties = &made->element,
        .property_count = 1,
        .retain = kind->retain ? retain_cell : NULL,
        .release = kind->retain ? release_cell : NULL,
        .observed_changed = is_held ? hold_followed : NULL};
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
    made->cells->each =
        made->elements->next_behind ? &obv__each_of_container : NULL;
    (*cls)->container = made;
    (*cls)->each = &obv__each_of_container;
    return OBV_OK;
}

/* Whether a kind says in one way how its elements are read. */
static bool has_access(const struct obv_container_kind *kind)
{
    if (kind->at) {
        return !kind->key && !kind->find && !kind->hash && !kind->member &&
               !kind->next;
    }
    bool is_dictionary =
        kind->key && kind->find && obv__key_kind_is_good(kind->key);
    return kind->next && (kind->hash ? kind->member && !kind->key && !kind->find
                                     : is_dictionary && !kind->member);
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
        !kind->count || !has_access(kind) ||
        kind->instance_size < sizeof(struct obv_container)) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "the kind is null or incomplete, or its struct is "
                         "smaller than a container");
    }
    const char *wrong = wrong_with_element_line(&kind->element);
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
    obv_container_expect(context);
    obv__lock_enter(&context->lists);
    made->next = context->containers;
    context->containers = made;
    obv__lock_leave(&context->lists);
    return status;
}

const struct obv_container_kind *
obv_container_kind_of(const struct obv_class *cls)
{
    return cls && cls->container && !cls->is_cell ? cls->container->kind : NULL;
}

void obv_container_expect(struct obv_context *context)
{
    context = obv__context_or_default(context);
    if (context) {
        obv__store_relaxed(&context->has_containers, true);
    }
}

void obv__container_classes_free(struct obv_context *context)
{
    while (context->containers) {
        struct obv__container_class *first = context->containers;
        context->containers = first->next;
        obv__context_free(context, first, first->size);
    }
    obv__keys_free(context);
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
