/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TH-1: what may happen on several threads at the same time. Meant for the
 * sanitizers; without them it still finds lost changes and crossed threads.
 */
#include "contract_fixture.h"

/* --- threads ------------------------------------------------------------- */

/* Several threads at once, until `over`. */
struct crowd {
    struct fixture fixture;
    struct item *shared;
    struct probe probe;
    /* Kept to the end, as their kinds are used until `dispose`. */
    struct probe transient, *gone;
    int over;
    int64_t seen;
};

static void see_shared(struct probe *probe)
{
    struct crowd *crowd = probe->context;
    crowd->seen = item_shared(crowd->shared);
}

static void *crowd_sets(void *context)
{
    struct crowd *crowd = context;
    for (int64_t i = 1; !is_raised(&crowd->over); i++) {
        item_set_shared(crowd->shared, i);
    }
    return NULL;
}

static void *crowd_drains(void *context)
{
    struct crowd *crowd = context;
    while (!is_raised(&crowd->over)) {
        CHECK(drain(&crowd->fixture) >= 0);
    }
    return NULL;
}

static void *crowd_observes(void *context)
{
    struct crowd *crowd = context;
    probe_init_plain(&crowd->transient);
    while (!is_raised(&crowd->over)) {
        struct obv_observation *handle =
            observe(crowd->shared, "shared", &crowd->transient);
        CHECK(obv_observer_count(&crowd->shared->object, "shared") >= 1);
        CHECK(obv_stop_and_wait(handle));
        obv_release(handle);
    }
    return NULL;
}

/* Roots of its own, whose paths end at the shared object. */
static void *crowd_comes_and_goes(void *context)
{
    struct crowd *crowd = context;
    while (!is_raised(&crowd->over)) {
        struct probe *probe = malloc(sizeof *probe);
        CHECK(probe);
        probe_init(probe, &crowd->fixture);
        struct item *root = item_create(&crowd->fixture);
        struct obv_observation *handle = observe(root, "next.shared", probe);
        item_set_next(root, crowd->shared);
        item_set_next(root, NULL);
        item_set_next(root, crowd->shared);
        if (item_shared(crowd->shared) % 2) {
            obv_stop(handle);
        }
        obv_release(handle);
        item_release(&root->object);
        probe->context = crowd->gone;
        crowd->gone = probe;
        probe_release(probe);
    }
    return NULL;
}

static void crowd_check_gone(struct crowd *crowd)
{
    while (crowd->gone) {
        struct probe *probe = crowd->gone;
        crowd->gone = probe->context;
        CHECK_EQ(probe->references, 0);
        CHECK_EQ(probe->disposed, 1);
        free(probe);
    }
}

TEST(TH_1_everything_may_happen_on_any_thread_at_the_same_time)
{
    enum { THREADS = 5 };
    static void *(*const mains[THREADS])(void *) = {
        crowd_sets, crowd_sets, crowd_drains, crowd_observes,
        crowd_comes_and_goes};
    static struct crowd crowd;
    pthread_t threads[THREADS];
    fixture_begin_with(&crowd.fixture, test_allocator(), 1);
    crowd.shared = item_create(&crowd.fixture);
    probe_init(&crowd.probe, &crowd.fixture);
    crowd.probe.then = see_shared;
    crowd.probe.context = &crowd;
    struct obv_observation *handle =
        observe(crowd.shared, "shared", &crowd.probe);
    for (size_t i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, mains[i], &crowd), 0);
    }
    sleep_milliseconds(300);
    raise_flag(&crowd.over);
    for (size_t i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    while (drain(&crowd.fixture) > 0) {
    }
    CHECK_EQ(crowd.seen, item_shared(crowd.shared)); /* nothing was lost */
    end(handle);
    crowd_check_gone(&crowd);
    item_release(&crowd.shared->object);
    probe_release(&crowd.probe);
    fixture_end(&crowd.fixture);
}

static pthread_t handler_thread;

static void note_thread(struct probe *probe)
{
    (void)probe;
    handler_thread = pthread_self();
}

