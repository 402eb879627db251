/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TH-2: ten threads observe and stop, ten set a hundred properties of one
 * shared object; and the same with observers and roots that die. Every set has
 * a value of its own, so each is a change. At rest: the value set last is the
 * one that was delivered last, an immediate handler was called once a set, and
 * nothing is left of those that came and went. Meant for the sanitizers.
 *
 *     OBV_TEST_SECONDS   how long each test runs; without it each thread does
 *                        a fixed number of things
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "contract_fixture.h"

#include <stdio.h>
#include <time.h>

enum {
    PROPERTIES = 100,
    SETTERS = 10,
    OBSERVERS = 10,
    LOOPS = 2,
    STEPS = 800, /* of one thread, where no time is given */
    SETS = 32    /* in a step of a setter */
};

struct board {
    struct obv_object object;
    size_t references;
    int64_t values[PROPERTIES];
};

/* What leads to the board by a path. */
struct holder {
    struct obv_object object;
    size_t references;
    struct board *board;
};

OBV_PROPERTY(holder, board, object, 0)

/* Somebody who stays: of one property, or of all. */
struct follower {
    struct obv_handler_kind kind;
    uint32_t property;
    int64_t seen;
    uint64_t calls;
};

/* Somebody who comes and goes; its block lives until its last observation is
   disposed of. */
struct guest {
    struct obv_object object;
    struct obv_handler_kind kind;
    size_t references, blocks;
    size_t disposed;
};

static struct {
    struct obv_context *context;
    struct obv_class *board_class, *holder_class, *guest_class;
    struct obv_loop *loops[LOOPS];
    struct board *board;
    struct holder *holder;
    struct follower delayed[PROPERTIES], immediate[PROPERTIES];
    struct follower by_path[PROPERTIES], of_all[2];
    uint64_t sets[PROPERTIES];
    size_t guests_made, guests_freed, guests_called;
    bool dying;
    int over;
} all;

static char names[PROPERTIES][8], paths[PROPERTIES][16];

/* The board and its like --------------------------------------------------- */

static bool board_retain(struct obv_object *object)
{
    return references_try(&((struct board *)object)->references);
}

static void board_release(struct obv_object *object)
{
    if (references_drop(&((struct board *)object)->references)) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        free(object);
    }
}

static bool holder_retain(struct obv_object *object)
{
    return references_try(&((struct holder *)object)->references);
}

static void holder_release(struct obv_object *object)
{
    if (references_drop(&((struct holder *)object)->references)) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        free(object);
    }
}

static struct holder *holder_create(void)
{
    struct holder *holder = calloc(1, sizeof *holder);
    CHECK(holder);
    holder->references = 1;
    obv_object_init(&holder->object, all.holder_class);
    holder_set_board(holder, all.board);
    return holder;
}

static void guest_block_drop(struct guest *guest)
{
    if (references_drop(&guest->blocks)) {
        __atomic_add_fetch(&all.guests_freed, 1, __ATOMIC_RELAXED);
        free(guest);
    }
}

static bool guest_retain(void *observer)
{
    return references_try(&((struct guest *)observer)->references);
}

static void guest_release(void *observer)
{
    struct guest *guest = observer;
    if (references_drop(&guest->references)) {
        CHECK_EQ(obv_object_deinit(&guest->object), OBV_OK);
        guest_block_drop(guest);
    }
}

static bool guest_object_retain(struct obv_object *object)
{
    return guest_retain(object);
}

static void guest_object_release(struct obv_object *object)
{
    guest_release(object);
}

