/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What observations are told of a property that any thread may set, while
 * another thread sets it. The other thread does its part inside code of the
 * program that the library calls for the first, so each test has one outcome.
 */
#include "witness_fixture.h"

static struct {
    struct fixture fixture;
    struct item *root;
    struct witness first, second;
    int64_t told[8][2];
    size_t count;
} shared;

static void shared_begin(void)
{
    memset(&shared, 0, sizeof shared);
    fixture_begin(&shared.fixture);
    shared.root = item_create(&shared.fixture);
    witness_init(&shared.first, &shared.fixture);
    witness_init(&shared.second, &shared.fixture);
}

static void shared_end(void)
{
    item_release(&shared.root->object);
    probe_release(&shared.first.probe);
    probe_release(&shared.second.probe);
    fixture_end(&shared.fixture);
}

static void keep_told(struct probe *probe)
{
    const struct witness *told = (const struct witness *)(void *)probe;
    CHECK(shared.count < 8);
    shared.told[shared.count][0] = (int64_t)told->old.bits;
    shared.told[shared.count++][1] = (int64_t)told->now.bits;
}

static bool was_told(int64_t old, int64_t now)
{
    size_t times = 0;
    for (size_t i = 0; i < shared.count; i++) {
        times += shared.told[i][0] == old && shared.told[i][1] == now;
    }
    return times == 1;
}

static void *set_zero(void *context)
{
    item_set_shared(context, 0);
    return NULL;
}

/* While a set of 5 looks at the leaves of the property, another thread sets it
   back. */
static bool comes_back(void *context, const struct obv_value *old,
                       const struct obv_value *now)
{
    bool *is_back = context;
    if (!*is_back && now->as.i64 == 5) {
        *is_back = true;
        on_thread(set_zero, shared.root);
    }
    return old->as.i64 == now->as.i64;
}

static void expect_there_and_back(const char *path, uint32_t flags)
{
    bool is_back = false;
    struct obv_observe_options options = options_of(OBV_IMMEDIATE);
    options.equal = comes_back;
    options.equal_context = &is_back;
    shared_begin();
    struct item *head = item_create(&shared.fixture);
    item_set_next(head, shared.root);
    struct obv_observation *asked =
        witness_with(&head->object, path, &shared.first, &options);
    struct obv_observation *told =
        witness(&head->object, path, &shared.second, OBV_IMMEDIATE | flags);
    shared.second.probe.then = keep_told;
    item_set_shared(shared.root, 5);
    CHECK(is_back);
    CHECK_EQ(calls_of(&shared.first), 2);
    CHECK_EQ(calls_of(&shared.second), 2);
    if (flags & OBV_VALUES) {
        CHECK(was_told(0, 5) && was_told(5, 0));
    }
    end(asked);
    end(told);
    item_release(&head->object);
    shared_end();
}

TEST(IM_1_each_change_is_told_where_another_thread_brings_the_old_value_back)
{
    expect_there_and_back("next.shared", OBV_VALUES);
    expect_there_and_back("next.shared", OBV_RECORDS);
    expect_there_and_back("next.shared", OBV_NET);
    expect_there_and_back("next.shared", 0);
}

TEST(IM_1_the_same_under_a_star)
{
    expect_there_and_back("next.*", OBV_RECORDS);
    expect_there_and_back("*.*", OBV_RECORDS);
}

/* RE-1 -------------------------------------------------------------------- */

static struct obv_observation *later;

static void *observe_shared(void *context)
{
    (void)context;
    later = witness(&shared.root->object, "shared", &shared.second,
                    OBV_IMMEDIATE | OBV_VALUES);
    return NULL;
}

static void observe_before_the_store(struct probe *probe)
{
    if (((struct witness *)(void *)probe)->is_prior && !later) {
        (void)observe_shared(NULL);
    }
}

static void observe_elsewhere_before_the_store(struct probe *probe)
{
    if (((struct witness *)(void *)probe)->is_prior && !later) {
        on_thread(observe_shared, NULL);
    }
}

static size_t
calls_of_one_begun_before_the_store(void (*then)(struct probe *probe),
                                    bool by_class)
{
    shared_begin();
    later = NULL;
    struct obv_observation *handle =
        witness(&shared.root->object, "shared", &shared.first,
                OBV_IMMEDIATE | OBV_PRIOR);
    struct obv_observation *level = NULL;
    struct probe of_class;
    probe_init(&of_class, &shared.fixture);
    if (by_class) {
        CHECK_EQ(obv_observe_class(shared.fixture.item_class, "shared",
                                   &of_class.kind, &of_class, NULL, &level,
                                   NULL),
                 OBV_OK);
    }
    shared.first.probe.then = then;
    item_set_shared(shared.root, 1);
    size_t calls = calls_of(&shared.second);
    item_set_shared(shared.root, 2);
    CHECK_EQ(calls_of(&shared.second), calls + 1);
    CHECK_EQ(drain(&shared.fixture), by_class);
    CHECK_EQ(of_class.calls, by_class);
    end(handle);
    end(later);
    end(level);
    probe_release(&of_class);
    shared_end();
    return calls;
}

TEST(RE_1_who_begins_before_the_store_of_any_thread_is_not_called_for_it)
{
    CHECK_EQ(
        calls_of_one_begun_before_the_store(observe_before_the_store, false),
        0);
    CHECK_EQ(
        calls_of_one_begun_before_the_store(observe_before_the_store, true), 0);
}

/* It has seen the value of before, perhaps, and nobody else tells it. */
TEST(RE_1_who_begins_on_another_thread_before_such_a_store_is_called)
{
    CHECK_EQ(calls_of_one_begun_before_the_store(
                 observe_elsewhere_before_the_store, false),
             1);
    CHECK_EQ(calls_of_one_begun_before_the_store(
                 observe_elsewhere_before_the_store, true),
             1);
}
