/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a loop fits another event loop: the descriptor and the hook, exactly when
 * they wake; prepare and check; the wake-up by hand, from signal handlers too.
 */
#define _GNU_SOURCE
#include "contract_fixture.h"

#include <errno.h>
#include <signal.h>

/* One object, one observation of "large" in a loop of its own. */
struct place {
    struct fixture fixture;
    struct obv_loop *loop;
    struct item *item;
    struct probe probe;
    struct obv_observation *handle;
    int descriptor;
    int wakes;
};

static void count_wake(void *context)
{
    __atomic_add_fetch((int *)context, 1, __ATOMIC_RELAXED);
}

static void place_begin(struct place *place, bool hook, bool bound)
{
    memset(place, 0, sizeof *place);
    fixture_begin(&place->fixture);
    struct obv_loop_options options = {.size = sizeof options,
                                       .wake = hook ? count_wake : NULL,
                                       .wake_context = &place->wakes,
                                       .bound = bound};
    CHECK_EQ(obv_loop_create(place->fixture.context, &options, &place->loop),
             OBV_OK);
    place->item = item_create(&place->fixture);
    probe_init(&place->probe, &place->fixture);
    place->probe.context = place;
    place->handle =
        observe_with(place->item, "large", &place->probe, 0, place->loop);
}

static void place_open(struct place *place)
{
    CHECK_EQ(obv_loop_descriptor(place->loop, &place->descriptor), OBV_OK);
}

static void place_end(struct place *place)
{
    end(place->handle);
    CHECK_EQ(obv_loop_destroy(place->loop), OBV_OK);
    item_release(&place->item->object);
    probe_release(&place->probe);
    fixture_end(&place->fixture);
}

static bool is_readable(const struct place *place)
{
    struct pollfd one = {.fd = place->descriptor, .events = POLLIN};
    return poll(&one, 1, 0) == 1;
}

/* --- the descriptor ------------------------------------------------------ */

static void *wake_loop(void *loop)
{
    obv_loop_wake(loop);
    return NULL;
}

static void change_elsewhere(struct probe *probe)
{
    struct place *place = probe->context;
    CHECK(!is_readable(place));
    on_thread(set_large, place->item);
    CHECK(!is_readable(place));
}

TEST(DR_14_the_descriptor_is_silent_while_a_drain_runs)
{
    struct place place;
    place_begin(&place, false, false);
    place_open(&place);
    place.probe.then = change_elsewhere;
    item_set_large(place.item, 1);
    CHECK(is_readable(&place));
    CHECK_EQ(obv_loop_drain(place.loop), 1);
    CHECK(is_readable(&place)); /* what the other thread has changed is left */
    place.probe.then = NULL;
    CHECK_EQ(obv_loop_drain(place.loop), 1);
    CHECK(!is_readable(&place));
    place_end(&place);
}

static void change_and_drain_nested(struct probe *probe)
{
    struct place *place = probe->context;
    on_thread(set_large, place->item);
    CHECK_EQ(obv_loop_drain(place->loop), 1);
    CHECK(!is_readable(place));
}

TEST(DR_14_a_nested_drain_leaves_nothing_to_be_woken_for)
{
    struct place place;
    struct probe other;
    place_begin(&place, false, false);
    place_open(&place);
    probe_init(&other, &place.fixture);
    other.context = &place;
    other.then = change_and_drain_nested;
    struct obv_observation *handle =
        observe_with(place.item, "small", &other, 0, place.loop);
    item_set_small(place.item, 1);
    CHECK_EQ(obv_loop_drain(place.loop), 1);
    CHECK_EQ(place.probe.calls, 1);
    CHECK(!is_readable(&place));
    end(handle);
    probe_release(&other);
    place_end(&place);
}

static void drain_second(struct probe *probe)
{
    struct place *place = probe->context;
    CHECK_EQ(obv_loop_drain(place->loop), 1);
    CHECK(!is_readable(place));
}

TEST(DR_14_the_descriptor_of_a_loop_drained_in_anothers_drain_is_its_own)
{
    struct place place;
    struct probe outer;
    place_begin(&place, false, false);
    place_open(&place);
    probe_init(&outer, &place.fixture);
    outer.context = &place;
    outer.then = drain_second;
    struct obv_observation *handle = observe(place.item, "large", &outer);
    item_set_large(place.item, 1);
    CHECK(is_readable(&place));
    CHECK_EQ(drain(&place.fixture), 1); /* drains the place's loop inside */
    CHECK_EQ(place.probe.calls, 1);
    CHECK(!is_readable(&place));
    end(handle);
    probe_release(&outer);
    place_end(&place);
}

