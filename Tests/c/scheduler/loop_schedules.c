/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of waking: threads that make things pending, drain, open the
 * descriptor and wake by hand. Asserts, with a descriptor: it is never readable
 * inside a handler; when all threads have returned it is readable exactly if
 * something is pending. With a hook: if something is pending then, the hook was
 * called after the last drain had been asked for, one that was refused because
 * another ran included. A wake-up by hand is followed by a drain, or by a turn
 * to come. Three threads are too many steps for the whole core; the scenarios
 * called bare do with the loop's set and its turn alone.
 */
#include "coalescing_calls.h"
#include "scheduler.h"
#include "scheduler_wake.h"

#include "dispatch/loop.h"

#include <observable/observable.h>

#include <stdio.h>
#include <string.h>

struct thing {
    struct obv_object object;
    int64_t x;
};

static const struct obv_property thing_properties[] = {
    OBV_FIELD_WITH(thing, x, i64, OBV_ANY_THREAD, NULL)};

static const struct obv_class_table thing_table = {
    .size = sizeof thing_table,
    .name = "thing",
    .instance_size = sizeof(struct thing),
    .properties = thing_properties,
    .property_count = 1};

struct scenario {
    const char *name;
    void (*threads[SCHEDULER_THREADS_MAX])(void);
    bool hook, descriptor, pending, by_hand;
    bool bare; /* the loop's set and its turn alone: fewer steps */
    int preemptions;
};

static const struct scenario *scenario;
static struct obv_context *context;
static struct obv_loop *loop;
static struct obv_class *thing_class;
static struct thing *thing;
static struct obv_observation *handles[2];
static int descriptor;
static bool is_woken; /* by the hook; changes between two steps */
static bool is_told;  /* a turn has seen `news` */
static uint64_t news; /* stored before a wake-up by hand */

static bool is_readable(void)
{
    return descriptor >= 0 && scheduler_is_readable(descriptor);
}

static void changed(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    SCHEDULER_CHECK(!is_readable());
    SCHEDULER_POINT("handler");
    SCHEDULER_CHECK(!is_readable());
}

static const struct obv_handler_kind kind = {.changed = changed};

static void wake(void *its_context)
{
    (void)its_context;
    is_woken = true;
}

/* Deeds ------------------------------------------------------------------- */

static void schedule(void)
{
    obv_schedule(handles[scheduler_self() & 1]);
}

static void schedule_both(void)
{
    obv_schedule(handles[0]);
    obv_schedule(handles[1]);
}

/* A program's turn: it forgets that it was woken, drains, and looks. */
static void turn(size_t limit)
{
    is_woken = false;
    SCHEDULER_POINT("woken");
    (void)obv_loop_drain_some(loop, limit);
    is_told = is_told || obv__load_relaxed(&news) != 0;
}

static void drain(void)
{
    turn(SIZE_MAX);
}

static void drain_twice(void)
{
    drain();
    drain();
}

static void drain_one(void)
{
    turn(1);
}

static void schedule_and_drain(void)
{
    schedule();
    drain();
}

static void turn_if_woken(void)
{
    if (scenario->hook ? is_woken : is_readable()) {
        drain();
    }
}

static void drain_if_prepared(void)
{
    if (obv_loop_prepare(loop)) {
        drain();
    }
}

static void open_descriptor(void)
{
    enum obv_status status;
    while ((status = obv_loop_descriptor(loop, &descriptor)) == OBV_E_BUSY) {
        obv__pause();
    }
    SCHEDULER_CHECK(status == OBV_OK);
}

static void wake_by_hand(void)
{
    obv__store_relaxed(&news, 1);
    obv_loop_wake(loop);
}

/* Without observations: items of our own, and what delivery.c and loop.c do
   with them. */
static struct obv__coalescing_item items[SCHEDULER_THREADS_MAX + 1];
static struct obv__thread records[SCHEDULER_THREADS_MAX + 1];

static void push(void)
{
    if (coalescing_post(&loop->set, &items[scheduler_self() + 1]) ==
        COALESCING_FIRST) {
        obv__loop_wake(loop);
    }
}

static void bare_turn(size_t limit)
{
    is_woken = false;
    SCHEDULER_POINT("woken");
    if (obv__loop_take(loop, &records[scheduler_self() + 1]) == OBV__TAKEN) {
        SCHEDULER_CHECK(!is_readable());
        obv__coalescing_begin(&loop->set);
        while (limit-- != 0 && coalescing_next(&loop->set)) {
        }
        obv__coalescing_end(&loop->set);
        SCHEDULER_CHECK(!is_readable());
        obv__loop_give_back(loop);
    }
    is_told = is_told || obv__load_relaxed(&news) != 0;
}

static void bare_drain(void)
{
    bare_turn(SIZE_MAX);
}

static void bare_drain_one(void)
{
    bare_turn(1);
}

/* The world --------------------------------------------------------------- */

static void begin_world(void)
{
    const struct obv_context_options options = {
        .size = sizeof options, .allocator = scheduler_allocator()};
    const struct obv_loop_options loop_options = {
        .size = sizeof loop_options, .wake = scenario->hook ? wake : NULL};
    const struct obv_allocator *from = scheduler_allocator();
    obv__reclaim_reset_for_tests();
    SCHEDULER_CHECK(obv_context_create(&options, &context) == OBV_OK);
    SCHEDULER_CHECK(obv_loop_create(context, &loop_options, &loop) == OBV_OK);
    SCHEDULER_CHECK(
        obv_class_create(context, &thing_table, &thing_class, NULL) == OBV_OK);
    thing = from->allocate(from->context, sizeof *thing);
    memset(thing, 0, sizeof *thing);
    obv_object_init(&thing->object, thing_class);
}

