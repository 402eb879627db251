/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that fails under observations with options and under wildcards. A
 * call that begins to observe fails whole (FA-2); a set always stores, its
 * record says what is missing, and what could not be followed is listed and
 * heals with the next change above it (FA-1).
 */
#include "witness_fixture.h"

static struct stage {
    struct fixture fixture;
    struct item *root, *middle, *leaf, *fresh, *deeper;
    struct witness witness;
    struct obv_observation *handle;
} stage;

static void stage_begin(void)
{
    memset(&stage, 0, sizeof stage);
    fixture_begin(&stage.fixture);
    stage.root = item_create(&stage.fixture);
    stage.middle = item_create(&stage.fixture);
    stage.leaf = item_create(&stage.fixture);
    stage.fresh = item_create(&stage.fixture);
    stage.deeper = item_create(&stage.fixture);
    item_set_large(stage.leaf, 1);
    item_set_large(stage.deeper, 2);
    item_set_next(stage.root, stage.middle);
    item_set_next(stage.middle, stage.leaf);
    item_set_next(stage.fresh, stage.deeper);
    witness_init(&stage.witness, &stage.fixture);
}

static void stage_end(void)
{
    end(stage.handle);
    CHECK(drain(&stage.fixture) >= 0);
    item_release(&stage.root->object);
    item_release(&stage.middle->object);
    item_release(&stage.leaf->object);
    item_release(&stage.fresh->object);
    item_release(&stage.deeper->object);
    probe_release(&stage.witness);
    fixture_end(&stage.fixture);
}

static size_t observers(struct item *item, const char *property)
{
    return obv_observer_count(&item->object, property);
}

static size_t missing_paths(void)
{
    size_t count = 0;
    while (obv_unresolved_path(stage.handle, count, NULL, 0) >= 0) {
        count++;
    }
    return count;
}

/* Everything that can be counted from outside. */
struct picture {
    struct obv_counters counters;
    size_t observers[6];
    size_t references, disposed, diagnostics;
};

static struct picture picture_now(void)
{
    struct picture picture;
    memset(&picture, 0, sizeof picture);
    picture.counters = counters_of(&stage.fixture);
    picture.observers[0] = observers(stage.root, "next");
    picture.observers[1] = observers(stage.root, "*");
    picture.observers[2] = observers(stage.middle, "next");
    picture.observers[3] = observers(stage.middle, "*");
    picture.observers[4] = observers(stage.leaf, "large");
    picture.observers[5] = observers(stage.leaf, "*");
    picture.references = stage.witness.probe.references;
    picture.disposed = stage.witness.probe.disposed;
    picture.diagnostics = stage.fixture.diagnostics;
    return picture;
}

/* Observing --------------------------------------------------------------- */

static const uint32_t all_flags[] = {
    0,
    OBV_IMMEDIATE,
    OBV_VALUES,
    OBV_RECORDS,
    OBV_NET,
    OBV_ANY_ELEMENT,
    OBV_IMMEDIATE | OBV_PRIOR,
    OBV_IMMEDIATE | OBV_VALUES | OBV_RECORDS,
    OBV_RECORDS | OBV_EXTENSIBLE | OBV_TOKEN,
};

static const char *const all_paths[] = {
    "large",  "next.next.large", "*",          "*.large",
    "next.*", "next.*.large",    "*.*.large",  "*.next.*",
    "*.*.*",  "*.nobody.has",    "next.*.*.*", "nobody.has.this",
};

static enum obv_status try_to_observe(const char *path, uint32_t flags)
{
    const struct obv_pair pair = {&stage.root->object, path};
    const struct obv_observe_options options = options_of(flags);
    return obv_observe_pairs(&pair, 1, &stage.witness.probe.kind,
                             &stage.witness, &options, &stage.handle, NULL);
}

/* With the n-th allocation failing; whether any has. */
static bool observe_attempt(const char *path, uint32_t flags, size_t n)
{
    stage_begin();
    struct picture before = picture_now();
    test_fail_allocation(n, false);
    enum obv_status status = try_to_observe(path, flags);
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK(status == OBV_OK || (failed && status == OBV_E_MEMORY));
    if (status != OBV_OK) {
        struct picture after = picture_now();
        CHECK(memcmp(&before, &after, sizeof before) == 0);
        CHECK(!stage.handle);
        CHECK_EQ(try_to_observe(path, flags), OBV_OK);
    }
    CHECK_EQ(missing_paths(), strcmp(path, "nobody.has.this") == 0);
    item_set_large(stage.leaf, 9);
    item_set_large(stage.root, 9);
    item_set_next(stage.root, stage.fresh);
    CHECK(drain(&stage.fixture) >= 0);
    stage_end();
    return failed;
}

