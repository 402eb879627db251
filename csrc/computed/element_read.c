/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads of one element of a container, by its key or its hash: the function
 * that runs depends on the element's cell, also if there is no such element
 * (DI-1).
 */
#include "computed/evaluation.h"
#include "computed/reading.h"
#include "model/context.h"
#include "model/container.h"

/* `key`: what the cell stands for, or NULL. */
static void read_cell(struct obv__thread *self, struct obv_container *container,
                      uint64_t number, struct obv_key *key)
{
    struct obv_context *context = obv__container_context(container);
    obv__epoch_enter(self);
    /* In the lock: until an edge hangs there, nobody keeps the cell. */
    obv__lock_enter(&context->paths);
    struct obv__cell *cell =
        obv__keyed_cell_locked(container, number, key, true);
    if (cell) {
        (void)obv__record_read(self, &cell->object, 0);
        obv__cells_sweep_locked(cell);
    } else {
        obv__flags_change(self, obv__computes(self), 0, OBV__SHORT);
    }
    obv__lock_leave(&context->paths);
    obv__epoch_leave(self);
}

/* The cell that the function is expected to read next, if it is one of the
   container. */
static const struct obv__cell *
next_cell_of(const struct obv__thread *self,
             const struct obv_container *container)
{
    const struct obv__edge *edge = *self->cursor;
    uint32_t slot;
    const struct obv_object *object =
        edge && !obv__edge_record(edge)
            ? obv__source_object(obv__edge_source(edge), &slot)
            : NULL;
    return object && obv__is_cell(object) &&
                   obv__cell(object)->container == container
               ? obv__cell(object)
               : NULL;
}

static bool is_read_as_content(const struct obv__thread *self,
                               const struct obv_container *container)
{
    return !obv__computes(self) || !obv__class_or_null(&container->object);
}

void obv_detail_read_key(const struct obv_container *container, const void *key)
{
    struct obv__thread *self = obv__thread_self();
    if (is_read_as_content(self, container)) {
        obv_detail_read_content(container);
        return;
    }
    const struct obv_key_kind *kind = obv__container_kind(container)->key;
    const struct obv__cell *next = next_cell_of(self, container);
    if (next && next->key && kind->equal(kind, next->key->value, key)) {
        obv__read_next(self);
        return;
    }
    const struct obv__key_asked asked = {kind, key, kind->hash(kind, key)};
    struct obv_context *context = obv__container_context(container);
    struct obv_key *taken = obv__key_take(context, &asked, true);
    if (!taken) {
        obv__flags_change(self, obv__computes(self), 0, OBV__SHORT);
        return;
    }
    read_cell(self, (struct obv_container *)(uintptr_t)container, taken->number,
              taken);
    obv__key_release(taken);
    obv__keys_free_gone(context);
}

void obv_detail_read_hash(const struct obv_container *container, uint64_t hash)
{
    struct obv__thread *self = obv__thread_self();
    const struct obv__cell *next = next_cell_of(self, container);
    if (is_read_as_content(self, container)) {
        obv_detail_read_content(container);
    } else if (next && next->by_key.hash == hash) {
        obv__read_next(self);
    } else {
        read_cell(self, (struct obv_container *)(uintptr_t)container, hash,
                  NULL);
    }
}
