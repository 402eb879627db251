/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computed properties of an object: what is known of the value of each, and the
 * edges of the dependency graph. How marks are pushed along them is in
 * wiring/invalidation.h, how values are pulled in computed/evaluation.h.
 *
 * A record comes with the first evaluation or set of a property, or with an
 * edge to it, and goes with its object. Its value belongs to the owner of the
 * object, as a field does. An object may end on any thread, though, and its
 * edges hang at objects that others own: so the owner is inside the graphs
 * (base/reclaim.h) while it changes edges and flags, and an end is so alone.
 * Reading a flag or the next source needs neither. Unlinked records and edges
 * wait for the epochs, and a pull is one epoch section.
 *
 * Invariants:
 *     1  a record is valid if no bit of OBV__INVALID is set; one that has failed
 *        and is neither stale nor dirty is up to date: the error stands (LL-2)
 *     2  a record that depends on a stale one is stale, runs, is dirty, or was
 *        set
 *     3  a record that has stored another value has made all its readers dirty,
 *        or evaluates them next
 *     4  so one that is stale and not dirty, and whose sources were brought up
 *        to date in the order in which it has read them, is valid
 *     5  no code of the program runs while marks are pushed, nor between the end
 *        of a function and the marks of its value
 */
#ifndef OBV_COMPUTED_H
#define OBV_COMPUTED_H

#include "model/inbound.h"
#include "model/node.h"
#include "model/watcher.h"

#include <observable/computed.h>

struct obv__edge;
struct obv__computed;
struct obv__declared;

/** The word of a record. */
enum obv__computed_flags {
    /* Any of these: it is not valid. */
    OBV__STALE = 1,    /* a source may have changed: all readers and observers
                          of the property have heard of that */
    OBV__DIRTY = 2,    /* a source surely has. Alone: a failure, or a source
                          has changed while it ran; the next mark is told */
    OBV__NO_VALUE = 4, /* nothing has given it one yet; always with DIRTY */
    OBV__RUNS = 8,     /* its function runs */
    OBV__CHECKS =
        16, /* its sources are brought up to date now; `via` is used */
    OBV__FOREIGN =
        32, /* it depends on what any thread may set: valid for as long
                          as nobody has, since it was looked at */
    OBV__FAILED = 1 << 11,       /* the last evaluation, with `status` */
    OBV__INVALID = 63 | 1 << 11, /* the mask */
    /* Constant. */
    OBV__LAZY = 1 << 26,
    OBV__EAGER = 1 << 6,
    OBV__IS_OWNED =
        1 << 7, /* its value is no word of four or eight bytes that is
                               compared as such, and no double */
    OBV__IS_HELD = 1 << 8,       /* its object's class has references */
    OBV__IS_SHORT_WORD = 1 << 9, /* its value is a word of four bytes */
    /* How it came to its value. */
    OBV__WAS_SET = 1 << 10, /* by the program: until it is evaluated */
    OBV__MOVED =
        1 << 30, /* WAS_SET, and a source has another value since: dirty
                             from the next mark on */
    OBV__SHORT = 1 << 12,    /* no memory to compute it or to hear of changes */
    OBV__DECLARES = 1 << 13, /* dependencies are declared, or yet to be */
    OBV__ENDED = 1 << 14,    /* its object; `context` is used from the end on */
    OBV__STANDS = 1 << 15,   /* somebody reads the last value, valid or not */
    OBV__IS_WAITED = 1 << 16, /* a value was wanted while it ran: the next one
                                 is told */
    /* The events since its function was called, or its check began. */
    OBV__OVERTAKEN = 1 << 17,
    OBV__SET_MEANWHILE = 1 << 18,
    OBV__SOURCE_FAILED = 1 << 19,
    OBV__MARKS_READ = 1 << 20,   /* some of its edges say that they were read */
    OBV__HAS_RUN = 1 << 29,      /* CHECKS: a reader has evaluated it */
    OBV__WANTED_AGAIN = 1 << 21, /* by an immediate observation */
    OBV__HAPPENED = OBV__OVERTAKEN | OBV__SET_MEANWHILE | OBV__SOURCE_FAILED |
                    OBV__MARKS_READ | OBV__WANTED_AGAIN,
    OBV__TELLS = 1 << 22,     /* it is to tell its observers of a mark, and
                                 stands in the list of records that do */
    OBV__WAS_VALID = 1 << 23, /* before that mark */
    /* With what delayed observations compare: the last valid value before the
       first invalidation that they were scheduled for. */
    OBV__FIRST_IS_NOW = 1 << 24,   /* it is stored still */
    OBV__FIRST_KEPT = 2 << 24,     /* it is in `more` */
    OBV__FIRST_UNKNOWN = 3 << 24,  /* it could not be kept: whatever is stored
                                     counts as another */
    OBV__FIRST = 3 << 24,          /* the mask; 0: nobody compares */
    OBV__READS_DECLARED = 1 << 27, /* the library reads what it declares */
    OBV__ALWAYS = 1 << 28          /* always set */
};

