/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watchers: what hangs in the lists of a slot. Layout and flags of every form,
 * since all rooms ask for them; the lists themselves are in node.c, what
 * watchers do in wiring.c, delivery.c and observation.c.
 *
 *     SOLO      an observation of one pair, whole: 64 bytes, or 48 if it is
 *               immediate and has no handle, so that it can never be pending;
 *               16 more if its observer is an observable object
 *     GROUP     an observation of any number of pairs; hangs in no list. Also a
 *               class-level observation, which has no pair, and each
 *               observation of one instance that follows from it
 *               (class_subscription.h)
 *     MEMBER    one pair of a group; 48 bytes, or 64 if it knows its path, as
 *               where the observation has change records, or the path leads
 *               nowhere; or 80 if the observer is told of the root's death
 *     BINDING   a followed element of a path, bound to a live object; 48 bytes
 *     EDGE      where edges of the dependency graph hang (computed.h); 56 bytes. It
 *               says of its slot what a binding in the middle of a path does: an
 *               edit of it takes the slow path
 *
 * Guards: each field says who writes it. A watcher's memory is given back
 * through the reclaim only, so inside an epoch section every word may be read.
 */
#ifndef OBV_WATCHER_H
#define OBV_WATCHER_H

#include "base/coalescing_set.h"
#include "base/reclaim.h"
#include "platform/bsd.h"

#include <observable/observe.h>

/* The kinds of watchers: `type`, constant from its creation. */
enum {
    OBV__SOLO = 0,
    OBV__GROUP = 1,
    OBV__MEMBER = 2,
    OBV__BINDING = 3,
    OBV__WHAT = 3,             /* the mask of these */
    OBV__IMMEDIATE = 4,        /* called inside the change */
    OBV__AT_WEAK = 4,          /* BINDING: its slot is a weak property's, or
                                  that of all, and one is weak */
    OBV__DEFERS = 8,           /* keeps what its own handler changes (DR-3) */
    OBV__AT_ANY_THREAD = 8,    /* BINDING, EDGE: any thread may set its slot's
                                  property, or one of all */
    OBV__TOKEN = 16,           /* its stop takes a scheduled call back */
    OBV__AT_INNER_PATHS = 16,  /* BINDING: of paths that no count knows of
                                  (path_node.h) */
    OBV__OBSERVER_LINKED = 32, /* has a struct obv__observer_link */
    OBV__AT_CELL = 32,         /* BINDING: of an element of a container */
    OBV__TELLS_DEATH = 32,     /* MEMBER: is a struct obv__notice */
    OBV__IS_EDGE = 64,         /* BINDING: is none, but a struct obv__hub */
    OBV__HAS_ITEM = 64,  /* is a struct obv__delayed, so it can be pending */
    OBV__RECORDING = 64, /* MEMBER: is a struct obv__recording_member */
    OBV__MORTAL = 128    /* its observer may be gone without having stopped */
};

/* Flags of `state`, which read-modify-writes change. */
enum {
    OBV__LINKED = 1, /* from its creation on, a GROUP from its first pairs on;
                            cleared once, by its end */
    OBV__FINISHING = 2,  /* somebody disposes of it, or it is being made */
    OBV__DONE = 4,       /* disposed of: only a handle keeps the memory */
    OBV__HANDLE = 8,     /* the program holds a handle */
    OBV__CANCELLED = 16, /* a scheduled call is not to come any more */
    OBV__UNHELD = 32, /* nothing holds the observer, or, of a SOLO, the root: a
                         stop cancels */
    OBV__DISPOSES = 64, /* its kind's `dispose` is owed */
    OBV__MIDDLE = 32,   /* BINDING: path nodes hang below it (stripe) */
    OBV__SLOW = 128,    /* BINDING: an edit of its slot takes the slow path */
    OBV__TURNED = 128   /* SOLO, GROUP: has become immediate */
};

/* Numbers of slots that are no property. */
enum {
    OBV__SLOT_EVERY = 65535,   /* told of every edit of the object: `*` */
    OBV__SLOT_NONE = 65534,    /* told of none: hangs there to end with it */
    OBV__SLOT_ELEMENT = 65533, /* of a container: it hangs at the cell */
    OBV__SLOT_LAST = 65532     /* properties are below */
};

