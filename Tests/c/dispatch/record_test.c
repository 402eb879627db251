/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records (DR-13), as far as scripts cannot say it: causes, the numbers of
 * pairs, the limit.
 */
#include "witness_fixture.h"

static struct stage {
    struct fixture fixture;
    struct item *root, *one, *other;
    struct witness witness;
    struct obv_observation *handle;
} stage;

static void stage_begin(void)
{
    memset(&stage, 0, sizeof stage);
    fixture_begin(&stage.fixture);
    stage.root = item_create(&stage.fixture);
    stage.one = item_create(&stage.fixture);
    stage.other = item_create(&stage.fixture);
    witness_init(&stage.witness, &stage.fixture);
}

static void stage_observe(const char *path, uint32_t flags)
{
    stage.handle =
        witness(&stage.root->object, path, &stage.witness, flags | OBV_RECORDS);
}

static void stage_end(void)
{
    end(stage.handle);
    CHECK(drain(&stage.fixture) >= 0);
    item_release(&stage.root->object);
    item_release(&stage.one->object);
    item_release(&stage.other->object);
    probe_release(&stage.witness);
    fixture_end(&stage.fixture);
}

static const struct kept_entry *only_entry(void)
{
    CHECK_EQ(stage.witness.count, 1);
    return &stage.witness.entries[0];
}

static void expect_cause(const struct obv_cause *cause, const char *file,
                         uint32_t line)
{
    CHECK_EQ(cause->thread, obv_thread_number());
    CHECK_TEXT(cause->file, file);
    CHECK_EQ(cause->line, line);
}

/* Causes ------------------------------------------------------------------ */

TEST(DR_13_a_cause_has_the_thread_and_no_line_that_is_not_known)
{
    stage_begin();
    stage_observe("large", 0);
    item_set_large(stage.root, 1);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK(obv_thread_number() != 0);
    expect_cause(&only_entry()->first_cause, NULL, 0);
    expect_cause(&only_entry()->last_cause, NULL, 0);
    stage_end();
}

TEST(DR_13_the_causes_of_the_first_change_and_of_the_last)
{
    stage_begin();
    stage_observe("large", 0);
    uint32_t line = __LINE__ + 1;
    OBV_HERE(item_set_large(stage.root, 1));
    item_set_large(stage.root, 2);
    OBV_HERE(item_set_large(stage.root, 3));
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(only_entry()->changes, 3);
    expect_cause(&only_entry()->first_cause, __FILE__, line);
    expect_cause(&only_entry()->last_cause, __FILE__, line + 2);
    item_set_large(stage.root, 4); /* behind it nothing is known again */
    CHECK_EQ(drain(&stage.fixture), 1);
    expect_cause(&only_entry()->first_cause, NULL, 0);
    stage_end();
}

TEST(DR_13_source_lines_nest)
{
    struct obv_source outer, inner;
    stage_begin();
    stage_observe("large", OBV_IMMEDIATE);
    obv_source_begin(&outer, "outer.c", 1);
    item_set_large(stage.root, 1);
    expect_cause(&only_entry()->last_cause, "outer.c", 1);
    obv_source_begin(&inner, "inner.c", 2);
    item_set_large(stage.root, 2);
    expect_cause(&only_entry()->last_cause, "inner.c", 2);
    obv_source_end(&inner);
    item_set_large(stage.root, 3);
    expect_cause(&only_entry()->last_cause, "outer.c", 1);
    obv_source_end(&outer);
    item_set_large(stage.root, 4);
    expect_cause(&only_entry()->last_cause, NULL, 0);
    stage_end();
}

static void set_in_handler(struct probe *probe)
{
    if (item_large(stage.one) == 0) {
        OBV_HERE(item_set_large(stage.one, 7));
    }
    (void)probe;
}

/* What a handler changes has the handler's line, and then the outer one goes
   on. */