/** STALE, and told once more: a batch of another thread may have told of it,
    and such calls wait for that batch's end (DR-11). */
#define OBV__TELLS_AGAIN (UINT32_C(1) << 31)

/** One dependency. It hangs in its source's list of readers, and among its
    reader's sources, in the order of reading. */
struct obv__edge {
    uintptr_t source; /* what was read, with the bits below; 0: it has ended */
    struct obv__computed *reader;
    union {
        struct obv__edge **place; /* what points to it there */
        struct obv__retired
            retired; /* lent to the reclaim at the end; in front:
                                        with a kind's number, pointers to it still
                                        point into the block */
    };
    struct obv__edge *next;       /* source of the reader */
    struct obv__edge *next_there; /* in the list of what was read */
};

/* In `source`: the address of a record; else that of the head of a slot's list.
   */
#define OBV__SOURCE_COMPUTED ((uintptr_t)1)
/* The evaluation under way, which reads in another order than the last one, has
   read this. */
#define OBV__SOURCE_READ ((uintptr_t)2)
/* The library has read this as a declared dependency. Reads by the function
   itself have edges of their own. */
#define OBV__SOURCE_DECLARED ((uintptr_t)4)
#define OBV__SOURCE_BITS     ((uintptr_t)7)

/** The watcher in the slot of a stored property where the edges of its readers
    hang. Every edit of the slot takes the slow path for it. */
struct obv__hub {
    struct obv__watcher watcher;
    struct obv__edge *edges;
    /* Of a property that any thread may set (OBV__AT_ANY_THREAD). NULL: the hub
       is of `*`, and any thread may set one of all. */
    struct obv__inbound *inbound;
    uint32_t version; /* of the last set that the readers were marked for */
};

/** The hub that a watcher is; NULL: it is something else. */
static inline struct obv__hub *obv__hub(struct obv__watcher *watcher)
{
    return obv__is_edge(watcher) ? (struct obv__hub *)(void *)watcher : NULL;
}

/** The value of a property outside of its field: as the field has it, with what
    it owns. */
union obv__raw {
    uint64_t scalar;
    const char *text;
    struct obv_object *object;
    void *far; /* of bytes that have no room here */
};

/** Whether a record keeps the value that waiting observations compare with. The
    thread that stops the last of them takes it, whichever thread that is. The
    owner borrows it before it looks at it. */
enum obv__first_held {
    OBV__FIRST_IS_NONE,
    OBV__FIRST_IS_OWN, /* perhaps of no use any more */
    OBV__FIRST_IS_LENT /* somebody looks at it, or stores over it and lets go of
                          it */
};

