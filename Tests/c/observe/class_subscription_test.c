/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Class-level observation (OS-3): what scripts cannot say. Memory, failing
 * allocations, threads, arguments, observers of other kinds; and random
 * programs beside observations of each single object.
 */
#include "contract_fixture.h"

#include <observable/component.h>

#include <sched.h>

static struct obv_observation *observe_class(struct fixture *fixture,
                                             struct probe *probe,
                                             const char *path, uint32_t flags)
{
    struct obv_observation *handle = NULL;
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    CHECK_EQ(obv_observe_class(fixture->item_class, path, &probe->kind, probe,
                               &options, &handle, NULL),
             OBV_OK);
    return handle;
}

static void stop_and_release(struct obv_observation *handle)
{
    obv_stop(handle);
    obv_release(handle);
}

/* --- arguments ----------------------------------------------------------- */

TEST(OS_3_what_is_missing_or_contradicts_itself_is_refused)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct obv_class *cls = fixture.item_class;
    struct obv_observation *handle = NULL;
    struct obv_error error;
    struct obv_observe_options options = {.size = sizeof options,
                                          .flags = OBV_EXTENSIBLE};
    CHECK_EQ(obv_observe_class(NULL, "large", &probe.kind, &probe, NULL, NULL,
                               &error),
             OBV_E_ARGUMENT);
    CHECK_EQ(
        obv_observe_class(cls, NULL, &probe.kind, &probe, NULL, NULL, &error),
        OBV_E_ARGUMENT);
    CHECK_EQ(obv_observe_class(cls, "large", NULL, &probe, NULL, NULL, &error),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_observe_class(cls, "large", &probe.kind, &probe, &options,
                               &handle, &error),
             OBV_E_OPTIONS);
    CHECK_EQ(obv_observe_class(cls, "next..x", &probe.kind, &probe, NULL, NULL,
                               &error),
             OBV_E_SYNTAX);
    CHECK_EQ(error.position, 5);
    CHECK_EQ(
        obv_observe_class(cls, "#1", &probe.kind, &probe, NULL, NULL, &error),
        OBV_E_KIND);
    CHECK_EQ(obv_stop_class_observer(NULL, &probe, NULL, 0, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_stop_class_handler(cls, NULL, NULL), OBV_E_ARGUMENT);
    CHECK(handle == NULL);
    CHECK_EQ(probe.disposed, 0);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* --- calls before the store ---------------------------------------------- */

struct warned {
    struct obv_handler_kind kind;
    unsigned before, after;
};

static void count_both(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    struct warned *warned = observer;
    (void)root;
    warned->before += call->is_prior;
    warned->after += !call->is_prior;
}

TEST(OS_3_OB_2_the_first_set_of_an_instance_is_told_before_the_store)
{
    struct fixture fixture;
    struct warned warned = {.kind = {.changed = count_both}};
    const struct obv_observe_options options = {
        .size = sizeof options, .flags = OBV_IMMEDIATE | OBV_PRIOR};
    struct obv_observation *handle = NULL;
    fixture_begin(&fixture);
    struct item *item = item_create(&fixture);
    CHECK_EQ(obv_observe_class(fixture.item_class, "large", &warned.kind,
                               &warned, &options, &handle, NULL),
             OBV_OK);
    item_set_large(item, 1);
    CHECK_EQ(warned.before, 1);
    CHECK_EQ(warned.after, 1);
    item_set_large(item, 1);
    CHECK_EQ(warned.before, 1);
    item_set_large(item, 2);
    CHECK_EQ(warned.before, 2);
    stop_and_release(handle);
    item_release(&item->object);
    fixture_end(&fixture);
}

/* --- nesting ------------------------------------------------------------- */

struct descent {
    struct fixture *fixture;
    struct obv_handler_kind kind;
    unsigned depth, deepest;
};

static void go_down(void *observer, struct obv_object *root,
                    const struct obv_call *call)
{
    struct descent *descent = observer;
    struct item *item = (struct item *)(void *)root;
    (void)call;
    descent->depth++;
    if (descent->depth > descent->deepest) {
        descent->deepest = descent->depth;
    }
    item_set_large(item, item_large(item) + 1);
    descent->depth--;
}

TEST(OS_3_IM_4_a_block_of_a_class_that_changes_what_it_observes_nests_64_deep)
{
    struct fixture fixture;
    struct descent descent = {.fixture = &fixture,
                              .kind = {.changed = go_down}};
    struct obv_observation *handle = NULL;
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    fixture_begin(&fixture);
    struct item *item = item_create(&fixture);
    CHECK_EQ(obv_observe_class(fixture.item_class, "large", &descent.kind,
                               &descent, &options, &handle, NULL),
             OBV_OK);
    item_set_large(item, 1);
    CHECK_EQ(descent.deepest, 64);
    CHECK_EQ(fixture.diagnostics, 1);
    CHECK_EQ(obv_stop_and_wait(handle), true);
    obv_release(handle);
    item_release(&item->object);
    fixture_end(&fixture);
}

/* --- triggers ------------------------------------------------------------ */

TEST(OS_3_WC_2_a_trigger_of_what_leads_nowhere_calls_nobody)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture), *next = item_create(&fixture);
    struct obv_observation *handle =
        observe_class(&fixture, &probe, "*.large", 0);
    const int64_t none = 0;
    const struct obv_object *nobody = NULL;
    item->large = 5;
    CHECK_EQ(obv_trigger(&item->object, ITEM_LARGE, &none, NULL), OBV_OK);
    CHECK_EQ(drain(&fixture), 0);
    item_release(&item->object);
    /* One that may lead on does: what was there is not known. */
    item = item_create(&fixture);
    item->next = item_retain(&next->object) ? next : NULL;
    CHECK_EQ(obv_trigger(&item->object, ITEM_NEXT, &nobody, NULL), OBV_OK);
    CHECK_EQ(drain(&fixture), 1);
    stop_and_release(handle);
    item_release(&item->object);
    item_release(&next->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

static int told_so_far, turns[2];

static void first_one(struct probe *probe)
{
    (void)probe;
    turns[0] = ++told_so_far;
}

static void second_one(struct probe *probe)
{
    (void)probe;
    turns[1] = ++told_so_far;
}

/* The first follows a path whose value before is not known, the second does. */
static void trigger_with_two(uint32_t first_flags, uint32_t second_flags)
{
    struct fixture fixture;
    struct probe first, second;
    fixture_begin(&fixture);
    probe_init(&first, &fixture);
    probe_init(&second, &fixture);
    first.then = first_one;
    second.then = second_one;
    struct item *item = item_create(&fixture), *next = item_create(&fixture);
    struct obv_observation *one =
        observe_class(&fixture, &first, "next.large", first_flags);
    struct obv_observation *two =
        observe_class(&fixture, &second, "next", second_flags);
    const struct obv_object *nobody = NULL;
    item->next = item_retain(&next->object) ? next : NULL;
    told_so_far = turns[0] = turns[1] = 0;
    CHECK_EQ(obv_trigger(&item->object, ITEM_NEXT, &nobody, NULL), OBV_OK);
    CHECK(drain(&fixture) >= 0);
    CHECK_EQ(told_so_far, 2);
    stop_and_release(one);
    stop_and_release(two);
    item_release(&item->object);
    item_release(&next->object);
    probe_release(&first);
    probe_release(&second);
    fixture_end(&fixture);
}

TEST(OS_3_DR_4_a_first_trigger_calls_in_the_order_of_registration)
{
    trigger_with_two(0, 0);
    CHECK_EQ(turns[0], 1);
    trigger_with_two(OBV_IMMEDIATE, OBV_IMMEDIATE);
    CHECK_EQ(turns[0], 1);
}

/* Wiring the one that is new meets the change where another is at home. */
TEST(OS_3_DR_4_what_wiring_finds_changed_is_told_in_its_order)
{
    struct fixture fixture;
    struct probe first, second;
    fixture_begin(&fixture);
    probe_init(&first, &fixture);
    probe_init(&second, &fixture);
    first.then = first_one;
    second.then = second_one;
    struct item *item = item_create(&fixture), *next = item_create(&fixture);
    struct obv_observation *handle;
    CHECK_EQ(
        obv_observe(&item->object, "next", &first.kind, &first, &handle, NULL),
        OBV_OK);
    obv_make_immediate(handle);
    struct obv_observation *one =
        observe_class(&fixture, &second, "*.large", OBV_IMMEDIATE);
    item_set_small(item, 1);
    struct obv_observation *two =
        observe_class(&fixture, &second, "*.small", 0);
    const struct obv_object *nobody = NULL;
    item->next = item_retain(&next->object) ? next : NULL;
    told_so_far = turns[0] = turns[1] = 0;
    CHECK_EQ(obv_trigger(&item->object, ITEM_NEXT, &nobody, NULL), OBV_OK);
    CHECK_EQ(turns[0], 1);
    CHECK_EQ(turns[1], 2);
    stop_and_release(handle);
    stop_and_release(one);
    stop_and_release(two);
    CHECK_EQ(drain(&fixture), 1);
    item_release(&item->object);
    item_release(&next->object);
    probe_release(&first);
    probe_release(&second);
    fixture_end(&fixture);
}

static struct fixture *of_now;

static void count_pending(struct probe *probe)
{
    (void)probe;
    turns[0] = (int)obv_loop_pending(obv_context_loop(of_now->context));
}

TEST(OS_3_IM_2_a_first_trigger_schedules_before_it_calls)
{
    struct fixture fixture;
    struct probe late, seen;
    fixture_begin(&fixture);
    of_now = &fixture;
    probe_init(&late, &fixture);
    probe_init(&seen, &fixture);
    seen.then = count_pending;
    struct item *item = item_create(&fixture), *next = item_create(&fixture);
    struct obv_observation *one =
        observe_class(&fixture, &late, "next.large", 0);
    struct obv_observation *two =
        observe_class(&fixture, &seen, "next", OBV_IMMEDIATE);
    const struct obv_object *nobody = NULL;
    item->next = item_retain(&next->object) ? next : NULL;
    turns[0] = 0;
    CHECK_EQ(obv_trigger(&item->object, ITEM_NEXT, &nobody, NULL), OBV_OK);
    CHECK_EQ(turns[0], 1);
    CHECK_EQ(drain(&fixture), 1);
    stop_and_release(one);
    stop_and_release(two);
    item_release(&item->object);
    item_release(&next->object);
    probe_release(&late);
    probe_release(&seen);
    fixture_end(&fixture);
}

/* --- memory -------------------------------------------------------------- */

TEST(OS_3_nothing_is_stored_for_an_instance_that_never_changed)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture);
    struct obv_observation *handle = observe_class(&fixture, &probe, "*", 0);
    size_t before = test_live_bytes();
    struct item *other = item_create(&fixture);
    item_set_large(item, 0); /* equal values are no change */
    item_set_text(item, NULL);
    item_set_next(item, NULL);
    item_set_shared(item, 0);
    CHECK_EQ(test_live_bytes() - before, 0);
    CHECK_EQ(drain(&fixture), 0);
    item_set_large(item, 1);
    CHECK(test_live_bytes() > before);
    CHECK_EQ(drain(&fixture), 1);
    CHECK(probe.root == &item->object);
    stop_and_release(handle);
    CHECK_EQ(probe.disposed, 1);
    item_release(&item->object);
    item_release(&other->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

TEST(OS_3_ST_4_a_call_that_a_stop_lets_come_is_taken_back_by_one_that_waits)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture);
    struct obv_observation *handle =
        observe_class(&fixture, &probe, "large", 0);
    item_set_large(item, 1);
    obv_stop(handle);
    CHECK_EQ(probe.disposed, 0); /* a call is to come */
    CHECK(obv_stop_and_wait(handle));
    obv_release(handle);
    item_release(&item->object);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(probe.calls, 0);
    CHECK_EQ(probe.disposed, 1);
    probe_release(&probe);
    fixture_end(&fixture);
}