TEST(DR_14_a_bound_loops_descriptor_wakes_for_its_own_thread_too)
{
    struct place place;
    place_begin(&place, false, true);
    place_open(&place);
    CHECK(!is_readable(&place));
    item_set_large(place.item, 1);
    CHECK(is_readable(&place));
    CHECK_EQ(obv_loop_drain(place.loop), 1);
    CHECK(!is_readable(&place));
    on_thread(set_large, place.item);
    CHECK(is_readable(&place));
    CHECK_EQ(obv_loop_drain(place.loop), 1);
    CHECK(!is_readable(&place));
    place_end(&place);
}

static void *open_elsewhere(void *context)
{
    struct place *place = context;
    int descriptor = -1;
    place->wakes = obv_loop_descriptor(place->loop, &descriptor);
    return NULL;
}

static void open_while_drained(struct probe *probe)
{
    struct place *place = probe->context;
    on_thread(open_elsewhere, place);
    CHECK_EQ(place->wakes, OBV_E_BUSY);
    place_open(place);
    on_thread(open_elsewhere, place); /* it is open */
    CHECK_EQ(place->wakes, OBV_OK);
    change_elsewhere(probe);
}

TEST(DR_14_a_descriptor_may_be_opened_inside_a_drain)
{
    struct place place;
    place_begin(&place, false, false);
    place.probe.then = open_while_drained;
    item_set_large(place.item, 1);
    CHECK_EQ(obv_loop_drain(place.loop), 1);
    CHECK(is_readable(&place));
    place.probe.then = NULL;
    CHECK_EQ(obv_loop_drain(place.loop), 1);
    place_end(&place);
}

TEST(DR_14_a_bound_loops_descriptor_is_opened_by_its_thread)
{
    struct place place;
    place_begin(&place, false, true);
    on_thread(open_elsewhere, &place);
    CHECK_EQ(place.wakes, OBV_E_THREAD);
    place_open(&place);
    on_thread(open_elsewhere, &place);
    CHECK_EQ(place.wakes, OBV_OK);
    place_end(&place);
}

TEST(DR_14_a_destroyed_loop_has_no_descriptor_and_wakes_nobody)
{
    struct place place;
    struct obv_loop *loop;
    int descriptor = -1;
    place_begin(&place, false, false);
    CHECK_EQ(obv_loop_create(place.fixture.context, NULL, &loop), OBV_OK);
    CHECK(obv_loop_retain(loop) == loop);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    CHECK_EQ(obv_loop_descriptor(loop, &descriptor), OBV_E_ENDED);
    CHECK_EQ(descriptor, -1);
    obv_loop_wake(loop);
    CHECK(!obv_loop_prepare(loop));
    obv_loop_release(loop);
    obv_loop_wake(NULL);
    CHECK(!obv_loop_prepare(NULL) && !obv_loop_check(NULL));
    place_end(&place);
}

/* --- the hook ------------------------------------------------------------ */

static void check_no_wake(struct probe *probe)
{
    struct place *place = probe->context;
    int before = place->wakes;
    on_thread(set_large, place->item);
    CHECK_EQ(place->wakes, before);
}

TEST(DR_14_the_hook_is_called_once_and_not_while_a_drain_runs)
{
    struct place place;
    place_begin(&place, true, false);
    item_set_large(place.item, 1);
    on_thread(set_large, place.item);
    CHECK_EQ(place.wakes, 1);
    place.probe.then = check_no_wake;
    CHECK_EQ(obv_loop_drain(place.loop), 1);
    CHECK_EQ(place.wakes, 2); /* for what came in the drain */
    CHECK_EQ(obv_loop_drain_some(place.loop, 0), 0);
    CHECK_EQ(place.wakes, 3);
    place.probe.then = NULL;
    CHECK_EQ(obv_loop_drain(place.loop), 1);
    CHECK_EQ(obv_loop_drain(place.loop), 0);
    CHECK_EQ(place.wakes, 3);
    place_end(&place);
}

struct relay {
    struct obv_loop *loop;
    ptrdiff_t drained;
    bool is_on;
};

static void *drain_relayed(void *context)
{
    struct relay *relay = context;
    relay->is_on = false;
    relay->drained = obv_loop_drain(relay->loop);
    return NULL;
}

/* Hands the wake-up to another thread, which is done before this returns. */
static void wake_relay(void *context)
{
    struct relay *relay = context;
    if (relay->is_on) {
        on_thread(drain_relayed, relay);
    }
}