/** The fields that few records need. */
struct obv__computed_more {
    union obv__raw first;
    uint64_t first_until; /* the registration epoch as it was stored over */
    uint8_t has_first;    /* enum obv__first_held; any thread */
    uint8_t run_again;    /* runs in a row, as it was wanted again */
    uint32_t loop;        /* FOREIGN: the id of an observation's loop, or 0 */
    struct obv__declared *declared; /* computed/dependencies.c */
    /* Stamps, if anybody is told them: of the newest change that has made it
       invalid since it was set (0: none), and of that set. */
    uint64_t stamp, set_at;
    uint64_t inbound_sets; /* FOREIGN: obv__inbound_sets at the last look */
};

struct obv__computed {
    struct obv__edge *sources;
    uint32_t flags; /* enum obv__computed_flags; others read it */
    uint16_t slot;
    int8_t status;   /* FAILED: of the last evaluation */
    uint8_t watched; /* a watcher that is no edge hangs in its list, or in that
                        of `*` */
    struct obv__edge *readers;
    struct obv__edge *via; /* CHECKS: the edge by which it was asked for */
    struct obv__edge own; /* the first that it needs; free: `reader` is NULL, or
                              `next_there` the edge itself */
    const struct obv_property *property;
    union {
        struct obv_object *object;
        struct obv_context *context; /* ENDED */
    };
    void *field; /* where its value is */
    union {      /* that of a binding's (kept.c) */
        struct obv_boxed *box;
        uint64_t word;
    } kept;
    struct obv__computed_more *more; /* or NULL; any thread reads */
    struct obv__computed *next;      /* of those that are marked */
};

/** The word of a record, for its owner; also outside of the graph. */
static inline uint32_t obv__flags(const struct obv__computed *computed)
{
    /* Relaxed: the end of another object may mark it at the same time, which
       comes before this or after it. */
    return obv__load_relaxed(&computed->flags);
}

/** A pull that is under way on a thread. */
struct obv__pull {
    struct obv__pull *outer;
    struct obv__work_list *work;    /* of the outermost one: the edit that all
                                       join; or NULL */
    struct obv__computed *computes; /* whose function runs, unless the cursor is
                                       nobody's */
    struct obv__edge *marked;  /* if that one MARKS_READ: the source up to which
                                 those that it has read are marked; or NULL */
    struct obv__edge **cursor; /* how far that has read, while the thread's
                                  cursor is another: a pull is within this one,
                                  or a reader of a binding's hides the function */
};

/** The marked records that have not been told yet (wiring/invalidation.h). */
struct obv__marks {
    struct obv__work_list *work; /* of the change */
    uint32_t unusual; /* flags of a record that is not simply marked */
    uint32_t no_news; /* those of a record that has told already */
    struct obv__inbound *inbound; /* that a read has found waiting; or NULL */
    bool is_inside;               /* the graph */
    bool is_of_end; /* an object has ended, perhaps not on its owner's thread */
    bool is_alone;  /* what is marked may be another owner's */
    bool is_again;  /* what is stale already is told as well */
    struct obv__computed *set; /* the record that is set, or NULL; its flags */
    uint32_t flags_of_set;
    struct obv__computed *first; /* their readers are yet to be marked */
    struct obv__computed *told, **told_end;
};

/** Changes the word of a record; inside the graph. */
static inline void obv__flags_set(struct obv__computed *computed,
                                  uint32_t flags)
{
    obv__store_relaxed(&computed->flags, flags);
}

static inline void obv__flags_add(struct obv__computed *computed,
                                  uint32_t flags)
{
    obv__flags_set(computed, obv__flags(computed) | flags);
}

static inline void obv__flags_remove(struct obv__computed *computed,
                                     uint32_t flags)
{
    obv__flags_set(computed, obv__flags(computed) & ~flags);
}

/** The same; the thread is not inside the graph. */
static inline void obv__flags_change(struct obv__thread *self,
                                     struct obv__computed *computed,
                                     uint32_t remove, uint32_t add)
{
    obv__graph_enter(self);
    obv__flags_set(computed, (obv__flags(computed) & ~remove) | add);
    obv__graph_leave(self);
}