static void setup(void)
{
    begin_world();
    for (int i = 0; i < 2; i++) {
        const struct obv_pair pair = {&thing->object, "x"};
        const struct obv_observe_options options = {.size = sizeof options,
                                                    .loop = loop};
        SCHEDULER_CHECK(obv_observe_pairs(&pair, 1, &kind, NULL, &options,
                                          &handles[i], NULL) == OBV_OK);
    }
    descriptor = -1;
    if (scenario->descriptor) {
        open_descriptor();
    }
    is_woken = is_told = false;
    news = 0;
    for (int i = 0; i <= SCHEDULER_THREADS_MAX; i++) {
        obv__item_init(&items[i], loop->tag);
    }
    if (scenario->pending && scenario->bare) {
        (void)coalescing_post(&loop->set, &items[SCHEDULER_THREADS_MAX]);
        push();
        obv__loop_ring(loop);
    } else if (scenario->pending) {
        schedule_both();
    }
    obv__thread_unlist(obv__thread_self());
}

static void check_woken(void)
{
    bool pending = !obv__coalescing_is_empty(&loop->set);
    if (scenario->by_hand) {
        bool woken = scenario->hook ? is_woken : is_readable();
        SCHEDULER_CHECK(woken || is_told);
        SCHEDULER_CHECK(woken || !pending);
    } else if (scenario->hook) {
        SCHEDULER_CHECK(is_woken || !pending);
    } else {
        SCHEDULER_CHECK(is_readable() == pending);
        SCHEDULER_CHECK(obv_loop_check(loop) == pending);
    }
}

static void check(void)
{
    const struct obv_allocator *to = scheduler_allocator();
    obv__thread_list(obv__thread_self());
    check_woken();
    if (scenario->bare) {
        bare_drain();
    }
    SCHEDULER_CHECK(obv_loop_drain(loop) >= 0);
    SCHEDULER_CHECK(obv_loop_pending(loop) == 0 && !is_readable());
    SCHEDULER_CHECK(obv_loop_drain(loop) == 0 && !is_readable());
    SCHEDULER_CHECK(!obv_loop_prepare(loop));
    for (int i = 0; i < 2; i++) {
        obv_stop(handles[i]);
        obv_release(handles[i]);
    }
    SCHEDULER_CHECK(obv_object_deinit(&thing->object) == OBV_OK);
    to->free(to->context, thing, sizeof *thing);
    SCHEDULER_CHECK(obv_loop_destroy(loop) == OBV_OK);
    SCHEDULER_CHECK(obv_context_destroy(context) == OBV_OK);
    SCHEDULER_CHECK(scheduler_live_blocks() == 0);
    SCHEDULER_CHECK(scheduler_open_descriptors() == 0);
}

/* Scenarios --------------------------------------------------------------- */

#define BOTH(a, b)     .threads = {a, b}
#define THREE(a, b, c) .threads = {a, b, c}

static const struct scenario scenarios[] = {
    {"descriptor: schedule, drain", BOTH(schedule, drain), .descriptor = true},
    {"descriptor: schedule, drain_twice", BOTH(schedule_both, drain_twice),
     .descriptor = true},
    {"descriptor: schedule, drain, pending", BOTH(schedule_both, drain),
     .descriptor = true, .pending = true},
    {"descriptor: schedule, schedule", BOTH(schedule, schedule),
     .descriptor = true},
    {"descriptor: schedule_and_drain twice",
     BOTH(schedule_and_drain, schedule_and_drain), .descriptor = true},
    {"descriptor: drain_one, drain", BOTH(drain_one, drain), .descriptor = true,
     .pending = true},
    {"descriptor: schedule, turn_if_woken", BOTH(schedule_both, turn_if_woken),
     .descriptor = true},
    {"descriptor: schedule, drain_if_prepared",
     BOTH(schedule_both, drain_if_prepared), .descriptor = true},
    {"open: schedule", BOTH(open_descriptor, schedule), .hook = false},
    {"open: schedule_and_drain", BOTH(schedule_and_drain, open_descriptor),
     .hook = true},
    {"hook: schedule, drain", BOTH(schedule, drain), .hook = true},
    {"hook: schedule, drain_twice", BOTH(schedule_both, drain_twice),
     .hook = true},
    {"hook: drain_one, turn_if_woken", BOTH(drain_one, turn_if_woken),
     .hook = true, .pending = true},
    {"hook: schedule_and_drain twice",
     BOTH(schedule_and_drain, schedule_and_drain), .hook = true},
    {"by hand: drain", BOTH(wake_by_hand, drain), .descriptor = true,
     .by_hand = true},
    {"by hand: schedule_and_drain", BOTH(wake_by_hand, schedule_and_drain),
     .descriptor = true, .by_hand = true},
    {"by hand: hook", BOTH(wake_by_hand, schedule_and_drain), .hook = true,
     .by_hand = true},
    {"bare descriptor: push, push, drain", THREE(push, push, bare_drain),
     .descriptor = true, .bare = true, .preemptions = 2},
    {"bare hook: push, drain, drain_one",
     THREE(push, bare_drain, bare_drain_one), .hook = true, .bare = true,
     .preemptions = 2, .pending = true},
    {"bare by hand: push, drain", THREE(wake_by_hand, push, bare_drain),
     .descriptor = true, .by_hand = true, .bare = true, .preemptions = 2},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        struct scheduler_program program = {.name = scenarios[i].name,
                                            .setup = setup,
                                            .check = check,
                                            .preemptions =
                                                scenarios[i].preemptions};
        scenario = &scenarios[i];
        memcpy(program.threads, scenario->threads, sizeof program.threads);
        scheduler_run(&program, argc, argv);
    }
    return 0;
}
