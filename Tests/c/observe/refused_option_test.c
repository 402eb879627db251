/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options that contradict each other, and calls that are refused for them: each
 * says why and leaves everything as it was.
 */
#include "witness_fixture.h"

static struct stage {
    struct fixture fixture;
    struct item *root, *one;
    struct witness witness;
} stage;

static void stage_begin(void)
{
    memset(&stage, 0, sizeof stage);
    fixture_begin(&stage.fixture);
    stage.root = item_create(&stage.fixture);
    stage.one = item_create(&stage.fixture);
    item_set_next(stage.root, stage.one);
    witness_init(&stage.witness, &stage.fixture);
}

static void stage_end(void)
{
    CHECK(drain(&stage.fixture) >= 0);
    item_release(&stage.root->object);
    item_release(&stage.one->object);
    probe_release(&stage.witness);
    fixture_end(&stage.fixture);
}

static void nothing(void *context, const char *name)
{
    (void)name;
    ++*(size_t *)context;
}

/* What can be counted from outside. */
struct picture {
    struct obv_counters counters;
    size_t properties[2];
    size_t references, disposed, diagnostics, calls;
};

static struct picture picture_now(void)
{
    struct picture picture;
    memset(&picture, 0, sizeof picture);
    picture.counters = counters_of(&stage.fixture);
    obv_observed_properties(&stage.root->object, nothing,
                            &picture.properties[0]);
    obv_observed_properties(&stage.one->object, nothing,
                            &picture.properties[1]);
    picture.references = stage.witness.probe.references;
    picture.disposed = stage.witness.probe.disposed;
    picture.diagnostics = stage.fixture.diagnostics;
    picture.calls = calls_of(&stage.witness);
    return picture;
}

static bool never_equal(void *context, const struct obv_value *old,
                        const struct obv_value *now)
{
    (void)context;
    (void)old;
    (void)now;
    return false;
}

struct refused {
    const char *paths[3];
    size_t count;
    struct obv_observe_options options;
    enum obv_status status;
};

static void expect_refused(const struct refused *refused)
{
    struct obv_pair pairs[3];
    struct obv_observation *handle = NULL;
    struct obv_error error = {.status = OBV_OK};
    for (size_t i = 0; i < refused->count; i++) {
        pairs[i] = (struct obv_pair){&stage.root->object, refused->paths[i]};
    }
    struct picture before = picture_now();
    CHECK_EQ(obv_observe_pairs(pairs, refused->count, &stage.witness.probe.kind,
                               &stage.witness, &refused->options, &handle,
                               &error),
             refused->status);
    struct picture after = picture_now();
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    CHECK(!handle);
    CHECK_EQ(error.status, refused->status);
    CHECK(error.message && *error.message);
    item_set_large(stage.root, item_large(stage.root) + 1);
    item_set_large(stage.one, item_large(stage.one) + 1);
    CHECK_EQ(drain(&stage.fixture), 0);
    CHECK_EQ(calls_of(&stage.witness), before.calls);
}

#define OPTIONS(...)                                                           \
    .options = {.size = sizeof(struct obv_observe_options), __VA_ARGS__}

