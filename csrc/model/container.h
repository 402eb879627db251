/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers: objects whose elements are not the properties of their class. An
 * element that is observed has a cell, an object of the library's own with one
 * property, the element, which is read where the container has it. A cell stands
 * for a position (`#n`), or for an occurrence (`n`): that one moves with its
 * element, by the container's index map, until the element leaves.
 *
 * A cell comes with the first watcher that hangs at it and goes with the last,
 * under the paths lock. It lives no longer than its container; code that keeps the
 * one alive keeps the other.
 */
#ifndef OBV_CONTAINER_INTERNAL_H
#define OBV_CONTAINER_INTERNAL_H

#include "model/member.h"
#include "model/node.h"
#include "platform/bsd.h"

#include <observable/container.h>
#include <observable/index_map.h>

/** A class of containers, with that of its cells, behind the two. */
struct obv__container_class {
    struct obv_class_table table, cell_table;
    struct obv_property count, element;
    const struct obv_container_kind *kind;
    struct obv_class *cells;
    size_t size; /* of this block */
    /* In the context's list, under `lists`. */
    struct obv__container_class *next;
    char cell_name[];
};

struct obv__cell {
    /* Must stand first; keeps its word when the cell is dropped: who has found
       it in an epoch section may still ask for its class and its container. */
    struct obv_object object;
    struct obv_container *container; /* constant */
    struct obv__retired retired;     /* lent to the reclaim at the end; at 16 */
    union {
        struct {
            RB_ENTRY(obv__cell) entry;
            size_t position; /* constant */
        };
        struct obv_index_entry followed; /* an occurrence's in the map */
        struct {
            /* Of one that is gone, to the edit that has removed it. */
            struct obv__cell *next_gone;
            size_t gone_from; /* so many behind the edit's position */
        };
        size_t dropped_at; /* where that one stood that was dropped */
    };
    /* An occurrence's, of the edit under way: the next cell that it has
       touched, and what stood there before (NULL: it is not known). */
    struct obv__cell *next_touched;
    const void *old;
    bool is_touched;
    bool is_occurrence; /* constant */
    /* Under the paths lock. */
    bool is_gone; /* an occurrence that stands nowhere any more */
    bool is_back; /* one that an edit has removed and put back, unseen yet */
    bool is_dropped;
};

RB_HEAD(obv__cells, obv__cell);

/** The library's part of a container that is observed, or was. */
struct obv__elements {
    struct obv__cells cells;          /* of positions */
    struct obv_index_map occurrences; /* the cells of those */
    struct obv__members members;      /* while some `*` leads on, or has */
    struct obv__member *touched;      /* by the edit under way */
    bool has_members;                 /* they are counted */
    bool is_incomplete;               /* there was no memory for one */
};

/** What is kept of a container, or NULL. */
static inline struct obv__elements *
obv__elements_of(const struct obv_container *container)
{
    return obv__load_relaxed(&container->reserved);
}

/** The value of an element that is not there, where one is handed in. */
extern const char obv__missing;

/** Whether an object is a cell. */
static inline bool obv__is_cell(const struct obv_object *object)
{
    return obv__class_of(object)->is_cell;
}

static inline struct obv__cell *obv__cell(const struct obv_object *object)
{
    return (struct obv__cell *)(uintptr_t)object;
}

/** The container of an object that is one, or a cell of one. */
static inline struct obv_container *
obv__container(const struct obv_object *object)
{
    return obv__is_cell(object) ? obv__cell(object)->container
                                : (struct obv_container *)(uintptr_t)object;
}

/** Where an element of a container lies; NULL: there is none at the
    position. */
const void *obv__element(const struct obv_container *container,
                         size_t position);

/** The same for the reading of properties (value.h). */
const void *obv__cell_field(const struct obv_object *cell,
                            const struct obv_property *property,
                            uint64_t *scalar);

/* With the paths lock. */

/** The cell of a position, or NULL. */
struct obv__cell *obv__cell_find_locked(const struct obv_container *container,
                                        size_t position);

/** The same, made if there is none; NULL: no memory. */
struct obv__cell *obv__cell_make_locked(struct obv_container *container,
                                        size_t position);

/** The same of the occurrence that stands at a position, which is none past the
    end. */
struct obv__cell *
obv__occurrence_find_locked(const struct obv_container *container,
                            size_t position);
struct obv__cell *obv__occurrence_make_locked(struct obv_container *container,
                                              size_t position);

/** Forgets what is kept of a container that has ended. */
void obv__elements_free_locked(struct obv_container *container);

/** Takes a cell away at which nothing hangs. */
void obv__cell_drop_if_idle_locked(struct obv__cell *cell);

/* Without a lock, which they take. */

/** The first cell from a position on, or NULL: to be read in the epoch section
    that it was found in. */
struct obv__cell *obv__cell_from(const struct obv_object *container,
                                 size_t position);

/** The one behind a cell of a position. */
static inline struct obv__cell *obv__cell_after(const struct obv__cell *cell)
{
    return cell->position == SIZE_MAX
               ? NULL
               : obv__cell_from(&cell->container->object, cell->position + 1);
}

/** A walk over all cells of a container: those of positions, then those of
    occurrences, each in order. They may come and go meanwhile. */
struct obv__cell_walk {
    const struct obv_object *container;
    struct obv__cell *cell; /* NULL: it is over */
    size_t position;        /* where that stands */
    bool is_occurrence;
};

/** The walk's first cell, and the next one. */
struct obv__cell_walk obv__cell_walk(const struct obv_object *container);
void obv__cell_walk_on(struct obv__cell_walk *walk);

/** Where the element of a cell stands; SIZE_MAX: it has left. */
size_t obv__cell_position(const struct obv__cell *cell);

/* What an edit does to occurrences; there are some. ------------------------- */

bool obv__has_occurrences(const struct obv_container *container);

/** A part of a container, and what becomes of it. */
struct obv__span {
    size_t position, removed, inserted;
};

/** Those that were removed have gone: their cells, by `next_gone`. Where
    something was inserted in the place of one, it stands there as before, until it
    turns out that it has left. */
struct obv__cell *obv__occurrences_replace(struct obv_container *container,
                                           const struct obv__span *span);

/** One of those, from `*at` behind the span's position on, which is then where it
    stands; each once. NULL: there is none. */
struct obv__cell *obv__occurrence_put_back(struct obv_container *container,
                                           const struct obv__span *span,
                                           size_t *at);
void obv__occurrence_leaves(struct obv__cell *cell);

void obv__occurrences_move(struct obv_container *container, size_t position,
                           size_t count, size_t to);
void obv__occurrences_permute(struct obv_container *container,
                              size_t (*to)(void *context, size_t position),
                              void *context);

/** Of the members of a container, if they are counted: one has gone; one has
    come. */
void obv__member_leaves(struct obv_container *container,
                        struct obv_object *object);
void obv__member_enters(struct obv_container *container,
                        struct obv_object *object);

/** All anew: asks the program. */
void obv__members_recount(struct obv_container *container);

/** The edit is over. */
void obv__members_finish_edit(struct obv_container *container);

/** Called by the reclaim. */
void obv__cell_free(struct obv_context *context, struct obv__retired *block);

/** Frees what the classes of a context that ends have beside them. */
void obv__container_classes_free(struct obv_context *context);

#endif