TEST(OS_3_short_lived_instances_leave_nothing_behind)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct obv_observation *handle =
        observe_class(&fixture, &probe, "large", 0);
    struct obv_observation *deep =
        observe_class(&fixture, &probe, "next.large", OBV_RECORDS);
    size_t before = 0;
    for (int i = 0; i < 20000; i++) {
        struct item *item = item_create(&fixture);
        item_set_large(item, i + 1);
        item_set_next(item, item);
        item_set_next(item, NULL);
        item_release(&item->object);
        CHECK_EQ(drain(&fixture), 2);
        if (i == 1000) {
            obv_context_collect(fixture.context);
            before = test_live_bytes();
        }
    }
    obv_context_collect(fixture.context);
    CHECK(test_live_bytes() <= before);
    CHECK_EQ(probe.calls, 40000);
    stop_and_release(handle);
    stop_and_release(deep);
    CHECK_EQ(probe.disposed, 2);
    probe_release(&probe);
    fixture_end(&fixture);
}

TEST(OS_3_the_kind_is_disposed_of_behind_the_last_of_several_instances)
{
    enum { INSTANCES = 4 };
    struct fixture fixture;
    struct probe probe;
    struct item *items[INSTANCES];
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct obv_observation *handle =
        observe_class(&fixture, &probe, "large", 0);
    for (int i = 0; i < INSTANCES; i++) {
        items[i] = item_create(&fixture);
        item_set_large(items[i], i + 1);
    }
    CHECK_EQ(drain(&fixture), INSTANCES);
    for (int i = 0; i < INSTANCES; i++) {
        item_release(&items[i]->object);
        CHECK_EQ(probe.disposed, 0);
    }
    struct item *later = item_create(&fixture);
    item_set_large(later, 1);
    CHECK_EQ(drain(&fixture), 1);
    stop_and_release(handle);
    CHECK_EQ(probe.disposed, 1);
    item_release(&later->object);
    CHECK_EQ(probe.disposed, 1);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* --- failing allocations ------------------------------------------------- */

/* The first change of an instance, with its n-th allocation failing: it stores,
   and there is one call, with the instance or without. */
static bool change_fails(const char *path, uint32_t flags, size_t n)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *item = item_create(&fixture);
    struct item *next = item_create(&fixture);
    next->large = 5;
    struct obv_observation *handle =
        observe_class(&fixture, &probe, path, flags);
    bool immediate = (flags & OBV_IMMEDIATE) != 0;
    test_fail_allocation(n, true);
    item_set_large(item, 1);
    item_set_shared(item, 1);
    item_set_next(item, next);
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK_EQ(item->large, 1);
    CHECK(item->next == next);
    if (!immediate) {
        CHECK_EQ(drain(&fixture), 1);
    }
    CHECK(probe.calls >= 1);
    CHECK(probe.root == NULL || probe.root == &item->object);
    CHECK(failed || probe.root == &item->object);
    /* With memory it is followed from the next change on. */
    item_set_next(item, NULL);
    CHECK(drain(&fixture) >= 0);
    probe.root = NULL;
    item_set_large(item, 2);
    item_set_shared(item, 2);
    item_set_next(item, next);
    if (!immediate) {
        CHECK(drain(&fixture) >= 1);
    }
    CHECK(probe.root == &item->object);
    stop_and_release(handle);
    CHECK_EQ(probe.disposed, 1);
    item_release(&item->object);
    item_release(&next->object);
    probe_release(&probe);
    fixture_end(&fixture);
    return failed;
}