struct obv__watcher {
    /* Under the list's lock; the first one's is the last. Unlinked, it is the
       word lent to the reclaim. */
    union {
        struct obv__watcher *previous;
        struct obv__retired retired;
    } back;
    union {
        /* Release by who holds the list's lock, acquire by walkers; keeps its
           value after unlinking, for a walker that stands here. */
        struct obv__watcher *next;
        /* GROUP: where it was begun, or NULL; constant. */
        const char *file;
    };
    /* SOLO, GROUP: constant. MEMBER: the next member (under the group's lock). */
    union {
        const struct obv_handler_kind *kind;
        struct obv__watcher *next_member;
    } with;
    /* SOLO, GROUP: the observer. MEMBER: the group. BINDING: the path node. All
       constant. */
    void *of;
    /* Its place: an object; or, with bit 0 set, a path node of a path, whose
       list of leaves it is in. 0 when the root is gone. Written under the
       list's lock; read by any thread in an epoch section. */
    uintptr_t place;
    uint8_t state;
    uint8_t type;
    uint16_t slot;   /* of the object; constant while it hangs there */
    uint32_t serial; /* the registration epoch when it came, or moved */
};

/* An observation that can be pending. */
struct obv__delayed {
    struct obv__watcher watcher;
    struct obv__coalescing_item item;
};

/* Behind an observation whose observer is an observable object: its place in
   that object's list of what it observes. Under the observer's stripe; both
   NULL when it is not in the list. */
struct obv__observer_link {
    struct obv__watcher *next;
    struct obv__watcher **place;
};

struct obv_path;
struct obv__change_records;

/* The forms of groups: constant. */
enum obv__group_form {
    OBV__OF_PAIRS,
    OBV__OF_SUBSCRIBER, /* of pairs, and is a struct obv__subscriber */
    OBV__OF_CLASS,      /* a struct obv__class_subscription */
    OBV__OF_INSTANCE    /* a struct obv__instance */
};

struct obv__group {
    struct obv__delayed head;
    struct obv__observer_link link;
    /* Under `lock`, which also covers the step from pending to `root`. */
    struct obv__watcher *members;
    struct obv_object *root; /* scheduled for; unless it is held, it counts only
                                while it is that of a pair */
    struct obv__change_records *records; /* what it has asked to be told; or
                                            NULL */
    bool is_ending;                      /* takes no more members */
    struct obv__lock lock;
    uint8_t is_deaf;   /* is told of no death more; any thread reads */
    bool is_root_held; /* under `lock` */
    uint32_t line;     /* where it was begun; constant */
    uint32_t users;    /* of its memory: itself, its instances, its notices that
                           are under way; any thread */
    uint8_t form;      /* enum obv__group_form */
    bool is_extensible; /* pairs may be added later; constant */
    bool is_once;       /* OBV_ONCE; constant */
    bool has_path_over; /* a path ends once the call has come; any thread */
};

/* A group whose observer is told of the deaths of its roots
   (deallocation_notice.h): its members are struct obv__notice. It copies its
   kind, which may be gone before the last notice; constant. */
struct obv__subscriber {
    struct obv__group group;
    void (*told)(void *observer, const struct obv_deallocation_notice *notice);
    void (*forget)(void *observer, void *context);
    bool (*retain)(void *observer);
    void (*release)(void *observer);
    void *context;
};

/** One pair that knows its path: of a group that has change records, or is told
    of deaths, or one that leads nowhere (KP-12). */
struct obv__recording_member {
    struct obv__watcher watcher;
    struct obv_path *path; /* a reference; NULL: it has none; constant */
    uint32_t pair;         /* its number, if the group has change records;
                              constant */
    bool is_nowhere;       /* constant */
    bool is_under_way;     /* a struct obv__notice: its root has died; under the
                              group's lock */
};

/** One pair of an observation that is told of deaths (deallocation_notice.h). */
struct obv__notice {
    struct obv__recording_member member;
    struct obv__notice *next; /* of those that are under way */
    uint64_t identity;        /* of its root; constant */
};

/** The instances of a class subscription, or of an object. */
LIST_HEAD(obv__instances, obv__instance);

/** The observation of a class: a group of the form OBV__OF_CLASS. */
struct obv__class_subscription {
    struct obv__group group;
    /* Constant. */
    struct obv_class *cls;
    struct obv_path *path; /* a reference */
    struct obv_observe_options options;
    bool wants_same; /* sets of equal values are changes to it */
    bool is_nowhere; /* the class has not the path's first element */
    /* Any thread. */
    bool is_reported; /* that its path is no observable property */
    struct obv__class_subscription *next; /* of the class; any thread walks */
    /* Under the group's lock. */
    struct obv__instances instances;
};