TEST(DR_14_who_is_woken_at_a_drains_end_finds_the_loop_free)
{
    struct fixture fixture;
    struct probe probes[2];
    struct obv_observation *handles[2];
    struct relay relay = {.drained = -1};
    fixture_begin(&fixture);
    struct obv_loop_options options = {
        .size = sizeof options, .wake = wake_relay, .wake_context = &relay};
    CHECK_EQ(obv_loop_create(fixture.context, &options, &relay.loop), OBV_OK);
    struct item *item = item_create(&fixture);
    for (int i = 0; i < 2; i++) {
        probe_init(&probes[i], &fixture);
        handles[i] = observe_with(item, "large", &probes[i], 0, relay.loop);
    }
    item_set_large(item, 1);
    relay.is_on = true;
    CHECK_EQ(obv_loop_drain_some(relay.loop, 1), 1);
    CHECK_EQ(relay.drained, 1);
    CHECK_EQ(probes[1].calls, 1);
    for (int i = 0; i < 2; i++) {
        end(handles[i]);
        probe_release(&probes[i]);
    }
    CHECK_EQ(obv_loop_destroy(relay.loop), OBV_OK);
    item_release(&item->object);
    fixture_end(&fixture);
}

/* --- by hand ------------------------------------------------------------- */

static struct obv_loop *signalled_loop;

static void wake_on_signal(int number)
{
    (void)number;
    obv_loop_wake(signalled_loop);
}

static void signal_begin(struct obv_loop *loop)
{
    struct sigaction action = {.sa_handler = wake_on_signal};
    signalled_loop = loop;
    CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
}

static void signal_in_drain(struct probe *probe)
{
    struct place *place = probe->context;
    CHECK_EQ(raise(SIGUSR1), 0);
    on_thread(wake_loop, place->loop);
    CHECK(!is_readable(place));
}

TEST(DR_14_a_signal_handler_wakes_a_descriptor)
{
    struct place place;
    place_begin(&place, false, false);
    signal_begin(place.loop);
    CHECK_EQ(raise(SIGUSR1), 0); /* nobody waits yet: nothing */
    place_open(&place);
    CHECK(!is_readable(&place));
    errno = EXDEV;
    CHECK_EQ(raise(SIGUSR1), 0);
    CHECK_EQ(errno, EXDEV);
    CHECK(is_readable(&place));
    CHECK(obv_loop_prepare(place.loop) && obv_loop_check(place.loop));
    CHECK_EQ(obv_loop_pending(place.loop), 0);
    CHECK_EQ(obv_loop_drain(place.loop), 0);
    CHECK(!is_readable(&place));
    place.probe.then = signal_in_drain;
    item_set_large(place.item, 1);
    CHECK_EQ(obv_loop_drain(place.loop), 1);
    CHECK(is_readable(&place));
    CHECK_EQ(obv_loop_drain(place.loop), 0);
    CHECK(!is_readable(&place));
    place_end(&place);
}

TEST(DR_14_a_wake_up_by_hand_calls_the_hook_once_before_a_drain)
{
    struct place place;
    place_begin(&place, true, false);
    obv_loop_wake(place.loop);
    obv_loop_wake(place.loop);
    CHECK_EQ(place.wakes, 1);
    CHECK(obv_loop_prepare(place.loop));
    item_set_large(place.item, 1);
    CHECK_EQ(place.wakes, 1);
    place_open(&place); /* was woken, and is not drained yet */
    CHECK(is_readable(&place));
    CHECK_EQ(obv_loop_drain(place.loop), 1);
    CHECK(!obv_loop_prepare(place.loop));
    CHECK(!is_readable(&place));
    place_end(&place);
}

TEST(DR_14_a_descriptor_opened_after_a_wake_up_by_hand_is_readable)
{
    struct place place;
    place_begin(&place, true, false);
    obv_loop_wake(place.loop);
    place_open(&place);
    CHECK(is_readable(&place));
    CHECK_EQ(obv_loop_drain(place.loop), 0);
    CHECK(!is_readable(&place));
    place_end(&place);
}

struct pesterer {
    pthread_t victim;
    int over;
};

static void *pester(void *context)
{
    struct pesterer *pesterer = context;
    while (!is_raised(&pesterer->over)) {
        CHECK_EQ(pthread_kill(pesterer->victim, SIGUSR1), 0);
        sched_yield();
    }
    return NULL;
}

TEST(DR_14_signals_may_come_anywhere_in_changes_and_drains)
{
    struct place place;
    pthread_t thread;
    struct pesterer pesterer = {.victim = pthread_self()};
    place_begin(&place, true, false);
    place_open(&place);
    signal_begin(place.loop);
    CHECK_EQ(pthread_create(&thread, NULL, pester, &pesterer), 0);
    for (int i = 1; i <= 20000; i++) {
        item_set_large(place.item, i);
        CHECK_EQ(obv_loop_drain(place.loop), 1);
    }
    raise_flag(&pesterer.over);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(place.probe.calls, 20000);
    (void)obv_loop_drain(place.loop);
    CHECK(!is_readable(&place));
    place_end(&place);
}

