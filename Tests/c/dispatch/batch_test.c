/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DR-11: what scripts cannot say of batches, threads above all.
 */
#include "contract_fixture.h"

struct level {
    struct obv_object object;
    int32_t value;
};

OBV_PROPERTY_ANY_THREAD(level, value, i32, 0)

static const struct obv_property level_properties[] = {
    OBV_FIELD_WITH(level, value, i32, OBV_ANY_THREAD, NULL)};
static const struct obv_class_table level_table = {
    .size = sizeof level_table,
    .name = "level",
    .instance_size = sizeof(struct level),
    .properties = level_properties,
    .property_count = 1};

struct seen {
    int calls;
    int32_t last;
};

static void note(void *observer, struct obv_object *root,
                 const struct obv_call *call)
{
    struct seen *seen = observer;
    (void)call;
    seen->calls++;
    seen->last = level_value((struct level *)root);
}

static const struct obv_handler_kind noting = {.changed = note};

static struct obv_class *level_class;

static void level_begin(struct fixture *fixture, struct level *level)
{
    fixture_begin(fixture);
    CHECK_EQ(
        obv_class_create(fixture->context, &level_table, &level_class, NULL),
        OBV_OK);
    memset(level, 0, sizeof *level);
    obv_object_init(&level->object, level_class);
}

TEST(DR_11_an_end_without_a_begin_does_nothing)
{
    struct obv_batch batch;
    struct fixture fixture;
    struct level level;
    struct seen seen = {0, 0};
    level_begin(&fixture, &level);
    obv_batch_end(&batch);
    CHECK_EQ(obv_observe(&level.object, "value", &noting, &seen, NULL, NULL),
             OBV_OK);
    level_set_value(&level, 1);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(obv_object_deinit(&level.object), OBV_OK);
    fixture_end(&fixture);
}

static void count_wake(void *wakes)
{
    ++*(int *)wakes;
}

TEST(DR_11_the_end_wakes_each_loop_once)
{
    struct fixture fixture;
    struct level level;
    struct obv_batch batch;
    struct seen seen = {0, 0}, other = {0, 0};
    struct obv_loop *loop;
    int wakes = 0;
    level_begin(&fixture, &level);
    const struct obv_loop_options with = {
        .size = sizeof with, .wake = count_wake, .wake_context = &wakes};
    CHECK_EQ(obv_loop_create(fixture.context, &with, &loop), OBV_OK);
    const struct obv_observe_options options = {.size = sizeof options,
                                                .loop = loop};
    const struct obv_pair pair = {&level.object, "value"};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &noting, &seen, &options, NULL, NULL),
             OBV_OK);
    CHECK_EQ(obv_observe_pairs(&pair, 1, &noting, &other, &options, NULL, NULL),
             OBV_OK);
    obv_batch_begin(&batch);
    level_set_value(&level, 1);
    level_set_value(&level, 2);
    CHECK_EQ(wakes, 0);
    obv_batch_end(&batch);
    CHECK_EQ(wakes, 1);
    CHECK_EQ(obv_loop_drain(loop), 2);
    CHECK_EQ(seen.last, 2);
    CHECK_EQ(obv_object_deinit(&level.object), OBV_OK);
    CHECK_EQ(obv_loop_destroy(loop), OBV_OK);
    fixture_end(&fixture);
}

/* One thread sets in batches, another beside it without, a third drains: the
   value that was set last is the one that was delivered last. */

enum { ROUNDS = 2000 };

struct race {
    struct fixture fixture;
    struct level level;
    struct seen seen;
    int over;
};

static void *set_in_batches(void *given)
{
    struct race *race = given;
    for (int32_t i = 1; i <= ROUNDS; i++) {
        struct obv_batch outer, inner;
        obv_batch_begin(&outer);
        level_set_value(&race->level, 4 * i);
        obv_batch_begin(&inner);
        level_set_value(&race->level, 4 * i + 1);
        obv_batch_end(&inner);
        obv_batch_end(&outer);
    }
    return NULL;
}

static void *set_plainly(void *given)
{
    struct race *race = given;
    for (int32_t i = 1; i <= ROUNDS; i++) {
        level_set_value(&race->level, 4 * i + 2);
    }
    return NULL;
}