TEST(OB_2_options_that_contradict_each_other_are_refused)
{
    static const struct refused refused[] = {
        {{"large"}, 1, OPTIONS(.flags = OBV_PRIOR), OBV_E_OPTIONS},
        {{"large"}, 1, OPTIONS(.flags = OBV_PRIOR | OBV_VALUES), OBV_E_OPTIONS},
        {{"large"},
         1,
         OPTIONS(.flags = OBV_PRIOR | OBV_INITIAL | OBV_TOKEN),
         OBV_E_OPTIONS},
        {{"*"}, 1, OPTIONS(.flags = OBV_VALUES), OBV_E_OPTIONS},
        {{"next.*"}, 1, OPTIONS(.flags = OBV_VALUES), OBV_E_OPTIONS},
        {{"*.large"},
         1,
         OPTIONS(.flags = OBV_VALUES | OBV_IMMEDIATE),
         OBV_E_OPTIONS},
        {{NULL}, 1, OPTIONS(.flags = OBV_VALUES), OBV_E_OPTIONS},
        {{"large", "small"}, 2, OPTIONS(.flags = OBV_VALUES), OBV_E_OPTIONS},
        {{"large", "large", "small"},
         3,
         OPTIONS(.flags = OBV_VALUES),
         OBV_E_OPTIONS},
        {{"*", "*"}, 2, OPTIONS(.flags = OBV_VALUES), OBV_E_OPTIONS},
        {{"large", "large..."}, 2, OPTIONS(.flags = OBV_VALUES), OBV_E_SYNTAX},
        {{"large"},
         1,
         OPTIONS(.equal = never_equal, .compare = OBV_COMPARE_EQUAL),
         OBV_E_OPTIONS},
        {{"large"},
         1,
         OPTIONS(.equal = never_equal, .compare = OBV_COMPARE_ALWAYS_DIFFERENT),
         OBV_E_OPTIONS},
        {{"large"}, 1, OPTIONS(.compare = (enum obv_compare)4), OBV_E_OPTIONS},
        {{"large"}, 1, OPTIONS(.flags = OBV_ONCE | OBV_DEFER), OBV_E_OPTIONS},
        {{"large"}, 1, OPTIONS(.flags = OBV_ONCE << 1), OBV_E_OPTIONS},
        {{"large"}, 1, OPTIONS(.flags = UINT32_MAX), OBV_E_OPTIONS},
        {{"large"}, 1, .options = {.flags = OBV_RECORDS}, OBV_E_ARGUMENT},
    };
    stage_begin();
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        expect_refused(&refused[i]);
    }
    stage_end();
}

/* The same path of another root is another. */
TEST(KP_16_OB_2_values_of_one_pair_that_is_given_twice)
{
    stage_begin();
    const struct obv_observe_options options = options_of(OBV_VALUES);
    struct obv_pair pairs[] = {{&stage.root->object, "large"},
                               {&stage.root->object, "\\large"},
                               {&stage.one->object, "large"}};
    struct obv_observation *handle = NULL;
    struct obv_error error;
    CHECK_EQ(obv_observe_pairs(pairs, 3, &stage.witness.probe.kind,
                               &stage.witness, &options, &handle, &error),
             OBV_E_OPTIONS);
    CHECK_EQ(error.index, 2);
    CHECK_EQ(obv_observe_pairs(pairs, 2, &stage.witness.probe.kind,
                               &stage.witness, &options, &handle, &error),
             OBV_OK);
    CHECK_EQ(obv_observer_count(&stage.root->object, "large"), 1);
    CHECK_EQ(obv_observe_also(handle, pairs, 2, &error), OBV_OK);
    CHECK_EQ(obv_observe_also(handle, pairs, 3, &error), OBV_E_OPTIONS);
    CHECK_EQ(error.index, 2);
    item_set_large(stage.root, 3);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(stage.witness.old.bits, 0);
    CHECK_EQ(stage.witness.now.bits, 3);
    end(handle);
    stage_end();
}

/* With each option, so that what was made for it is given back. */
TEST(KP_20_what_an_object_cannot_have_is_refused_with_each_option)
{
    static const uint32_t flags[] = {0,
                                     OBV_VALUES,
                                     OBV_RECORDS,
                                     OBV_NET,
                                     OBV_ANY_ELEMENT,
                                     OBV_IMMEDIATE | OBV_PRIOR,
                                     OBV_EXTENSIBLE,
                                     OBV_INITIAL | OBV_RECORDS};
    static const char *const misfits[] = {"#1", "3", "&12", "next.#0",
                                          "next.&0.large"};
    stage_begin();
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        for (size_t j = 0; j < sizeof misfits / sizeof *misfits; j++) {
            struct refused refused = {
                {misfits[j]}, 1, OPTIONS(.flags = flags[i]), OBV_E_KIND};
            expect_refused(&refused);
        }
    }
    stage_end();
}