/* --- prepare and check --------------------------------------------------- */

static void *prepare_elsewhere(void *context)
{
    struct place *place = context;
    place->wakes = obv_loop_prepare(place->loop);
    return NULL;
}

static void prepare_in_drain(struct probe *probe)
{
    struct place *place = probe->context;
    CHECK(!obv_loop_prepare(place->loop));
    on_thread(set_large, place->item);
    CHECK(obv_loop_prepare(place->loop));
    on_thread(prepare_elsewhere, place);
    CHECK(!place->wakes); /* this drain's end looks again */
}

static void check_prepare(bool opened, bool bound)
{
    struct place place;
    place_begin(&place, false, bound);
    if (opened) {
        place_open(&place);
    }
    CHECK(!obv_loop_prepare(place.loop) && !obv_loop_check(place.loop));
    item_set_large(place.item, 1);
    CHECK(obv_loop_prepare(place.loop) && obv_loop_check(place.loop));
    on_thread(prepare_elsewhere, &place);
    CHECK_EQ(place.wakes, !bound);
    place.probe.then = prepare_in_drain;
    CHECK_EQ(obv_loop_drain(place.loop), 1);
    CHECK(obv_loop_prepare(place.loop));
    place.probe.then = NULL;
    CHECK_EQ(obv_loop_drain_some(place.loop, 0), 0);
    CHECK(obv_loop_prepare(place.loop));
    CHECK_EQ(obv_loop_drain(place.loop), 1);
    CHECK(!obv_loop_prepare(place.loop) && !obv_loop_check(place.loop));
    place_end(&place);
}

TEST(DR_14_prepare_and_check_say_whether_to_drain)
{
    check_prepare(false, false);
    check_prepare(true, false);
}

TEST(DR_14_prepare_and_check_of_a_bound_loop)
{
    check_prepare(false, true);
    check_prepare(true, true);
}

/* --- an event loop ------------------------------------------------------- */

enum { SETTERS = 2, SETS = 20000 };

struct poller {
    struct place *place;
    int over;
    size_t turns, vain;
};

/* Blocks as an event loop does, and counts turns that found nothing. */
static void *poll_and_drain(void *context)
{
    struct poller *poller = context;
    struct pollfd one = {.fd = poller->place->descriptor, .events = POLLIN};
    for (;;) {
        if (!obv_loop_prepare(poller->place->loop)) {
            CHECK(poll(&one, 1, -1) == 1);
        }
        CHECK(obv_loop_check(poller->place->loop));
        if (is_raised(&poller->over)) {
            return NULL;
        }
        poller->turns++;
        poller->vain += obv_loop_drain(poller->place->loop) == 0;
    }
}

static void *set_shared_often(void *context)
{
    struct item *item = context;
    for (int i = 1; i <= SETS; i++) {
        item_set_shared(item, item_shared(item) + 1);
    }
    return NULL;
}

static void note_shared(struct probe *probe)
{
    struct place *place = probe->context;
    __atomic_store_n(&place->wakes, (int)item_shared(place->item),
                     __ATOMIC_RELEASE);
}

TEST(DR_14_an_event_loop_loses_no_wake_up_and_has_no_turn_in_vain)
{
    struct place place;
    pthread_t thread, setters[SETTERS];
    place_begin(&place, false, false);
    place_open(&place);
    place.probe.then = note_shared;
    end(place.handle);
    place.handle =
        observe_with(place.item, "shared", &place.probe, 0, place.loop);
    struct poller poller = {.place = &place};
    CHECK_EQ(pthread_create(&thread, NULL, poll_and_drain, &poller), 0);
    for (int i = 0; i < SETTERS; i++) {
        CHECK_EQ(
            pthread_create(&setters[i], NULL, set_shared_often, place.item), 0);
    }
    for (int i = 0; i < SETTERS; i++) {
        CHECK_EQ(pthread_join(setters[i], NULL), 0);
    }
    int last = (int)item_shared(place.item);
    while (__atomic_load_n(&place.wakes, __ATOMIC_ACQUIRE) != last) {
        sleep_milliseconds(1);
    }
    raise_flag(&poller.over);
    obv_loop_wake(place.loop);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK(poller.turns > 0);
    CHECK_EQ(poller.vain, 0);
    place_end(&place);
}
