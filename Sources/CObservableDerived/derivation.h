/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derivations: the follower of a source and the lists that it shows. The tree
 * `entries` holds an entry for each element of the source, in its order; an
 * entry weighs 1 while it is shown. With a comparison or a key the entry also
 * stands in the order of its list, in the one tree `ranks`.
 *
 *     source      a  B  c  D  E      shown: capitals
 *     entries     .  B  .  D  E      list     B D E
 *     insert      a  B  F  c  D  E   one edit: at the weight before it
 *
 * Every change is handled by a pass, in four steps: gather (gather.c) collects
 * the entries that come, go, move or are evaluated again; ask calls the
 * program's functions; commit, which cannot fail, changes the trees; tell
 * (pass.c) turns the positions before and after into edits of each list.
 * derivation.c begins, follows and ends; derived.c has the containers for C.
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

/* A hash table of chains. If it cannot grow, the chains get longer. */
struct table {
    struct link **buckets; /* 2^bits of them; at first `only` */
    struct link *only;
    uint32_t bits, count;
};

/* Observing ---------------------------------------------------------------- */

/* The observer of one element or container. Its memory is freed when it has
   left and the core has disposed of its observation. */
struct watch {
    struct obv_derivation *derivation; /* holds a reference */
    struct obv_observation *observation;
    struct watch *next; /* in the derivation's queue of changed ones */
    _Atomic uint32_t references;
    bool is_entry, is_queued, has_left;
};

/* An element of the source, where it stands. */
struct entry {
    struct watch watch; /* must stand first */
    struct link link;   /* by its element, or its key */
    void *shown, *key;  /* made by `map`; a copy of a dictionary's key */
    /* The fields that walks and searches read lie beside each other. */
    struct order_item item;
    struct order_item rank; /* while it has a list */
    void *element;
    struct obv_derived_list *list; /* the list that ranks it; or NULL */
    uint32_t change;               /* its number in the pass, from 1; 0: none */
    bool is_shown, is_included, is_mapped;
};

/* A container whose elements are read. With `container` (flattening) the source
   itself is a feed without entries, and each inner container is a feed. */
struct feed {
    struct watch watch;     /* must stand first */
    struct order_item item; /* its weight is its number of entries */
    uint32_t count;         /* of entries */
    struct obv_container *source;
    const struct obv_container_kind *access;
    struct obv_edit_list *edits;
};

struct obv_derived_list {
    struct link link; /* must stand first: by its key */
    struct obv_derivation *derivation;
    struct entry *first;    /* by rank */
    uint32_t count;         /* of entries that it ranks */
    uint32_t number;        /* sorts lists in `ranks` */
    struct entry *shown;    /* the one shown of equal keys, if distinct */
    void *key;              /* a copy; NULL in `all` */
    void *group;            /* what stands for it in the binding */
    struct order_item item; /* in `listed`, while `is_listed` */
    bool is_listed, is_touched;
    struct obv_derived_list *next_touched;
};

struct obv_derivation {
    const struct obv_derived_kind *kind;
    const struct obv_derived_binding *binding;
    const struct obv_key_kind *keys;
    void *argument, *bound;
    struct feed *source;
    struct order_tree feeds;   /* of the inner containers, if flattened */
    struct order_tree entries; /* in the order of the source */
    struct order_tree ranks;   /* list by list, by the lists' numbers */
    struct table by_element;
    struct obv_derived_list all; /* the only list, if there are no groups */
    struct table groups;
    struct order_tree listed;         /* keyed lists that have elements */
    struct obv_derived_list *touched; /* in the pass under way */
    uint32_t last_number;
    size_t first, limit;
    struct watch *queue; /* in any order */
    _Atomic uint32_t references;
    enum obv_status status;
    unsigned questions; /* to be asked again about every entry */
    bool is_begun, is_following, has_ended;
    bool is_left; /* `completion` is pending, and will follow */
    struct obv_completion completion;
    bool is_lost;                     /* everything is to be read anew */
    bool is_slice;                    /* shows a range of positions */
    bool is_resliced;                 /* that range has been set anew */
    struct obv_compiled_pair pairs[]; /* scratch for what a watch observes */
};

