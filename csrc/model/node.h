/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry: object -> node -> slots -> watchers.
 *
 * An object's node comes when somebody first observes it and stays until the
 * object ends. It is read without locks; lists are written under the object's
 * stripe, which is chosen by the address and outlives the object. No two
 * stripes are ever held at once.
 *
 * Owed: a walker in an epoch section sees each watcher that hung in the list
 * from before it began until after it ended; memory stays readable for it.
 */
#ifndef OBV_NODE_H
#define OBV_NODE_H

#include "model/class.h"
#include "model/watcher.h"

struct obv__paths;
struct obv__inbound;

/* In a node's flags. */
#define OBV__NODE_ENDING 1u

/** The second part of a node, beside its slots; made when it is first
    needed. */
struct obv__more {
    union {
        struct obv__retired retired; /* lent to the reclaim at the end */
        uint64_t identity;           /* until then; 0: nobody has asked */
    };
    uintptr_t every;          /* list: told of every edit; see obv__every() */
    uintptr_t attached;       /* list: told of none, ends with the object */
    struct obv__paths *paths; /* rooted here; under the paths lock */
    struct obv__watcher *observing; /* by this object; under its stripe */
    /* How class-level observations follow this object; under its stripe. */
    struct obv__instances instances;
    void *late; /* struct obv__late_slots, or NULL; see obv__slot() */
    struct obv__inbound *inbound; /* of properties that any thread may set; any
                                     thread walks */
};

/** Adds to the count of what is told of all sets in the process: class-level
    observations, and the trace. */
void obv__tell_of_all_sets(size_t change);

/** Whether anything is told of all sets. False is certain for what the caller
    has heard of. */
static inline bool obv__class_subscriptions_exist(void)
{
    /* Relaxed: the thread that began one has told this thread, or it comes too
       late. */
    return obv__load_relaxed(&obv_detail_plain) == 0;
}

/** The header word of an object; 0: obv_object_init() has never made it. Public
    calls that take an object look for 0; behind them every object has a class,
    or is at its end. */
static inline uintptr_t obv__word(const struct obv_object *object)
{
    /* Acquire, pairs with the publication in obv__node_ensure(): the node's
       first content is seen. */
    return obv__load_acquire(&object->word);
}

/** The class that a word other than 0 names; NULL: a binding has not given the
    object one yet. */
static inline struct obv_class *obv__class_of_word(uintptr_t word)
{
    if (OBV__UNLIKELY(word & OBV_DETAIL_NO_NODE)) {
        return (struct obv_class *)(word & ~OBV_DETAIL_NO_NODE);
    }
    return obv__class_by_number(
        ((const struct obv_detail_node *)(word & ~OBV_DETAIL_HAS_SLOTS))
            ->class_number);
}

/** The class of an object that was made. */
static inline struct obv_class *obv__class_of(const struct obv_object *object)
{
    return obv__class_of_word(obv__word(object));
}

/** The class, or NULL: also of NULL, and of what was never made. */
static inline struct obv_class *
obv__class_or_null(const struct obv_object *object)
{
    uintptr_t word = object ? obv__word(object) : 0;
    return word ? obv__class_of_word(word) : NULL;
}

/** The property of a slot of an object; the slot is that of one. */
static inline const struct obv_property *
obv__property_at(const struct obv_object *object, uint32_t slot)
{
    return obv__property_in(obv__class_of(object), slot);
}

/** Holds an object by a reference, if its class has any and it is not at its
    end yet. */
static inline bool obv__object_hold(struct obv_object *object)
{
    const struct obv_class *cls = obv__class_of(object);
    return cls->retain && cls->retain(object);
}

/** The same where the caller goes on without a reference if the class has none;
    false: the object is at its end. `held`: by one that is to be given back. */
static inline bool obv__object_hold_or_go_on(struct obv_object *object,
                                             bool *held)
{
    *held = obv__object_hold(object);
    return *held || !obv__class_of(object)->retain;
}

/** Gives that reference back, if there is one. */
static inline void obv__object_let_go(struct obv_object *object, bool held)
{
    if (held) {
        obv__class_of(object)->release(object);
    }
}