/** The record of a computed property of a node, or NULL: it was never
    evaluated. It stands where a stored property has its all-pending stamp: a
    slot of a computed one has the slow-path bit, and so no use for that. */
static inline struct obv__computed *
obv__computed_in_slot(const struct obv_detail_slot *slot)
{
    return (struct obv__computed *)(uintptr_t)obv__load_relaxed(
        &slot->all_pending_at);
}

static inline struct obv__computed *
obv__computed_in(struct obv_detail_node *node, uint32_t slot)
{
    const struct obv_detail_slot *found = node ? obv__slot(node, slot) : NULL;
    return found ? obv__computed_in_slot(found) : NULL;
}

/** Whether a slot of a class is a computed property. */
static inline bool obv__slot_is_computed(const struct obv_class *cls,
                                         uint32_t slot)
{
    if (!OBV__UNLIKELY(!obv__class_is_plain(cls))) {
        return false;
    }
    const struct obv_property *property = obv__property_in(cls, slot);
    return property && property->computed;
}

/** The record of a slot of an object; of one that is not computed NULL. */
static inline struct obv__computed *
obv__computed_of(const struct obv_object *object, uint32_t slot)
{
    return obv__slot_is_computed(obv__class_of(object), slot)
               ? obv__computed_in(obv__node(object), slot)
               : NULL;
}

/** Whether no property of any thread was set since those that a record depends
    on were looked at. A value that was set stays until the drain. */
static inline bool
obv__computed_is_looked_at(const struct obv__computed *computed)
{
    /* Seq_cst: before any version is read. */
    return (obv__flags(computed) & OBV__WAS_SET) ||
           obv__load_relaxed(&computed->more->inbound_sets) ==
               obv__load_seq_cst(&obv__inbound_sets);
}

/** Whether what is stored is its value (LL-8: after a set by another thread
    that was looked at). */
static inline bool obv__computed_is_valid(const struct obv__computed *computed)
{
    uint32_t invalid = obv__flags(computed) & OBV__INVALID;
    return invalid == 0 ||
           (invalid == OBV__FOREIGN && obv__computed_is_looked_at(computed));
}

/** Whether a record is known to have read what any thread may set, as a
    dependency or for the check of what it declares. If memory was short, and of
    a `*`, only the edge says so (obv__edge_is_shared()). */
static inline bool obv__reads_shared(const struct obv__computed *reader)
{
    return (obv__flags(reader) & (OBV__FOREIGN | OBV__LAZY)) != 0;
}

static inline bool obv__computed_has_value(const struct obv__computed *computed)
{
    return !(obv__flags(computed) & OBV__NO_VALUE);
}

/** Whether what is stored in a slot stands for its value: it is no computed
    property, or a valid one. */
static inline bool obv__slot_is_valid(const struct obv_object *object,
                                      uint32_t slot)
{
    if (!obv__slot_is_computed(obv__class_of(object), slot)) {
        return true;
    }
    const struct obv__computed *computed = obv__computed_of(object, slot);
    return computed && obv__computed_is_valid(computed);
}

/** Whether memory was too short for a property, or for what it depends on: its
    observers would not hear of all changes. */
static inline bool obv__computed_is_short(const struct obv__computed *computed)
{
    return !computed || (obv__flags(computed) & OBV__SHORT);
}

static inline struct obv_context *
obv__computed_context(const struct obv__computed *computed)
{
    return obv__flags(computed) & OBV__ENDED
               ? computed->context
               : obv__class_of(computed->object)->context;
}

/** The rare fields of a record, made if there are none; NULL: no memory. */
struct obv__computed_more *obv__computed_more(struct obv__computed *computed);

/** The address of a value that is kept outside of its field. */
static inline const void *obv__raw_value(const struct obv_property *property,
                                         const union obv__raw *raw)
{
    return property->size > sizeof *raw ? raw->far : raw;
}

