/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of the contract about waiting: what returns only when another thread
 * has left a handler or a hook, and what does not wait.
 */
#include "contract_fixture.h"

/* --- waiting ------------------------------------------------------------- */

/* A handler that stays inside until it is told to leave. */
struct stay {
    int inside, leave, left;
};

static void stay_inside(struct probe *probe)
{
    struct stay *stay = probe->context;
    raise_flag(&stay->inside);
    await_flag(&stay->leave);
    raise_flag(&stay->left);
}

static void *leave_later(void *context)
{
    sleep_milliseconds(20);
    raise_flag(&((struct stay *)context)->leave);
    return NULL;
}

TEST(ST_4_stop_and_wait_returns_when_no_call_runs)
{
    struct fixture fixture;
    struct probe probe;
    struct stay stay = {0, 0, 0};
    pthread_t drainer, helper;
    fixture_begin(&fixture);
    probe_init_plain(&probe);
    probe.then = stay_inside;
    probe.context = &stay;
    struct item *item = item_create(&fixture);
    struct obv_observation *handle = observe(item, "large", &probe);
    item_set_large(item, 1);
    struct obv_loop *loop = obv_context_loop(fixture.context);
    CHECK_EQ(pthread_create(&drainer, NULL, drain_loop, loop), 0);
    await_flag(&stay.inside);
    obv_stop(handle); /* does not wait */
    CHECK(!is_raised(&stay.left));
    CHECK_EQ(__atomic_load_n(&probe.disposed, __ATOMIC_RELAXED), 0);
    CHECK_EQ(pthread_create(&helper, NULL, leave_later, &stay), 0);
    CHECK(obv_stop_and_wait(handle));
    CHECK(is_raised(&stay.left));
    CHECK_EQ(pthread_join(drainer, NULL), 0);
    CHECK_EQ(pthread_join(helper, NULL), 0);
    CHECK_EQ(probe.disposed, 1);
    obv_release(handle);
    item_release(&item->object);
    fixture_end(&fixture);
}

static void *use_the_library(void *context)
{
    (void)obv_observer_count(context, "small");
    return NULL;
}

static void count_call(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    CHECK(!observer && root);
    CHECK(call->observation != NULL);
}

TEST(RE_4_a_token_without_an_observer_is_stopped_and_waited_for)
{
    static const struct obv_handler_kind kind = {.changed = count_call};
    struct fixture fixture;
    struct obv_observation *handle = NULL;
    fixture_begin(&fixture);
    struct item *item = item_create(&fixture);
    const struct obv_pair pair = {&item->object, "small"};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_TOKEN};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &kind, NULL, &options, &handle, NULL),
             OBV_OK);
    on_thread(use_the_library, &item->object);
    item_set_small(item, 1);
    CHECK_EQ(drain(&fixture), 1);
    CHECK(obv_stop_and_wait(handle));
    item_set_small(item, 2);
    CHECK_EQ(drain(&fixture), 0);
    obv_release(handle);
    item_release(&item->object);
    fixture_end(&fixture);
}