TEST(DR_13_a_handlers_changes_have_lines_of_their_own)
{
    struct witness second;
    stage_begin();
    witness_init(&second, &stage.fixture);
    stage_observe("large", OBV_IMMEDIATE);
    stage.witness.probe.then = set_in_handler;
    struct obv_observation *below =
        witness(&stage.one->object, "large", &second, OBV_RECORDS);
    OBV_HERE(item_set_large(stage.root, 1));
    uint32_t line = __LINE__ - 1;
    expect_cause(&only_entry()->last_cause, __FILE__, line);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(second.count, 1);
    CHECK(second.entries[0].last_cause.line != line);
    CHECK(second.entries[0].last_cause.line != 0);
    end(below);
    probe_release(&second);
    stage_end();
}

static uint64_t other_thread;

static void *set_elsewhere(void *context)
{
    other_thread = obv_thread_number();
    OBV_HERE(item_set_large(context, 2));
    return NULL;
}

TEST(DR_13_a_change_of_another_thread_has_its_number)
{
    stage_begin();
    stage_observe("large", 0);
    struct obv_source source;
    obv_source_begin(&source, "mine.c", 4); /* this thread's alone */
    item_set_large(stage.root, 1);
    on_thread(set_elsewhere, stage.root);
    CHECK_EQ(drain(&stage.fixture), 1);
    obv_source_end(&source);
    CHECK(other_thread != 0 && other_thread != obv_thread_number());
    expect_cause(&only_entry()->first_cause, "mine.c", 4);
    CHECK_EQ(only_entry()->last_cause.thread, other_thread);
    CHECK_TEXT(only_entry()->last_cause.file, __FILE__);
    CHECK_EQ(only_entry()->changes, 2);
    stage_end();
}

static void *number_here(void *context)
{
    *(uint64_t *)context = obv_thread_number();
    return NULL;
}

TEST(DR_13_no_thread_has_anothers_number_also_after_its_end)
{
    enum { THREADS = 8 };
    uint64_t numbers[THREADS + 1] = {obv_thread_number()};
    CHECK_EQ(obv_thread_number(), numbers[0]);
    for (int i = 1; i <= THREADS; i++) {
        on_thread(number_here, &numbers[i]);
        for (int j = 0; j < i; j++) {
            CHECK(numbers[i] != numbers[j]);
        }
    }
}

/* An object in the middle that is replaced: its cause is that of the set above
   the end. */
TEST(DR_13_a_cause_is_that_of_the_change_above_the_end)
{
    stage_begin();
    item_set_large(stage.one, 1);
    item_set_next(stage.root, stage.one);
    stage_observe("next.large", 0);
    uint32_t line = __LINE__ + 1;
    OBV_HERE(item_set_next(stage.root, stage.other));
    item_set_large(stage.other, 3);
    CHECK_EQ(drain(&stage.fixture), 1);
    expect_cause(&only_entry()->first_cause, __FILE__, line);
    expect_cause(&only_entry()->last_cause, NULL, 0);
    CHECK_EQ(only_entry()->changes, 2);
    stage_end();
}

/* Pairs ------------------------------------------------------------------- */

TEST(DR_13_pairs_are_numbered_through_also)
{
    struct obv_observe_options options = options_of(OBV_RECORDS);
    stage_begin();
    const struct obv_pair pairs[] = {{&stage.root->object, "large"},
                                     {&stage.root->object, "small"}};
    const struct obv_pair more[] = {{&stage.one->object, "large"},
                                    {&stage.root->object, "small"},
                                    {&stage.root->object, "real"}};
    CHECK_EQ(obv_observe_pairs(pairs, 2, &stage.witness.probe.kind,
                               &stage.witness, &options, &stage.handle, NULL),
             OBV_OK);
    CHECK_EQ(obv_observe_also(stage.handle, more, 3, NULL), OBV_OK);
    item_set_real(stage.root, 1);
    item_set_large(stage.one, 2);
    item_set_small(stage.root, 3);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(stage.witness.count, 3);
    CHECK_TEXT(stage.witness.entries[0].path, "real");
    CHECK_TEXT(stage.witness.entries[1].path, "large");
    CHECK_EQ(stage.witness.entries[1].last.bits, 2);
    CHECK_TEXT(stage.witness.entries[2].path, "small");
    CHECK_EQ(stage.witness.entries[2].pair, 1);
    CHECK_EQ(stage.witness.entries[1].pair, 2);
    CHECK_EQ(stage.witness.entries[0].pair, 3); /* "small" was there */
    stage_end();
}