static void make_classes(void)
{
    static struct obv_property properties[PROPERTIES];
    static const struct obv_property holder_properties[] = {
        OBV_FIELD_OBJECT(holder, board, "board")};
    static struct obv_class_table board_table;
    static const struct obv_class_table holder_table = {
        .size = sizeof holder_table,
        .name = "holder",
        .instance_size = sizeof(struct holder),
        .properties = holder_properties,
        .property_count = 1,
        .retain = holder_retain,
        .release = holder_release};
    static const struct obv_class_table guest_table = {
        .size = sizeof guest_table,
        .name = "guest",
        .instance_size = sizeof(struct guest),
        .retain = guest_object_retain,
        .release = guest_object_release};
    for (uint32_t i = 0; i < PROPERTIES; i++) {
        snprintf(names[i], sizeof names[i], "p%u", (unsigned)i);
        snprintf(paths[i], sizeof paths[i], "board.p%u", (unsigned)i);
        properties[i] = (struct obv_property){
            .name = names[i],
            .kind = OBV_KIND_i64,
            .offset = (uint32_t)(offsetof(struct board, values) +
                                 i * sizeof(int64_t)),
            .size = sizeof(int64_t),
            .flags = OBV_ANY_THREAD};
    }
    board_table =
        (struct obv_class_table){.size = sizeof board_table,
                                 .name = "board",
                                 .instance_size = sizeof(struct board),
                                 .properties = properties,
                                 .property_count = PROPERTIES,
                                 .retain = board_retain,
                                 .release = board_release};
    CHECK_EQ(
        obv_class_create(all.context, &board_table, &all.board_class, NULL),
        OBV_OK);
    CHECK_EQ(
        obv_class_create(all.context, &holder_table, &all.holder_class, NULL),
        OBV_OK);
    CHECK_EQ(
        obv_class_create(all.context, &guest_table, &all.guest_class, NULL),
        OBV_OK);
}

static int64_t value_of(uint32_t property)
{
    int64_t value = 0;
    CHECK_EQ(obv_get_i64(&all.board->object, property, &value), OBV_OK);
    return value;
}

/* Those who stay ----------------------------------------------------------- */

static void follower_changed(void *observer, struct obv_object *root,
                             const struct obv_call *call)
{
    struct follower *follower = observer;
    CHECK(root && call->kind == &follower->kind);
    __atomic_add_fetch(&follower->calls, 1, __ATOMIC_RELAXED);
    if (follower->property < PROPERTIES) {
        /* Immediate ones on any thread: theirs are only counted. */
        __atomic_store_n(&follower->seen, value_of(follower->property),
                         __ATOMIC_RELAXED);
    }
}

static void follow(struct follower *follower, struct obv_object *root,
                   const char *path, uint32_t property, uint32_t flags)
{
    const struct obv_pair pair = {root, path};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .loop =
                                                    all.loops[property % LOOPS],
                                                .flags = flags};
    follower->kind.changed = follower_changed;
    follower->property = property;
    CHECK_EQ(obv_observe_pairs(&pair, 1, &follower->kind, follower, &options,
                               NULL, NULL),
             OBV_OK);
}

static void begin_followers(void)
{
    struct obv_object *board = &all.board->object;
    for (uint32_t i = 0; i < PROPERTIES; i++) {
        follow(&all.delayed[i], board, names[i], i, 0);
        follow(&all.by_path[i], &all.holder->object, paths[i], i, 0);
        if (i % 4 == 0) {
            follow(&all.immediate[i], board, names[i], i, OBV_IMMEDIATE);
        }
    }
    follow(&all.of_all[0], board, "*", PROPERTIES, OBV_IMMEDIATE);
    follow(&all.of_all[1], board, "*", PROPERTIES, 0);
}

static void check_followers(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < PROPERTIES; i++) {
        int64_t last = value_of(i);
        CHECK(last != 0);
        CHECK_EQ(all.delayed[i].seen, last);
        CHECK_EQ(all.by_path[i].seen, last);
        CHECK(all.delayed[i].calls <= all.sets[i]);
        if (i % 4 == 0) {
            CHECK_EQ(all.immediate[i].calls, all.sets[i]);
        }
        sum += all.sets[i];
    }
    CHECK_EQ(all.of_all[0].calls, sum);
    CHECK(all.of_all[1].calls > 0);
}

/* Threads ------------------------------------------------------------------ */

static int64_t milliseconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* One thread: its numbers, and when it is done. */
struct worker {
    pthread_t thread;
    uint64_t state;
    int64_t number, until; /* 0: after STEPS */
    uint64_t steps;
};

static bool goes_on(struct worker *worker)
{
    worker->steps++;
    return worker->until != 0 ? milliseconds_now() < worker->until
                              : worker->steps <= STEPS;
}

static uint64_t draw(struct worker *worker, uint64_t below)
{
    uint64_t z = (worker->state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) % below;
}