static void *drain_until_over(void *given)
{
    struct race *race = given;
    while (!is_raised(&race->over)) {
        drain(&race->fixture);
    }
    return NULL;
}

TEST(DR_11_the_last_value_set_is_the_last_delivered)
{
    static struct race race;
    pthread_t threads[3];
    level_begin(&race.fixture, &race.level);
    CHECK_EQ(obv_observe(&race.level.object, "value", &noting, &race.seen, NULL,
                         NULL),
             OBV_OK);
    CHECK_EQ(pthread_create(&threads[0], NULL, drain_until_over, &race), 0);
    CHECK_EQ(pthread_create(&threads[1], NULL, set_in_batches, &race), 0);
    CHECK_EQ(pthread_create(&threads[2], NULL, set_plainly, &race), 0);
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
    raise_flag(&race.over);
    pthread_join(threads[0], NULL);
    drain(&race.fixture);
    CHECK_EQ(race.seen.last, level_value(&race.level));
    CHECK_EQ(obv_loop_pending(obv_context_loop(race.fixture.context)), 0);
    CHECK_EQ(obv_object_deinit(&race.level.object), OBV_OK);
    fixture_end(&race.fixture);
}

/* Observations that keep change records ---------------------------------- */

static void level_free(struct level *level)
{
    CHECK_EQ(obv_object_deinit(&level->object), OBV_OK);
    memset(level, 0x5A, sizeof *level);
}

/* Ends the observation of a root without hooks inside a batch that it is due in,
   where a drain lets go of the call that was pending before. */
static void end_in_batch(uint32_t flags, bool by_stop, bool is_cancelled)
{
    struct fixture fixture;
    struct level level;
    struct probe probe;
    struct obv_batch batch;
    struct obv_observation *handle;
    level_begin(&fixture, &level);
    probe_init(&probe, &fixture);
    const struct obv_observe_options with = {
        .size = sizeof with, .flags = flags | (is_cancelled ? OBV_TOKEN : 0u)};
    const struct obv_pair pair = {&level.object, "value"};
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &probe.kind, &probe, &with, &handle, NULL),
        OBV_OK);
    level_set_value(&level, 1);
    obv_batch_begin(&batch);
    level_set_value(&level, 2);
    if (by_stop) {
        obv_stop(handle);
    } else {
        level_free(&level);
    }
    obv_release(handle);
    CHECK_EQ(drain(&fixture), 0);
    obv_context_collect(fixture.context);
    CHECK_EQ(probe.disposed, 1); /* the batch holds nothing of it */
    obv_batch_end(&batch);
    CHECK_EQ(drain(&fixture), 0);
    CHECK_EQ(probe.disposed, 1);
    CHECK_EQ(probe.references, 1);
    CHECK_EQ(probe.calls, 0);
    if (by_stop) {
        level_free(&level);
    }
    probe_release(&probe);
    fixture_end(&fixture);
}

TEST(RE_2_LT_2_a_root_without_hooks_ends_in_a_batch_that_is_drained)
{
    end_in_batch(OBV_RECORDS, false, false);
    end_in_batch(OBV_NET, false, false);
    end_in_batch(OBV_RECORDS, false, true);
}

TEST(RE_2_ST_4_a_root_without_hooks_is_left_in_a_batch_that_is_drained)
{
    end_in_batch(OBV_RECORDS, true, false);
    end_in_batch(OBV_NET, true, false);
    end_in_batch(OBV_RECORDS, true, true);
}

