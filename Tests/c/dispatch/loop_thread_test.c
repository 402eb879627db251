/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops with a thread of the library's own: where its handlers run, what others
 * are answered, and every path instance in which it ends.
 */
#define _GNU_SOURCE
#include "contract_fixture.h"

#include <signal.h>
#include <sys/resource.h>

/* A loop with a thread, and one observation of "large" in it. */
struct place {
    struct fixture fixture;
    struct obv_loop *loop;
    struct item *item;
    struct probe probe;
    struct obv_observation *handle;
    pthread_t ran_on;
    int called, may_return, returned;
    int disposed;
};

static void count_disposal(void *context)
{
    raise_flag(context);
}

static struct obv_loop *make_loop(const struct fixture *fixture, int *disposed)
{
    struct obv_loop *loop = NULL;
    struct obv_loop_options options = {.size = sizeof options,
                                       .wake_context = disposed,
                                       .wake_dispose =
                                           disposed ? count_disposal : NULL,
                                       .thread = true};
    CHECK_EQ(obv_loop_create(fixture->context, &options, &loop), OBV_OK);
    return loop;
}

static void note_call(struct probe *probe)
{
    struct place *place = probe->context;
    place->ran_on = pthread_self();
    raise_flag(&place->called);
}

static void place_begin(struct place *place)
{
    memset(place, 0, sizeof *place);
    fixture_begin(&place->fixture);
    place->loop = make_loop(&place->fixture, &place->disposed);
    place->item = item_create(&place->fixture);
    probe_init(&place->probe, &place->fixture);
    place->probe.context = place;
    place->probe.then = note_call;
    place->handle =
        observe_with(place->item, "large", &place->probe, 0, place->loop);
}

/* The loop has been destroyed. */
static void place_end(struct place *place)
{
    end(place->handle);
    item_release(&place->item->object);
    probe_release(&place->probe);
    fixture_end(&place->fixture);
}

TEST(DR_14_a_loops_own_thread_waits_and_drains)
{
    struct place place;
    place_begin(&place);
    for (int i = 1; i <= 3; i++) {
        __atomic_store_n(&place.called, 0, __ATOMIC_RELEASE);
        item_set_large(place.item, i);
        await_flag(&place.called);
        CHECK(!pthread_equal(place.ran_on, pthread_self()));
    }
    CHECK_EQ(obv_loop_destroy(place.loop), OBV_OK);
    CHECK_EQ(place.probe.calls, 3);
    item_set_large(place.item, 9);
    CHECK_EQ(place.probe.calls, 3);
    CHECK_EQ(counters_of(&place.fixture).dropped, 1);
    place_end(&place);
    CHECK(is_raised(&place.disposed));
}

static void use_inside(struct probe *probe)
{
    struct place *place = probe->context;
    int descriptor = -1;
    item_set_large(place->item, 9);
    CHECK_EQ(obv_loop_drain(place->loop), 0); /* nested: called already */
    CHECK_EQ(obv_loop_descriptor(place->loop, &descriptor), OBV_OK);
    sigset_t blocked;
    CHECK_EQ(pthread_sigmask(SIG_BLOCK, NULL, &blocked), 0);
    CHECK(sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGUSR1));
    note_call(probe);
}

TEST(DR_14_a_loop_with_a_thread_is_bound_to_it)
{
    struct place place;
    sigset_t blocked;
    place_begin(&place);
    CHECK_EQ(pthread_sigmask(SIG_BLOCK, NULL, &blocked), 0);
    CHECK(!sigismember(&blocked, SIGTERM));
    CHECK_EQ(obv_loop_drain(place.loop), OBV_E_THREAD);
    CHECK(!obv_execute(place.handle));
    CHECK(!obv_loop_prepare(place.loop) && !obv_loop_check(place.loop));
    place.probe.then = use_inside;
    item_set_large(place.item, 1);
    await_flag(&place.called);
    CHECK_EQ(obv_loop_destroy(place.loop), OBV_OK);
    CHECK_EQ(counters_of(&place.fixture).dropped, 1);
    place_end(&place);
}

/* --- ends ---------------------------------------------------------------- */

static void wait_inside(struct probe *probe)
{
    struct place *place = probe->context;
    raise_flag(&place->called);
    await_flag(&place->may_return);
    raise_flag(&place->returned);
}

/* Changes until the loop drops them: its end has begun. */
static void *let_return(void *context)
{
    struct place *place = context;
    while (counters_of(&place->fixture).dropped == 0) {
        set_large(place->item);
        sleep_milliseconds(1);
    }
    CHECK(!is_raised(&place->returned));
    raise_flag(&place->may_return);
    return NULL;
}