/* A second pair that is refused takes the first with it. */
TEST(FA_2_the_first_pairs_go_with_one_that_is_refused)
{
    static const struct refused refused[] = {
        {{"next.large", "a..b"},
         2,
         OPTIONS(.flags = OBV_RECORDS),
         OBV_E_SYNTAX},
        {{"*", "large", "next.*."}, 3, OPTIONS(.flags = OBV_NET), OBV_E_SYNTAX},
        {{"*.*", "#2"}, 2, OPTIONS(.flags = OBV_ANY_ELEMENT), OBV_E_KIND},
        {{"*.large", "large", "9"},
         3,
         OPTIONS(.flags = OBV_IMMEDIATE | OBV_PRIOR | OBV_INITIAL),
         OBV_E_KIND},
    };
    stage_begin();
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        expect_refused(&refused[i]);
    }
    stage_end();
}

TEST(OB_2_an_observation_with_values_takes_no_more_pairs)
{
    struct obv_error error = {.status = OBV_OK};
    const struct obv_observe_options options =
        options_of(OBV_VALUES | OBV_EXTENSIBLE);
    stage_begin();
    const struct obv_pair more = {&stage.one->object, "large"};
    struct obv_observation *handle =
        witness_with(&stage.root->object, "large", &stage.witness, &options);
    struct picture before = picture_now();
    CHECK_EQ(obv_observe_also(handle, &more, 1, &error), OBV_E_OPTIONS);
    struct picture after = picture_now();
    CHECK(memcmp(&before, &after, sizeof before) == 0);
    CHECK_EQ(error.status, OBV_E_OPTIONS);
    item_set_large(stage.one, 1);
    CHECK_EQ(drain(&stage.fixture), 0);
    item_set_large(stage.root, 1);
    CHECK_EQ(drain(&stage.fixture), 1);
    end(handle);
    stage_end();
}

/* Whatever else it is: a group inside says nothing. */
TEST(OB_2_only_what_is_extensible_takes_more_pairs)
{
    static const uint32_t flags[] = {0, OBV_RECORDS, OBV_ANY_ELEMENT};
    stage_begin();
    const struct obv_pair more = {&stage.one->object, "large"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        for (unsigned extensible = 0; extensible < 2; extensible++) {
            const struct obv_observe_options options = options_of(
                flags[i] | (extensible ? (uint32_t)OBV_EXTENSIBLE : 0u));
            struct obv_observation *handle = witness_with(
                &stage.root->object, "large", &stage.witness, &options);
            CHECK_EQ(obv_observe_also(handle, &more, 1, NULL),
                     extensible ? OBV_OK : OBV_E_OPTIONS);
            end(handle);
        }
    }
    struct obv_observation *handle =
        witness_with(&stage.root->object, "nowhere.large", &stage.witness,
                     &(const struct obv_observe_options){
                         .size = sizeof(struct obv_observe_options)});
    CHECK_EQ(obv_observe_also(handle, &more, 1, NULL), OBV_E_OPTIONS);
    end(handle);
    stage_end();
}

/* One that has no change records but options for them. */
TEST(OB_2_options_that_go_together_are_taken)
{
    static const uint32_t flags[] = {
        OBV_VALUES | OBV_RECORDS | OBV_NET | OBV_ANY_ELEMENT,
        OBV_VALUES | OBV_RECORDS | OBV_IMMEDIATE | OBV_PRIOR | OBV_ANY_ELEMENT,
        OBV_NET | OBV_IMMEDIATE, /* only a delayed call can be dropped */
        OBV_TOKEN | OBV_DEFER | OBV_EXTENSIBLE | OBV_INITIAL | OBV_RECORDS,
    };
    stage_begin();
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        struct obv_observation *handle = witness(
            &stage.root->object, "next.large", &stage.witness, flags[i]);
        size_t calls = calls_of(&stage.witness);
        item_set_large(stage.one, item_large(stage.one) + 1);
        (void)drain(&stage.fixture);
        CHECK(calls_of(&stage.witness) > calls);
        CHECK_EQ(stage.witness.has_values, (flags[i] & OBV_VALUES) != 0);
        CHECK_EQ(stage.witness.has_record, (flags[i] & OBV_RECORDS) != 0);
        end(handle);
    }
    stage_end();
}