/* What the call is for then is the other one, the batch's as well. */
TEST(RE_2_RE_3_one_of_two_roots_without_hooks_ends_in_a_batch)
{
    struct fixture fixture;
    struct level gone, kept;
    struct probe probe;
    struct obv_batch batch;
    struct obv_observation *handle;
    level_begin(&fixture, &gone);
    memset(&kept, 0, sizeof kept);
    obv_object_init(&kept.object, obv_object_class(&gone.object));
    probe_init(&probe, &fixture);
    const struct obv_pair pairs[] = {{&gone.object, "value"},
                                     {&kept.object, "value"}};
    const struct obv_observe_options with = {.size = sizeof with,
                                             .flags = OBV_RECORDS};
    CHECK_EQ(
        obv_observe_pairs(pairs, 2, &probe.kind, &probe, &with, &handle, NULL),
        OBV_OK);
    level_set_value(&gone, 1);
    make_inbound_edits(&fixture);
    obv_batch_begin(&batch);
    level_set_value(&gone, 2);
    level_free(&gone);
    CHECK_EQ(drain(&fixture), 1);
    CHECK(probe.root == &kept.object);
    level_set_value(&kept, 3);
    CHECK_EQ(drain(&fixture), 0);
    obv_batch_end(&batch);
    CHECK_EQ(drain(&fixture), 1);
    CHECK(probe.root == &kept.object);
    CHECK_EQ(probe.calls, 2);
    end(handle);
    level_free(&kept);
    CHECK_EQ(probe.disposed, 1);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* All who watch are pending, and the slot says so: not to a batch. */
TEST(DR_11_a_quiet_slot_does_not_hide_a_set_in_a_batch)
{
    struct fixture fixture;
    struct level level;
    struct seen seen = {0, 0};
    struct obv_batch batch;
    level_begin(&fixture, &level);
    CHECK_EQ(obv_observe(&level.object, "value", &noting, &seen, NULL, NULL),
             OBV_OK);
    for (int32_t value = 1; value <= 3; value++) {
        level_set_value(&level, value);
    }
    obv_batch_begin(&batch);
    level_set_value(&level, 4);
    CHECK_EQ(drain(&fixture), 1);
    obv_batch_end(&batch);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(obv_object_deinit(&level.object), OBV_OK);
    fixture_end(&fixture);
}

/* Without memory what a batch makes due is scheduled at once. */
TEST(DR_11_FA_1_without_memory_a_change_is_scheduled_at_once)
{
    struct fixture fixture;
    struct level level;
    struct seen seen = {0, 0};
    struct obv_batch batch;
    level_begin(&fixture, &level);
    CHECK_EQ(obv_observe(&level.object, "value", &noting, &seen, NULL, NULL),
             OBV_OK);
    obv_batch_begin(&batch);
    test_fail_allocation(1, true);
    level_set_value(&level, 1);
    test_fail_allocation(0, false);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(seen.last, 1);
    level_set_value(&level, 2);
    CHECK_EQ(drain(&fixture), 0);
    obv_batch_end(&batch);
    CHECK_EQ(drain(&fixture), 1);
    CHECK_EQ(seen.last, 2);
    CHECK_EQ(obv_object_deinit(&level.object), OBV_OK);
    fixture_end(&fixture);
}

enum { MANY = 300 };

static struct level levels[MANY];
static struct seen seen[MANY]; /* what observes each */

static void many_begin(struct fixture *fixture)
{
    level_begin(fixture, &levels[0]);
    for (int i = 0; i < MANY; i++) {
        memset(&levels[i], 0, sizeof levels[i]);
        obv_object_init(&levels[i].object, level_class);
        CHECK_EQ(obv_observe(&levels[i].object, "value", &noting, &seen[i],
                             NULL, NULL),
                 OBV_OK);
    }
}

static void many_end(struct fixture *fixture)
{
    for (int i = 0; i < MANY; i++) {
        CHECK_EQ(obv_object_deinit(&levels[i].object), OBV_OK);
    }
    fixture_end(fixture);
}

/* Many are found by a table. */
TEST(DR_11_many_observations_are_scheduled_once_each_in_their_order)
{
    struct fixture fixture;
    struct obv_batch batch;
    many_begin(&fixture);
    obv_batch_begin(&batch);
    for (int32_t value = 1; value <= 3; value++) {
        for (int i = MANY; i-- > 0;) {
            level_set_value(&levels[i], value);
        }
    }
    CHECK_EQ(drain(&fixture), 0);
    obv_batch_end(&batch);
    CHECK_EQ(obv_loop_pending(obv_context_loop(fixture.context)), MANY);
    for (int i = MANY; i-- > 0;) {
        CHECK_EQ(obv_loop_drain_some(obv_context_loop(fixture.context), 1), 1);
        CHECK_EQ(seen[i].calls, 1);
        CHECK_EQ(seen[i].last, 3);
    }
    many_end(&fixture);
}

/* A table that there is no memory for: they are looked through. */
TEST(DR_11_FA_1_every_allocation_of_a_batch_may_fail)
{
    struct fixture fixture;
    struct obv_batch batch;
    many_begin(&fixture);
    for (int32_t nth = 1; nth <= MANY + 4; nth++) {
        obv_batch_begin(&batch);
        test_fail_allocation((size_t)nth, false);
        for (int i = 0; i < MANY; i++) {
            level_set_value(&levels[i], nth);
        }
        test_fail_allocation(0, false);
        ptrdiff_t at_once = drain(&fixture);
        CHECK(at_once == 0 || at_once == 1);
        obv_batch_end(&batch);
        CHECK_EQ(at_once + drain(&fixture), MANY);
        for (int i = 0; i < MANY; i++) {
            CHECK_EQ(seen[i].last, nth);
        }
    }
    many_end(&fixture);
}

/* Batches of two threads: one leaves the list of those that are open while the
   other's table grows. What it must not touch the thread sanitizer says. */

static void *set_half_in_batches(void *given)
{
    struct level *half = given;
    for (int32_t value = 1; value <= ROUNDS; value++) {
        struct obv_batch batch;
        obv_batch_begin(&batch);
        for (int i = 0; i < 40; i++) {
            level_set_value(&half[i], value);
        }
        obv_batch_end(&batch);
    }
    return NULL;
}

TEST(DR_11_TH_1_batches_of_two_threads_grow_and_end_beside_each_other)
{
    struct fixture fixture;
    pthread_t threads[2];
    many_begin(&fixture);
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, set_half_in_batches,
                                &levels[i * MANY / 2]),
                 0);
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    CHECK_EQ(drain(&fixture), 80);
    for (int i = 0; i < 40; i++) {
        CHECK_EQ(seen[i].last, ROUNDS);
        CHECK_EQ(seen[MANY / 2 + i].last, ROUNDS);
    }
    many_end(&fixture);
}

