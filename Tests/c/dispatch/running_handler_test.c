/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is inside a handler: what is refused meanwhile, and what waits for it.
 */
#include "contract_fixture.h"

static void end_item(struct item *item)
{
    item_release(&item->object);
}

static void end_probe(struct probe *probe)
{
    probe_release(probe);
}

static size_t refused, over_now;

static void *set_often(void *item)
{
    while (!__atomic_load_n(&over_now, __ATOMIC_RELAXED)) {
        item_set_shared(item, item_shared(item) + 1);
    }
    return NULL;
}

TEST(DR_6_execute_is_not_refused_because_another_thread_schedules)
{
    struct fixture fixture;
    struct probe probe;
    pthread_t thread;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *root = item_create(&fixture);
    struct obv_observation *handle = observe(root, "shared", &probe);
    pthread_create(&thread, NULL, set_often, root);
    for (int i = 0; i < 200000; i++) {
        refused += !obv_execute(handle);
        if (i % 4 == 0) {
            drain(&fixture);
        }
    }
    __atomic_store_n(&over_now, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    CHECK_EQ(refused, 0);
    end(handle);
    drain(&fixture);
    end_item(root);
    end_probe(&probe);
    fixture_end(&fixture);
}

/* A thread that uses the library after its record has been taken away. */
struct late {
    struct fixture *fixture;
    struct item *root;
    int inside, leave;
};

static void wait_inside(struct probe *probe)
{
    struct late *late = probe->context;
    raise_flag(&late->inside);
    await_flag(&late->leave);
}

static pthread_key_t late_key;

static void drain_late(void *context)
{
    struct late *late = context;
    static _Thread_local int round;
    if (round++ == 0) {
        CHECK_EQ(pthread_setspecific(late_key, late), 0); /* after all first */
        return;
    }
    drain(late->fixture);
}

static void *begin_late(void *context)
{
    struct late *late = context;
    CHECK_EQ(pthread_setspecific(late_key, late), 0);
    item_set_small(late->root, 1);
    return NULL;
}

TEST(LT_9_a_handler_on_a_thread_at_its_end_holds_up_no_other_dispose)
{
    struct fixture fixture;
    struct probe running, stopped;
    pthread_t thread;
    fixture_begin(&fixture);
    probe_init(&running, &fixture);
    probe_init(&stopped, &fixture);
    struct item *root = item_create(&fixture), *other = item_create(&fixture);
    struct late late = {&fixture, root, 0, 0};
    running.then = wait_inside;
    running.context = &late;
    struct obv_observation *one = observe(root, "small", &running);
    struct obv_observation *two = observe(other, "small", &stopped);
    CHECK_EQ(pthread_key_create(&late_key, drain_late), 0);
    CHECK_EQ(pthread_create(&thread, NULL, begin_late, &late), 0);
    await_flag(&late.inside);
    end(two);
    raise_flag(&late.leave);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    end(one);
    drain(&fixture);
    CHECK_EQ(running.disposed, 1);
    CHECK_EQ(stopped.disposed, 1);
    end_item(root);
    end_item(other);
    end_probe(&running);
    end_probe(&stopped);
    fixture_end(&fixture);
}

/* Sets what another observation of the same loop follows. */
static void dispose_and_set(const struct obv_handler_kind *kind, void *observer)
{
    struct probe *probe = observer;
    struct item *root = probe->context;
    probe_dispose(kind, observer);
    item_set_small(root, item_small(root) + 1);
}

TEST(DR_5_what_a_drain_disposes_of_may_change_what_the_next_one_tells)
{
    struct fixture fixture;
    struct probe running, stopped, told;
    pthread_t thread;
    fixture_begin(&fixture);
    probe_init(&running, &fixture);
    probe_init(&stopped, &fixture);
    probe_init(&told, &fixture);
    struct item *root = item_create(&fixture), *other = item_create(&fixture);
    struct item *third = item_create(&fixture);
    struct late late = {&fixture, root, 0, 0};
    running.then = wait_inside;
    running.context = &late;
    stopped.kind.dispose = dispose_and_set;
    stopped.context = third;
    struct obv_observation *one = observe(root, "small", &running);
    struct obv_observation *two = observe(other, "small", &stopped);
    struct obv_observation *three = observe(third, "small", &told);
    CHECK_EQ(pthread_key_create(&late_key, drain_late), 0);
    CHECK_EQ(pthread_create(&thread, NULL, begin_late, &late), 0);
    await_flag(&late.inside);
    end(two);
    raise_flag(&late.leave);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    end(one);
    CHECK_EQ(drain(&fixture) + drain(&fixture), 1);
    CHECK_EQ(stopped.disposed, 1);
    CHECK_EQ(told.calls, 1);
    end(three);
    end_item(root);
    end_item(other);
    end_item(third);
    end_probe(&running);
    end_probe(&stopped);
    end_probe(&told);
    fixture_end(&fixture);
}

static size_t inside, twice;

static void look_inside(struct probe *probe)
{
    (void)probe;
    if (__atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST) > 1) {
        __atomic_add_fetch(&twice, 1, __ATOMIC_SEQ_CST);
    }
    for (volatile int i = 0; i < 200; i++) {
    }
    __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
}

static void *execute_often(void *handle)
{
    for (int i = 0; i < 50000; i++) {
        (void)obv_execute(handle);
    }
    return NULL;
}

TEST(DR_6_execute_on_two_threads_enters_the_handler_once_at_a_time)
{
    struct fixture fixture;
    struct probe probe;
    pthread_t threads[2];
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    probe.then = look_inside;
    struct item *root = item_create(&fixture);
    struct obv_observation *handle = observe(root, "small", &probe);
    for (int t = 0; t < 2; t++) {
        CHECK_EQ(pthread_create(&threads[t], NULL, execute_often, handle), 0);
    }
    for (int t = 0; t < 2; t++) {
        CHECK_EQ(pthread_join(threads[t], NULL), 0);
    }
    CHECK_EQ(twice, 0);
    end(handle);
    end_item(root);
    end_probe(&probe);
    fixture_end(&fixture);
}
