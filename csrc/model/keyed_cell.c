/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells by a number, in a hash table of their container.
 */
#include "model/keyed_cell.h"

#include "model/context.h"

static struct obv__cell *cell_by_key(struct obv_hash_entry *entry)
{
    return entry ? (struct obv__cell *)(void *)((char *)entry -
                                                offsetof(struct obv__cell,
                                                         by_key))
                 : NULL;
}

struct obv__cell *
obv__keyed_cell_find_locked(const struct obv_container *container,
                            uint64_t number)
{
    const struct obv__elements *elements = obv__elements_of(container);
    return elements
               ? cell_by_key(obv__hash_table_find(&elements->keyed, number))
               : NULL;
}

struct obv__cell *obv__keyed_cell_ensure_locked(struct obv_container *container,
                                                uint64_t number)
{
    struct obv__cell *cell = obv__keyed_cell_find_locked(container, number);
    if (!cell) {
        cell = obv__cell_create_locked(container);
        if (cell) {
            obv__hash_table_add(&obv__elements_of(container)->keyed,
                                &obv__container_context(container)->allocator,
                                &cell->by_key, number);
        }
    }
    return cell;
}

void obv__keyed_cell_take_out(struct obv__cell *cell)
{
    obv__hash_table_take(&obv__elements_of(cell->container)->keyed,
                         &obv__container_context(cell->container)->allocator,
                         &cell->by_key);
}

struct obv__cell *obv__keyed_cell_find(const struct obv_container *container,
                                       uint64_t number)
{
    struct obv__lock *lock = &obv__container_context(container)->paths;
    obv__lock_enter(lock);
    struct obv__cell *cell = obv__keyed_cell_find_locked(container, number);
    obv__lock_leave(lock);
    return cell;
}

bool obv__keyed_next(const struct obv_container *container,
                     struct obv_container_cursor *cursor)
{
    return obv__container_kind(container)->next(container, cursor);
}