TEST(LT_9_the_last_call_to_leave_disposes_of_an_immediate_block)
{
    struct fixture fixture;
    struct probe probe;
    struct stay stay = {0, 0, 0};
    pthread_t setter;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    probe.then = stay_inside;
    probe.context = &stay;
    struct item *item = item_create(&fixture);
    struct obv_observation *handle =
        observe_with(item, "large", &probe, OBV_IMMEDIATE, NULL);
    CHECK_EQ(pthread_create(&setter, NULL, set_large_once, item), 0);
    await_flag(&stay.inside);
    obv_stop(handle);
    CHECK_EQ(__atomic_load_n(&probe.disposed, __ATOMIC_RELAXED), 0);
    raise_flag(&stay.leave);
    CHECK_EQ(pthread_join(setter, NULL), 0);
    CHECK_EQ(probe.disposed, 1);
    obv_release(handle);
    item_release(&item->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

static void wait_inside(struct probe *probe)
{
    CHECK(!obv_stop_and_wait(probe->context));
}

TEST(ST_4_stop_and_wait_inside_any_handler_does_not_wait)
{
    struct fixture fixture;
    struct probe probe, other;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    probe_init(&other, &fixture);
    struct item *item = item_create(&fixture);
    struct obv_observation *own = observe(item, "large", &probe);
    struct obv_observation *others = observe(item, "small", &other);
    probe.then = wait_inside;
    probe.context = others;
    other.then = wait_inside;
    other.context = own;
    item_set_large(item, 1);
    CHECK_EQ(drain(&fixture), 1);
    CHECK(obv_has_ended(others));
    probe.context = own;
    item_set_large(item, 2);
    CHECK_EQ(drain(&fixture), 1);
    CHECK(obv_has_ended(own));
    CHECK(obv_stop_and_wait(own));
    obv_release(own);
    obv_release(others);
    item_release(&item->object);
    probe_release(&probe);
    probe_release(&other);
    fixture_end(&fixture);
}

/* A hazard pointer that another thread is inside of while the object ends. */
static struct stay trying;
static bool slow_is_armed;
static size_t slow_tries;

static bool slow_retain(struct obv_object *object)
{
    (void)object;
    if (!slow_is_armed) {
        return true; /* while the observation is made */
    }
    if (__atomic_fetch_add(&slow_tries, 1, __ATOMIC_RELAXED) > 0) {
        return false;
    }
    raise_flag(&trying.inside);
    await_flag(&trying.leave);
    sleep_milliseconds(20); /* the end should be waiting by now */
    raise_flag(&trying.left);
    return false;
}

static bool slow_retain_observer(void *observer)
{
    return slow_retain(observer);
}

static void no_release(struct obv_object *object)
{
    (void)object;
    CHECK(!slow_is_armed); /* a hazard pointer that failed is not given back */
}

static void no_release_observer(void *observer)
{
    no_release(observer);
}

TEST(LT_2_a_roots_end_waits_for_a_hazard_pointer_to_it)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_class *cls = NULL;
    struct item root;
    pthread_t setter;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct obv_class_table table = item_table();
    table.name = "slow";
    table.retain = slow_retain;
    table.release = no_release;
    CHECK_EQ(obv_class_create(fixture.context, &table, &cls, NULL), OBV_OK);
    struct item *next = item_create(&fixture);
    memset(&root, 0, sizeof root);
    root.next = next;
    CHECK(item_retain(&next->object));
    obv_object_init(&root.object, cls);
    struct obv_observation *handle = observe(&root, "next.large", &probe);
    slow_is_armed = true;
    CHECK_EQ(pthread_create(&setter, NULL, set_large_once, next), 0);
    await_flag(&trying.inside);
    raise_flag(&trying.leave);
    CHECK_EQ(obv_object_deinit(&root.object), OBV_OK);
    CHECK(is_raised(&trying.left));
    memset(&root, 0x5A, sizeof root);
    CHECK_EQ(pthread_join(setter, NULL), 0);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(probe.calls, 0);
    obv_release(handle);
    item_release(&next->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

TEST(LT_2_an_observers_end_waits_for_a_hazard_pointer_to_it)
{
    struct fixture fixture;
    struct probe probe;
    pthread_t setter;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    probe.kind.retain = slow_retain_observer;
    probe.kind.release = no_release_observer;
    struct item *item = item_create(&fixture);
    struct obv_observation *handle = observe(item, "large", &probe);
    slow_is_armed = true;
    CHECK_EQ(pthread_create(&setter, NULL, set_large_once, item), 0);
    await_flag(&trying.inside);
    raise_flag(&trying.leave);
    CHECK_EQ(obv_object_deinit(&probe.object), OBV_OK);
    CHECK(is_raised(&trying.left));
    CHECK_EQ(pthread_join(setter, NULL), 0);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(probe.calls, 0);
    CHECK_EQ(probe.disposed, 1);
    obv_release(handle);
    item_release(&item->object);
    fixture_end(&fixture);
}
