/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties that are compared in a way of their own (EQ-11): by a function of
 * their class table, or always different. By the inline setters and by index,
 * at the end of paths and in the middle, and under `*`.
 */
#include "witness_fixture.h"

#include <ctype.h>
#include <math.h>

enum {
    GAUGE_LEVEL,
    GAUGE_NAME,
    GAUGE_CODE,
    GAUGE_NEXT,
    GAUGE_SHARED,
    GAUGE_TICK,
    GAUGE_LABEL,
    GAUGE_OTHER,
    GAUGE_BELL,
    GAUGE_COUNT
};

struct gauge {
    struct obv_object object;
    size_t references;
    double level;       /* equal within a half */
    const char *name;   /* whatever the case */
    uint8_t code[4];    /* by the first byte */
    struct gauge *next; /* by the whole part of its level */
    int64_t shared;     /* any thread; modulo 10 */
    int32_t tick;       /* these are always different */
    const char *label;
    struct gauge *other;
    int64_t bell; /* any thread */
};

OBV_PROPERTY(gauge, level, f64, GAUGE_LEVEL)
OBV_PROPERTY(gauge, name, string, GAUGE_NAME)
OBV_PROPERTY(gauge, code, bytes, GAUGE_CODE)
OBV_PROPERTY(gauge, next, object, GAUGE_NEXT)
OBV_PROPERTY_ANY_THREAD(gauge, shared, i64, GAUGE_SHARED)
OBV_PROPERTY(gauge, tick, i32, GAUGE_TICK)
OBV_PROPERTY(gauge, label, string, GAUGE_LABEL)
OBV_PROPERTY(gauge, other, object, GAUGE_OTHER)
OBV_PROPERTY_ANY_THREAD(gauge, bell, i64, GAUGE_BELL)

static bool levels_equal(const void *a, const void *b)
{
    return fabs(*(const double *)a - *(const double *)b) <= 0.5;
}

static bool names_equal(const void *a, const void *b)
{
    const char *left = *(const char *const *)a;
    const char *right = *(const char *const *)b;
    while (left && right && *left && tolower(*left) == tolower(*right)) {
        left++;
        right++;
    }
    return left && right ? tolower(*left) == tolower(*right) : left == right;
}

static bool codes_equal(const void *a, const void *b)
{
    return *(const uint8_t *)a == *(const uint8_t *)b;
}

static bool gauges_equal(const void *a, const void *b)
{
    const struct gauge *left = *(struct gauge *const *)a;
    const struct gauge *right = *(struct gauge *const *)b;
    return left && right ? (int)left->level == (int)right->level
                         : left == right;
}

static bool shared_equal(const void *a, const void *b)
{
    return *(const int64_t *)a % 10 == *(const int64_t *)b % 10;
}

#define LINE(field, kind, flags, equal)                                        \
    {                                                                          \
#field, kind, (uint32_t)offsetof(struct gauge, field),                 \
            (uint32_t)sizeof(((struct gauge *)0)->field), flags, NULL, NULL,   \
            equal, NULL                                                        \
    }

static const struct obv_property gauge_properties[] = {
    [GAUGE_LEVEL] = LINE(level, OBV_KIND_f64, 0, levels_equal),
    [GAUGE_NAME] = LINE(name, OBV_KIND_string, 0, names_equal),
    [GAUGE_CODE] = LINE(code, OBV_KIND_bytes, 0, codes_equal),
    [GAUGE_NEXT] = LINE(next, OBV_KIND_object, 0, gauges_equal),
    [GAUGE_SHARED] = LINE(shared, OBV_KIND_i64, OBV_ANY_THREAD, shared_equal),
    [GAUGE_TICK] = LINE(tick, OBV_KIND_i32, OBV_ALWAYS_DIFFERENT, NULL),
    [GAUGE_LABEL] = LINE(label, OBV_KIND_string, OBV_ALWAYS_DIFFERENT, NULL),
    [GAUGE_OTHER] = LINE(other, OBV_KIND_object, OBV_ALWAYS_DIFFERENT, NULL),
    [GAUGE_BELL] =
        LINE(bell, OBV_KIND_i64, OBV_ANY_THREAD | OBV_ALWAYS_DIFFERENT, NULL),
};

