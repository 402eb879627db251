/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers: objects whose elements are not the properties of their class. An
 * element that is observed has a cell, an object of the library's own with one
 * property, the element, which is read where the container has it. A cell
 * stands for a position (`#n`), or for an occurrence (`n`): that one moves with
 * its element, by the container's index map, until the element leaves; or for a
 * key of a dictionary, or for the members of a set that have one hash.
 *
 * A cell comes with the first watcher that hangs at it and goes with the last,
 * under the paths lock. It lives no longer than its container; code that keeps
 * the one alive keeps the other.
 */
#ifndef OBV_CONTAINER_INTERNAL_H
#define OBV_CONTAINER_INTERNAL_H

#include "base/index_map.h"
#include "model/edited.h"
#include "model/key.h"
#include "model/node.h"
#include "platform/bsd.h"

#include <observable/container.h>
#include <observable/path.h>

/* Members: the children of a container behind a `*`, each once and with its
   key; kept once some `*` leads on through the container (children.c). The key
   of a member is that of its element in a dictionary; else the object itself,
   however often it stands there. All under the paths lock. */

struct obv__member {
    RB_ENTRY(obv__member) by_number; /* of its container */
    struct obv_key *key;             /* a reference; NULL: its object is it */
    struct obv_object *object;
    struct obv__member *next_touched;
    uint64_t number; /* the key's, or the object's */
    uint32_t count : 30, is_touched : 1, is_held : 1;
};

RB_HEAD(obv__members, obv__member);

/** The members of a container, or those behind one of its elements that stands
    for several. Members that left stay until the edit is over. */
struct obv__member_set {
    struct obv__members members;
    struct obv__member *touched; /* by the edit under way */
    bool is_counted;
    bool is_incomplete; /* there was no memory for one: left so until all are
                           counted anew */
};

/** Frees all members of a set. */
void obv__members_free_locked(struct obv_context *context,
                              struct obv__member_set *set);

/** Releases the objects that members held which are gone. No lock held. */
void obv__members_let_go(struct obv_context *context);

/** A class of containers, with that of its cells, behind the two. */
struct obv__container_class {
    struct obv_class_table table, cell_table;
    struct obv_property count, element;
    const struct obv_container_kind *kind;
    const struct obv__elements_kind *elements;
    struct obv_class *cells;
    struct obv__owned_block owned; /* this block, by the context */
    char cell_name[];
};

/** Room for the name of a cell; a longer one is cut. */
#define OBV__CELL_NAME 64

/** The place where an element of a path is to hang. */
struct obv__aim {
    struct obv_object *target; /* NULL: nowhere */
    uint32_t slot;             /* of it; OBV__NO_SLOT: nowhere */
    bool out_of_memory;        /* it has a place, but there was no memory */
    bool is_past_end;          /* no element stands there: it never hangs */
};

struct obv__cell {
    /* Must stand first; keeps its word when the cell is dropped: a thread that
       has found the cell in an epoch section may still ask for its class and
       its container. */
    struct obv_object object;
    struct obv_container *container; /* constant */
    struct obv__retired retired;     /* lent to the reclaim at the end; at 16 */
    TAILQ_ENTRY(obv__cell) of_container;
    union {
        struct obv__index_entry followed; /* a position's, or an occurrence's */
        size_t dropped_at;                /* where one stood that was dropped */
        struct obv_hash_entry by_key;
    };
    struct obv_key *key; /* a reference, or NULL; constant */
    /* Of a cell that stands for several elements: the objects among them, while
       a path leads on through it; or NULL. */
    struct obv__member_set *members;
    /* Of the edit under way: the next cell that it has touched, the value that
       stood there before (obv__missing, or NULL: it is not known), and the kind
       of the edit there (enum obv__edit_kind). */
    struct obv__cell *next_touched;
    const void *old;
    uint8_t kind;
    bool leads_on; /* a path did when the telling began */
    bool is_touched;
    bool has_moved;     /* a member has entered or left there */
    bool is_occurrence; /* constant */
    /* Under the paths lock. */
    bool is_gone; /* an occurrence that stands nowhere any more */
    bool is_back; /* one that an edit removes and puts back */
    bool is_dropped;
};

TAILQ_HEAD(obv__all_cells, obv__cell);