static void each_allocation_fails(const char *path, uint32_t flags)
{
    size_t n = 1;
    while (change_fails(path, flags, n)) {
        n++;
    }
    CHECK(n > 3);
}

TEST(OS_3_if_the_first_change_finds_no_memory_any_instance_may_have_changed)
{
    each_allocation_fails("large", 0);
    each_allocation_fails("large", OBV_IMMEDIATE);
    each_allocation_fails("large", OBV_TOKEN);
    each_allocation_fails("shared", 0 | OBV_DEFER);
}

TEST(OS_3_the_same_of_longer_paths_and_of_every_property)
{
    each_allocation_fails("*", 0);
    each_allocation_fails("next.large", 0);
    each_allocation_fails("*.large", 0);
    each_allocation_fails("next.large", OBV_IMMEDIATE);
}

TEST(FA_2_beginning_to_observe_a_class_is_all_or_nothing)
{
    static const char *const paths[] = {"large", "next.large", "unknown.x"};
    for (size_t i = 0; i < 3; i++) {
        enum obv_status status = OBV_E_MEMORY;
        for (size_t n = 1; status != OBV_OK; n++) {
            struct fixture fixture;
            struct probe probe;
            fixture_begin(&fixture);
            probe_init(&probe, &fixture);
            struct obv_observation *handle = NULL;
            test_fail_allocation(n, false);
            status =
                obv_observe_class(fixture.item_class, paths[i], &probe.kind,
                                  &probe, NULL, &handle, NULL);
            bool failed = test_allocation_failed();
            test_fail_allocation(0, false);
            CHECK_EQ(status, failed ? OBV_E_MEMORY : OBV_OK);
            CHECK((handle == NULL) == failed);
            CHECK_EQ(probe.disposed, 0);
            stop_and_release(handle);
            probe_release(&probe);
            fixture_end(&fixture);
        }
    }
}