static void *set_values(void *context)
{
    struct worker *worker = context;
    int64_t serial = 0;
    uint32_t property = (uint32_t)draw(worker, PROPERTIES);
    while (goes_on(worker)) {
        for (int i = 0; i < SETS; i++) {
            property = (property + 1) % PROPERTIES;
            int64_t value = ++serial * SETTERS + worker->number;
            CHECK_EQ(obv_set_i64(&all.board->object, property, value), OBV_OK);
            __atomic_add_fetch(&all.sets[property], 1, __ATOMIC_RELAXED);
        }
    }
    return NULL;
}

static void guest_changed(void *observer, struct obv_object *root,
                          const struct obv_call *call)
{
    struct guest *guest = observer;
    CHECK(root && call->kind == &guest->kind);
    CHECK_EQ(__atomic_load_n(&guest->disposed, __ATOMIC_RELAXED), 0);
    CHECK(__atomic_load_n(&guest->references, __ATOMIC_RELAXED) > 0);
    __atomic_add_fetch(&all.guests_called, 1, __ATOMIC_RELAXED);
}

static void guest_dispose(const struct obv_handler_kind *kind, void *observer)
{
    struct guest *guest = observer;
    CHECK(kind == &guest->kind);
    CHECK_EQ(__atomic_fetch_add(&guest->disposed, 1, __ATOMIC_RELAXED), 0);
    guest_block_drop(guest);
}

static struct guest *guest_create(void)
{
    struct guest *guest = calloc(1, sizeof *guest);
    CHECK(guest);
    guest->references = 1;
    guest->blocks = 2; /* the observer's, and the observation's */
    guest->kind = (struct obv_handler_kind){.changed = guest_changed,
                                            .retain = guest_retain,
                                            .release = guest_release,
                                            .dispose = guest_dispose,
                                            .flags = OBV_OBSERVER_IS_OBJECT};
    obv_object_init(&guest->object, all.guest_class);
    __atomic_add_fetch(&all.guests_made, 1, __ATOMIC_RELAXED);
    return guest;
}

static struct obv_observation *invite(struct worker *worker,
                                      struct guest *guest,
                                      struct obv_object *root, const char *path)
{
    /* What compares along a path is its owner's, who drains. */
    static const uint32_t flags[] = {0,         OBV_IMMEDIATE,  OBV_TOKEN,
                                     OBV_DEFER, OBV_EXTENSIBLE, OBV_RECORDS};
    struct obv_observation *handle = NULL;
    const struct obv_pair pair = {root, path};
    const struct obv_observe_options options = {
        .size = sizeof options,
        .loop = all.loops[draw(worker, LOOPS)],
        .flags = flags[draw(worker, root == &all.board->object ? 6 : 5)]};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &guest->kind, guest, &options, &handle,
                               NULL),
             OBV_OK);
    return handle;
}

static void stop_in_some_way(struct worker *worker, struct guest *guest,
                             struct obv_object *root, const char *path,
                             struct obv_observation *handle)
{
    const struct obv_handler_kind *kind = &guest->kind;
    switch (draw(worker, 5)) {
    case 0:
        obv_stop(handle);
        break;
    case 1:
        CHECK(obv_stop_and_wait(handle));
        break;
    case 2:
        CHECK_EQ(obv_stop_path(handle, root, path, NULL), OBV_OK);
        break;
    case 3:
        CHECK_EQ(obv_stop_observer(root, guest, NULL, 0, NULL), OBV_OK);
        break;
    default:
        CHECK_EQ(obv_stop_handler(root, kind, guest), OBV_OK);
        break;
    }
    CHECK(obv_has_ended(handle));
}

static void come_and_go(struct worker *worker)
{
    struct guest *guest = guest_create();
    uint64_t property = draw(worker, PROPERTIES);
    struct holder *holder = NULL;
    struct obv_object *root = &all.board->object;
    const char *path = draw(worker, 8) ? names[property] : "*";
    if (draw(worker, 4) == 0) { /* a root of its own */
        holder = holder_create();
        root = &holder->object;
        path = draw(worker, 8) ? paths[property] : "board.*";
    }
    struct obv_observation *handle = invite(worker, guest, root, path);
    CHECK(obv_observer_count(&all.board->object, names[property]) > 0);
    if (draw(worker, 2)) { /* a call that is there when it is stopped */
        obv_schedule(handle);
    }
    if (!all.dying || draw(worker, 4) == 0) {
        stop_in_some_way(worker, guest, root, path, handle);
    } else if (holder && draw(worker, 2)) { /* the root dies first */
        holder_release(&holder->object);
        holder = NULL;
    }
    obv_release(handle);
    guest_release(guest); /* where nothing was stopped, this ends it */
    if (holder) {
        if (draw(worker, 2)) {
            holder_set_board(holder, NULL);
        }
        holder_release(&holder->object);
    }
}