/** The library's part of a container that is observed, or was. */
struct obv__elements {
    struct obv__all_cells all;
    size_t cell_count; /* of those; under the paths lock, read without it */
    size_t swept_at;   /* idle cells are looked for when there are more */
    struct obv__index_map maps[2]; /* the cells of positions, which stay; and of
                                      occurrences, which move */
    struct obv_hash_table keyed;   /* by their keys' numbers, or by hashes */
    struct obv__member_set members;  /* while some `*` leads on, or has */
    struct obv__recorder *recorders; /* the owner's (recorder.h) */
};

/** The slot of the only property that a container has of its own. */
enum { OBV__SLOT_COUNT };

/** Edits of a container that are told together. */
struct obv__container_edits {
    struct obv__edited at; /* the place that was asked for last */
    struct obv_container *container;
    const struct obv_container_kind *kind;
    const struct obv_property *element;
    const struct obv_container_edit *edits;
    size_t count;
    const struct obv__container_edits *outer; /* told on this thread as well */
    size_t before;                            /* the count that was told last */
    struct obv__cell *touched;                /* by `next_touched` */
    /* The change of the content as a whole, if anybody asks. */
    bool is_touched;
    enum obv__edit_kind all;
};

/** How the elements of a class of containers are told apart. All that wiring,
    edits and lists ask of a container beside its own properties. */
struct obv__elements_kind {
    /* With the paths lock. */

    /** The cell at which an element of a path hangs, made if it is to be and
        there is none. `at`: where it hangs now, or NULL. */
    struct obv__aim (*place)(const struct obv_element *element,
                             struct obv_container *container,
                             struct obv_object *at, bool make);
    /** The cell is found no more. */
    void (*take_out)(struct obv__cell *cell);

    /* Without a lock. */

    /** Whether such a container can have an element of paths (KP-20); and what
        it has, in words. */
    bool (*has)(const struct obv_container_kind *kind,
                const struct obv_element *element);
    const char *words;
    /** The address of an element now, by a path or by a cell; NULL: it is not
        there. */
    const void *(*find)(const struct obv_container *container,
                        const struct obv_element *element);
    const void *(*field)(const struct obv__cell *cell);
    /** Writes the name of a cell as the path that is followed there now. */
    void (*print)(const struct obv__cell *cell, char *text, size_t size);

    /** The elements, one after the other, as obv_container_kind.next; `key` is
        left alone where they have none. */
    bool (*next)(const struct obv_container *container,
                 struct obv_container_cursor *cursor);
    /** `next` for the elements that a cell stands for; NULL: it stands for one,
        and is not led through as several. */
    bool (*next_behind)(const struct obv__cell *cell,
                        struct obv_container_cursor *cursor);
    bool (*behind_are_equal)(const struct obv__cell *a,
                             const struct obv__cell *b);
    /** The counterpart of the element that the walk has reached in another
        container of its kind: an equal key, an equal member; `edits`: what
        stood there before these, which are its own, or NULL. NULL: nothing, or
        it is not known; or obv__missing. */
    const void *(*like)(const struct obv_container *container,
                        const struct obv__container_edits *edits,
                        const struct obv_container_cursor *cursor);

    /* Edits, which are those of a container that has elements kept. */

    /** The count that edits make of the one before; false: one cannot be. */
    bool (*check)(const struct obv__container_edits *edits, size_t *count);
    /** Applies them, each once: moves cells with their elements, counts members,
        and touches the cells where anything else may stand now. */
    void (*begin)(struct obv__container_edits *edits);
    /** The change of the content; false: it was left alone. */
    bool (*change_of_all)(const struct obv__container_edits *edits,
                          enum obv__edit_kind *kind);
};

/** How the elements of a container or of a cell's container are told apart. */
static inline const struct obv__elements_kind *
obv__elements_kind(const struct obv_object *object)
{
    return obv__class_of(object)->container->elements;
}

static inline const struct obv_container_kind *
obv__container_kind(const struct obv_container *container)
{
    return obv__class_of(&container->object)->container->kind;
}

/** Whether objects of a class are constant containers, or cells of one. */
static inline bool obv__class_is_constant(const struct obv_class *cls)
{
    return OBV__UNLIKELY(cls->container != NULL) &&
           cls->container->kind->is_constant;
}

static inline bool obv__is_constant(const struct obv_object *object)
{
    return obv__class_is_constant(obv__class_of(object));
}

static inline struct obv_context *
obv__container_context(const struct obv_container *container)
{
    return obv__class_of(&container->object)->context;
}

/** The record kept of a container, or NULL. */
static inline struct obv__elements *
obv__elements_of(const struct obv_container *container)
{
    return obv__load_relaxed(&container->reserved);
}