/** Keeps a copy of a value, with what it owns; false: no memory. */
bool obv__raw_keep(struct obv_context *context,
                   const struct obv_property *property, const void *value,
                   union obv__raw *raw);

/** Lets go of a value that is kept outside of its field. Runs code of the
    program. */
void obv__raw_drop(struct obv_context *context,
                   const struct obv_property *property, union obv__raw *raw);

static inline uint32_t obv__first_state(const struct obv__computed *computed)
{
    return obv__flags(computed) & OBV__FIRST;
}

/** Inside the graph. */
static inline void obv__first_set(struct obv__computed *computed,
                                  uint32_t state)
{
    obv__flags_set(computed, (computed->flags & ~(uint32_t)OBV__FIRST) | state);
}

/** The value kept for observations that wait, to be given back; NULL: none was.
    `is_own`: this call has lent it; else the code that stores over it has. */
const void *obv__first_borrow(const struct obv__computed *computed,
                              bool *is_own);
void obv__first_return(const struct obv__computed *computed, bool is_own);

/** Whether such a value is kept, and not lent. Any thread. */
static inline bool obv__first_is_kept(const struct obv__computed *computed)
{
    const struct obv__computed_more *more = obv__load_acquire(&computed->more);
    return more && obv__load_acquire(&more->has_first) == OBV__FIRST_IS_OWN;
}

/** Takes the kept value out; the caller lets go of it. False: none was kept, or
    it is lent. Any thread. */
bool obv__first_take(struct obv__computed *computed, union obv__raw *first);

/** Whether a binding has come to a record only after the value that waiting
    observations compare with had been stored over: then the leaves below the
    binding do not wait, since they were told as it moved. */
static inline bool
obv__computed_has_come_later(const struct obv__computed *computed,
                             const struct obv__watcher *binding)
{
    return obv__first_state(computed) == OBV__FIRST_KEPT &&
           obv__came_since(binding, computed->more->first_until,
                           obv__registration_epoch());
}

/** Raises the stamp of a record to at least `stamp`, that of a change. */
static inline void obv__computed_renew(struct obv__computed *computed,
                                       uint64_t stamp)
{
    struct obv__computed_more *more =
        stamp ? obv__computed_more(computed) : NULL;
    if (more && more->stamp < stamp) {
        more->stamp = stamp;
    }
}

static inline uint64_t obv__computed_stamp(const struct obv__computed *computed)
{
    return computed->more ? computed->more->stamp : 0;
}

/** The record of a computed property, made if there is none; NULL: no memory,
    or the object has ended. No lock held. */
struct obv__computed *obv__computed_make(struct obv_object *object,
                                         uint32_t slot);

/** Notes that a watcher other than an edge hangs in a list of a node. The
    object's stripe is held. */
void obv__computed_watched(const struct obv_class *cls,
                           struct obv_detail_node *node, uint32_t slot);

/** Notes that no such watcher seems to hang there any more. The object is held,
    no lock is. */
void obv__computed_unwatched(struct obv__computed *computed);

static inline bool
obv__computed_is_watched(const struct obv__computed *computed)
{
    return obv__load_relaxed(&computed->watched) != 0;
}

/** Whether a computed property led anywhere, by the value that waiting
    observations of paths through it compare with. */
enum obv__waits {
    OBV__WAITS_WITH_OBJECT, /* they are told of each move; or nobody waits */
    OBV__WAITS_WITH_NIL,    /* it led nowhere */
    OBV__WAITS_UNKNOWN,
    OBV__WAITS_IS_DUE /* no answer: they are due already; of a relink alone */
};

/** `now`: what was stored until now; or NULL. */
enum obv__waits obv__computed_waits(const struct obv__computed *computed,
                                    const void *now);

/* Edges. They are hung, moved and taken away inside the graph. ------------ */