static bool gauge_retain(struct obv_object *object)
{
    return references_try(&((struct gauge *)object)->references);
}

static void gauge_release(struct obv_object *object)
{
    if (references_drop(&((struct gauge *)object)->references)) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        free(object);
    }
}

static struct obv_class_table counted_table = {.size = sizeof counted_table,
                                               .name = "gauge",
                                               .instance_size =
                                                   sizeof(struct gauge),
                                               .properties = gauge_properties,
                                               .property_count = GAUGE_COUNT,
                                               .retain = gauge_retain,
                                               .release = gauge_release};

/* The same without hooks. */
static struct obv_class_table plain_table = {.size = sizeof plain_table,
                                             .name = "plain gauge",
                                             .instance_size =
                                                 sizeof(struct gauge),
                                             .properties = gauge_properties,
                                             .property_count = GAUGE_COUNT};

static struct stage {
    struct fixture fixture;
    struct obv_class *counted, *plain;
    struct gauge *root, *one, *other;
    struct witness witness, immediate;
    struct obv_observation *handles[2];
} stage;

static struct gauge *make(struct obv_class *cls, double level)
{
    struct gauge *made = calloc(1, sizeof *made);
    CHECK(made);
    made->references = 1;
    made->level = level;
    obv_object_init(&made->object, cls);
    return made;
}

static void stage_begin(void)
{
    memset(&stage, 0, sizeof stage);
    fixture_begin(&stage.fixture);
    CHECK_EQ(obv_class_create(stage.fixture.context, &counted_table,
                              &stage.counted, NULL),
             OBV_OK);
    CHECK_EQ(obv_class_create(stage.fixture.context, &plain_table, &stage.plain,
                              NULL),
             OBV_OK);
    stage.root = make(stage.counted, 0);
    stage.one = make(stage.counted, 1);
    stage.other = make(stage.counted, 2);
    witness_init(&stage.witness, &stage.fixture);
    witness_init(&stage.immediate, &stage.fixture);
}

/* A delayed one and an immediate one. */
static void stage_observe(const char *path, uint32_t flags)
{
    stage.handles[0] =
        witness(&stage.root->object, path, &stage.witness, flags);
    stage.handles[1] = witness(&stage.root->object, path, &stage.immediate,
                               flags | OBV_IMMEDIATE);
}

static void stage_end(void)
{
    end(stage.handles[0]);
    end(stage.handles[1]);
    CHECK(drain(&stage.fixture) >= 0);
    gauge_release(&stage.root->object);
    gauge_release(&stage.one->object);
    gauge_release(&stage.other->object);
    probe_release(&stage.witness);
    probe_release(&stage.immediate);
    fixture_end(&stage.fixture);
}

/* Both have been called so often, once a drain. */
static void expect_calls(size_t calls)
{
    bool has_changed = calls_of(&stage.witness) != calls;
    CHECK_EQ(drain(&stage.fixture), has_changed);
    CHECK_EQ(calls_of(&stage.witness), calls);
    CHECK_EQ(calls_of(&stage.immediate), calls);
}

/* By a function ----------------------------------------------------------- */

TEST(EQ_11_a_propertys_function_says_what_is_equal)
{
    stage_begin();
    stage_observe("level", 0);
    gauge_set_level(stage.root, 0.5);
    expect_calls(0);
    CHECK(gauge_level(stage.root) == 0); /* an equal set does nothing */
    gauge_set_level(stage.root, 0.75);
    expect_calls(1);
    gauge_set_level(stage.root, (double)NAN);
    expect_calls(2);
    CHECK_EQ(obv_set_f64(&stage.root->object, GAUGE_LEVEL, 4), OBV_OK);
    expect_calls(3);
    CHECK_EQ(obv_set_f64(&stage.root->object, GAUGE_LEVEL, 4.25), OBV_OK);
    expect_calls(3);
    stage_end();
}