static void *observe_and_stop(void *context)
{
    struct worker *worker = context;
    while (goes_on(worker)) {
        come_and_go(worker);
    }
    return NULL;
}

static void *drain_until_over(void *loop)
{
    while (!is_raised(&all.over)) {
        if (obv_loop_drain(loop) == 0) {
            sleep_milliseconds(1);
        }
    }
    return NULL;
}

/* All of it ---------------------------------------------------------------- */

static void begin(void)
{
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator(),
                                                .reclaim_batch = 16};
    CHECK_EQ(obv_context_create(&options, &all.context), OBV_OK);
    make_classes();
    all.loops[0] = obv_context_loop(all.context);
    CHECK_EQ(obv_loop_create(all.context, NULL, &all.loops[1]), OBV_OK);
    all.board = calloc(1, sizeof *all.board);
    CHECK(all.board);
    all.board->references = 1;
    obv_object_init(&all.board->object, all.board_class);
    all.holder = holder_create();
    begin_followers();
}

static void drain_all(void)
{
    ptrdiff_t called;
    do {
        called = 0;
        for (int l = 0; l < LOOPS; l++) {
            called += obv_loop_drain(all.loops[l]);
        }
    } while (called != 0);
}

static void count_properties(void *count, const char *name)
{
    (void)name;
    ++*(size_t *)count;
}

static void finish(void)
{
    struct obv_counters counters;
    size_t observed = 0;
    drain_all();
    check_followers();
    CHECK_EQ(all.guests_freed, all.guests_made);
    CHECK(all.guests_called > 0);
    obv_context_counters(all.context, &counters);
    CHECK_EQ(counters.observations, 2 * PROPERTIES + PROPERTIES / 4 + 2);
    obv_observed_properties(&all.board->object, count_properties, &observed);
    CHECK_EQ(observed, PROPERTIES + 1);
    CHECK_EQ(obv_observer_count(&all.board->object, names[0]), 5);
    CHECK_EQ(obv_observer_count(&all.board->object, names[1]), 4);
    holder_release(&all.holder->object);
    CHECK_EQ(all.board->references, 1);
    board_release(&all.board->object);
    CHECK_EQ(obv_loop_destroy(all.loops[1]), OBV_OK);
    CHECK_EQ(obv_context_destroy(all.context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}

static void run(bool dying)
{
    enum { WORKERS = SETTERS + OBSERVERS };
    const char *given = getenv("OBV_TEST_SECONDS");
    int64_t seconds = given ? strtoll(given, NULL, 10) : 0;
    struct worker workers[WORKERS];
    pthread_t drainers[LOOPS];
    alarm((unsigned)seconds + 300);
    all.dying = dying;
    begin();
    for (int l = 0; l < LOOPS; l++) {
        CHECK_EQ(
            pthread_create(&drainers[l], NULL, drain_until_over, all.loops[l]),
            0);
    }
    int64_t until = seconds ? milliseconds_now() + 1000 * seconds : 0;
    for (int w = 0; w < WORKERS; w++) {
        workers[w] = (struct worker){
            .state = test_random(), .number = w % SETTERS, .until = until};
        CHECK_EQ(pthread_create(&workers[w].thread, NULL,
                                w < SETTERS ? set_values : observe_and_stop,
                                &workers[w]),
                 0);
    }
    for (int w = 0; w < WORKERS; w++) {
        CHECK_EQ(pthread_join(workers[w].thread, NULL), 0);
    }
    raise_flag(&all.over);
    for (int l = 0; l < LOOPS; l++) {
        CHECK_EQ(pthread_join(drainers[l], NULL), 0);
    }
    finish();
}

TEST(TH_2_ten_threads_observe_a_shared_object_that_ten_others_set)
{
    run(false);
}

TEST(TH_2_LT_1_the_same_while_observers_and_roots_die)
{
    run(true);
}