/** Whether an element is watched, or a `*` leads on from all of them. */
static inline bool
obv__elements_are_watched(const struct obv_container *container)
{
    const struct obv__elements *elements = obv__elements_of(container);
    return elements && (obv__load_relaxed(&elements->cell_count) != 0 ||
                        elements->members.is_counted);
}

static inline bool obv__is_cell(const struct obv_object *object)
{
    return obv__class_of(object)->is_cell;
}

static inline struct obv__cell *obv__cell(const struct obv_object *object)
{
    return (struct obv__cell *)(uintptr_t)object;
}

/** Whether the library alone keeps an object that is an element: a constant
    container, made for it. */
bool obv__is_kept_here(const struct obv_object *object);

/** The object that an element is, with a reference if the library alone keeps
    it; NULL: the element is no object, or not there. To be given to
    obv__element_object_leave(). No lock held. */
struct obv_object *obv__element_object_take(const struct obv_property *element,
                                            const void *field);

/** Gives its reference back, if there is one. NULL is ignored. No lock held. */
void obv__element_object_leave(struct obv_object *object);

/** The place where an element of a path hangs: at a cell, or nowhere (NULL);
    `make`: one was to be made. */
static inline struct obv__aim obv__aim_at(struct obv__cell *cell, bool make)
{
    return (struct obv__aim){.target = cell ? &cell->object : NULL,
                             .out_of_memory = make && !cell};
}

/** The container of an object that is one, or a cell of one. */
static inline struct obv_container *
obv__container(const struct obv_object *object)
{
    return obv__is_cell(object) ? obv__cell(object)->container
                                : (struct obv_container *)(uintptr_t)object;
}

/** Whether there is an element where a cell stands for one. No lock held. */
static inline bool obv__cell_is_filled(const struct obv_object *cell)
{
    return obv__elements_kind(cell)->field(obv__cell(cell)) != NULL;
}

/* By the container's owner, without a lock. */

/** Notes that an edit has touched a cell. The first `old` of a cell is what all
    the edits that are told together have stored over. */
void obv__cell_touch(struct obv__container_edits *edits, struct obv__cell *cell,
                     const void *old);

/** The kind of the edit that has replaced the element `old` by `now`. `old`:
    obv__missing, or NULL where it is not known; `now` NULL: there is none. */
enum obv__edit_kind obv__edit_kind_of(const struct obv_property *element,
                                      const void *old, const void *now);

/* With the paths lock. */

/** The record kept of a container, made if there is none; NULL: no memory. */
struct obv__elements *obv__elements_ensure(struct obv_container *container);

/** A new cell, which is not to be found yet; NULL: no memory. */
struct obv__cell *obv__cell_create_locked(struct obv_container *container);

/** Forgets what is kept of a container that has ended. */
void obv__elements_free_locked(struct obv_container *container);

/** Takes a cell away at which nothing hangs. */
void obv__cell_drop_if_idle_locked(struct obv__cell *cell);

/** Takes away all idle cells but one, now and then: a cell stays until here if
    a computed property has stopped reading its element. */
void obv__cells_sweep_locked(struct obv__cell *but);

/* Without a lock, which they take. */

/** The place with lists behind another one of an object: first the object
    itself, then, of a container, its cells in the order in which they were
    made. Cells may come and go meanwhile: a cell that has gone has no watchers,
    and behind one that was the last as it went no later cell is found. NULL:
    none. To be read in the epoch section that it was found in. */
struct obv_object *obv__place_behind(struct obv_object *object,
                                     const struct obv_object *place);

/** Called by the reclaim. */
void obv__cell_free(struct obv_context *context, struct obv__retired *block);

/* Kinds of elements ----------------------------------------------------------- */

/** Elements that are told apart by where they stand (positions.c); by keys,
    those of dictionaries; and by hashes, the members of sets (keyed_cell.c). */
extern const struct obv__elements_kind obv__positions, obv__dictionary,
    obv__set;

/** The address of the i-th element that an edit removed; NULL: not known. */
const void *obv__removed_element(const struct obv__container_edits *edits,
                                 const struct obv_container_edit *edit,
                                 size_t i);

/** The position behind an edit (struct obv_container_edit) of what stood at one
    before it, if the edit has not removed it. */
size_t obv__position_after(void *edit, size_t position);

/** The cell of a key's number, or of a hash (`key`: NULL); `make`: it is made
    if there is none. NULL: there is none, or no memory. With the paths lock. */
struct obv__cell *obv__keyed_cell_locked(struct obv_container *container,
                                         uint64_t number, struct obv_key *key,
                                         bool make);

#endif