TEST(EQ_11_a_function_of_strings)
{
    stage_begin();
    stage_observe("name", OBV_VALUES);
    CHECK_EQ(gauge_set_name(stage.root, "Kelvin"), OBV_OK);
    expect_calls(1);
    CHECK_EQ(gauge_set_name(stage.root, "KELVIN"), OBV_OK);
    expect_calls(1);
    CHECK_TEXT(gauge_name(stage.root), "Kelvin");
    CHECK_EQ(obv_set_string(&stage.root->object, GAUGE_NAME, "kelvin"), OBV_OK);
    expect_calls(1);
    CHECK_EQ(gauge_set_name(stage.root, NULL), OBV_OK);
    expect_calls(2);
    CHECK_TEXT(stage.witness.old.text, "Kelvin");
    CHECK_EQ(obv_set_string(&stage.root->object, GAUGE_NAME, ""), OBV_OK);
    expect_calls(3);
    stage_end();
}

TEST(EQ_11_a_function_of_bytes)
{
    static const uint8_t codes[][4] = {
        {1, 0, 0, 0}, {1, 2, 3, 4}, {2, 2, 3, 4}};
    stage_begin();
    stage_observe("code", 0);
    gauge_set_code(stage.root, codes[0]);
    expect_calls(1);
    gauge_set_code(stage.root, codes[1]);
    CHECK_EQ(obv_set_bytes(&stage.root->object, GAUGE_CODE, codes[1]), OBV_OK);
    expect_calls(1);
    CHECK_EQ(stage.root->code[1], 0);
    gauge_set_code(stage.root, codes[2]);
    expect_calls(2);
    stage_end();
}

TEST(EQ_11_a_function_of_an_any_thread_property)
{
    stage_begin();
    stage_observe("shared", OBV_VALUES);
    gauge_set_shared(stage.root, 10);
    expect_calls(0);
    gauge_set_shared(stage.root, 11);
    expect_calls(1);
    CHECK_EQ(obv_set_i64(&stage.root->object, GAUGE_SHARED, 21), OBV_OK);
    expect_calls(1);
    gauge_set_shared(stage.root, 12);
    expect_calls(2);
    CHECK_EQ(stage.witness.now.bits, 12);
    stage_end();
}

TEST(EQ_11_a_function_of_objects)
{
    struct gauge *alike;
    stage_begin();
    alike = make(stage.counted, 1.25);
    gauge_set_next(stage.root, stage.one);
    stage_observe("next", 0);
    gauge_set_next(stage.root, alike); /* is equal: nothing happens */
    expect_calls(0);
    CHECK(gauge_next(stage.root) == stage.one);
    CHECK_EQ(alike->references, 1);
    gauge_set_next(stage.root, stage.other);
    expect_calls(1);
    CHECK_EQ(obv_set_object(&stage.root->object, GAUGE_NEXT, NULL), OBV_OK);
    expect_calls(2);
    gauge_release(&alike->object);
    stage_end();
}

/* In the middle of a path what is equal stays, with all that hangs below. */
TEST(EQ_11_KP_4_an_equal_object_in_the_middle_is_not_stored)
{
    struct gauge *alike;
    stage_begin();
    alike = make(stage.counted, 1);
    gauge_set_next(stage.root, stage.one);
    stage_observe("next.tick", 0);
    gauge_set_next(stage.root, alike);
    expect_calls(0);
    CHECK_EQ(obv_observer_count(&stage.one->object, "tick"), 2);
    CHECK_EQ(obv_observer_count(&alike->object, "tick"), 0);
    gauge_release(&alike->object);
    stage_end();
}

