/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties that any thread may set (TH-1): who asks for no more than the call is
 * served by the set; all others by one inbound edit, which the drain makes.
 */
#include "witness_fixture.h"

static struct {
    struct fixture fixture;
    struct item *root, *other;
    struct witness first, second;
} shared;

static void shared_begin(void)
{
    memset(&shared, 0, sizeof shared);
    fixture_begin(&shared.fixture);
    shared.root = item_create(&shared.fixture);
    shared.other = item_create(&shared.fixture);
    witness_init(&shared.first, &shared.fixture);
    witness_init(&shared.second, &shared.fixture);
}

static void shared_end(void)
{
    if (shared.root) {
        item_release(&shared.root->object);
    }
    item_release(&shared.other->object);
    probe_release(&shared.first.probe);
    probe_release(&shared.second.probe);
    fixture_end(&shared.fixture);
}

static void *set_to_5(void *item)
{
    item_set_shared(item, 5);
    return NULL;
}

static void *set_to_0(void *item)
{
    item_set_shared(item, 0);
    return NULL;
}

static size_t pending(void)
{
    return obv_loop_pending(obv_context_loop(shared.fixture.context));
}

static struct obv_observation *see(struct witness *witness_, const char *path,
                                   uint32_t flags)
{
    return witness(&shared.root->object, path, witness_, flags);
}

/* Plain observers ----------------------------------------------------------- */

TEST(TH_1_a_plain_immediate_observer_is_called_by_the_thread_that_sets)
{
    shared_begin();
    struct obv_observation *own = see(&shared.first, "shared", OBV_IMMEDIATE);
    on_thread(set_to_5, shared.root);
    CHECK_EQ(calls_of(&shared.first), 1);
    CHECK_EQ(drain(&shared.fixture), 0);
    CHECK_EQ(calls_of(&shared.first), 1);
    end(own);
    shared_end();
}

TEST(TH_1_a_plain_delayed_observer_is_scheduled_by_the_thread_that_sets)
{
    shared_begin();
    struct obv_observation *own = see(&shared.first, "shared", 0);
    on_thread(set_to_5, shared.root);
    CHECK_EQ(pending(), 1);
    CHECK_EQ(drain(&shared.fixture), 1);
    CHECK_EQ(calls_of(&shared.first), 1);
    end(own);
    shared_end();
}

/* Beside one that asks for values, by the same path. */
TEST(TH_1_a_plain_observer_waits_for_nobody_who_asks_for_more)
{
    static const char *const paths[] = {"shared", "next.shared", "*", "next.*"};
    for (size_t i = 0; i < 4; i++) {
        shared_begin();
        item_set_next(shared.root, shared.other);
        struct item *set = i % 2 ? shared.other : shared.root;
        struct obv_observation *more =
            see(&shared.first, paths[i], OBV_RECORDS | OBV_IMMEDIATE);
        struct obv_observation *plain =
            see(&shared.second, paths[i], OBV_IMMEDIATE);
        on_thread(set_to_5, set);
        CHECK_EQ(calls_of(&shared.second), 1);
        CHECK_EQ(calls_of(&shared.first), 0);
        make_inbound_edits(&shared.fixture);
        CHECK_EQ(calls_of(&shared.second), 1);
        CHECK_EQ(calls_of(&shared.first), 1);
        end(more);
        end(plain);
        shared_end();
    }
}

/* The inbound edit ---------------------------------------------------------- */

/* It is one, from the value told last to the one that is stored then. */
TEST(TH_1_EQ_7_what_needs_more_sees_the_sets_between_two_drains_as_one)
{
    static const uint32_t manners[] = {OBV_VALUES, OBV_VALUES | OBV_IMMEDIATE};
    for (size_t i = 0; i < 2; i++) {
        shared_begin();
        struct obv_observation *own = see(&shared.first, "shared", manners[i]);
        for (int64_t value = 1; value < 4; value++) {
            item_set_shared(shared.root, value);
        }
        on_thread(set_to_5, shared.root);
        CHECK_EQ(calls_of(&shared.first), 0);
        CHECK_EQ(pending(), 1);
        CHECK(drain(&shared.fixture) >= 0);
        CHECK_EQ(calls_of(&shared.first), 1);
        CHECK_EQ(shared.first.old.bits, 0);
        CHECK_EQ(shared.first.now.bits, 5);
        item_set_shared(shared.root, 6);
        CHECK(drain(&shared.fixture) >= 0);
        CHECK_EQ(shared.first.old.bits, 5);
        CHECK_EQ(shared.first.now.bits, 6);
        end(own);
        shared_end();
    }
}

