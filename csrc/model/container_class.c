/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes of containers: that of a container, and behind it that of its cells. The
 * kinds of elements (container.h) are chosen here, and nowhere else.
 */
#include "model/class.h"
#include "model/children.h"
#include "model/value.h"

#include <string.h>

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

/* The address of a cell's element, for the reading of properties (value.h). */
static const void *cell_field(const struct obv_object *object,
                              const struct obv_property *property,
                              uint64_t *scalar)
{
    (void)property;
    (void)scalar;
    return obv__elements_kind(object)->field(obv__cell(object));
}

/* A constant container stands for a value that is followed: it is held
   meanwhile. */
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
    made->cells->field = cell_field;
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
        return obv__fail_as(error, OBV_E_MEMORY);
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
    struct obv__container_class *made =
        obv__context_allocate_zeroed(context, size);
    if (!made) {
        return obv__fail_as(error, OBV_E_MEMORY);
    }
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
    obv__context_own(context, &made->owned, made, size);
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
