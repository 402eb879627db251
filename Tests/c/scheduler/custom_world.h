/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A world for schedules over what the core has for language bindings: a custom
 * property of any thread in the middle of a path, whose objects end by being
 * replaced; setters by offset with their filter; components. The programs over
 * it are custom_schedules.c and component_schedules.c.
 *
 *     depth 1    a.b -> b1.x         to put there instead: b2, b3
 *     depth 2    a.b -> b1.b -> c.x   to put there instead: b2 -> c
 *                z.b -> nil          to put there: b4, of another class
 *
 * Owed by its check, as in core_world.h: no change is lost, the wiring is that
 * of the values stored last, everything is disposed of once and nothing leaks.
 */
#ifndef CUSTOM_WORLD_H
#define CUSTOM_WORLD_H

#include "scheduler.h"

#include "platform/lock.h"

#include <observable/component.h>
#include <observable/observable.h>

enum { X, B, PROPERTIES, CLASSES = 6 };

struct thing {
    struct obv_object object;
    uint64_t references;
    int64_t x;       /* any thread */
    struct thing *b; /* any thread, under `lock` */
    uint64_t puts;   /* the same */
    struct obv__lock lock;
};

struct probe {
    struct obv_handler_kind kind;
    struct obv_observation *handle;
    struct thing *root;
    uint64_t references;
    int64_t seen;
    unsigned disposed;
    unsigned depth;
    bool begun, stopped;
};

struct scenario {
    const char *name;
    void (*deeds[3])(void); /* the third may be NULL */
    unsigned depth;         /* of the path that is observed */
    bool every;             /* somebody observes "*" of a */
    bool component;      /* the first and the one of z by a component for x */
    bool mortal;         /* the first's observer may be gone */
    bool gone;           /* and is */
    bool pending;        /* the first is scheduled already */
    bool keeps;          /* a thread holds b1 */
    bool by_word;        /* things end by their header words */
    void (*begin)(void); /* observes, in place of all that; or NULL */
    void (*check)(void); /* more at rest; or NULL */
    bool costly;         /* one preemption less, but in a full run */
    int preemptions;
};

extern struct custom_world {
    const struct scenario *scenario;
    struct obv_context *context;
    struct obv_loop *loop;
    struct obv_class *classes[CLASSES];
    struct thing *a, *z, *b1, *b2, *b3, *b4;
    struct probe probes[4]; /* first, of every property, later, of z */
    struct obv_component component;
    unsigned things;
} world;

/** Of the class with that number. */
struct thing *thing_make(unsigned type, int64_t x, struct thing *b);

/** Drops a reference; NULL is ignored. */
void thing_let_go(struct thing *thing);

/** The setters of a binding; of b with a reference that is given over. */
void thing_set_x(struct thing *thing, int64_t value);
void thing_set_x_filtered(struct thing *thing, int64_t value);
void thing_put(struct thing *thing, struct thing *b);

/** Begins to observe, and looks at the value as a program would. */
void custom_begin(struct probe *probe, struct thing *root, unsigned depth,
                  const char *text);
void custom_begin_path(struct probe *probe);

/** Notes that a probe observes, and looks at the value as a program would. */
void custom_has_begun(struct probe *probe, struct thing *root, unsigned depth);

/** Runs every schedule of those scenarios that are asked for. */
void custom_run(const struct scenario *scenarios, size_t count, int argc,
                char **argv);

#endif
