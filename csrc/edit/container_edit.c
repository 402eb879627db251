/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edits of containers: those that are told together are one change. What stood
 * at a position before is found by following it through the edits: one of them
 * has removed it, or it stands somewhere now.
 */
#include "dispatch/delivery.h"
#include "dispatch/due.h"
#include "edit/edit.h"
#include "model/container.h"
#include "model/value.h"
#include "wiring/place.h"

struct telling {
    struct obv_container *container;
    const struct obv_container_kind *kind;
    const struct obv_container_edit *edits;
    size_t count;
};

/* The count that the edits make of the one that was told last; false: one of them
   goes past the end. */
static bool count_after(const struct telling *telling, size_t *count)
{
    *count = telling->container->count;
    for (size_t i = 0; i < telling->count; i++) {
        const struct obv_container_edit *edit = &telling->edits[i];
        if (edit->position > *count || edit->removed > *count - edit->position) {
            return false;
        }
        *count += edit->inserted - edit->removed;
    }
    return true;
}

/* What stood at a position before all the edits, of which there were `before`
   elements; NULL: it is not known. */
static const void *old_at(const struct telling *telling, size_t position,
                          size_t before)
{
    if (position >= before) {
        return &obv__missing;
    }
    size_t now = position;
    for (size_t i = 0; i < telling->count; i++) {
        const struct obv_container_edit *edit = &telling->edits[i];
        if (now >= edit->position && now - edit->position < edit->removed) {
            return edit->old ? (const char *)edit->old +
                                   (now - edit->position) *
                                       telling->kind->element.size
                             : NULL;
        }
        if (now >= edit->position) {
            now += edit->inserted - edit->removed;
        }
    }
    return telling->kind->at(telling->container, now);
}

static size_t first_position(const struct telling *telling)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < telling->count; i++) {
        first = telling->edits[i].position < first ? telling->edits[i].position
                                                   : first;
    }
    return first;
}

/* The positions that are observed, from the first that an edit touches on. */
static void collect_positions(const struct telling *telling, size_t before,
                              struct obv__due *due, uint64_t since)
{
    const struct obv_property *line =
        &obv__class_of(&telling->container->object)->container->element;
    struct obv__lock *lock = &due->context->paths;
    size_t position = first_position(telling);
    struct obv__cell *cell;
    do {
        obv__lock_enter(lock);
        cell = obv__cell_from_locked(telling->container, position);
        obv__lock_leave(lock);
        if (!cell) {
            return;
        }
        const void *old = old_at(telling, cell->position, before);
        struct obv_object *object = &cell->object;
        position = cell->position + 1;
        due->edit.at = (struct obv__edited){object, 0, old};
        if (!old || !obv__property_has(object, line, line, old)) {
            obv__edit_collect(due, since);
        }
    } while (position != 0);
}

static void tell(const struct telling *telling, size_t before)
{
    struct obv__thread *self = obv__thread_self();
    struct obv_object *object = &telling->container->object;
    struct obv__due due;
    obv__section_enter(self);
    uint64_t since = obv__moment();
    obv__due_init(&due, self, obv__class_of(object)->context);
    collect_positions(telling, before, &due, since);
    due.edit.at = (struct obv__edited){object, 0, &before};
    if (before != telling->container->count) {
        obv__edit_collect(&due, since);
    }
    obv__due_deliver(&due);
    obv__section_leave(self);
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
    const struct telling telling = {container, cls->container->kind, edits,
                                    count};
    size_t before = container->count, after;
    if (!count_after(&telling, &after) ||
        after != telling.kind->count(container)) {
        return obv__fail(error, OBV_E_ARGUMENT,
                         "an edit goes past the end, or the count is not what "
                         "the edits make of it");
    }
    container->count = after;
    bool is_observed = obv__node(&container->object) ||
                       obv__load_relaxed(&container->reserved);
    if (count != 0 && is_observed) {
        tell(&telling, before);
    }
    return OBV_OK;
}