TEST(DR_14_destroying_waits_for_the_handler_and_drops_the_rest)
{
    struct place place;
    struct probe other;
    pthread_t thread;
    place_begin(&place);
    probe_init(&other, &place.fixture);
    struct obv_observation *handle =
        observe_with(place.item, "large", &other, 0, place.loop);
    place.probe.then = wait_inside;
    item_set_large(place.item, 1);
    await_flag(&place.called);
    CHECK_EQ(pthread_create(&thread, NULL, let_return, &place), 0);
    CHECK_EQ(obv_loop_destroy(place.loop), OBV_OK);
    CHECK(is_raised(&place.returned));
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(place.probe.calls, 1);
    CHECK_EQ(other.calls, 0);
    CHECK(counters_of(&place.fixture).dropped >= 3);
    CHECK_EQ(place.fixture.diagnostics, 1);
    CHECK_EQ(place.fixture.last.kind, OBV_DIAGNOSTIC_LOOP_DESTROYED);
    end(handle);
    probe_release(&other);
    place_end(&place);
}

static void destroy_inside(struct probe *probe)
{
    struct place *place = probe->context;
    CHECK_EQ(obv_loop_destroy(place->loop), OBV_OK);
    CHECK_EQ(obv_loop_destroy(place->loop), OBV_E_ENDED);
    note_call(probe);
}

TEST(DR_14_a_loop_with_a_thread_may_be_destroyed_by_its_own_handler)
{
    struct place place;
    struct probe other;
    place_begin(&place);
    probe_init(&other, &place.fixture);
    struct obv_observation *handle =
        observe_with(place.item, "large", &other, 0, place.loop);
    place.probe.then = destroy_inside;
    CHECK(obv_loop_retain(place.loop) == place.loop);
    item_set_large(place.item, 1);
    await_flag(&place.called);
    CHECK_EQ(obv_loop_destroy(place.loop), OBV_E_ENDED);
    obv_loop_release(place.loop);
    end(handle);
    probe_release(&other);
    CHECK_EQ(other.calls, 0);
    place_end(&place); /* waits for the thread */
    CHECK(is_raised(&place.disposed));
}

static void destroy_outside(struct probe *probe)
{
    struct place *place = probe->context;
    CHECK_EQ(obv_loop_destroy(place->loop), OBV_OK);
    CHECK(!is_raised(&place->returned));
    raise_flag(&place->may_return);
}

TEST(DR_14_destroying_inside_a_handler_waits_for_nothing)
{
    struct place place;
    struct probe outer;
    place_begin(&place);
    place.probe.then = wait_inside;
    item_set_large(place.item, 1);
    await_flag(&place.called);
    probe_init(&outer, &place.fixture);
    outer.context = &place;
    outer.then = destroy_outside;
    struct obv_observation *handle = observe(place.item, "small", &outer);
    item_set_small(place.item, 1);
    CHECK_EQ(drain(&place.fixture), 1);
    await_flag(&place.returned);
    end(handle);
    probe_release(&outer);
    place_end(&place);
}

/* Both handlers are entered before either goes on. */
struct pair {
    struct place *place;
    struct obv_loop *other;
    int *entered, *other_entered, done;
};

static void destroy_other(struct probe *probe)
{
    struct pair *pair = probe->context;
    raise_flag(pair->entered);
    await_flag(pair->other_entered);
    enum obv_status status = obv_loop_destroy(pair->other);
    CHECK_EQ(status, OBV_OK);
    raise_flag(&pair->done);
}

TEST(DR_14_two_loops_with_threads_may_destroy_each_other)
{
    struct place place;
    struct probe probe;
    int entered[2] = {0, 0};
    place_begin(&place);
    struct obv_loop *second = make_loop(&place.fixture, NULL);
    struct pair one = {&place, second, &entered[0], &entered[1], 0};
    struct pair two = {&place, place.loop, &entered[1], &entered[0], 0};
    probe_init(&probe, &place.fixture);
    probe.then = place.probe.then = destroy_other;
    place.probe.context = &one;
    probe.context = &two;
    struct obv_observation *handle =
        observe_with(place.item, "large", &probe, 0, second);
    item_set_large(place.item, 1);
    await_flag(&one.done);
    await_flag(&two.done);
    end(handle);
    probe_release(&probe);
    place_end(&place);
}

static void change_again(struct probe *probe)
{
    struct place *place = probe->context;
    set_large(place->item);
    note_call(probe);
}