/** Whether obv_object_deinit() has begun for a node's object, which may be
    gone. In an epoch section. */
static inline bool obv__node_is_ending(const struct obv_detail_node *node)
{
    return (obv__load_acquire(&node->flags) & OBV__NODE_ENDING) != 0;
}

/** Whether something may be asked of an object: OBV_E_ARGUMENT, OBV_E_ENDED. */
enum obv_status obv__check_object(const struct obv_object *object,
                                  struct obv_error *error);

/** Gives the object the class of ended objects. */
void obv__object_end(struct obv_object *object);

/** The node, or NULL. */
static inline struct obv_detail_node *obv__node(const struct obv_object *object)
{
    /* Acquire, pairs with the publication in obv__node_ensure(): the node's
       first content is seen. */
    uintptr_t word = obv__load_acquire(&object->word);
    return word & OBV_DETAIL_NO_NODE
               ? NULL
               : (struct obv_detail_node *)(word & ~OBV_DETAIL_HAS_SLOTS);
}

/** The class of every object that has ended. */
extern struct obv_class obv__ended OBV__HIDDEN;

/** Whether obv_object_deinit() has been called. */
static inline bool obv__object_has_ended(const struct obv_object *object)
{
    return obv__load_acquire(&object->word) ==
           ((uintptr_t)&obv__ended | OBV_DETAIL_NO_NODE);
}

/** Whether obv_object_deinit() has begun. */
static inline bool obv__object_is_ending(const struct obv_object *object)
{
    const struct obv_detail_node *node = obv__node(object);
    return node ? obv__node_is_ending(node) : obv__object_has_ended(object);
}

static inline struct obv__more *obv__more(const struct obv_detail_node *node)
{
    /* Acquire, pairs with the publication in obv__more_ensure(). */
    return (struct obv__more *)obv__load_acquire(&node->more);
}

static inline struct obv_detail_slot *
obv__slot_of_table(struct obv_detail_node *node, uint32_t slot)
{
    size_t at = slot * sizeof *node->slots;
    OBV__OPAQUE(at); /* nothing is added to it beside the node's address */
    return (struct obv_detail_slot *)(void *)((char *)node->slots + at);
}

/** The slot of a property by the header word of an object, if it is one of the
    class's table and the node has slots; else NULL. */
static inline struct obv_detail_slot *obv__table_slot(uintptr_t word,
                                                      uint32_t slot)
{
    struct obv_detail_node *node =
        (struct obv_detail_node *)(word - OBV_DETAIL_HAS_SLOTS);
    return (word & OBV_DETAIL_HAS_SLOTS) && slot < node->slot_count
               ? obv__slot_of_table(node, slot)
               : NULL;
}

/** A slot of a property; NULL: nothing was ever prepared there. */
static inline struct obv_detail_slot *obv__slot(struct obv_detail_node *node,
                                                uint32_t slot)
{
    if (!OBV__UNLIKELY(slot >= node->slot_count)) {
        return obv__slot_of_table(node, slot);
    }
    const struct obv__more *more = obv__more(node);
    return more ? obv__late_slot(obv__load_acquire(&more->late),
                                 slot - node->slot_count)
                : NULL;
}

/** The head of the list of `*`; NULL: not prepared. */
static inline uintptr_t *obv__every(const struct obv_detail_node *node)
{
    struct obv__more *more = obv__more(node);
    if (OBV__UNLIKELY(node->slot_count == 0)) {
        return (uintptr_t *)(uintptr_t)&node->slots[0].head;
    }
    return more ? &more->every : NULL;
}

/** The slot that stands for all of a node without slots, while `*` is watched:
    without the slow-path bit, and with it. Constant. */
extern struct obv_detail_slot obv__slots_of_every[2] OBV__HIDDEN;

/** The slot whose watchers a set is to tell; NULL: there are none. */
static inline struct obv_detail_slot *
obv__slot_to_tell(struct obv_detail_node *node, uint32_t slot)
{
    struct obv_detail_slot *own = obv__slot(node, slot);
    if (!OBV__UNLIKELY(node->slot_count == 0) ||
        (own && obv__load_acquire(&own->head) != 0)) {
        return own;
    }
    uintptr_t every = obv__load_acquire(&node->slots[0].head);
    return every & ~OBV_DETAIL_HEAD_BITS
               ? &obv__slots_of_every[(every & OBV_DETAIL_SLOW_PATH) != 0]
               : own;
}

