/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derivations: an entry stands for each element of the source, in the order of
 * the source, where it weighs 1 while it is shown. With a comparison or a key
 * it also stands in the order of its list, in the one tree of all ranks.
 *
 *     source      a  B  c  D  E      shown: capitals
 *     entries     .  B  .  D  E      list     B D E
 *     insert      a  B  F  c  D  E   one edit: at the weight before it
 *
 * Every change is made a pass, in four steps: gather (gather.c) says which
 * entries come, go, move and are asked again; ask calls the program; commit,
 * which cannot fail, changes the trees; tell (pass.c) makes of the positions
 * before and after it the edits of each list. derivation.c begins, follows and
 * ends; derived.c has the containers for C.
 */
#ifndef OBV_DERIVATION_H
#define OBV_DERIVATION_H

#include "order_tree.h"

#include <observable/derived.h>
#include <observable/edit_list.h>
#include <observable/observe.h>

#include <stdatomic.h>

/* Tables ------------------------------------------------------------------- */

struct link {
    struct link *next;
    uint64_t hash;
};

/* Chains; without memory they get longer. */
struct table {
    struct link **buckets; /* 2^bits of them; at first `only` */
    struct link *only;
    uint32_t bits, count;
};

/* Observing ---------------------------------------------------------------- */

/* An observer. Its memory goes when it has left and the core is through. */
struct watch {
    struct obv_derivation *derivation; /* holds a reference */
    struct obv_observation *observation;
    struct watch *next; /* in the queue of those that have changed */
    _Atomic uint32_t references;
    bool is_entry, is_queued, has_left;
};

/* An element of the source, where it stands. */
struct entry {
    struct watch watch; /* must stand first */
    struct link link;   /* by its element, or its key */
    void *shown, *key;  /* a copy, of a dictionary's */
    /* From here on beside each other: a walk reads them, or a search. */
    struct order_item item;
    struct order_item rank; /* while it has a list */
    void *element;
    struct obv_derived_list *list; /* in whose order it stands; or NULL */
    uint32_t change;               /* of the pass under way, from 1 on */
    bool is_shown, is_included, is_mapped;
};

/* A container that is read; the source of what is flattened has no entries. */
struct feed {
    struct watch watch;     /* must stand first */
    struct order_item item; /* weighs as many as it has entries */
    uint32_t count;         /* of them */
    struct obv_container *source;
    const struct obv_container_kind *access;
    struct obv_edit_list *edits;
};

struct obv_derived_list {
    struct link link; /* must stand first: by its key */
    struct obv_derivation *derivation;
    struct entry *first; /* in its order, where there is one */
    uint32_t count;      /* in it */
    uint32_t number;
    struct entry *shown; /* of distinct elements */
    void *key;           /* a copy */
    void *group;
    struct order_item item; /* among those that have elements */
    bool is_listed, is_touched;
    struct obv_derived_list *next_touched;
};

struct obv_derivation {
    const struct obv_derived_kind *kind;
    const struct obv_derived_binding *binding;
    const struct obv_key_kind *keys;
    void *argument, *bound;
    struct feed *source;
    struct order_tree feeds; /* of what is flattened */
    struct order_tree entries;
    struct order_tree ranks; /* list by list, by their numbers */
    struct table by_element;
    struct obv_derived_list all; /* where there are no groups */
    struct table groups;
    struct order_tree listed; /* those with elements, as they came */
    struct obv_derived_list *touched;
    uint32_t last_number;
    size_t first, limit;
    struct watch *queue; /* in any order */
    _Atomic uint32_t references;
    enum obv_status status;
    unsigned questions; /* to be asked of all */
    bool is_begun, is_following, has_ended;
    bool is_left; /* to be done by the completion */
    struct obv_completion completion;
    bool is_lost;                     /* everything is to be read anew */
    bool is_slice;                    /* shows a part by position; */
    bool is_resliced;                 /* another one is wanted */
    struct obv_compiled_pair pairs[]; /* room for what a watch observes */
};

/* Passes ------------------------------------------------------------------- */

/* A place: the tree knows it; at the end, for what comes. */
#define UNKNOWN UINT32_MAX

/* The change of one entry. */
struct change {
    struct entry *entry;
    struct entry *place; /* one that comes stands where this one did */
    void *shown;         /* from the commit on the one before */
    struct obv_derived_list *list, *old_list;
    void *old_shown;
    uint64_t key; /* by which changes are sorted */
    uint32_t now; /* where it stands in the source behind the pass */
    uint32_t old_position, position; /* in its list, as that was, and is */
    uint8_t questions;
    bool is_new, is_gone, is_moved;
    bool is_mapped;
    bool was_shown, is_shown;
    bool is_taken;             /* out of the order of its list */
    bool leaves, comes, moves; /* what its list is told */
};