TEST(TH_1_EQ_7_there_and_back_between_two_drains_is_no_change)
{
    static const uint32_t manners[] = {OBV_VALUES, OBV_RECORDS, OBV_NET,
                                       OBV_RECORDS | OBV_IMMEDIATE,
                                       OBV_VALUES | OBV_IMMEDIATE | OBV_PRIOR};
    for (size_t i = 0; i < sizeof manners / sizeof *manners; i++) {
        shared_begin();
        struct obv_observation *own = see(&shared.first, "shared", manners[i]);
        on_thread(set_to_5, shared.root);
        on_thread(set_to_0, shared.root);
        CHECK_EQ(drain(&shared.fixture), 0);
        CHECK_EQ(calls_of(&shared.first), 0);
        on_thread(set_to_5, shared.root);
        CHECK(drain(&shared.fixture) >= 0);
        CHECK(calls_of(&shared.first) >= 1);
        end(own);
        shared_end();
    }
}

/* One that has begun in between has seen another value. */
TEST(TH_1_DR_7_there_and_back_is_a_change_for_who_has_begun_in_between)
{
    shared_begin();
    struct obv_observation *own = see(&shared.first, "shared", OBV_NET);
    on_thread(set_to_5, shared.root);
    struct obv_observation *later = see(&shared.second, "shared", OBV_NET);
    on_thread(set_to_0, shared.root);
    CHECK(drain(&shared.fixture) >= 1);
    CHECK_EQ(calls_of(&shared.second), 1);
    end(own);
    end(later);
    shared_end();
}

TEST(TH_1_OB_2_the_call_before_the_store_is_the_drains)
{
    shared_begin();
    struct obv_observation *own =
        see(&shared.first, "shared", OBV_VALUES | OBV_IMMEDIATE | OBV_PRIOR);
    on_thread(set_to_5, shared.root);
    CHECK_EQ(calls_of(&shared.first), 0);
    CHECK_EQ(drain(&shared.fixture), 0);
    CHECK_EQ(calls_of(&shared.first), 2);
    CHECK_EQ(shared.first.priors, 1);
    CHECK_EQ(shared.first.old.bits, 0);
    CHECK_EQ(shared.first.now.bits, 5);
    end(own);
    shared_end();
}

TEST(TH_1_EQ_11_always_different_hears_of_equal_sets_by_the_drain)
{
    shared_begin();
    struct obv_observe_options options = options_of(OBV_IMMEDIATE);
    options.compare = OBV_COMPARE_ALWAYS_DIFFERENT;
    struct obv_observation *own =
        witness_with(&shared.root->object, "shared", &shared.first, &options);
    on_thread(set_to_0, shared.root);
    CHECK_EQ(calls_of(&shared.first), 0);
    CHECK_EQ(drain(&shared.fixture), 0);
    CHECK_EQ(calls_of(&shared.first), 1);
    CHECK_EQ(drain(&shared.fixture), 0);
    CHECK_EQ(calls_of(&shared.first), 1);
    end(own);
    shared_end();
}

/* Drains -------------------------------------------------------------------- */

TEST(TH_1_DR_9_a_nested_drain_makes_inbound_edits)
{
    shared_begin();
    struct obv_observation *own =
        see(&shared.first, "shared", OBV_VALUES | OBV_IMMEDIATE);
    struct obv_observation *by =
        witness(&shared.other->object, "large", &shared.second, 0);
    shared.second.probe.then = NULL;
    item_set_large(shared.other, 1);
    on_thread(set_to_5, shared.root);
    CHECK_EQ(calls_of(&shared.first), 0);
    CHECK_EQ(drain(&shared.fixture), 1);
    CHECK_EQ(calls_of(&shared.first), 1);
    end(own);
    end(by);
    shared_end();
}

TEST(TH_1_DR_14_a_limit_is_of_calls_and_none_of_inbound_edits)
{
    shared_begin();
    struct obv_observation *own =
        see(&shared.first, "shared", OBV_VALUES | OBV_IMMEDIATE);
    struct obv_observation *delayed = see(&shared.second, "shared", OBV_VALUES);
    on_thread(set_to_5, shared.root);
    make_inbound_edits(&shared.fixture);
    CHECK_EQ(calls_of(&shared.first), 1);
    CHECK_EQ(calls_of(&shared.second), 0);
    CHECK_EQ(pending(), 1);
    CHECK_EQ(drain(&shared.fixture), 1);
    end(own);
    end(delayed);
    shared_end();
}