TEST(EQ_2_EQ_11_a_replaced_container_is_compared_by_the_function)
{
    static const char *const paths[] = {"other.level", "other.name",
                                        "other.code"};
    for (size_t i = 0; i < 3; i++) {
        stage_begin();
        CHECK_EQ(gauge_set_name(stage.one, "x"), OBV_OK);
        CHECK_EQ(gauge_set_name(stage.other, "X"), OBV_OK);
        gauge_set_level(stage.other, 1.5);
        stage.other->code[3] = 7;
        gauge_set_shared(stage.other, 50);
        gauge_set_other(stage.root, stage.one);
        stage_observe(paths[i], 0);
        gauge_set_other(stage.root, stage.other);
        expect_calls(0);
        gauge_set_other(stage.root, NULL);
        expect_calls(1);
        CHECK_EQ(gauge_set_name(stage.other, "Y"), OBV_OK);
        gauge_set_level(stage.other, 3);
        stage.other->code[0] = 7;
        gauge_set_shared(stage.other, 51);
        gauge_set_other(stage.root, stage.one);
        expect_calls(2);
        gauge_set_other(stage.root, stage.other);
        expect_calls(3);
        stage_end();
    }
}

/* Objects that nothing holds are not handed to the function. */
TEST(EQ_11_without_hooks_each_replacement_counts)
{
    struct gauge *one, *other;
    stage_begin();
    one = make(stage.plain, 1);
    other = make(stage.plain, 1);
    gauge_set_other(stage.root, one);
    stage_observe("other.level", 0);
    gauge_set_other(stage.root, other);
    expect_calls(1);
    gauge_set_other(stage.root, NULL);
    expect_calls(2);
    CHECK_EQ(obv_object_deinit(&one->object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&other->object), OBV_OK);
    free(one);
    free(other);
    stage_end();
}

/* Always different -------------------------------------------------------- */

TEST(EQ_11_what_is_always_different_calls_for_equal_values)
{
    stage_begin();
    stage_observe("tick", OBV_VALUES);
    gauge_set_tick(stage.root, 0);
    expect_calls(1);
    CHECK(stage.witness.old.bits == 0 && stage.witness.now.bits == 0);
    gauge_set_tick(stage.root, 3);
    expect_calls(2);
    CHECK_EQ(obv_set_i32(&stage.root->object, GAUGE_TICK, 3), OBV_OK);
    expect_calls(3);
    stage_end();
}

TEST(EQ_11_always_different_strings_objects_and_any_thread_properties)
{
    stage_begin();
    stage_observe("label", OBV_VALUES);
    CHECK_EQ(gauge_set_label(stage.root, "x"), OBV_OK);
    CHECK_EQ(gauge_set_label(stage.root, gauge_label(stage.root)), OBV_OK);
    CHECK_EQ(calls_of(&stage.immediate), 2);
    CHECK_TEXT(stage.immediate.old.text, "x");
    CHECK_TEXT(stage.immediate.now.text, "x");
    CHECK_EQ(drain(&stage.fixture), 1);
    stage_end();
    stage_begin();
    gauge_set_other(stage.root, stage.one);
    stage_observe("other", 0);
    gauge_set_other(stage.root, stage.one);
    expect_calls(1);
    CHECK_EQ(stage.one->references, 2);
    gauge_set_other(stage.root, NULL);
    expect_calls(2);
    CHECK_EQ(obv_set_object(&stage.root->object, GAUGE_OTHER, NULL), OBV_OK);
    expect_calls(3);
    stage_end();
    stage_begin();
    stage_observe("bell", OBV_VALUES);
    gauge_set_bell(stage.root, 0);
    expect_calls(1);
    CHECK_EQ(obv_set_i64(&stage.root->object, GAUGE_BELL, 0), OBV_OK);
    expect_calls(2);
    stage_end();
}

TEST(EQ_11_always_different_through_a_replaced_container)
{
    stage_begin();
    gauge_set_next(stage.root, stage.one);
    stage_observe("next.tick", 0);
    gauge_set_next(stage.root, stage.other); /* 0 and 0 */
    expect_calls(1);
    gauge_set_next(stage.root, NULL);
    expect_calls(2);
    gauge_set_next(stage.root, NULL);
    expect_calls(2);
    stage_end();
    stage_begin();
    stage_observe("next.next.tick", 0);
    gauge_set_next(stage.root, stage.one); /* unreachable before and after */
    expect_calls(0);
    gauge_set_next(stage.root, stage.other);
    expect_calls(0);
    stage_end();
}