/** The observation of one instance: a group of the form OBV__OF_INSTANCE. */
struct obv__instance {
    struct obv__group group;
    struct obv__class_subscription *subscription; /* constant */
    struct obv_object *object;                    /* constant; an address */
    /* At the object, under its stripe. */
    LIST_ENTRY(obv__instance) at_object;
    bool is_entered; /* in that list */
    /* Under the subscription's lock. */
    bool is_listed;
    /* Keeps its next when it is taken out, for a sweep that stands on it. */
    LIST_ENTRY(obv__instance) of_subscription;
};

static inline unsigned obv__what(const struct obv__watcher *watcher)
{
    return watcher->type & OBV__WHAT;
}

/** The observation that a SOLO, MEMBER or GROUP belongs to. */
static inline struct obv__watcher *obv__observation(struct obv__watcher *via)
{
    return obv__what(via) == OBV__MEMBER ? via->of : via;
}

static inline struct obv__group *obv__group(struct obv__watcher *observation)
{
    return (struct obv__group *)(void *)observation;
}

static inline struct obv__group *
obv__group_or_null(struct obv__watcher *observation)
{
    return obv__what(observation) == OBV__GROUP ? obv__group(observation)
                                                : NULL;
}

/** Whether a watcher is a binding: no pair of an observation, and no hub. */
static inline bool obv__is_binding(const struct obv__watcher *watcher)
{
    return (watcher->type & (OBV__WHAT | OBV__IS_EDGE)) == OBV__BINDING;
}

/** Whether a watcher is a hub, where edges of computed properties hang. */
static inline bool obv__is_edge(const struct obv__watcher *watcher)
{
    const unsigned edge = OBV__BINDING | OBV__IS_EDGE;
    return (watcher->type & (OBV__WHAT | OBV__IS_EDGE)) == edge;
}

/** Whether a watcher is an observation of one pair, which hangs in a list
    itself. */
static inline bool obv__is_solo(const struct obv__watcher *watcher)
{
    return obv__what(watcher) == OBV__SOLO;
}

static inline bool obv__has_form(struct obv__watcher *observation,
                                 enum obv__group_form form)
{
    return obv__what(observation) == OBV__GROUP &&
           obv__group(observation)->form == form;
}

/** Whether it is the observation of a class: it has no pair, and no root. */
static inline bool obv__is_class_subscription(struct obv__watcher *observation)
{
    return obv__has_form(observation, OBV__OF_CLASS);
}

/** Whether an observation is that of one instance, made by a class-level one:
    the object's counts, lists and stops do not know it. */
static inline bool obv__is_instance(struct obv__watcher *observation)
{
    return obv__has_form(observation, OBV__OF_INSTANCE);
}

/** The change records of the observation of a pair; NULL: it has none. */
static inline struct obv__change_records *
obv__change_records_of(struct obv__watcher *via)
{
    const struct obv__group *group = obv__group_or_null(obv__observation(via));
    return group ? group->records : NULL;
}

/** A pair that knows its path; NULL: it does not. */
static inline struct obv__recording_member *
obv__recording_member(struct obv__watcher *pair)
{
    return obv__what(pair) == OBV__MEMBER && (pair->type & OBV__RECORDING)
               ? (struct obv__recording_member *)(void *)pair
               : NULL;
}

/** Whether it is a struct obv__subscriber; NULL if not. */
static inline struct obv__subscriber *
obv__subscriber(struct obv__watcher *observation)
{
    return obv__has_form(observation, OBV__OF_SUBSCRIBER)
               ? (struct obv__subscriber *)(void *)observation
               : NULL;
}

/** The subscription of a group of that form. */
static inline struct obv__class_subscription *
obv__class_subscription(struct obv__watcher *observation)
{
    return (struct obv__class_subscription *)(void *)observation;
}

static inline struct obv__watcher *
obv__subscription_watcher(struct obv__class_subscription *subscription)
{
    return &subscription->group.head.watcher;
}

/** The instance of a group of that form. */
static inline struct obv__instance *
obv__instance(struct obv__watcher *observation)
{
    return (struct obv__instance *)(void *)observation;
}

/** The observation that the program knows: for an instance, the
    subscription. */
static inline struct obv__watcher *
obv__whole_observation(struct obv__watcher *observation)
{
    return obv__is_instance(observation)
               ? &obv__instance(observation)->subscription->group.head.watcher
               : observation;
}