/* DR-11: what other threads have set waits for no batch of this one; what the batch
   has set waits for its end. */
TEST(TH_1_DR_11_a_drain_in_a_batch_makes_the_edits_of_other_threads)
{
    shared_begin();
    struct obv_batch batch;
    struct obv_observation *own = see(&shared.first, "shared", OBV_VALUES);
    struct obv_observation *others =
        witness(&shared.other->object, "shared", &shared.second, OBV_VALUES);
    obv_batch_begin(&batch);
    item_set_shared(shared.root, 7);
    on_thread(set_to_5, shared.other);
    CHECK_EQ(drain(&shared.fixture), 1);
    CHECK_EQ(calls_of(&shared.first), 0);
    CHECK_EQ(calls_of(&shared.second), 1);
    obv_batch_end(&batch);
    CHECK_EQ(drain(&shared.fixture), 1);
    CHECK_EQ(calls_of(&shared.first), 1);
    CHECK_EQ(shared.first.now.bits, 7);
    end(own);
    end(others);
    shared_end();
}

/* The batch leads a path to an end whose set waits: a drain inside it makes that
   edit, and the call at its end tells of both, the path's move and what stands
   then. */
TEST(TH_1_DR_11_a_path_that_a_batch_has_moved_tells_of_a_set_before_it)
{
    static const uint32_t manners[] = {OBV_VALUES, OBV_RECORDS,
                                       OBV_NET | OBV_VALUES};
    for (size_t i = 0; i < 3; i++) {
        shared_begin();
        struct obv_batch batch;
        struct obv_observation *moved =
            see(&shared.first, "next.shared", manners[i]);
        struct obv_observation *other = witness(&shared.other->object, "shared",
                                                &shared.second, OBV_VALUES);
        on_thread(set_to_5, shared.other);
        obv_batch_begin(&batch);
        item_set_next(shared.root, shared.other);
        CHECK_EQ(drain(&shared.fixture), 1);
        CHECK_EQ(calls_of(&shared.first), 0);
        CHECK_EQ(calls_of(&shared.second), 1);
        obv_batch_end(&batch);
        CHECK_EQ(drain(&shared.fixture), 1);
        CHECK_EQ(calls_of(&shared.first), 1);
        const struct witness *told = &shared.first;
        CHECK_EQ(i == 1 ? told->entries[0].first.kind : told->old.kind,
                 OBV_KIND_unreachable);
        CHECK_EQ(i == 1 ? told->entries[0].last.bits : told->now.bits, 5);
        CHECK_EQ(drain(&shared.fixture), 0);
        end(moved);
        end(other);
        shared_end();
    }
}

/* What another thread sets of the same property is not held up. */
TEST(TH_1_DR_11_a_batch_holds_up_no_set_of_another_thread)
{
    shared_begin();
    struct obv_batch batch;
    struct obv_observation *own = see(&shared.first, "shared", OBV_VALUES);
    obv_batch_begin(&batch);
    item_set_shared(shared.root, 7);
    CHECK_EQ(pending(), 0);
    on_thread(set_to_5, shared.root);
    CHECK_EQ(drain(&shared.fixture), 1);
    CHECK_EQ(shared.first.now.bits, 5);
    obv_batch_end(&batch);
    CHECK_EQ(drain(&shared.fixture), 0);
    end(own);
    shared_end();
}

/* Loops --------------------------------------------------------------------- */

static struct obv_loop *make_loop(void)
{
    struct obv_loop *loop;
    CHECK_EQ(obv_loop_create(shared.fixture.context, NULL, &loop), OBV_OK);
    return loop;
}

TEST(TH_1_the_edit_is_made_by_the_loop_of_the_observation)
{
    shared_begin();
    struct obv_loop *loop = make_loop();
    struct obv_observe_options options = options_of(OBV_VALUES);
    options.loop = loop;
    struct obv_observation *own =
        witness_with(&shared.root->object, "shared", &shared.first, &options);
    on_thread(set_to_5, shared.root);
    CHECK_EQ(drain(&shared.fixture), 0);
    CHECK_EQ(obv_loop_pending(loop), 1);
    CHECK_EQ(obv_loop_drain(loop), 1);
    CHECK_EQ(shared.first.now.bits, 5);
    end(own);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    shared_end();
}

