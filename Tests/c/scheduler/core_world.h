/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small world for schedules over the whole core: a chain of counted objects,
 * observers that check each call, and what two or three threads may do with
 * them. The
 * programs over it are in *_schedules.c.
 *
 *     depth 0    a.x
 *     depth 1    a.b -> b1.x        to put there instead: b2
 *     depth 2    a.b -> b1.b -> c1.x        instead: b2 -> c2, c3
 *
 * Owed by its check, after every schedule: no change is lost, the wiring is
 * that of the values stored last, everything is disposed of once, references
 * are balanced, nothing leaks. Each handler checks that it is called at most
 * once a cycle, with a living root, and never when it must not be any more. An
 * object that is told of being observed checks that calls for a property
 * alternate and do not overlap; the last one told is true. An observation that
 * is told records is told of every set of x, and of each once. What a loop that
 * ends has not called is counted as dropped. A root's death is
 * told once, of an observation that was not stopped before; never to an observer
 * that may be gone; a loop that has to tell it is readable.
 */
#ifndef CORE_WORLD_H
#define CORE_WORLD_H

#include "scheduler.h"

#include <observable/observable.h>

/* What a thread's deed holds, and gives back when it is done. */
enum {
    HOLDS_A = 1,
    HOLDS_B1 = 2,
    HOLDS_B2 = 4,
    HOLDS_LEAF = 8,
    HOLDS_C2 = 16,
    HOLDS_LOOP = 32 /* the second; the deed itself gives it back */
};

/** One thread's part. */
struct deed {
    const char *name;
    void (*run)(void);
    unsigned holds;
};

struct scenario {
    const char *name;
    const struct deed *deeds[3]; /* the third may be NULL */
    unsigned depth;              /* of the path */
    uint32_t flags;        /* obv_observe_flags of the first observation */
    bool second;           /* another one beside it, on a second loop */
    bool pending;          /* both are scheduled already */
    bool set_back;         /* scheduled by two sets that leave x as it was */
    bool guarded;          /* x is not of any thread: no deed sets it */
    bool locked;           /* the same, and a lock guards it; deeds set it */
    bool bound;            /* the loop is bound to the first thread */
    bool constant;         /* the kinds have no `dispose` */
    bool observer_is_held; /* by the library's hooks alone: it can end */
    bool told;             /* objects are told that they are observed */
    bool star;             /* the path has `*` in the place of each b */
    bool alone;            /* one thread sets: what is told is a chain */
    bool unobserved;       /* nobody observes from the first */
    bool of_class;         /* every instance is observed; a changes first */
    bool hears;            /* the observer is told of the root's death */
    bool plain;            /* its kind holds nobody */
    bool dead;             /* the root has died already */
    bool rings;            /* the loop has a descriptor */
    bool by_loop;          /* who is told inside an end lets the loop tell */
    bool again;            /* the first call schedules itself once more */
    bool fenced;           /* the system has no membarrier */
    bool costly;           /* one preemption less, but in a full run */
    int preemptions;       /* 0: 3 */
};

/** Runs every schedule of a scenario, if it is asked for. */
void core_run(const struct scenario *scenario, int argc, char **argv);

/* Deeds. Each thread's set stores another value. */
extern const struct deed deed_set, deed_set_twice, deed_set_back, deed_set_same,
    deed_set_equal_and_put, deed_put_alike_twice, deed_set_like_third,
    deed_set_alike, deed_set_new, deed_poke, deed_poke_twice, deed_poke_alike,
    deed_poke_new, deed_batch, deed_batch_late, deed_batch_and_stop, deed_put,
    deed_put_and_watch_there, deed_stop_watching_before,
    deed_watch_before_and_stop, deed_put_nil, deed_put_twice, deed_put_back,
    deed_put_below, deed_observe, deed_observe_records, deed_observe_kept,
    deed_stop, deed_stop_and_wait, deed_stop_and_release, deed_drain,
    deed_drain_twice, deed_drain_second, deed_set_and_drain,
    deed_batch_and_drain, deed_end, deed_end_observer, deed_make_immediate,
    deed_make_immediate_and_set, deed_stop_path, deed_stop_observer,
    deed_stop_handler, deed_schedule, deed_execute, deed_ask, deed_drain_some,
    deed_make_loop, deed_also, deed_collect, deed_stop_and_collect,
    deed_stop_wait_and_set, deed_observe_two, deed_also_two, deed_stop_other,
    deed_stop_and_look, deed_stop_and_set, deed_also_same,
    deed_stop_path_and_collect;

/* By a path that was compiled once; and of classes. */
extern const struct deed deed_observe_compiled, deed_also_compiled,
    deed_stop_compiled, deed_stop_observer_compiled, deed_stop_class_observer,
    deed_stop_class_observer_compiled, deed_stop_class_handler, deed_poke_path,
    deed_poke_place;

/* Beside observing; and on the second loop. */
extern const struct deed deed_name, deed_make_class, deed_identify, deed_show,
    deed_destroy_loop, deed_drain_kept, deed_observe_kept_loop,
    deed_schedule_second, deed_execute_second, deed_stop_second,
    deed_make_second_immediate;

#endif