TEST(FA_2_observing_with_each_option_survives_each_failing_allocation)
{
    size_t failures = 0;
    for (size_t i = 0; i < sizeof all_paths / sizeof *all_paths; i++) {
        for (size_t j = 0; j < sizeof all_flags / sizeof *all_flags; j++) {
            if ((all_flags[j] & OBV_VALUES) && strchr(all_paths[i], '*')) {
                continue;
            }
            for (size_t n = 1; observe_attempt(all_paths[i], all_flags[j], n);
                 n++) {
                failures++;
                CHECK(n < 1000);
            }
        }
    }
    CHECK(failures > 100);
}

/* Several pairs, and more of them. */
TEST(FA_2_further_pairs_with_options_survive_each_failing_allocation)
{
    for (size_t n = 1, failed = 1; failed; n++) {
        stage_begin();
        const struct obv_pair more[] = {{&stage.middle->object, "*.large"},
                                        {&stage.root->object, "*.*"},
                                        {&stage.root->object, "no_such.one"}};
        CHECK_EQ(try_to_observe("next.large", OBV_RECORDS | OBV_EXTENSIBLE),
                 OBV_OK);
        struct picture before = picture_now();
        test_fail_allocation(n, false);
        enum obv_status status = obv_observe_also(stage.handle, more, 3, NULL);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK(status == OBV_OK || (failed && status == OBV_E_MEMORY));
        if (status != OBV_OK) {
            struct picture after = picture_now();
            CHECK(memcmp(&before, &after, sizeof before) == 0);
            CHECK_EQ(missing_paths(), 0);
            CHECK_EQ(obv_observe_also(stage.handle, more, 3, NULL), OBV_OK);
        }
        item_set_large(stage.leaf, 4);
        CHECK_EQ(drain(&stage.fixture), 1);
        CHECK_EQ(stage.witness.count, 1); /* "*.large" alone */
        CHECK_TEXT(stage.witness.entries[0].way, "next.large");
        CHECK_EQ(stage.witness.entries[0].pair, 1);
        stage_end();
    }
}

/* Sets -------------------------------------------------------------------- */

/* A set of an end with the n-th allocation failing, and one of its container:
   stored, called for, and what is told is whole or says what is missing. */
static bool set_attempt(const char *path, uint32_t flags, size_t n)
{
    stage_begin();
    CHECK_EQ(try_to_observe(path, flags), OBV_OK);
    test_fail_allocation(n, false);
    item_set_large(stage.leaf, 5);
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK_EQ(item_large(stage.leaf), 5);
    CHECK_EQ(drain(&stage.fixture), flags & OBV_IMMEDIATE ? 0 : 1);
    CHECK_EQ(calls_of(&stage.witness), flags & OBV_PRIOR ? 2 : 1);
    CHECK_EQ(missing_paths(), 0);
    if (flags & OBV_RECORDS) {
        CHECK_EQ(stage.witness.count + stage.witness.missing, 1);
        CHECK(failed || stage.witness.count == 1);
    }
    if ((flags & OBV_VALUES) && !failed) {
        CHECK(stage.witness.old.bits == 1 && stage.witness.now.bits == 5);
    }
    stage_end();
    return failed;
}

TEST(FA_1_a_set_is_told_whichever_allocation_fails)
{
    static const char *const paths[] = {"next.next.large", "*.next.large",
                                        "next.*.large", "*.*.*"};
    size_t failures = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        for (size_t j = 0; j < sizeof all_flags / sizeof *all_flags; j++) {
            if ((all_flags[j] & OBV_VALUES) && i != 0) {
                continue;
            }
            for (size_t n = 1; set_attempt(paths[i], all_flags[j], n); n++) {
                failures++;
                CHECK(n < 100);
            }
        }
    }
    CHECK(failures > 10);
}

/* A replaced middle: wired or listed, and healed by the next change above. */
static bool put_attempt(const char *path, uint32_t flags, size_t n, bool all)
{
    stage_begin();
    CHECK_EQ(try_to_observe(path, flags), OBV_OK);
    test_fail_allocation(n, all);
    item_set_next(stage.root, stage.fresh);
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK(item_next(stage.root) == stage.fresh);
    CHECK_EQ(drain(&stage.fixture), flags & OBV_IMMEDIATE ? 0 : 1);
    CHECK_EQ(calls_of(&stage.witness), flags & OBV_PRIOR ? 2 : 1);
    CHECK_EQ(observers(stage.leaf, "large"), 0);
    bool is_short = missing_paths() != 0;
    CHECK_EQ(observers(stage.deeper, "large"), !is_short);
    CHECK(failed || !is_short);
    CHECK_EQ(stage.fixture.diagnostics, is_short);
    if (flags & OBV_RECORDS) {
        CHECK(stage.witness.count + stage.witness.missing >= 1);
        CHECK(failed || stage.witness.missing == 0);
        CHECK(!is_short || stage.witness.missing != 0);
    }
    item_set_next(stage.root, stage.middle);
    CHECK_EQ(missing_paths(), 0);
    CHECK_EQ(observers(stage.leaf, "large"), 1);
    CHECK_EQ(observers(stage.deeper, "large"), 0);
    (void)drain(&stage.fixture);
    size_t calls = calls_of(&stage.witness);
    item_set_large(stage.leaf, 7);
    (void)drain(&stage.fixture);
    CHECK(calls_of(&stage.witness) > calls);
    stage_end();
    return failed;
}