/** The object of a node, of a class that knows its objects. */
struct obv_object *obv__node_object(const struct obv_detail_node *node);

/** The object's node, made with its slots if there is none; NULL: no memory, or
    it has ended. */
struct obv_detail_node *obv__node_ensure(struct obv_object *object);

/** The second part of the object's node, made if there is none; NULL: no
    memory, or it has ended. */
struct obv__more *obv__more_ensure(struct obv_object *object);

/** The number of an object, given with this if it has none yet. */
uint64_t obv__identity_of(struct obv__more *more);

/** The number of an object (NULL is ignored); 0: it is at its end, or has none,
    or `make`: there was no memory for it. */
uint64_t obv__object_number(struct obv_object *object, bool make);

/** Makes whatever linking into the list `slot` needs, so that
    obv__link_locked() cannot fail; returns the object's node. NULL: no memory,
    or the object has ended. */
struct obv_detail_node *obv__list_prepare(struct obv_object *object,
                                          const struct obv_class *cls,
                                          uint32_t slot);

/** The head of a list of a node (which may be NULL); NULL: not prepared, so it
    has no watchers. */
uintptr_t *obv__list(struct obv_detail_node *node, uint32_t slot);

/** Calls `visit` for each list of a node that has been prepared: those of the
    properties in their order, that of `*`, and that of the attached. */
void obv__each_list(struct obv_detail_node *node,
                    void (*visit)(void *context, uint32_t slot,
                                  uintptr_t *head),
                    void *context);

/** The first watcher of a list. */
static inline struct obv__watcher *obv__first(const uintptr_t *head)
{
    /* Acquire, pairs with obv__list_append(): the watcher's fields are seen. */
    return (struct obv__watcher *)(obv__load_acquire(head) &
                                   ~OBV_DETAIL_HEAD_BITS);
}

static inline struct obv__watcher *obv__next(const struct obv__watcher *watcher)
{
    return obv__load_acquire(&watcher->next);
}

/** obv__next() for a walk of an object's list during which a binding may move
    (obv__watcher_move()): code of the program runs, or the walk is on another
    thread than the owner's. A binding that is at another object by now was the
    last. */
static inline struct obv__watcher *
obv__next_at(const struct obv_object *object,
             const struct obv__watcher *watcher)
{
    /* A walker that finds a watcher appended behind the moved binding finds the
       new `place` as well. */
    struct obv__watcher *next = obv__next(watcher);
    return obv__is_binding(watcher) &&
                   obv__load_acquire(&watcher->place) != (uintptr_t)object
               ? NULL
               : next;
}

/* Lists, whosever they are: the caller holds the lock that guards them. */
/** `bits`: for the head, which has them before the watcher can be met. */
void obv__list_append(uintptr_t *head, uintptr_t bits,
                      struct obv__watcher *watcher);
void obv__list_remove(uintptr_t *head, struct obv__watcher *watcher);

/** Hangs a watcher into a prepared list of a living object and stamps its
    serial; the caller holds the object's stripe. A binding whose edits take the
    slow path has OBV__SLOW already. */
void obv__link_locked(struct obv_object *object, struct obv_detail_node *node,
                      const struct obv_class *cls, uint32_t slot,
                      struct obv__watcher *watcher);

/** Whether a watcher in a list (NULL: empty) asks for more than the call: a
    binding in the middle of a path, or an edge. */
bool obv__list_is_slow(const uintptr_t *head);

/** Makes sets of a prepared slot take the slow path from now on. No lock
    held. */
void obv__list_slow(struct obv_object *object, uint32_t slot);

/** Marks the list of an observation of one pair as mixed: that has turned
    immediate. The caller raises the registration epoch behind it. No lock
    held. */
void obv__list_turned(struct obv__watcher *solo);