/* Where only one of the two classes says so. */
TEST(EQ_11_always_different_in_one_class_of_two)
{
    static const struct obv_property calm_properties[] = {
        LINE(tick, OBV_KIND_i32, 0, NULL)};
    static struct obv_class_table table = {.size = sizeof table,
                                           .name = "calm gauge",
                                           .instance_size =
                                               sizeof(struct gauge),
                                           .properties = calm_properties,
                                           .property_count = 1,
                                           .retain = gauge_retain,
                                           .release = gauge_release};
    struct obv_class *cls;
    stage_begin();
    CHECK_EQ(obv_class_create(stage.fixture.context, &table, &cls, NULL),
             OBV_OK);
    struct gauge *calm = make(cls, 0), *too = make(cls, 0);
    gauge_set_other(stage.root, calm);
    stage_observe("other.tick", 0);
    gauge_set_other(stage.root, too);
    expect_calls(0);
    gauge_set_other(stage.root, stage.one);
    expect_calls(1);
    gauge_set_other(stage.root, calm);
    expect_calls(2);
    gauge_release(&calm->object);
    gauge_release(&too->object);
    stage_end();
}

/* A middle that is set to itself: what hangs below it stays. */
TEST(EQ_11_KP_4_an_always_different_middle)
{
    stage_begin();
    gauge_set_other(stage.root, stage.one);
    stage_observe("other.level", 0);
    gauge_set_other(stage.root, stage.one);
    expect_calls(0);
    CHECK_EQ(obv_observer_count(&stage.one->object, "level"), 2);
    gauge_set_level(stage.one, 5);
    expect_calls(1);
    stage_end();
}

/* Under a star ------------------------------------------------------------ */

TEST(EQ_11_WC_1_each_property_is_compared_its_own_way_under_a_star)
{
    stage_begin();
    stage_observe("*", 0);
    gauge_set_level(stage.root, 0.25);
    CHECK_EQ(gauge_set_name(stage.root, "x"), OBV_OK);
    expect_calls(1);
    CHECK_EQ(gauge_set_name(stage.root, "X"), OBV_OK);
    expect_calls(1);
    gauge_set_tick(stage.root, 0);
    expect_calls(2);
    gauge_set_bell(stage.root, 0);
    expect_calls(3);
    gauge_set_shared(stage.root, 20);
    expect_calls(3);
    stage_end();
}

TEST(EQ_8_EQ_11_ways_under_a_star_are_compared_by_the_function)
{
    stage_begin();
    stage.other->level = 1.5;
    gauge_set_other(stage.root, stage.one);
    stage_observe("*.level", 0);
    gauge_set_other(stage.root, stage.other);
    expect_calls(0);
    gauge_set_level(stage.other, 5);
    expect_calls(1);
    gauge_set_other(stage.root, stage.one);
    expect_calls(2);
    stage_end();
}

/* An observation that says how it compares goes over the property. */
TEST(EQ_11_the_observations_comparison_goes_over_the_propertys)
{
    struct obv_observe_options options = options_of(0);
    stage_begin();
    options.compare = OBV_COMPARE_EQUAL;
    stage.handles[0] =
        witness_with(&stage.root->object, "tick", &stage.witness, &options);
    options.compare = OBV_COMPARE_ALWAYS_DIFFERENT;
    stage.handles[1] =
        witness_with(&stage.root->object, "level", &stage.immediate, &options);
    gauge_set_tick(stage.root, 0);
    CHECK_EQ(drain(&stage.fixture), 0);
    gauge_set_tick(stage.root, 1);
    CHECK_EQ(drain(&stage.fixture), 1);
    gauge_set_level(stage.root, 0);
    CHECK_EQ(drain(&stage.fixture), 1);
    gauge_set_level(stage.root, 0.25);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(calls_of(&stage.immediate), 2);
    stage_end();
}