/* What waits in it is made by the context's own. */
TEST(TH_1_DR_10_an_edit_outlives_its_loop)
{
    for (int after = 0; after < 2; after++) {
        shared_begin();
        struct obv_loop *loop = make_loop();
        struct obv_observe_options options = options_of(OBV_VALUES);
        options.loop = loop;
        struct obv_observation *own = witness_with(
            &shared.root->object, "shared", &shared.first, &options);
        struct obv_observation *other =
            see(&shared.second, "shared", OBV_VALUES | OBV_IMMEDIATE);
        if (!after) {
            on_thread(set_to_5, shared.root);
        }
        CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
        if (after) {
            on_thread(set_to_5, shared.root);
        }
        CHECK_EQ(drain(&shared.fixture), 0);
        CHECK_EQ(calls_of(&shared.second), 1);
        CHECK_EQ(calls_of(&shared.first), 0);
        end(own);
        end(other);
        shared_end();
    }
}

/* Ends ---------------------------------------------------------------------- */

/* From the set to the drain the object is held (LT-2). */
TEST(TH_1_LT_2_an_object_is_held_until_its_edit_is_made)
{
    shared_begin();
    struct obv_observation *own = see(&shared.first, "shared", OBV_VALUES);
    on_thread(set_to_5, shared.root);
    item_release(&shared.root->object);
    shared.root = NULL;
    CHECK_EQ(drain(&shared.fixture), 1);
    CHECK_EQ(shared.first.now.bits, 5);
    CHECK(obv_has_ended(own));
    obv_release(own);
    shared_end();
}

TEST(TH_1_ST_4_a_stop_leaves_an_edit_that_is_for_nobody)
{
    shared_begin();
    struct obv_observation *own = see(&shared.first, "shared", OBV_VALUES);
    on_thread(set_to_5, shared.root);
    end(own);
    CHECK_EQ(pending(), 1);
    CHECK_EQ(drain(&shared.fixture), 0);
    CHECK_EQ(calls_of(&shared.first), 0);
    on_thread(set_to_0, shared.root);
    CHECK_EQ(pending(), 0);
    own = see(&shared.first, "shared", OBV_VALUES);
    item_set_shared(shared.root, 9);
    CHECK_EQ(drain(&shared.fixture), 1);
    CHECK_EQ(shared.first.old.bits, 0);
    CHECK_EQ(shared.first.now.bits, 9);
    end(own);
    shared_end();
}

TEST(TH_1_a_context_ends_with_an_edit_that_waits)
{
    shared_begin();
    struct obv_observation *own = see(&shared.first, "shared", OBV_VALUES);
    on_thread(set_to_5, shared.root);
    end(own);
    item_release(&shared.root->object);
    shared.root = NULL;
    CHECK_EQ(drain(&shared.fixture), 0);
    shared_end();
}

/* Replacement (EQ-2) -------------------------------------------------------- */

/* An end that any thread may set counts as changed: it may have been set while it
   was left. */
TEST(EQ_2_TH_1_an_end_of_any_thread_that_differs_is_told_by_a_replacement)
{
    static const uint32_t manners[] = {0, OBV_VALUES, OBV_NET, OBV_IMMEDIATE};
    for (size_t i = 0; i < sizeof manners / sizeof *manners; i++) {
        shared_begin();
        struct item *third = item_create(&shared.fixture);
        item_set_shared(third, 3);
        item_set_next(shared.root, shared.other);
        struct obv_observation *own =
            see(&shared.first, "next.shared", manners[i]);
        item_set_next(shared.root, third);
        CHECK(drain(&shared.fixture) >= 0);
        CHECK_EQ(calls_of(&shared.first), 1);
        if (manners[i] & OBV_VALUES) {
            CHECK_EQ(shared.first.old.bits, 0);
            CHECK_EQ(shared.first.now.bits, 3);
        }
        end(own);
        item_release(&third->object);
        shared_end();
    }
}

/* Of whom that compares for himself what was told last counts: a set that waits is
   told by the replacement. */
TEST(EQ_2_TH_1_a_replacement_compares_with_what_was_told_last)
{
    shared_begin();
    struct item *third = item_create(&shared.fixture);
    item_set_shared(third, 5);
    item_set_next(shared.root, shared.other);
    struct obv_observation *own =
        see(&shared.first, "next.shared", OBV_VALUES | OBV_NET);
    on_thread(set_to_5, shared.other);
    item_set_next(shared.root, third);
    CHECK_EQ(drain(&shared.fixture), 1);
    CHECK_EQ(shared.first.old.bits, 0);
    CHECK_EQ(shared.first.now.bits, 5);
    end(own);
    item_release(&third->object);
    shared_end();
}