TEST(FA_2_stopping_by_a_compiled_path_of_a_class_needs_no_memory)
{
    struct fixture fixture;
    struct probe probe;
    struct obv_path *path;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    CHECK_EQ(obv_path_parse(obv_context_names(fixture.context), "large", 5,
                            &path, NULL),
             OBV_OK);
    struct obv_observation *handle =
        observe_class(&fixture, &probe, "large", 0);
    const struct obv_path *const paths[] = {path};
    test_fail_allocation(1, true);
    CHECK_EQ(
        obv_stop_class_observer_compiled(fixture.item_class, &probe, paths, 1),
        OBV_OK);
    CHECK(!test_allocation_failed());
    test_fail_allocation(0, false);
    CHECK(obv_has_ended(handle));
    obv_release(handle);
    obv_path_destroy(path);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* --- observers ----------------------------------------------------------- */

static bool is_gone(void *observer)
{
    return ((struct probe *)observer)->references == 0;
}

TEST(OS_3_an_observer_that_is_found_gone_ends_it_for_all_instances)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init_plain(&probe);
    probe.kind.retain = probe_retain;
    probe.kind.release = probe_release;
    probe.kind.gone = is_gone;
    struct item *a = item_create(&fixture), *b = item_create(&fixture);
    struct obv_observation *handle =
        observe_class(&fixture, &probe, "large", 0);
    item_set_large(a, 1);
    item_set_large(b, 1);
    CHECK_EQ(drain(&fixture), 2);
    probe.references = 0;
    item_set_large(a, 2);
    CHECK_EQ(probe.disposed, 1);
    CHECK(obv_has_ended(handle));
    item_set_large(b, 2);
    CHECK_EQ(drain(&fixture), 0);
    obv_release(handle);
    item_release(&a->object);
    item_release(&b->object);
    fixture_end(&fixture);
}