TEST(TH_1_handlers_run_on_the_thread_that_drains_and_nowhere_else)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    probe.then = note_thread;
    struct item *item = item_create(&fixture);
    struct obv_observation *handle = observe(item, "large", &probe);
    on_thread(set_large, item);
    CHECK_EQ(probe.calls, 0);
    CHECK_EQ(drain(&fixture), 1);
    CHECK(pthread_equal(handler_thread, pthread_self()));
    item_set_large(item, 9);
    pthread_t drainer; /* a loop is a queue, not a thread */
    CHECK_EQ(pthread_create(&drainer, NULL, drain_loop,
                            obv_context_loop(fixture.context)),
             0);
    CHECK_EQ(pthread_join(drainer, NULL), 0);
    CHECK_EQ(probe.calls, 2);
    CHECK(!pthread_equal(handler_thread, pthread_self()));
    end(handle);
    item_release(&item->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* --- an end's change takes no lock --------------------------------------- */

/* An allocator that stops one thread at its n-th allocation, wherever in the
   library that is, until it is told to go on. */
static struct {
    pthread_t thread;
    int armed, inside, leave;
    size_t countdown;
} stopper;

static void *stopping_allocate(void *context, size_t size)
{
    if (is_raised(&stopper.armed) &&
        pthread_equal(pthread_self(), stopper.thread) &&
        stopper.countdown > 0 && --stopper.countdown == 0) {
        raise_flag(&stopper.inside);
        await_flag(&stopper.leave);
    }
    return test_allocator()->allocate(context, size);
}

static void stopping_free(void *context, void *block, size_t size)
{
    test_allocator()->free(context, block, size);
}

struct slow_observer {
    struct item *item;
    struct probe *probe;
    struct obv_observation *handle;
};

static void *observe_slowly(void *context)
{
    struct slow_observer *slow = context;
    stopper.thread = pthread_self();
    raise_flag(&stopper.armed);
    slow->handle = observe(slow->item, "next.shared", slow->probe);
    raise_flag(&stopper.inside); /* if it did not stop */
    return NULL;
}

/* Whether the n-th allocation of the other thread was reached. */
static bool change_while_another_observes(size_t n)
{
    const struct obv_allocator allocator = {stopping_allocate, stopping_free,
                                            NULL};
    struct fixture fixture;
    struct probe probes[2];
    pthread_t thread;
    memset(&stopper, 0, sizeof stopper);
    stopper.countdown = n;
    fixture_begin_with(&fixture, &allocator, 0);
    probe_init(&probes[0], &fixture);
    probe_init(&probes[1], &fixture);
    struct item *item = item_create(&fixture), *next = item_create(&fixture);
    item_set_next(item, next);
    struct obv_observation *handle = observe(next, "shared", &probes[0]);
    struct slow_observer slow = {item, &probes[1], NULL};
    CHECK_EQ(pthread_create(&thread, NULL, observe_slowly, &slow), 0);
    await_flag(&stopper.inside);
    item_set_shared(next, 1); /* returns, though the other one stands still */
    CHECK(drain(&fixture) >= 1);
    CHECK_EQ(probes[0].calls, 1);
    raise_flag(&stopper.leave);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    end(handle);
    end(slow.handle);
    CHECK(drain(&fixture) >= 0);
    item_release(&item->object);
    item_release(&next->object);
    probe_release(&probes[0]);
    probe_release(&probes[1]);
    fixture_end(&fixture);
    return stopper.countdown == 0;
}

TEST(TH_1_a_change_of_an_end_waits_for_nobody_who_observes)
{
    size_t n = 1;
    while (change_while_another_observes(n)) {
        n++;
    }
    CHECK(n > 1);
}

/* --- values of any thread ------------------------------------------------ */

static struct item *racing;
static int racers_left;

static void *set_by_thread(void *first)
{
    for (int64_t i = 0; i < 1000; i++) {
        item_set_shared(racing, *(int64_t *)first + i);
    }
    __atomic_sub_fetch(&racers_left, 1, __ATOMIC_RELEASE);
    return NULL;
}

static int64_t last_seen;

static void see_last(struct probe *probe)
{
    (void)probe;
    last_seen = item_shared(racing);
}

static void race(const struct fixture *fixture)
{
    pthread_t threads[2];
    int64_t firsts[2] = {10000, 20000};
    racers_left = 2;
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, set_by_thread, &firsts[i]),
                 0);
    }
    while (is_raised(&racers_left)) {
        CHECK(drain(fixture) >= 0);
    }
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    CHECK(drain(fixture) <= 1);
    CHECK_EQ(last_seen, item_shared(racing));
}

TEST(TH_1_the_last_value_that_any_thread_set_is_delivered)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    probe.then = see_last;
    racing = item_create(&fixture);
    struct obv_observation *handle = observe(racing, "shared", &probe);
    for (int round = 0; round < 200; round++) {
        race(&fixture);
    }
    CHECK_EQ(obv_loop_pending(obv_context_loop(fixture.context)), 0);
    end(handle);
    item_release(&racing->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* --- memory that others can see ------------------------------------------ */

static void *observe_and_stop(void *over)
{
    struct probe *probe = calloc(1, sizeof *probe);
    CHECK(probe);
    probe_init_plain(probe);
    while (!is_raised(over)) {
        end(observe_with(racing, "shared", probe, OBV_IMMEDIATE, NULL));
        end(observe_with(racing, "*", probe, OBV_IMMEDIATE, NULL));
    }
    return probe;
}

TEST(TH_1_what_a_reader_can_still_see_is_not_freed)
{
    struct fixture fixture;
    pthread_t threads[2];
    void *probes[2];
    int over = 0;
    fixture_begin_with(&fixture, test_allocator(), 1); /* frees at once */
    racing = item_create(&fixture);
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, observe_and_stop, &over), 0);
    }
    for (int64_t i = 0; i < 100000; i++) {
        item_set_shared(racing, i);
    }
    raise_flag(&over);
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(pthread_join(threads[i], &probes[i]), 0);
    }
    item_release(&racing->object);
    fixture_end(&fixture);
    free(probes[0]);
    free(probes[1]);
}
