/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derived arrays: arrays that follow a container of positions by its edits. An
 * entry stands for each element of the source, in two orders: that of the
 * source, whose tree knows how many in front of an entry are shown; and, where
 * there is a comparison, the sorted one of those that are shown.
 *
 *     source      a  B  c  D  E      shown: capitals
 *     entries     .  B  .  D  E      array    B D E
 *     insert      a  B  F  c  D  E   one edit: at the weight before it
 *
 * derived.c begins, follows and ends; derived_entries.c has what is known of an
 * element, and asks the program; derived_edit.c makes of what has happened one
 * edit, with derived_rank.c for the sorted order; derived_told.c makes that of
 * the array. derived_keys.c is for sources that have keys; derived_groups.c is
 * for dictionaries of such arrays.
 */
#ifndef OBV_DERIVED_H
#define OBV_DERIVED_H

#include "base/order_tree.h"
#include "collections/array.h"

#include <observable/derived.h>
#include <observable/edit_list.h>
#include <observable/observe.h>

#include <stddef.h>

/** An element of the source, where it stands. */
struct obv__derived_entry {
    /* Must stand first: in the order of the source; it counts while the entry
       is shown. */
    struct obv__order_node node;
    void *element; /* of one that is shown: as the array has it */
    struct obv__derived_object *object; /* that is observed; or NULL */
    struct obv__derived_entry *next_of_object;
    struct obv__derived_key *key; /* of a source that has keys */
    union {
        uint64_t serial; /* in the order of coming */
        struct obv__derived_entry *next_leaving;
    };
    size_t place; /* in the array, while an order is made */
    /* Only where the array has an order of its own; and of groups. */
    struct obv__order_node rank;
    struct obv__derived_group *group; /* in which it is shown */
};

/** An object that stands in the source, once or more, and is observed. */
struct obv__derived_object {
    struct obv_hash_entry by_address; /* must stand first */
    struct obv_object *object;        /* held */
    struct obv_observation *observation;
    struct obv__derived_entry *entries; /* by `next_of_object` */
    struct obv__derived_object *next_changed;
    bool has_changed; /* it is in the queue of those */
};

struct obv__key;

/** A key of the source, if that is a dictionary; if it is a set a member. */
struct obv__derived_key {
    struct obv_hash_entry by_hash;    /* must stand first */
    struct obv__key *key;             /* a reference, or NULL */
    void *member;                     /* of a set; held */
    struct obv__derived_entry *entry; /* NULL: it comes */
    bool is_there;                    /* while all are read */
};

/** The elements of one key, as an array of their own. */
struct obv__derived_group {
    struct obv_hash_entry by_number; /* must stand first: of its key */
    struct obv__key *key;            /* a reference */
    struct obv_array *array;         /* held */
    struct obv__order_tree ranks;
    struct obv__entry *pair; /* of the dictionary, or for it */
    bool is_listed;          /* it is there */
    /* Of the edit under way. */
    size_t expected; /* so many may come */
    struct obv__derived_edit *edit;
    struct obv__derived_group *next_new, *next_gone;
};

struct obv_derivation {
    struct obv_collection *owner;              /* is derived, and ends it */
    const struct obv_collection_class *output; /* of what is shown */
    struct obv_array *array;                   /* the owner; NULL: of groups */
    struct obv_dictionary *dictionary;         /* the owner of groups */
    struct obv_class *group_class;             /* of their arrays */
    struct obv_hash_table groups;
    struct obv__derived_group *new_groups; /* by `next_new` */
    struct obv_container *source;          /* held */
    const struct obv_container_kind *access;
    const struct obv_derived_kind *kind;
    void *argument;
    /* How an element of the source is held while it is asked about. */
    const struct obv_collection_class *input;
    struct obv_collection_class own_input; /* of a source that has none */
    struct obv_edit_list *list;
    struct obv_observation *observation;
    struct obv__order_tree entries, ranks;
    uint64_t last_serial;
    struct obv_hash_table objects;
    struct obv_hash_table keys; /* by their numbers, or the members' hashes */
    struct obv__derived_object *changed, **last_changed; /* queue */
    enum obv_status broken;  /* why it is not what its source says; or OBV_OK */
    bool is_reported;        /* that it is broken */
    bool is_begun;           /* it is the program's */
    bool is_following;       /* what happens meanwhile is done behind it */
    bool is_behind;          /* the source was edited */
    bool is_lost;            /* and nobody knows how, or what for an entry is */
    bool is_to_refresh;      /* all is to be asked for again */
    struct obv_pair pairs[]; /* of an object; kind->path_count of them */
};

