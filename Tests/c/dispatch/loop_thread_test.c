/* SPDX-License-Identifier: Apache-2.0 */
/*
 * <observable/loop_thread.h>: where its handlers run, what others are answered,
 * and how it ends.
 */
#define _GNU_SOURCE
#include "contract_fixture.h"

#include <observable/loop_thread.h>

#include <sys/resource.h>

/* A loop with a thread, and one observation of "large" in it. */
struct place {
    struct fixture fixture;
    struct obv_loop_thread helper;
    struct item *item;
    struct probe probe;
    struct obv_observation *handle;
    pthread_t ran_on;
    int called, may_return, returned;
};

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
    CHECK_EQ(obv_loop_thread_start(&place->helper, place->fixture.context),
             OBV_OK);
    place->item = item_create(&place->fixture);
    probe_init(&place->probe, &place->fixture);
    place->probe.context = place;
    place->probe.then = note_call;
    place->handle = observe_with(place->item, "large", &place->probe, 0,
                                 place->helper.loop);
}

/* The thread has ended. */
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
    obv_loop_thread_end(&place.helper);
    CHECK_EQ(place.probe.calls, 3);
    item_set_large(place.item, 9);
    CHECK_EQ(place.probe.calls, 3);
    CHECK_EQ(counters_of(&place.fixture).dropped, 1);
    place_end(&place);
}

static void use_inside(struct probe *probe)
{
    struct place *place = probe->context;
    int descriptor = -1;
    item_set_large(place->item, 9);
    CHECK_EQ(obv_loop_drain(place->helper.loop),
             0); /* nested: called already */
    CHECK_EQ(obv_loop_descriptor(place->helper.loop, &descriptor), OBV_OK);
    note_call(probe);
}

TEST(DR_14_a_loop_with_a_thread_is_bound_to_it)
{
    struct place place;
    place_begin(&place);
    CHECK_EQ(obv_loop_drain(place.helper.loop), OBV_E_THREAD);
    CHECK(!obv_execute(place.handle));
    CHECK(!obv_loop_prepare(place.helper.loop) &&
          !obv_loop_check(place.helper.loop));
    place.probe.then = use_inside;
    item_set_large(place.item, 1);
    await_flag(&place.called);
    obv_loop_thread_end(&place.helper);
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

/* Once the end has begun: a change, then the handler may return. */
static void *let_return(void *context)
{
    struct place *place = context;
    while (obv_detail_loop_thread_goes_on(&place->helper)) {
        sleep_milliseconds(1);
    }
    set_large(place->item);
    CHECK(!is_raised(&place->returned));
    raise_flag(&place->may_return);
    return NULL;
}

TEST(DR_14_its_end_waits_for_the_drain_and_drops_the_rest)
{
    struct place place;
    struct probe other;
    pthread_t thread;
    place_begin(&place);
    probe_init(&other, &place.fixture);
    struct obv_observation *handle =
        observe_with(place.item, "large", &other, 0, place.helper.loop);
    place.probe.then = wait_inside;
    item_set_large(place.item, 1);
    await_flag(&place.called);
    CHECK_EQ(pthread_create(&thread, NULL, let_return, &place), 0);
    obv_loop_thread_end(&place.helper);
    CHECK(is_raised(&place.returned));
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(place.probe.calls, 1);
    CHECK_EQ(other.calls, 1);
    CHECK_EQ(counters_of(&place.fixture).dropped, 1);
    CHECK_EQ(place.fixture.diagnostics, 1);
    CHECK_EQ(place.fixture.last.kind, OBV_DIAGNOSTIC_LOOP_DESTROYED);
    end(handle);
    probe_release(&other);
    place_end(&place);
}

static void start_and_end(const struct fixture *fixture)
{
    struct obv_loop_thread helper;
    CHECK_EQ(obv_loop_thread_start(&helper, fixture->context), OBV_OK);
    obv_loop_thread_end(&helper);
}

static void check_none_is_made(const struct fixture *fixture)
{
    struct obv_loop_thread helper;
    size_t blocks = test_live_blocks();
    CHECK_EQ(obv_loop_thread_start(&helper, fixture->context), OBV_E_SYSTEM);
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
    start_and_end(&fixture);
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
    start_and_end(&fixture);
    fixture_end(&fixture);
}

#endif
