/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of the contract about loops that no scenario script can say: hooks,
 * descriptors, limits, bound loops, two threads at one loop.
 */
#include "contract_fixture.h"

/* --- loops --------------------------------------------------------------- */

static void count_wake(void *context)
{
    __atomic_add_fetch((int *)context, 1, __ATOMIC_RELAXED);
}

static void change_on_thread(struct probe *probe)
{
    on_thread(set_large, probe->context);
}

TEST(DR_5_the_hook_is_called_whenever_the_loop_becomes_non_empty)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_loop *loop;
    int wakes = 0;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct obv_loop_options options = {
        .size = sizeof options, .wake = count_wake, .wake_context = &wakes};
    CHECK_EQ(obv_loop_create(fixture.context, &options, &loop), OBV_OK);
    struct item *item = item_create(&fixture);
    struct obv_observation *handle =
        observe_with(item, "large", &probe, OBV_DEFER, loop);
    CHECK_EQ(wakes, 0);
    item_set_large(item, 1);
    CHECK(wakes >= 1);
    CHECK_EQ(obv_loop_drain(loop), 1);
    wakes = 0;
    on_thread(set_large, item);
    CHECK(wakes >= 1);
    probe.then = change_on_thread;
    probe.context = item;
    wakes = 0; /* what comes in the drain is left for the next one */
    CHECK_EQ(obv_loop_drain(loop), 1);
    CHECK(wakes >= 1);
    CHECK_EQ(obv_loop_pending(loop), 1);
    probe.then = NULL;
    CHECK_EQ(obv_loop_drain(loop), 1);
    obv_schedule(handle);
    CHECK(wakes >= 2);
    end(handle);
    CHECK_EQ(obv_loop_drain(loop), 1);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    item_release(&item->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

static bool is_readable(int descriptor)
{
    struct pollfd poll_one = {.fd = descriptor, .events = POLLIN};
    return poll(&poll_one, 1, 0) == 1;
}

TEST(DR_10_the_descriptor_is_readable_while_something_is_pending)
{
    struct fixture fixture;
    struct probe first, second;
    struct obv_loop *loop;
    int descriptor = -1, again = -1;
    fixture_begin(&fixture);
    probe_init(&first, &fixture);
    probe_init(&second, &fixture);
    CHECK_EQ(obv_loop_create(fixture.context, NULL, &loop), OBV_OK);
    struct item *item = item_create(&fixture);
    struct obv_observation *one = observe_with(item, "large", &first, 0, loop);
    struct obv_observation *two = observe_with(item, "large", &second, 0, loop);
    CHECK_EQ(obv_loop_descriptor(loop, &descriptor), OBV_OK);
    CHECK_EQ(obv_loop_descriptor(loop, &again), OBV_OK);
    CHECK_EQ(again, descriptor);
    CHECK(!is_readable(descriptor));
    item_set_large(item, 1);
    CHECK(is_readable(descriptor));
    CHECK(is_readable(descriptor)); /* polling takes nothing away */
    CHECK_EQ(obv_loop_drain(loop), 2);
    CHECK(!is_readable(descriptor));
    on_thread(set_large, item);
    CHECK(is_readable(descriptor));
    CHECK_EQ(obv_loop_drain_some(loop, 1), 1);
    CHECK(is_readable(descriptor)); /* something is left */
    CHECK_EQ(obv_loop_drain(loop), 1);
    CHECK(!is_readable(descriptor));
    end(one);
    end(two);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    item_release(&item->object);
    probe_release(&first);
    probe_release(&second);
    fixture_end(&fixture);
}

TEST(DR_10_a_descriptor_made_while_something_is_pending_is_readable)
{
    struct fixture fixture;
    struct probe probe;
    int descriptor = -1;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture);
    struct obv_observation *handle = observe(item, "large", &probe);
    struct obv_loop *loop = obv_context_loop(fixture.context);
    item_set_large(item, 1);
    CHECK_EQ(obv_loop_descriptor(loop, &descriptor), OBV_OK);
    CHECK(is_readable(descriptor));
    CHECK_EQ(drain(&fixture), 1);
    CHECK(!is_readable(descriptor));
    end(handle);
    item_release(&item->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

TEST(DR_8_a_limited_drain_leaves_the_rest_for_the_beginning_of_the_next)
{
    struct fixture fixture;
    struct probe probes[4];
    struct obv_observation *handles[4];
    fixture_begin(&fixture);
    struct item *item = item_create(&fixture);
    for (size_t i = 0; i < 4; i++) {
        probe_init(&probes[i], &fixture);
        handles[i] = observe(item, i < 3 ? "large" : "small", &probes[i]);
    }
    struct obv_loop *loop = obv_context_loop(fixture.context);
    item_set_large(item, 1);
    CHECK_EQ(obv_loop_drain_some(loop, 0), 0);
    CHECK_EQ(obv_loop_drain_some(loop, 2), 2);
    CHECK_EQ(probes[0].calls + probes[1].calls, 2);
    item_set_small(item, 1);
    CHECK_EQ(obv_loop_pending(loop), 2);
    CHECK_EQ(obv_loop_drain_some(loop, 1), 1);
    CHECK_EQ(probes[2].calls, 1);
    CHECK_EQ(obv_loop_drain_some(loop, 9), 1);
    CHECK_EQ(probes[3].calls, 1);
    for (size_t i = 0; i < 4; i++) {
        end(handles[i]);
    }
    item_release(&item->object);
    for (size_t i = 0; i < 4; i++) {
        probe_release(&probes[i]);
    }
    fixture_end(&fixture);
}

struct foreign {
    struct obv_loop *loop;
    struct obv_observation *handle;
    ptrdiff_t drained;
    enum obv_status destroyed;
    bool executed;
};

static void *use_foreign_loop(void *context)
{
    struct foreign *foreign = context;
    foreign->drained = obv_loop_drain(foreign->loop);
    foreign->executed = obv_execute(foreign->handle);
    foreign->destroyed = obv_loop_destroy(foreign->loop);
    return NULL;
}

static void use_on_thread(struct probe *probe)
{
    on_thread(use_foreign_loop, probe->context);
}

TEST(DR_10_a_loop_that_is_drained_is_busy_for_other_threads)
{
    struct fixture fixture;
    struct probe probe, other;
    struct obv_loop *loop;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    probe_init(&other, &fixture);
    CHECK_EQ(obv_loop_create(fixture.context, NULL, &loop), OBV_OK);
    struct item *item = item_create(&fixture);
    struct obv_observation *handle =
        observe_with(item, "large", &probe, 0, loop);
    struct obv_observation *idle = observe_with(item, "small", &other, 0, loop);
    struct foreign foreign = {.loop = loop, .handle = idle};
    probe.then = use_on_thread;
    probe.context = &foreign;
    item_set_large(item, 1);
    CHECK_EQ(obv_loop_drain(loop), 1);
    CHECK_EQ(foreign.drained, OBV_E_BUSY);
    CHECK_EQ(foreign.destroyed, OBV_E_BUSY);
    CHECK(!foreign.executed);
    CHECK_EQ(other.calls, 0);
    end(handle);
    end(idle);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    item_release(&item->object);
    probe_release(&probe);
    probe_release(&other);
    fixture_end(&fixture);
}

/* The thread sanitizer takes down what it keeps of a thread meanwhile. */
#ifndef __SANITIZE_THREAD__

/* All that a thread leaves to a destructor that runs behind the library's own. */
struct left {
    struct fixture *fixture;
    struct item *item;
    struct probe *probe;
    struct obv_loop *loop;
    struct obv_observation *handle;
    int64_t drained;
    enum obv_status destroyed;
};

/* The last of these comes behind the library's, which the first drain has
   made. */
static pthread_key_t keys[16];
#define LEFT_KEY keys[sizeof keys / sizeof *keys - 1]

static void drain_left(void *context)
{
    struct left *left = context;
    left->drained = obv_loop_drain(left->loop);
    left->destroyed = obv_loop_destroy(left->loop);
}

static void *leave_loop(void *context)
{
    struct left *left = context;
    struct obv_loop_options options = {.size = sizeof options, .bound = true};
    CHECK_EQ(obv_loop_create(left->fixture->context, &options, &left->loop),
             OBV_OK);
    left->handle =
        observe_with(left->item, "large", left->probe, 0, left->loop);
    CHECK_EQ(pthread_setspecific(LEFT_KEY, left), 0);
    item_set_large(left->item, 1);
    return NULL;
}

TEST(DR_10_a_bound_loop_is_its_threads_in_a_destructor)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct left left = {
        .fixture = &fixture, .item = item_create(&fixture), .probe = &probe};
    CHECK_EQ(obv_loop_drain(obv_context_loop(fixture.context)), 0);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        CHECK_EQ(pthread_key_create(&keys[i], drain_left), 0);
    }
    on_thread(leave_loop, &left);
    CHECK_EQ(left.drained, 1);
    CHECK_EQ(left.destroyed, OBV_OK);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        CHECK_EQ(pthread_key_delete(keys[i]), 0);
    }
    end(left.handle);
    item_release(&left.item->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

#endif

TEST(DR_10_a_bound_loop_belongs_to_its_thread)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_loop *loop;
    struct obv_loop_options options = {.size = sizeof options, .bound = true};
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    CHECK_EQ(obv_loop_create(fixture.context, &options, &loop), OBV_OK);
    struct item *item = item_create(&fixture);
    struct obv_observation *handle =
        observe_with(item, "large", &probe, 0, loop);
    struct foreign foreign = {.loop = loop, .handle = handle};
    item_set_large(item, 1);
    on_thread(use_foreign_loop, &foreign);
    CHECK_EQ(foreign.drained, OBV_E_THREAD);
    CHECK_EQ(foreign.destroyed, OBV_E_THREAD);
    CHECK(!foreign.executed);
    CHECK_EQ(obv_loop_drain(loop), 1);
    on_thread(set_large, item);
    CHECK_EQ(obv_loop_pending(loop), 1);
    CHECK_EQ(obv_loop_drain(loop), 1);
    CHECK(obv_execute(handle));
    end(handle);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    item_release(&item->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

static void count_disposal(void *count)
{
    ++*(int *)count;
}

TEST(DR_10_a_loop_that_is_kept_may_be_drained_after_its_end)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_loop *loop;
    int disposals = 0;
    struct obv_loop_options options = {.size = sizeof options,
                                       .wake_context = &disposals,
                                       .wake_dispose = count_disposal};
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    CHECK_EQ(obv_loop_create(fixture.context, &options, &loop), OBV_OK);
    CHECK(obv_loop_retain(loop) == loop);
    CHECK(obv_loop_retain(NULL) == NULL);
    struct item *item = item_create(&fixture);
    struct obv_observation *handle =
        observe_with(item, "large", &probe, 0, loop);
    item_set_large(item, 1);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    CHECK_EQ(obv_loop_drain(loop), 0);
    CHECK_EQ(obv_loop_drain(loop), 0);
    CHECK_EQ(obv_loop_pending(loop), 0);
    CHECK_EQ(obv_loop_destroy(loop), OBV_E_ENDED);
    item_set_large(item, 2);
    CHECK_EQ(obv_loop_drain(loop), 0);
    CHECK_EQ(probe.calls, 0);
    CHECK_EQ(disposals, 0);
    end(handle);
    obv_loop_release(loop);
    obv_loop_release(NULL);
    item_release(&item->object);
    probe_release(&probe);
    fixture_end(&fixture);
    CHECK_EQ(disposals, 1);
}

/* A loop with a `wake_dispose`, and what names it: an observation in an item's
   property, and a binder of two items. */
struct named_loop {
    struct fixture fixture;
    struct probe probe;
    struct obv_loop *loop;
    struct item *item, *other;
    struct obv_observation *handle;
    struct obv_binder *binder;
    int disposals;
};

static void named_begin(struct named_loop *named)
{
    const struct obv_loop_options options = {.size = sizeof options,
                                             .wake_context = &named->disposals,
                                             .wake_dispose = count_disposal};
    fixture_begin(&named->fixture);
    probe_init(&named->probe, &named->fixture);
    CHECK_EQ(obv_loop_create(named->fixture.context, &options, &named->loop),
             OBV_OK);
    named->disposals = 0;
    named->item = item_create(&named->fixture);
    named->other = item_create(&named->fixture);
    named->handle =
        observe_with(named->item, "large", &named->probe, 0, named->loop);
    const struct obv_binder_end source = {
        .object = &named->item->object, .path = "small", .loop = named->loop};
    const struct obv_binder_end target = {
        .object = &named->other->object, .path = "small", .loop = named->loop};
    CHECK_EQ(obv_bind(&source, &target, NULL, &named->binder, NULL), OBV_OK);
    item_set_large(named->item, 1);
    CHECK(obv_loop_drain(named->loop) >= 1);
}

static void named_end(struct named_loop *named)
{
    item_release(&named->item->object);
    item_release(&named->other->object);
    probe_release(&named->probe);
    fixture_end(&named->fixture);
    CHECK_EQ(named->disposals, 1);
}

TEST(DR_10_a_destroyed_loop_is_disposed_of_with_the_last_that_names_it)
{
    struct named_loop named;
    named_begin(&named);
    CHECK_EQ(obv_loop_destroy(named.loop), OBV_OK);
    CHECK_EQ(named.disposals, 0);
    end(named.handle);
    CHECK_EQ(named.disposals, 0);
    obv_unbind(named.binder);
    CHECK_EQ(named.disposals, 1);
    named_end(&named);
}

TEST(DR_10_a_loop_that_nothing_names_any_more_is_disposed_of_as_it_ends)
{
    struct named_loop named;
    named_begin(&named);
    end(named.handle);
    obv_unbind(named.binder);
    CHECK_EQ(named.disposals, 0);
    CHECK_EQ(obv_loop_destroy(named.loop), OBV_OK);
    CHECK_EQ(named.disposals, 1);
    named_end(&named);
}

static void end_all_that_names(struct probe *probe)
{
    struct named_loop *named = probe->context;
    probe->then = NULL;
    CHECK_EQ(obv_loop_destroy(named->loop), OBV_OK);
    obv_unbind(named->binder);
    end(named->handle);
    CHECK_EQ(named->disposals, 0);
}

TEST(DR_10_a_loop_that_its_handler_ends_is_disposed_of_behind_its_drain)
{
    struct named_loop named;
    named_begin(&named);
    named.probe.then = end_all_that_names;
    named.probe.context = &named;
    item_set_large(named.item, 2);
    CHECK_EQ(obv_loop_drain(named.loop), 1);
    CHECK_EQ(named.disposals, 1);
    named_end(&named);
}

TEST(DR_10_an_object_that_ends_takes_the_last_that_names_a_loop)
{
    struct named_loop named;
    named_begin(&named);
    obv_unbind(named.binder);
    obv_release(named.handle);
    CHECK_EQ(obv_loop_destroy(named.loop), OBV_OK);
    CHECK_EQ(named.disposals, 0);
    item_release(&named.item->object);
    CHECK_EQ(named.disposals, 1);
    named.item = item_create(&named.fixture);
    named_end(&named);
}

static void destroy_own(struct probe *probe)
{
    CHECK_EQ(obv_loop_destroy(probe->context), OBV_OK);
}

TEST(DR_10_what_a_destroyed_loop_has_called_stays_counted)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_loop *loop;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    CHECK_EQ(obv_loop_create(fixture.context, NULL, &loop), OBV_OK);
    struct item *item = item_create(&fixture);
    struct obv_observation *handle =
        observe_with(item, "large", &probe, 0, loop);
    item_set_large(item, 1);
    CHECK_EQ(obv_loop_drain(loop), 1);
    probe.then = destroy_own;
    probe.context = loop;
    item_set_large(item, 2);
    CHECK_EQ(counters_of(&fixture).called, 1);
    CHECK_EQ(obv_loop_drain(loop), 1);
    CHECK_EQ(counters_of(&fixture).called, 2);
    end(handle);
    obv_context_collect(fixture.context);
    CHECK_EQ(counters_of(&fixture).called, 2);
    item_release(&item->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* A setter that knows the call to be pending tells nobody; then it is not. */
TEST(DR_10_a_change_behind_the_call_that_a_destroyed_loop_dropped_is_counted)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_loop *loop;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    CHECK_EQ(obv_loop_create(fixture.context, NULL, &loop), OBV_OK);
    struct item *item = item_create(&fixture);
    struct obv_observation *handle =
        observe_with(item, "large", &probe, 0, loop);
    item_set_large(item, 1);
    item_set_large(item, 2);
    item_set_large(item, 3);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    CHECK_EQ(counters_of(&fixture).dropped, 1);
    item_set_large(item, 4);
    CHECK_EQ(counters_of(&fixture).dropped, 2);
    end(handle);
    CHECK_EQ(probe.calls, 0);
    item_release(&item->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

TEST(DR_4_a_bound_loop_keeps_the_order_of_its_own_and_other_threads)
{
    struct fixture fixture;
    struct probe large, small, real;
    struct obv_loop *loop;
    struct obv_loop_options options = {.size = sizeof options, .bound = true};
    fixture_begin(&fixture);
    CHECK_EQ(obv_loop_create(fixture.context, &options, &loop), OBV_OK);
    struct item *item = item_create(&fixture);
    probe_init(&large, &fixture);
    probe_init(&small, &fixture);
    probe_init(&real, &fixture);
    struct obv_observation *handles[] = {
        observe_with(item, "real", &real, 0, loop),
        observe_with(item, "large", &large, 0, loop),
        observe_with(item, "small", &small, 0, loop),
    };
    item_set_small(item, 1);
    on_thread(set_large, item);
    item_set_real(item, 1);
    CHECK_EQ(obv_loop_drain_some(loop, 1), 1);
    CHECK_EQ(small.calls, 1);
    CHECK_EQ(obv_loop_drain_some(loop, 1), 1);
    CHECK_EQ(large.calls, 1);
    CHECK_EQ(obv_loop_drain_some(loop, 1), 1);
    CHECK_EQ(real.calls, 1);
    for (size_t i = 0; i < 3; i++) {
        end(handles[i]);
    }
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    item_release(&item->object);
    probe_release(&large);
    probe_release(&small);
    probe_release(&real);
    fixture_end(&fixture);
}

TEST(DR_10_a_contexts_own_loop_goes_with_its_context)
{
    struct fixture fixture;
    fixture_begin(&fixture);
    CHECK_EQ(obv_loop_destroy(obv_context_loop(fixture.context)),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_loop_destroy(NULL), OBV_E_ARGUMENT);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(obv_context_destroy(NULL), OBV_E_ARGUMENT);
    fixture_end(&fixture);
}

/* A call that could not have been scheduled is not dropped. */
TEST(DR_10_what_an_observer_at_its_end_sets_counts_as_dropped_nowhere)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_loop *loop;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture);
    CHECK_EQ(obv_loop_create(fixture.context, NULL, &loop), OBV_OK);
    struct obv_observation *handle =
        observe_with(item, "large", &probe, 0, loop);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    item_set_large(item, 1);
    CHECK_EQ(counters_of(&fixture).dropped, 1);
    probe.references = 0;
    item_set_large(item, 2);
    obv_schedule(handle);
    CHECK_EQ(counters_of(&fixture).dropped, 1);
    probe.references = 1;
    obv_schedule(handle);
    CHECK_EQ(counters_of(&fixture).dropped, 2);
    obv_stop(handle);
    obv_release(handle);
    item_release(&item->object);
    probe_release(&probe);
    fixture_end(&fixture);
}