/** Prepares a list of an object that does not end meanwhile, and hangs a
    watcher into it, under its stripe: OBV_OK, or OBV_E_MEMORY. */
enum obv_status obv__hang(struct obv_object *object, uint32_t slot,
                          struct obv__watcher *watcher);

/** Takes a watcher out of its list. The caller holds the stripe of the object
    that the watcher hangs at and knows that this object lives. `place` keeps
    its value. Returns the object's class. */
const struct obv_class *obv__unlink_locked(struct obv__watcher *watcher);

/** Moves a binding into the list of the same slot, a property's, of another
    object of the same class. Values there are read without code of the program,
    so a reader of what is behind the binding need not ask whether it has moved
    meanwhile. False: the binding stays, as it is not the last of its list
    (obv__next_at()), or there is no memory. No stripe is held. */
bool obv__watcher_move(struct obv__watcher *watcher,
                       const struct obv_class *cls, struct obv_object *object);

/** Says that path nodes hang below a binding, so that its slot has the
    slow-path bit from now on. The stripe of the object it hangs at is held. */
void obv__mark_middle_locked(struct obv__watcher *binding);

/*
 * The registration epoch: the high half counts registrations of pairs, the low
 * half drains and rewirings. A watcher's serial is a half of the registration
 * epoch when it came: a binding's the low one, every other's the high one.
 */

/** Makes every all-pending stamp stale: a drain begins, or a path node was
    rewired. */
static inline void obv__advance_registration_epoch(void)
{
    /* Seq_cst, pairs with the setter's load after an any-thread store: either
       it sees this, or what follows here sees its value. */
    obv__fetch_add_seq_cst(&obv_detail_registration_epoch, 1);
}

/** Makes every all-pending stamp stale after a pair was linked: a walk that
    missed the pair has read an older registration epoch. */
static inline void obv__count_registration(void)
{
    /* Seq_cst, as above. */
    obv__fetch_add_seq_cst(&obv_detail_registration_epoch, UINT64_C(1) << 32);
}

/** The registration epoch, to compare serials with. */
static inline uint64_t obv__registration_epoch(void)
{
    /* Seq_cst: after the store of the value that the caller tells of. */
    return obv__load_seq_cst(&obv_detail_registration_epoch);
}

/** The shift to the half of the registration epoch that a watcher's serial is
    taken from. */
static inline unsigned obv__serial_shift(const struct obv__watcher *watcher)
{
    return obv__is_binding(watcher) ? 0 : 32;
}

/** Whether a watcher came since `since`: then the change under way is not for
    it (RE-1). */
static inline bool obv__came_since(const struct obv__watcher *watcher,
                                   uint64_t since, uint64_t now)
{
    unsigned shift = obv__serial_shift(watcher);
    uint32_t first = (uint32_t)(since >> shift);
    uint32_t end = (uint32_t)(now >> shift);
    return watcher->serial - first < end - first;
}

/** Clears the head bits of a slot that no watcher needs any more. The object's
    stripe is held. */
void obv__list_refresh_locked(struct obv_detail_node *node,
                              const struct obv_class *cls, uintptr_t *head,
                              uint32_t slot);

/** A new watcher of `size` bytes, zeroed, or NULL. */
static inline struct obv__watcher *
obv__watcher_allocate(struct obv_context *context, size_t size, unsigned type)
{
    struct obv__watcher *watcher = obv__context_allocate_zeroed(context, size);
    if (watcher) {
        watcher->type = (uint8_t)type;
    }
    return watcher;
}

/** Takes an observation out of its observer's list; may be repeated. */
void obv__observer_unlink(struct obv__watcher *observation);

/** The same; the observer's stripe is held. */
void obv__observer_unlink_locked(struct obv__watcher *observation);

/** Retires a watcher that nobody can find any more. */
void obv__watcher_retire(struct obv_context *context,
                         struct obv__watcher *watcher);

/* Called by the reclaim. */
void obv__node_free(struct obv_context *context, struct obv__retired *block);
void obv__more_free(struct obv_context *context, struct obv__retired *block);

/** Retires the node of an object that has ended. */
void obv__node_retire(struct obv_class *cls, struct obv_detail_node *node);

#endif
