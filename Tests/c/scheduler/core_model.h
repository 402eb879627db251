/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the world of core_world.h is made of, for the files that it is:
 * core_world.c, which makes and checks it, and *_deeds.c.
 */
#ifndef CORE_MODEL_H
#define CORE_MODEL_H

#include "core_world.h"

#include "platform/lock.h"

struct item {
    struct obv_object object;
    uint64_t references;
    int64_t x;
    struct item *b;
    /* What it was told, of each property; and that it is being told. */
    bool is_told[2], is_telling;
};

enum { ITEM_X, ITEM_B };

OBV_PROPERTY_ANY_THREAD(item, x, i64, ITEM_X)
OBV_PROPERTY(item, b, object, ITEM_B)

/* An observer with its handler's kind. Its own fields change between two steps,
   so no thread sees half of it. */
struct probe {
    struct obv_object object;
    uint64_t references;
    struct obv_handler_kind kind;
    struct obv_observation *handle;
    struct obv_loop *loop;
    int64_t seen;       /* the value when it was last told, or began */
    uint64_t called_in; /* the cycle */
    uint64_t changes;   /* that records told */
    int64_t told;       /* the last of them */
    int64_t moved;      /* by all changes whose values it was told */
    unsigned calls[3];  /* on each thread */
    unsigned running, disposed;
    unsigned deaths; /* that it was told of */
    unsigned all_calls;
    unsigned owed;     /* so many calls at least: a batch has ended */
    bool is_before[3]; /* called before a store, on each thread */
    bool immediate, begun, stopped, takes_back, waited, gone;
};

/* Made afresh for every schedule. */
extern struct core_world {
    const struct scenario *scenario;
    struct obv_context *context;
    struct obv_loop *loop, *second_loop;
    struct obv_class *item_class, *probe_class;
    struct item *a, *b1, *b2, *c1, *c2, *c3;
    struct probe *first, *second, *later[3]; /* a thread's own */
    unsigned items;                          /* that live */
    unsigned sets;                           /* of x, each another value */
    bool executing[3];                       /* a thread, by hand */
    bool has_lost_loop;                      /* the second; it has returned */
    struct obv__lock guard;                  /* of x, where it has one */
    struct obv_path *path, *path_of_b;       /* compiled once, for all */
    struct item *apart; /* nobody observes it; where a deed needs it */
    struct found {
        uint32_t names[2];           /* that it has interned */
        uint64_t identity, of_apart; /* of a, and of what stands apart */
        struct obv_class *made;
    } found[3]; /* by a thread */
} core;

/** Begins to observe, and looks at the value as a program would. */
void core_begin(struct probe *probe, uint32_t flags);

/** The same by the path that is compiled. */
void core_begin_compiled(struct probe *probe, uint32_t flags);

/** Writes x past the setter and triggers; the store waits in the thread's
    buffer. */
void core_poke(struct item *item, int64_t value);

/** A value that no other thread sets. */
int64_t core_fresh_value(void);

/** Before and after a set of x, and a look at it. */
void core_lock(void);
void core_unlock(void);

/** The path that is observed. */
const char *core_path(void);

/** The object at the end of the path, as it is at first. */
struct item *core_leaf(void);

/* The hooks of the classes. */
void core_item_release(struct obv_object *object);
void core_probe_release(void *observer);

#endif