static inline struct obv__coalescing_item *
obv__item(struct obv__watcher *observation)
{
    return &((struct obv__delayed *)(void *)observation)->item;
}

/** Whether a call of an observation is pending. */
static inline bool obv__is_pending(struct obv__watcher *observation)
{
    return obv__item_is_pending(obv__item_word(obv__item(observation)));
}

/** Whether an observation was ever scheduled "perhaps", so that its drain
    evaluates before the call. An observation immediate from the beginning has
    no item. */
static inline bool obv__asks(struct obv__watcher *observation)
{
    return (observation->type & OBV__HAS_ITEM) &&
           (obv__item_word(obv__item(observation)) & OBV__ITEM_ASKS);
}

/** The observation of a pending item. */
static inline struct obv__watcher *
obv__of_item(struct obv__coalescing_item *item)
{
    return &OBV__STRUCT_OF(struct obv__delayed, item, item)->watcher;
}

static inline bool obv__has_state(const struct obv__watcher *watcher,
                                  unsigned bits)
{
    /* Acquire: a thread that sees an end sees what led to it. */
    return (obv__load_acquire(&watcher->state) & bits) != 0;
}

/** Whether it has all of one set of flags, and none of the other. */
static inline bool obv__has_all_but(const struct obv__watcher *watcher,
                                    unsigned all, unsigned none)
{
    /* Acquire, as above. */
    return (obv__load_acquire(&watcher->state) & (all | none)) == all;
}

/** Whether a watcher does not make its object count as observed (OS-1): it
    serves class-level observations or dependencies alone. The object's stripe
    is held. */
static inline bool obv__is_uncounted(struct obv__watcher *watcher)
{
    return obv__is_edge(watcher) ||
           (obv__is_binding(watcher)
                ? (watcher->type & OBV__AT_INNER_PATHS) != 0
                : obv__is_instance(obv__observation(watcher)));
}

/** Whether it is called inside the change; it may become so (IM-3). The thread
    that turns it raises the registration epoch after it. */
static inline bool obv__is_immediate(const struct obv__watcher *observation)
{
    return (observation->type & OBV__IMMEDIATE) ||
           obv__has_state(observation, OBV__TURNED);
}

/** Bytes of a group of this form. */
static inline size_t obv__group_size(enum obv__group_form form)
{
    return form == OBV__OF_CLASS        ? sizeof(struct obv__class_subscription)
           : form == OBV__OF_INSTANCE   ? sizeof(struct obv__instance)
           : form == OBV__OF_SUBSCRIBER ? sizeof(struct obv__subscriber)
                                        : sizeof(struct obv__group);
}

/** Bytes of a watcher of this type that is no group. */
static inline size_t obv__size_of_type(unsigned type)
{
    const unsigned edge = OBV__BINDING | OBV__IS_EDGE;
    size_t size = sizeof(struct obv__watcher);
    if ((type & edge) == edge) {
        size += 3 * sizeof(void *); /* struct obv__hub */
    } else if ((type & OBV__WHAT) == OBV__MEMBER) {
        size = type & OBV__TELLS_DEATH ? sizeof(struct obv__notice)
               : type & OBV__RECORDING ? sizeof(struct obv__recording_member)
                                       : size;
    } else if ((type & OBV__WHAT) == OBV__SOLO) {
        size = type & OBV__HAS_ITEM ? sizeof(struct obv__delayed) : size;
        size +=
            type & OBV__OBSERVER_LINKED ? sizeof(struct obv__observer_link) : 0;
    }
    return size;
}

/** Bytes of a watcher. */
static inline size_t obv__watcher_size(const struct obv__watcher *watcher)
{
    const void *whole = watcher;
    if (obv__what(watcher) == OBV__GROUP) {
        const struct obv__group *group = whole;
        return obv__group_size((enum obv__group_form)group->form);
    }
    return obv__size_of_type(watcher->type);
}

/** The link of an observation with OBV__OBSERVER_LINKED: a field of a group,
    the last bytes of a SOLO. */
static inline struct obv__observer_link *
obv__observer_link(struct obv__watcher *observation)
{
    struct obv__group *group = obv__group_or_null(observation);
    char *end = (char *)observation + obv__watcher_size(observation);
    return group ? &group->link
                 : (struct obv__observer_link *)(void *)(end -
                                                         sizeof group->link);
}

#endif
