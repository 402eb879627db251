/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of class-level observations on one thread, while others end them as
 * well or meet them for the first time. That it is so in every order is shown by
 * Tests/c/scheduler.
 */
#include "contract_fixture.h"

#include <observable/allocator.h>

#include <sched.h>

/* --- a stop while an instance is being made ------------------------------ */

enum { NEVER = -1 };

static struct {
    struct fixture fixture;
    struct obv_observation *handle;
    int left; /* allocations before the one at which it is stopped */
} making;

static void *stop_release_and_collect(void *ignored)
{
    (void)ignored;
    obv_stop(making.handle);
    obv_release(making.handle);
    obv_context_collect(making.fixture.context);
    return NULL;
}

static void *allocate(void *context, size_t size)
{
    (void)context;
    if (making.left != NEVER && making.left-- == 0) {
        pthread_t thread;
        making.left = NEVER;
        CHECK_EQ(pthread_create(&thread, NULL, stop_release_and_collect, NULL),
                 0);
        pthread_join(thread, NULL);
        making.handle = NULL;
    }
    return test_allocator()->allocate(NULL, size);
}

static void give_back(void *context, void *memory, size_t size)
{
    (void)context;
    test_allocator()->free(NULL, memory, size);
}

static const struct obv_allocator stopping = {allocate, give_back, NULL};

static void ignore(void *observer, struct obv_object *root,
                   const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
}

/* What a program has for good: nothing is disposed of. */
static const struct obv_handler_kind constant = {.changed = ignore,
                                                 .label = "constant"};

/* The first change of an object; at one of its allocations another thread stops
   what observes its class. Whether it came to that. */
static bool change_stopped_at(int allocation, const char *path,
                              const struct obv_handler_kind *kind,
                              void *observer, uint32_t flags)
{
    struct fixture *fixture = &making.fixture;
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    struct item *item = item_create(fixture);
    CHECK_EQ(obv_observe_class(fixture->item_class, path, kind, observer,
                               &options, &making.handle, NULL),
             OBV_OK);
    making.left = allocation;
    item_set_large(item, 1);
    making.left = NEVER;
    bool was_stopped = making.handle == NULL;
    if (!was_stopped) {
        (void)stop_release_and_collect(NULL);
    }
    (void)drain(fixture);
    item_set_large(item, 2);
    CHECK_EQ(drain(fixture), 0);
    item_release(&item->object);
    obv_context_collect(fixture->context);
    return was_stopped;
}

static const uint32_t manners[] = {0, OBV_IMMEDIATE, OBV_TOKEN, OBV_RECORDS};

TEST(G17_LT_9_a_class_is_stopped_once_at_any_moment_of_a_first_change)
{
    for (size_t i = 0; i < sizeof manners / sizeof manners[0]; i++) {
        int at = 0;
        making.left = NEVER;
        fixture_begin_with(&making.fixture, &stopping, 1);
        while (change_stopped_at(at, "large", &constant, NULL, manners[i])) {
            at++;
        }
        CHECK(at >= 2); /* its observation and the pair */
        fixture_end(&making.fixture);
    }
}

TEST(G16_LT_9_a_kind_is_disposed_of_once_at_any_moment_of_a_first_change)
{
    for (size_t i = 0; i < sizeof manners / sizeof manners[0]; i++) {
        bool was_stopped = true;
        making.left = NEVER;
        fixture_begin_with(&making.fixture, &stopping, 1);
        for (int at = 0; was_stopped; at++) {
            struct probe probe;
            probe_init(&probe, &making.fixture);
            was_stopped =
                change_stopped_at(at, "large", &probe.kind, &probe, manners[i]);
            CHECK_EQ(probe.disposed, 1);
            probe_release(&probe);
        }
        fixture_end(&making.fixture);
    }
}

/* --- two stops at once ---------------------------------------------------- */

enum { ITEMS = 50, ROUNDS = 300 };

static int arrived; /* of the two */
static _Thread_local size_t calls_here;

static void count_here(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    (void)observer;
    (void)root;
    (void)call;
    calls_here++;
}

static const struct obv_handler_kind counting = {.changed = count_here,
                                                 .label = "counting"};

struct stopper {
    struct obv_observation *handle;
    struct item **items; /* its own half */
    bool waits;
    size_t late;
};

static void *stop_and_change(void *argument)
{
    struct stopper *stopper = argument;
    (void)__atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < 2) {
        sched_yield();
    }
    if (stopper->waits) {
        CHECK(obv_stop_and_wait(stopper->handle));
    } else {
        obv_stop(stopper->handle);
    }
    CHECK(obv_has_ended(stopper->handle));
    calls_here = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        item_set_large(stopper->items[i], 2);
    }
    stopper->late = calls_here;
    return NULL;
}

static void stop_twice_at_once(struct fixture *fixture, bool waits)
{
    struct item *items[2 * ITEMS];
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    struct obv_observation *handle = NULL;
    CHECK_EQ(obv_observe_class(fixture->item_class, "large", &counting, NULL,
                               &options, &handle, NULL),
             OBV_OK);
    for (size_t i = 0; i < 2 * ITEMS; i++) {
        items[i] = item_create(fixture);
        item_set_large(items[i], 1);
    }
    struct stopper stoppers[] = {{handle, items, waits, 0},
                                 {handle, items + ITEMS, false, 0}};
    pthread_t threads[2];
    arrived = 0;
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(
            pthread_create(&threads[i], NULL, stop_and_change, &stoppers[i]),
            0);
    }
    for (size_t i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        CHECK_EQ(stoppers[i].late, 0);
    }
    obv_release(handle);
    for (size_t i = 0; i < 2 * ITEMS; i++) {
        item_release(&items[i]->object);
    }
}

TEST(G14_LT_9_after_each_of_two_stops_of_a_class_nobody_is_called)
{
    struct fixture fixture;
    fixture_begin(&fixture);
    for (int round = 0; round < ROUNDS; round++) {
        stop_twice_at_once(&fixture, false);
        stop_twice_at_once(&fixture, true);
    }
    fixture_end(&fixture);
}

/* --- arguments ----------------------------------------------------------- */

TEST(OS_3_no_paths_stop_every_path_of_an_observer_at_a_class)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_error error;
    struct obv_observation *handles[2];
    const char *const paths[] = {"large", "next.large"};
    fixture_begin(&fixture);
    probe_init_plain(&probe);
    struct obv_class *cls = fixture.item_class;
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(obv_observe_class(cls, paths[i], &probe.kind, &probe, NULL,
                                   &handles[i], NULL),
                 OBV_OK);
    }
    CHECK_EQ(obv_stop_class_observer(NULL, &probe, NULL, 0, &error),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_stop_class_observer(cls, &probe, NULL, 1, &error),
             OBV_E_ARGUMENT);
    CHECK(!obv_has_ended(handles[0]) && !obv_has_ended(handles[1]));
    CHECK_EQ(obv_stop_class_observer(cls, &probe, NULL, 0, &error), OBV_OK);
    for (size_t i = 0; i < 2; i++) {
        CHECK(obv_has_ended(handles[i]));
        obv_release(handles[i]);
    }
    fixture_end(&fixture);
}