TEST(LT_3_a_count_at_an_instance_finds_the_gone_observer)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init_plain(&probe);
    probe.kind.retain = probe_retain;
    probe.kind.release = probe_release;
    probe.kind.gone = is_gone;
    struct item *item = item_create(&fixture);
    struct obv_observation *handle =
        observe_class(&fixture, &probe, "large", 0);
    probe.references = 0;
    CHECK_EQ(obv_observer_count(&item->object, "large"), 0);
    CHECK_EQ(probe.disposed, 1);
    obv_release(handle);
    item_release(&item->object);
    fixture_end(&fixture);
}

static void stop_what_it_is_called_by(struct probe *probe)
{
    stop_and_release(probe->context);
    probe->context = NULL;
    probe->then = NULL;
}

TEST(OS_3_the_call_names_the_observation_of_the_class)
{
    struct fixture fixture;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init(&probe, &fixture);
    struct item *a = item_create(&fixture), *b = item_create(&fixture);
    probe.context = observe_class(&fixture, &probe, "large", OBV_TOKEN);
    probe.then = stop_what_it_is_called_by;
    item_set_large(a, 1);
    item_set_large(b, 1);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(probe.calls, 1);
    CHECK_EQ(probe.disposed, 1);
    item_release(&a->object);
    item_release(&b->object);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* --- threads ------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 2000 };

struct racing {
    struct fixture fixture;
    struct probe probe;
    struct item *item;
    size_t arrived; /* so many came to a turn, of all so far */
};

/* Waits until everybody has come. */
static void meet(struct racing *racing)
{
    size_t turn = __atomic_fetch_add(&racing->arrived, 1, __ATOMIC_ACQ_REL) /
                  (THREADS + 1);
    while (__atomic_load_n(&racing->arrived, __ATOMIC_ACQUIRE) <
           (turn + 1) * (THREADS + 1)) {
        sched_yield();
    }
}

static void *set_shared(void *argument)
{
    struct racing *racing = argument;
    for (int i = 0; i < ROUNDS; i++) {
        meet(racing);
        /* Each thread another value than all others. */
        item_set_shared(racing->item, (int64_t)((uintptr_t)&i >> 4) + i + 1);
        meet(racing);
    }
    return NULL;
}

/* The first change of an instance, by several threads at once. */
TEST(OS_3_a_first_change_on_several_threads_is_one_call)
{
    struct racing racing;
    pthread_t threads[THREADS];
    fixture_begin(&racing.fixture);
    probe_init(&racing.probe, &racing.fixture);
    struct obv_observation *handle =
        observe_class(&racing.fixture, &racing.probe, "shared", 0);
    racing.arrived = 0;
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, set_shared, &racing), 0);
    }
    for (int i = 0; i < ROUNDS; i++) {
        racing.item = item_create(&racing.fixture);
        meet(&racing);
        meet(&racing);
        CHECK_EQ(drain(&racing.fixture), 1);
        CHECK(racing.probe.root == &racing.item->object);
        item_release(&racing.item->object);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    stop_and_release(handle);
    probe_release(&racing.probe);
    fixture_end(&racing.fixture);
}