/* Passes ------------------------------------------------------------------- */

/* A place that is not given: that in the tree; for a new entry, the end. */
#define UNKNOWN UINT32_MAX

/* The change of one entry. */
struct change {
    struct entry *entry;
    struct entry *place; /* the entry that a new one replaces, or NULL */
    void *shown;         /* the new value; from the commit on the old one */
    struct obv_derived_list *list, *old_list;
    void *old_shown;
    uint64_t key; /* by which changes are sorted */
    uint32_t now; /* its place in the source after the pass, or UNKNOWN */
    uint32_t old_position, position; /* in its list, before and after */
    uint8_t questions;
    bool is_new, is_gone, is_moved;
    bool is_mapped;
    bool was_shown, is_shown;
    bool is_taken;             /* the commit takes it out of its list */
    bool leaves, comes, moves; /* what its list is told */
};

struct pass {
    struct obv_derivation *derivation;
    struct change *changes;
    size_t count, room;
    struct feed *feed;       /* the edited one, or NULL */
    struct order_tree feeds; /* the new inner containers, if `has_feeds`; */
    bool has_feeds;          /* the commit exchanges them for the old ones */
    unsigned questions;      /* to be asked again about every entry */
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

/* gather.c: collects the changes of a pass; on an error the pass is given
   up. */
enum obv_status gather(struct pass *pass);
enum obv_status new_feed(struct obv_derivation *derivation,
                         struct obv_container *source, struct feed **feed);
void end_feed(struct feed *feed);
void end_feeds(struct obv_derivation *derivation, struct order_tree *feeds);
struct change *add_change(struct pass *pass, struct entry *entry);
bool reserve_changes(struct pass *pass, size_t count);

/* pass.c */
/* Calls `key` and `map` for an entry; ask_condition() has called `includes`. */
enum obv_status ask(struct pass *pass, struct change *change);
enum obv_status prepare(struct pass *pass);
void commit(struct pass *pass);
/* Ends a pass: keeps its result if it is done, else all stays as before. */
void end_pass(struct pass *pass, bool is_done);

/* derivation.c */
void *allocate(const struct obv_derived_binding *binding, size_t count,
               size_t size);
void release_block(const struct obv_derived_binding *binding, void *block,
                   size_t size);
void init_watch(struct obv_derivation *derivation, struct watch *watch,
                bool is_entry);
/* Stops the observation of a watch, and drops its own reference. */
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
/* The first link in the chain of a hash; others in it may have other hashes. */
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

/* Whether lists have an order of their own (ranks); and whether they show their
   elements in that order, not in the source's. */
static inline bool has_ranks(const struct obv_derivation *derivation)
{
    return derivation->kind->compare || derivation->kind->key;
}

static inline bool is_by_rank(const struct obv_derivation *derivation)
{
    return has_ranks(derivation) && !derivation->kind->is_distinct;
}

/* Whether an element is shown or not by its place among others. */
static inline bool is_placed(const struct obv_derivation *derivation)
{
    return derivation->kind->is_distinct || derivation->is_slice;
}

/* Whether the entry of a change is to be ranked anew in its list. */
static inline bool is_reranked(const struct change *change)
{
    return change->is_moved ||
           (change->entry->watch.derivation->kind->compare &&
            change->questions & OBV_DERIVED_ORDER);
}

/* The place of the value that an entry shows. */
static inline void **shown_of(struct entry *entry)
{
    return entry->is_mapped ? &entry->shown : &entry->element;
}

/* The place in `ranks` of a list's first entry; a list without a key is alone
   there. */
static inline uint32_t start_of(const struct obv_derived_list *list)
{
    return list->key ? order_before(&list->first->rank).count : 0;
}

/* The position of an entry by rank in its list. */
static inline uint32_t position_in(const struct obv_derived_list *list,
                                   const struct entry *entry)
{
    return order_before(&entry->rank).count - start_of(list);
}

#endif