/** The record of an edge's source; NULL: the source is a stored property, or
    has ended. */
static inline struct obv__computed *
obv__edge_record(const struct obv__edge *edge)
{
    /* Relaxed: the end of what was read may come at the same time. */
    uintptr_t source = obv__load_relaxed(&edge->source);
    return source & OBV__SOURCE_COMPUTED
               ? (struct obv__computed *)(source & ~OBV__SOURCE_BITS)
               : NULL;
}

/** The source of an edge, without the mark of the evaluation under way. */
static inline uintptr_t obv__edge_source(const struct obv__edge *edge)
{
    return obv__load_relaxed(&edge->source) & ~OBV__SOURCE_READ;
}

/** A place that can be read, and the list of its edges. */
struct obv__source {
    uintptr_t
        address; /* as in an edge; 0: the object has ended, or (`is_short`)
                          there was no memory */
    struct obv__edge **list;
    bool is_short;
    bool is_foreign; /* any thread may set it, or what it depends on */
    bool is_alone;   /* its edges may be others' too */
};

/** The source of a slot of an object, for `reader`. Enters the graph, which
    obv__graph_leave_as() leaves; alone, if edges of other owners hang, or may
    hang, where those of the reader do. `reader` NULL: alone, for an edge among
    nobody's sources. In an epoch section; of locks only the paths' may be
    held. */
struct obv__source obv__source_enter(struct obv__thread *self,
                                     struct obv_object *object, uint32_t slot,
                                     const struct obv__computed *reader);

/** The hub of a stored source's edges; NULL: it has none. */
const struct obv__hub *obv__source_hub(uintptr_t source);

/** The object and slot of a stored source, as in an edge; NULL: none. */
struct obv_object *obv__source_object(uintptr_t source, uint32_t *slot);

/** Hangs a new edge into the list of a source; NULL: no memory. */
struct obv__edge *obv__edge_make(struct obv__computed *reader,
                                 const struct obv__source *source);

/** Whether edges of other owners may hang where one does. Inside the graph. */
bool obv__edge_is_shared(const struct obv__edge *edge);

/** Hangs an edge of nobody's sources there, and takes it away; that may leave
    the graph meanwhile. */
void obv__edge_hang(struct obv__edge *edge, const struct obv__source *source);
void obv__edge_unhang(struct obv__edge *edge);

/** Two edges of one reader lead to each other's source from now on. */
void obv__edges_swap(struct obv__edge *a, struct obv__edge *b);

/** Takes an edge away that its reader does not have any more. */
void obv__edge_end(struct obv__edge *edge);

/** The source of these edges has ended: they lead nowhere. */
void obv__edges_orphan(struct obv__edge **list);

/** Takes all sources of a record away. */
void obv__sources_end(struct obv__computed *computed);

/** Holds the object of a record, where references do that; NULL: it is at its
    end. `held`: by a reference which is to be given back. */
static inline struct obv_object *
obv__computed_hold(const struct obv__computed *computed, bool *held)
{
    *held = false;
    if (obv__flags(computed) & OBV__ENDED) {
        return NULL;
    }
    *held = (obv__flags(computed) & OBV__IS_HELD) &&
            obv__object_hold(computed->object);
    return *held || !(obv__flags(computed) & OBV__IS_HELD) ? computed->object
                                                           : NULL;
}

/** Calls `visit` for each record of a node. */
void obv__each_computed(const struct obv_class *cls,
                        struct obv_detail_node *node,
                        void (*visit)(void *context,
                                      struct obv__computed *computed),
                        void *context);

/** Lets go of the memory of the records of a node. */
void obv__computed_retire(const struct obv_class *cls,
                          struct obv_detail_node *node);

/* Called by the reclaim. */
void obv__computed_free(struct obv_context *context,
                        struct obv__retired *block);
void obv__edge_free(struct obv_context *context, struct obv__retired *block);

#endif