static void *make_and_change(void *argument)
{
    struct racing *racing = argument;
    for (int i = 0; i < ROUNDS; i++) {
        struct item *item = item_create(&racing->fixture);
        item_set_shared(item, i + 1);
        item_set_large(item, i + 1);
        item_set_next(item, item);
        item_set_next(item, NULL);
        item_release(&item->object);
    }
    return NULL;
}

TEST(TH_1_instances_come_and_go_while_their_class_is_observed_and_not)
{
    struct racing racing;
    pthread_t threads[THREADS];
    fixture_begin(&racing.fixture);
    probe_init(&racing.probe, &racing.fixture);
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, make_and_change, &racing),
                 0);
    }
    static const char *const paths[] = {"shared", "*", "next.large", "large"};
    size_t begun = 0;
    for (; begun < 400; begun++) {
        struct obv_observation *handle =
            observe_class(&racing.fixture, &racing.probe, paths[begun % 4],
                          begun % 3 == 0 ? OBV_TOKEN : 0);
        (void)obv_loop_drain(obv_context_loop(racing.fixture.context));
        CHECK(obv_stop_and_wait(handle));
        obv_release(handle);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    (void)drain(&racing.fixture);
    obv_context_collect(racing.fixture.context);
    CHECK_EQ(racing.probe.disposed, begun);
    probe_release(&racing.probe);
    fixture_end(&racing.fixture);
}

/* --- beside observations of each object ---------------------------------- */

enum { ITEMS = 5, STEPS = 400 };

static int64_t small_number(unsigned n)
{
    return (int64_t)(test_random() % n);
}

static void change_something(struct item **items)
{
    struct item *item = items[small_number(ITEMS)];
    switch (small_number(4)) {
    case 0:
        item_set_large(item, small_number(3));
        break;
    case 1:
        item_set_small(item, (int32_t)small_number(3));
        break;
    case 2:
        item_set_shared(item, small_number(3));
        break;
    default:
        item_set_next(item,
                      small_number(3) == 0 ? NULL : items[small_number(ITEMS)]);
        break;
    }
}

/* The naive expectation: observing a class is observing each of its objects.
   Of longer paths that is so where all objects began without any. */
static void compare_at_random(const char *path, uint32_t flags)
{
    struct fixture fixture;
    struct probe of_class, of_each[ITEMS];
    struct item *items[ITEMS];
    struct obv_observation *handles[ITEMS];
    fixture_begin(&fixture);
    probe_init(&of_class, &fixture);
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    struct obv_observation *handle =
        observe_class(&fixture, &of_class, path, flags);
    for (size_t i = 0; i < ITEMS; i++) {
        items[i] = item_create(&fixture);
        probe_init(&of_each[i], &fixture);
        const struct obv_pair pair = {&items[i]->object, path};
        CHECK_EQ(obv_observe_pairs(&pair, 1, &of_each[i].kind, &of_each[i],
                                   &options, &handles[i], NULL),
                 OBV_OK);
    }
    for (int i = 0; i < STEPS; i++) {
        change_something(items);
        if (small_number(4) == 0) {
            CHECK(drain(&fixture) >= 0);
            size_t sum = 0;
            for (size_t k = 0; k < ITEMS; k++) {
                sum += of_each[k].calls;
            }
            CHECK_EQ(of_class.calls, sum);
        }
    }
    stop_and_release(handle);
    for (size_t i = 0; i < ITEMS; i++) {
        stop_and_release(handles[i]);
        item_set_next(items[i], NULL);
    }
    CHECK(drain(&fixture) >= 0);
    for (size_t i = 0; i < ITEMS; i++) {
        item_release(&items[i]->object);
        probe_release(&of_each[i]);
    }
    probe_release(&of_class);
    fixture_end(&fixture);
}

TEST(OS_3_it_is_as_if_each_object_were_observed)
{
    static const char *const paths[] = {
        "large", "shared", "*", "next.large", "next.next.small", "next.*"};
    static const uint32_t flags[] = {0,       OBV_IMMEDIATE,   OBV_TOKEN,
                                     OBV_NET, OBV_ANY_ELEMENT, OBV_RECORDS};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
            compare_at_random(paths[i], flags[k]);
        }
    }
}