struct pass {
    struct obv_derivation *derivation;
    struct change *changes;
    size_t count, room;
    struct feed *feed;       /* that has been edited, or NULL */
    struct order_tree feeds; /* of what is flattened, all anew; */
    bool has_feeds;          /* there are */
    unsigned questions;      /* of all */
    struct change **sorted, **scratch, **was, **now;
    struct obv_container_edit *told;
    void **old;
    size_t *order;
    size_t told_count, old_count, order_count;
    void *block;
    size_t block_size;
};

#define EACH_CHANGE(change, pass)                                              \
    struct change *change = (pass)->changes;                                   \
    (size_t)(change - (pass)->changes) < (pass)->count;                        \
    change++

/* gather.c: all that a pass is of; on an error it is given up. */
enum obv_status gather(struct pass *pass);
enum obv_status new_feed(struct obv_derivation *derivation,
                         struct obv_container *source, struct feed **feed);
void end_feed(struct feed *feed);
void end_feeds(struct obv_derivation *derivation, struct order_tree *feeds);
struct change *add_change(struct pass *pass, struct entry *entry);
bool reserve_changes(struct pass *pass, size_t count);

/* pass.c */
/* Its condition has been asked. */
enum obv_status ask(struct pass *pass, struct change *change);
enum obv_status prepare(struct pass *pass);
void commit(struct pass *pass);
/* Keeps what was made of it, or leaves all as before. */
void end_pass(struct pass *pass, bool is_done);

/* derivation.c */
void *allocate(const struct obv_derived_binding *binding, size_t count,
               size_t size);
void release_block(const struct obv_derived_binding *binding, void *block,
                   size_t size);
void init_watch(struct obv_derivation *derivation, struct watch *watch,
                bool is_entry);
/* It has left: nothing is observed any more. */
void leave_watch(struct watch *watch);
void release_watch(struct watch *watch);
enum obv_status observe(struct watch *watch, struct obv_object *object,
                        bool is_container);
void end_entry(struct entry *entry);
/* Frees the spare nodes of its trees. */
void trim_trees(struct obv_derivation *derivation);
void table_add(const struct obv_derivation *derivation, struct table *table,
               struct link *link, uint64_t hash);
void table_remove(struct table *table, struct link *link);
/* The first in the chain of a hash. */
struct link *table_chain(const struct table *table, uint64_t hash);
void *copy_key(const struct obv_derivation *derivation, const void *key,
               const struct obv_key_kind *kind);
void free_key(const struct obv_derivation *derivation, void *key,
              const struct obv_key_kind *kind);
struct obv_derived_list *find_group(const struct obv_derivation *derivation,
                                    const void *key);
void end_group(struct obv_derived_list *list);

#define CONTAINING(type, member, pointer)                                      \
    ((struct type *)((uintptr_t)(pointer)-offsetof(struct type, member)))

#define entry_of_item(pointer) CONTAINING(entry, item, pointer)
#define entry_of_rank(pointer) CONTAINING(entry, rank, pointer)
#define entry_of_link(pointer) CONTAINING(entry, link, pointer)
#define feed_of_item(pointer)  CONTAINING(feed, item, pointer)
#define list_of_item(pointer)  CONTAINING(obv_derived_list, item, pointer)
#define derivation_of(pointer) CONTAINING(obv_derivation, completion, pointer)

/* Whether lists have an order of their own; and whether it is shown by that. */
static inline bool has_ranks(const struct obv_derivation *derivation)
{
    return derivation->kind->compare || derivation->kind->key;
}

static inline bool is_by_rank(const struct obv_derivation *derivation)
{
    return has_ranks(derivation) && !derivation->kind->is_distinct;
}

/* Whether what is shown is chosen by where it stands. */
static inline bool is_placed(const struct obv_derivation *derivation)
{
    return derivation->kind->is_distinct || derivation->is_slice;
}

/* Whether it is to stand elsewhere in the order of its list. */
static inline bool is_reranked(const struct change *change)
{
    return change->is_moved ||
           (change->entry->watch.derivation->kind->compare &&
            change->questions & OBV_DERIVED_ORDER);
}

/* The value that an entry shows, while it does. */
static inline void **shown_of(struct entry *entry)
{
    return entry->is_mapped ? &entry->shown : &entry->element;
}

/* The begin of a list in the order of all; one that has no key is alone. */
static inline uint32_t start_of(const struct obv_derived_list *list)
{
    return list->key ? order_before(&list->first->rank).count : 0;
}

/* In the order of its list. */
static inline uint32_t position_in(const struct obv_derived_list *list,
                                   const struct entry *entry)
{
    return order_before(&entry->rank).count - start_of(list);
}

#endif