/** An entry that is asked about. */
struct obv__derived_change {
    struct obv__derived_entry *entry;
    struct obv__derived_key *key;     /* of the source; or NULL */
    void *input;                      /* the element of the source */
    void *element;                    /* what is shown of it */
    struct obv__derived_group *group; /* in which */
    size_t place;                     /* in the array then */
    bool has_input, has_element;      /* and holds it */
    bool is_shown;
    bool stays; /* the entry is that of an equal element at its place */
};

/** What was shown and is not any more. */
struct obv__derived_gone {
    struct obv__derived_entry *entry;
    struct obv__derived_group *group;
    void *element;
    size_t place; /* in the array before */
};

/** What the array does of one edit. */
struct obv__derived_edit {
    struct obv_derivation *derivation;
    struct obv_array *array;
    struct obv__order_tree *ranks;    /* of it, if it has an order of its own */
    struct obv__derived_group *group; /* whose array it is */
    struct obv__derived_change *changes; /* all that are asked about */
    size_t change_count;
    bool are_new;                       /* their entries are */
    struct obv__derived_entry *leaving; /* by `next_leaving` */
    struct obv__derived_gone *gone;     /* by their places */
    size_t gone_count;
    struct obv__derived_change **come; /* are shown from now on; by places */
    size_t come_count;
    struct obv__derived_change **moved; /* are shown elsewhere perhaps */
    size_t moved_count;
    struct obv__derived_edit *edits;      /* of groups */
    struct obv__derived_change **scratch; /* as many as there are changes */
    /* Those that move there: `moves` from a place on, to another one; or by
       `order`. None: `moves` is 0. */
    size_t moves, from, to;
    size_t *order;
    bool is_by_order;
    struct obv__order_node **moved_runs; /* of the source */
    void **old;                          /* elements, in the order of `gone` */
    void **elements;                     /* room for all, beside an order */
    struct obv_container_edit *told;
    size_t told_count;
    void *block;
    size_t size;
};

/** Follows runs of an edit list. After an error the array is as it was, and its
    entries are not what the source has. `keys`: of those that come; NULL: the
    source has none. */
enum obv_status obv__derived_follow_runs(struct obv_derivation *derivation,
                                         const struct obv_edit_run *runs,
                                         size_t count,
                                         struct obv__derived_key *const *keys);
/** The same of what has become of keys; and of all of them. */
enum obv_status obv__derived_follow_keys(struct obv_derivation *derivation,
                                         const struct obv_edits *edits);
enum obv_status obv__derived_read_all_keys(struct obv_derivation *derivation);
/** Asks again about the entries of the objects that have changed; of all. */
enum obv_status obv__derived_ask_changed(struct obv_derivation *derivation);
enum obv_status obv__derived_ask_all(struct obv_derivation *derivation);

/* The sorted order --------------------------------------------------------- */

static inline bool
obv__derived_is_sorted(const struct obv_derivation *derivation)
{
    return derivation->kind->compare || derivation->kind->key;
}

static inline struct obv__derived_entry *
obv__derived_entry_of_rank(const struct obv__order_node *rank)
{
    uintptr_t entry =
        (uintptr_t)rank - offsetof(struct obv__derived_entry, rank);
    return (struct obv__derived_entry *)entry;
}

/** Takes an entry out. Those beside it are in order then; but where a path has
    changed of which the array has not been told yet, what came meanwhile may
    stand on the wrong side of it: then all is to be asked about again. Those
    that are marked go out as well. */
void obv__derived_take_rank_out(const struct obv__derived_edit *edit,
                                struct obv__derived_entry *entry);
/** Enters those that are in it not, and finds their places. */
void obv__derived_merge_in(struct obv__derived_edit *edit,
                           struct obv__derived_change **changes, size_t count);
/** Those of `edit->moved` are marked, and stand where they stood. */
void obv__derived_move_in_sorted_order(struct obv__derived_edit *edit);

/* The array ---------------------------------------------------------------- */

/** Before a move by order: `count` entries that are shown get their places,
    from a node of the array's order on. */
void obv__derived_mark_places(const struct obv_derivation *derivation,
                              struct obv__order_node *node, size_t place,
                              size_t count);