/* Observations end on other threads while a batch has put them aside. */

struct ends {
    struct fixture fixture;
    struct level level;
    struct obv_observation *handle;
    int is_aside; /* to be, or it is */
};

static void *stop_there(void *given)
{
    struct ends *ends = given;
    await_flag(&ends->is_aside);
    obv_stop(ends->handle);
    obv_release(ends->handle);
    return NULL;
}

static void end_beside_a_batch(uint32_t flags)
{
    for (int round = 0; round < 200; round++) {
        static struct ends ends;
        struct probe probe;
        struct obv_batch batch;
        pthread_t thread;
        memset(&ends, 0, sizeof ends);
        level_begin(&ends.fixture, &ends.level);
        probe_init(&probe, &ends.fixture);
        const struct obv_observe_options with = {.size = sizeof with,
                                                 .flags = flags};
        const struct obv_pair pair = {&ends.level.object, "value"};
        CHECK_EQ(obv_observe_pairs(&pair, 1, &probe.kind, &probe, &with,
                                   &ends.handle, NULL),
                 OBV_OK);
        CHECK_EQ(pthread_create(&thread, NULL, stop_there, &ends), 0);
        obv_batch_begin(&batch);
        if (round % 2) {
            raise_flag(&ends.is_aside);
        }
        level_set_value(&ends.level, 1);
        raise_flag(&ends.is_aside);
        obv_batch_end(&batch);
        pthread_join(thread, NULL);
        (void)drain(&ends.fixture);
        CHECK_EQ(probe.disposed, 1);
        CHECK_EQ(probe.references, 1);
        CHECK_EQ(obv_object_deinit(&ends.level.object), OBV_OK);
        probe_release(&probe);
        fixture_end(&ends.fixture);
    }
}

TEST(DR_11_RE_2_observations_end_on_other_threads_while_they_are_put_aside)
{
    end_beside_a_batch(0);
    end_beside_a_batch(OBV_TOKEN);
    end_beside_a_batch(OBV_RECORDS);
    end_beside_a_batch(OBV_RECORDS | OBV_TOKEN);
}