TEST(DR_14_a_context_takes_its_loops_threads_along)
{
    struct place place;
    place_begin(&place);
    place.probe.then = change_again; /* dropped: it is being called */
    item_set_large(place.item, 1);
    await_flag(&place.called);
    end(place.handle);
    item_release(&place.item->object);
    probe_release(&place.probe);
    /* The thread may still be leaving its handler. */
    enum obv_status status;
    while ((status = obv_context_destroy(place.fixture.context)) ==
           OBV_E_IN_USE) {
        sleep_milliseconds(1);
    }
    CHECK_EQ(status, OBV_OK);
    CHECK(is_raised(&place.disposed));
    CHECK_EQ(test_live_blocks(), 0);
}

static void destroy_context(struct probe *probe)
{
    struct place *place = probe->context;
    CHECK_EQ(obv_context_destroy(place->fixture.context), OBV_E_IN_USE);
}

TEST(DR_14_a_context_with_threads_is_not_destroyed_inside_a_handler)
{
    struct fixture outer;
    struct place place;
    struct probe probe;
    place_begin(&place);
    end(place.handle);
    fixture_begin_with(&outer, NULL, 0);
    probe_init(&probe, &outer);
    struct item *item = item_create(&outer);
    struct obv_observation *handle = observe(item, "large", &probe);
    probe.context = &place;
    probe.then = destroy_context;
    item_set_large(item, 1);
    CHECK_EQ(drain(&outer), 1);
    end(handle);
    item_release(&item->object);
    probe_release(&probe);
    CHECK_EQ(obv_context_destroy(outer.context), OBV_OK);
    place.handle = NULL;
    place_end(&place);
}

TEST(DR_14_threads_end_while_others_change)
{
    for (int round = 0; round < 200; round++) {
        struct place place;
        pthread_t thread;
        place_begin(&place);
        place.probe.then = NULL;
        CHECK_EQ(pthread_create(&thread, NULL, set_large, place.item), 0);
        CHECK_EQ(obv_loop_destroy(place.loop), OBV_OK);
        CHECK_EQ(pthread_join(thread, NULL), 0);
        struct obv_counters counters = counters_of(&place.fixture);
        CHECK_EQ(counters.called + counters.dropped, 1);
        CHECK_EQ(counters.called, place.probe.calls);
        place_end(&place);
    }
}

/* --- what cannot be made ------------------------------------------------- */

static void wake_nobody(void *context)
{
    (void)context;
}

TEST(DR_14_a_thread_contradicts_a_hook_and_a_bond)
{
    struct fixture fixture;
    struct obv_loop *loop = NULL;
    fixture_begin(&fixture);
    struct obv_loop_options bound = {
        .size = sizeof bound, .thread = true, .bound = true};
    struct obv_loop_options hook = {
        .size = sizeof hook, .thread = true, .wake = wake_nobody};
    CHECK_EQ(obv_loop_create(fixture.context, &bound, &loop), OBV_E_OPTIONS);
    CHECK_EQ(obv_loop_create(fixture.context, &hook, &loop), OBV_E_OPTIONS);
    CHECK(!loop);
    fixture_end(&fixture);
}

static void check_none_is_made(const struct fixture *fixture)
{
    struct obv_loop *loop = NULL;
    struct obv_loop_options options = {.size = sizeof options, .thread = true};
    size_t blocks = test_live_blocks();
    CHECK_EQ(obv_loop_create(fixture->context, &options, &loop), OBV_E_SYSTEM);
    CHECK(!loop);
    CHECK_EQ(test_live_blocks(), blocks);
}

TEST(DR_14_without_a_descriptor_no_loop_with_a_thread_is_made)
{
    struct fixture fixture;
    fixture_begin(&fixture);
    struct rlimit limit, none = {0, 0};
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none.rlim_max = limit.rlim_max;
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    check_none_is_made(&fixture);
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    CHECK_EQ(obv_loop_destroy(make_loop(&fixture, NULL)), OBV_OK);
    fixture_end(&fixture);
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                    \
    !defined(__SANITIZE_THREAD__)

TEST(DR_14_without_a_thread_no_loop_with_a_thread_is_made)
{
    struct fixture fixture;
    pthread_attr_t usual, huge;
    fixture_begin(&fixture);
    CHECK_EQ(pthread_getattr_default_np(&usual), 0);
    huge = usual;
    CHECK_EQ(pthread_attr_setstacksize(&huge, (size_t)1 << 47), 0);
    CHECK_EQ(pthread_setattr_default_np(&huge), 0);
    check_none_is_made(&fixture);
    CHECK_EQ(pthread_setattr_default_np(&usual), 0);
    CHECK_EQ(obv_loop_destroy(make_loop(&fixture, NULL)), OBV_OK);
    fixture_end(&fixture);
}

#endif