TEST(FA_1_a_path_heals_whichever_allocation_fails)
{
    static const char *const paths[] = {"next.next.large", "*.next.large",
                                        "next.*.large", "*.*.large"};
    size_t failures = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        for (size_t j = 0; j < sizeof all_flags / sizeof *all_flags; j++) {
            if ((all_flags[j] & OBV_VALUES) && i != 0) {
                continue;
            }
            for (size_t n = 1; put_attempt(paths[i], all_flags[j], n, false);
                 n++) {
                failures++;
                (void)put_attempt(paths[i], all_flags[j], n, true);
                CHECK(n < 100);
            }
        }
    }
    CHECK(failures > 50);
}

/* No memory at all: a change that nobody could change record still calls. */
TEST(FA_1_without_any_memory_a_record_says_how_many_are_missing)
{
    stage_begin();
    CHECK_EQ(try_to_observe("next.*", OBV_RECORDS), OBV_OK);
    test_fail_allocation(1, true);
    item_set_large(stage.middle, 1);
    item_set_small(stage.middle, 1);
    test_fail_allocation(0, false);
    item_set_real(stage.middle, 1);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(stage.witness.count, 1);
    CHECK_EQ(stage.witness.missing, 2);
    item_set_large(stage.middle, 2);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(stage.witness.count, 1);
    CHECK_EQ(stage.witness.missing, 0);
    stage_end();
}

/* Net is told nothing: the call comes, since it cannot be known that nothing
   has changed in the end. */
TEST(FA_1_EQ_7_net_calls_for_what_it_could_not_note)
{
    stage_begin();
    CHECK_EQ(try_to_observe("large", OBV_NET), OBV_OK);
    test_fail_allocation(1, true);
    item_set_large(stage.root, 1);
    test_fail_allocation(0, false);
    item_set_large(stage.root, 0);
    CHECK_EQ(drain(&stage.fixture), 1);
    item_set_large(stage.root, 1);
    item_set_large(stage.root, 0);
    CHECK_EQ(drain(&stage.fixture), 0);
    stage_end();
}

/* A value that could not be copied, where its change record could be. */
TEST(FA_1_a_value_that_cannot_be_copied_is_missing)
{
    bool was_missing = false;
    for (size_t n = 1, failed = 1; failed; n++) {
        stage_begin();
        CHECK_EQ(item_set_text(stage.root, "before"), OBV_OK);
        CHECK_EQ(try_to_observe("text", OBV_RECORDS | OBV_IMMEDIATE), OBV_OK);
        test_fail_allocation(n, false);
        enum obv_status status = item_set_text(stage.root, "behind");
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        /* The setter's own copy is the first. */
        CHECK_EQ(status, n == 1 ? OBV_E_MEMORY : OBV_OK);
        CHECK_TEXT(item_text(stage.root), n == 1 ? "before" : "behind");
        CHECK_EQ(calls_of(&stage.witness), n != 1);
        CHECK_EQ(stage.witness.count + stage.witness.missing, n != 1);
        was_missing = was_missing || stage.witness.missing != 0;
        stage_end();
    }
    CHECK(was_missing);
}

/* Bytes that are larger than what a setter keeps: without memory for them they
   are not known, and the set stores. */
struct block {
    struct obv_object object;
    uint8_t large[100];
};

OBV_PROPERTY(block, large, bytes, 0)

static const struct obv_property block_properties[] = {
    OBV_FIELD(block, large, bytes)};

TEST(FA_1_bytes_that_cannot_be_kept_are_missing_and_set)
{
    static struct obv_class_table table = {.size = sizeof table,
                                           .name = "block",
                                           .instance_size =
                                               sizeof(struct block),
                                           .properties = block_properties,
                                           .property_count = 1};
    static const uint8_t bytes[100] = {1, 2, 3};
    for (size_t n = 1, failed = 1; failed; n++) {
        struct obv_class *cls;
        struct block block;
        stage_begin();
        CHECK_EQ(obv_class_create(stage.fixture.context, &table, &cls, NULL),
                 OBV_OK);
        memset(&block, 0, sizeof block);
        obv_object_init(&block.object, cls);
        stage.handle = witness(&block.object, "large", &stage.witness,
                               OBV_RECORDS | OBV_VALUES);
        test_fail_allocation(n, false);
        block_set_large(&block, bytes);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK_EQ(block.large[2], 3);
        CHECK_EQ(drain(&stage.fixture), 1);
        CHECK_EQ(stage.witness.count, !failed);
        CHECK_EQ(stage.witness.missing, failed);
        end(stage.handle);
        stage.handle = NULL;
        CHECK_EQ(obv_object_deinit(&block.object), OBV_OK);
        stage_end();
    }
}
