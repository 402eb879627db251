/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of containers, and cells.
 */
#include "model/container.h"

#include "model/foreign_entry.h"
#include "model/value.h"

#include <stdio.h>
#include <string.h>

const char obv__missing = 0;

/* The cells of a container, in the order of their positions. */
RB_HEAD(obv__cells, obv__cell);

static int compare_cells(const struct obv__cell *a, const struct obv__cell *b)
{
    return (a->position > b->position) - (a->position < b->position);
}

/* Not every function that this makes is used. */
RB_GENERATE_INTERNAL(obv__cells, obv__cell, entry, compare_cells,
                     __attribute__((unused)) static)

static struct obv__cells *cells_of(const struct obv_container *container)
{
    return (struct obv__cells *)(uintptr_t)&container->reserved;
}

struct obv__cell *obv__cell_find_locked(const struct obv_container *container,
                                        size_t position)
{
    struct obv__cell like = {.position = position};
    return RB_FIND(obv__cells, cells_of(container), &like);
}

struct obv__cell *obv__cell_from_locked(const struct obv_container *container,
                                        size_t position)
{
    struct obv__cell like = {.position = position};
    return RB_NFIND(obv__cells, cells_of(container), &like);
}

struct obv__cell *obv__cell_make_locked(struct obv_container *container,
                                        size_t position)
{
    struct obv__cell *cell = obv__cell_find_locked(container, position);
    const struct obv_class *cls = obv__class_of(&container->object);
    if (cell) {
        return cell;
    }
    cell = obv__context_allocate(cls->context, sizeof *cell);
    if (cell) {
        *cell =
            (struct obv__cell){.container = container, .position = position};
        obv_object_init(&cell->object, cls->container->cells);
        RB_INSERT(obv__cells, cells_of(container), cell);
    }
    return cell;
}

void obv__cell_drop_if_idle_locked(struct obv__cell *cell)
{
    struct obv_detail_node *node = obv__node(&cell->object);
    const uintptr_t *head = node ? obv__list(node, 0) : NULL;
    if (head && obv__first(head)) {
        return;
    }
    struct obv_class *cls = obv__class_of(&cell->object);
    RB_REMOVE(obv__cells, cells_of(cell->container), cell);
    if (node) {
        obv__node_retire(cls, node);
    }
    obv__retire(&cls->context->retired, &cell->retired, OBV__RETIRED_CELL);
}

void obv__cell_free(struct obv_context *context, struct obv__retired *block)
{
    char *cell = (char *)block - offsetof(struct obv__cell, retired);
    obv__context_free(context, cell, sizeof(struct obv__cell));
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
    return obv__element(cell->container, cell->position);
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

static const char *wrong_with_element(const struct obv_property *element)
{
    const uint32_t known = OBV_ALWAYS_DIFFERENT | OBV_UNSIGNED | OBV_UNOWNED;
    return element->kind == OBV_KIND_custom || (element->flags & ~known)
               ? "elements are custom, or have a flag that is not for them"
               : NULL;
}

static const char cell_prefix[] = "element of ";

static void fill_tables(struct obv__container_class *made,
                        const struct obv_container_kind *kind)
{
    made->kind = kind;
    made->count = (struct obv_property){
        .name = "count",
        .kind = OBV_KIND_size,
        .offset = offsetof(struct obv_container, count),
        .size = sizeof(size_t)};
    made->element = kind->element;
    made->element.name = "element";
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
        .instance_size = sizeof(struct obv__cell) + kind->element.size,
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
    if (status == OBV_OK) {
        status = obv__class_make(context, &made->table, false, cls, error);
    }
    if (status == OBV_OK) {
        /* Before the first object. */
        made->cells->runs_code = true;
        made->cells->is_foreign = false;
        made->cells->is_cell = true;
        made->cells->field = obv__cell_field;
        made->cells->container = made;
        (*cls)->container = made;
    }
    return status;
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
    made->context = context;
    memcpy(made->cell_name, cell_prefix, sizeof cell_prefix);
    memcpy(made->cell_name + sizeof cell_prefix - 1, kind->name,
           strlen(kind->name) + 1);
    fill_tables(made, kind);
    enum obv_status status = make_classes(context, made, cls, error);
    if (status != OBV_OK && !made->cells) {
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
}

void obv_container_init(struct obv_container *container, struct obv_class *cls)
{
    container->reserved = NULL;
    container->count = cls->container->kind->count(container);
    obv_object_init(&container->object, cls);
}