/** Behind it: the order of `edit->moves` from `edit->from` on, which `node`
    begins. */
void obv__derived_write_order(struct obv__derived_edit *edit,
                              struct obv__order_node *node);
/** Makes the edit, and tells of it. */
void obv__derived_make(struct obv__derived_edit *edit);

/* Groups ------------------------------------------------------------------- */

/** The group of a key; NULL: none. */
enum obv_status obv__derived_find_group(struct obv_derivation *derivation,
                                        const void *key,
                                        struct obv__derived_group **group);
/** Room for those that may come. OBV_E_MEMORY. */
enum obv_status obv__derived_expect(struct obv__derived_edit *edit);
/** Makes the edit of each group, and of the dictionary. */
void obv__derived_make_groups(struct obv__derived_edit *edit);
/** Ends groups that have come and are none. */
void obv__derived_give_up_groups(struct obv_derivation *derivation);
void obv__derived_end_groups(struct obv_derivation *derivation);

/** Those of an edit that go: sorted by their places, and out of the order. */
void obv__derived_take_gone_out(struct obv__derived_edit *edit);

/* Entries ------------------------------------------------------------------ */

static inline struct obv__derived_entry *
obv__derived_entry_of(struct obv__order_node *node)
{
    return (struct obv__derived_entry *)(void *)node;
}

/** Reads the element of the source at a position, or of the change's key, and
    holds it. */
enum obv_status obv__derived_read(struct obv_derivation *derivation,
                                  struct obv__derived_change *change,
                                  size_t position);
/** The same of one object. */
enum obv_status obv__derived_hold(struct obv_derivation *derivation,
                                  struct obv__derived_change *change,
                                  const void *element);
/** Where an element of the source lies, as a pointer. */
static inline const void *
obv__derived_source_at(const struct obv_derivation *derivation, size_t position)
{
    return obv__pointer_at(derivation->access->at(derivation->source, position),
                           0);
}

/** Makes the entry of a change that has its element, and observes that. */
enum obv_status obv__derived_enter(struct obv_derivation *derivation,
                                   struct obv__derived_change *change);
/** Asks what is shown of it. */
enum obv_status obv__derived_ask(struct obv_derivation *derivation,
                                 struct obv__derived_change *change);
/** Lets go of what a change holds still. */
void obv__derived_forget(const struct obv_derivation *derivation,
                         struct obv__derived_change *change);
/** Ends an entry that stands in no tree. */
void obv__derived_leave(struct obv_derivation *derivation,
                        struct obv__derived_entry *entry);

/** The first of the objects that have changed, out of the queue; or NULL. */
struct obv__derived_object *
obv__derived_next_changed(struct obv_derivation *derivation);
/** How many entries those have that are in the queue. */
size_t obv__derived_count_changed(const struct obv_derivation *derivation);
/** Ends an object that stands nowhere any more; its change is to be seen
    first. */
void obv__derived_end_unless_needed(struct obv_derivation *derivation,
                                    struct obv__derived_object *object);

/** Ends all of them; their entries are not used any more. */
void obv__derived_end_objects(struct obv_derivation *derivation);

/* Keys --------------------------------------------------------------------- */

static inline bool
obv__derived_has_keys(const struct obv_derivation *derivation)
{
    return !derivation->access->at;
}

/** The element of a key that is there. */
const void *obv__derived_at_key(const struct obv_derivation *derivation,
                                const struct obv__derived_key *key);
void obv__derived_forget_key(struct obv_derivation *derivation,
                             struct obv__derived_key *key);
/** Whether an element has gone and come again. One that nobody has held
    meanwhile may be another one at the same address. */
bool obv__derived_has_come_again(const struct obv_derivation *derivation,
                                 const struct obv_value *gone,
                                 const void *element);

/** Whether something else is shown than the elements of the source. */
static inline bool obv__derived_maps(const struct obv_derivation *derivation)
{
    return derivation->kind->map || derivation->kind->map_pair;
}

/** Does what there is to do, unless it is being done. */
void obv__derived_follow(struct obv_derivation *derivation);

/** What keeps the array while it is called as an observer. */
bool obv__derived_hold_observer(void *observer);
void obv__derived_release_observer(void *observer);

/** Holds an object as an element, and lets go of it: one of a class without
    `retain` is nobody's. */
enum obv_status obv__derived_hold_object(struct obv_object *object);
void obv__derived_let_go_of_object(struct obv_object *object);

#endif