TEST(DR_13_paths_stand_as_they_were_written)
{
    stage_begin();
    item_set_next(stage.root, stage.one);
    stage_observe("\\next.\\large", 0);
    item_set_large(stage.one, 1);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_TEXT(only_entry()->path, "\\next.\\large");
    stage_end();
}

/* The limit --------------------------------------------------------------- */

static void observe_with_limit(uint32_t limit, uint32_t flags)
{
    struct obv_observe_options options = options_of(flags | OBV_RECORDS);
    options.record_limit = limit;
    stage.handle =
        witness_with(&stage.root->object, "*", &stage.witness, &options);
}

/* Changes so many properties, each twice. */
static void change(size_t count)
{
    static int64_t value;
    for (int round = 0; round < 2; round++) {
        value++;
        if (count > 0) {
            item_set_large(stage.root, value);
        }
        if (count > 1) {
            item_set_small(stage.root, (int32_t)value);
        }
        if (count > 2) {
            item_set_real(stage.root, (double)value);
        }
        if (count > 3) {
            item_set_shared(stage.root, value);
        }
    }
}

TEST(DR_13_a_record_has_at_most_as_many_entries_as_asked)
{
    for (uint32_t limit = 1; limit <= 5; limit++) {
        stage_begin();
        observe_with_limit(limit, 0);
        for (size_t count = 1; count <= 4; count++) {
            change(count);
            CHECK_EQ(drain(&stage.fixture), 1);
            size_t fit = count < limit ? count : limit;
            CHECK_EQ(stage.witness.count, fit);
            CHECK_EQ(stage.witness.missing, count - fit);
            CHECK_TEXT(stage.witness.entries[0].way, "large");
            CHECK_EQ(stage.witness.entries[0].changes, 2);
        }
        stage_end();
    }
}

/* One change with many endpoints. */
TEST(DR_13_an_immediate_record_has_the_same_limit)
{
    for (uint32_t limit = 1; limit <= 5; limit++) {
        stage_begin();
        struct obv_observe_options options =
            options_of(OBV_RECORDS | OBV_IMMEDIATE);
        options.record_limit = limit;
        item_set_large(stage.one, 1);
        item_set_small(stage.one, 1);
        item_set_real(stage.one, 1);
        item_set_next(stage.root, stage.one);
        stage.handle = witness_with(&stage.root->object, "next.*",
                                    &stage.witness, &options);
        item_set_next(stage.root, stage.other);
        size_t fit = 3 < limit ? 3 : limit;
        CHECK_EQ(stage.witness.count, fit);
        CHECK_EQ(stage.witness.missing, 3 - fit);
        stage_end();
    }
}

TEST(DR_13_a_very_large_limit_is_none)
{
    stage_begin();
    observe_with_limit(UINT32_MAX, 0);
    change(4);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(stage.witness.count, 4);
    CHECK_EQ(stage.witness.missing, 0);
    stage_end();
}

/* What is past the limit is held as long as the rest. */
TEST(DR_13_LT_2_what_is_past_the_limit_is_let_go_of_with_the_call)
{
    stage_begin();
    item_set_next(stage.root, stage.one);
    observe_with_limit(1, 0);
    item_set_large(stage.root, 1);
    item_set_next(stage.root, NULL);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(stage.witness.count, 1);
    CHECK_EQ(stage.witness.missing, 1);
    CHECK_EQ(stage.one->references, 1);
    stage_end();
}

TEST(DR_13_no_cost_to_observations_that_do_not_ask)
{
    struct probe plain;
    stage_begin();
    probe_init(&plain, &stage.fixture);
    struct obv_observation *handle = observe(stage.root, "large", &plain);
    item_set_large(stage.root, 1);
    CHECK_EQ(drain(&stage.fixture), 1);
    size_t before = test_allocations();
    for (int64_t i = 2; i < 10; i++) {
        item_set_large(stage.root, i);
    }
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(test_allocations(), before);
    end(handle);
    probe_release(&plain);
    stage_end();
}
