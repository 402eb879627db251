/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each kind that is one value of the processor's, through every call: setters
 * inline and by index, values that are handed over, prior, net and records,
 * triggers, paths, comparisons of their own, any thread's sets. The cases are
 * made from the table of kinds, so a new one is tried here by itself; bool has
 * them in change_values_test.c. Which types a kind takes, Tests/c/kinds asks
 * the compilers.
 */
#include "witness_fixture.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum color { RED, GREEN, BLUE = 0x7fffffff };
enum offset { BEFORE = -1, AT, AFTER, FAR = -0x7fffffff - 1 };
enum __attribute__((packed)) tiny { NONE, HALF = 128, FULL = 255 };
enum __attribute__((packed)) brief { DOWN = -32768, LEVEL = 0, UP = 32767 };

/* A property of each kind that its owner sets, and one that any thread sets. */
#define FIELD(kind_name, type) type of_##kind_name, shared_##kind_name;
struct every {
    struct obv_object object;
    size_t references;
    struct every *next;
    OBV_NUMBER_KINDS(FIELD)
    enum color of_color, shared_color;
    enum offset of_offset, shared_offset;
    enum tiny of_tiny, shared_tiny;
    enum brief of_brief, shared_brief;
};

/* An enum's line of the cases: its name and its type. */
#define ENUMS(X)                                                               \
    X(color, enum color)                                                       \
    X(offset, enum offset)                                                     \
    X(tiny, enum tiny)                                                         \
    X(brief, enum brief)

#define NUMBERS(name, type) OF_##name, SHARED_##name,
enum {
    NEXT,
    OBV_NUMBER_KINDS(NUMBERS) ENUMS(NUMBERS) PROPERTIES,
};

OBV_PROPERTY(every, next, object_of(every), NEXT)
#define ACCESS(name, kind_name)                                                \
    OBV_PROPERTY(every, of_##name, kind_name, OF_##name)                       \
    OBV_PROPERTY_ANY_THREAD(every, shared_##name, kind_name, SHARED_##name)
#define ACCESS_NUMBER(kind_name, type) ACCESS(kind_name, kind_name)
#define ACCESS_ENUM(name, type)        ACCESS(name, enum)
OBV_NUMBER_KINDS(ACCESS_NUMBER)
ENUMS(ACCESS_ENUM)

#define LINES(name, kind_name)                                                 \
    [OF_##name] = OBV_FIELD(every, of_##name, kind_name),                      \
    [SHARED_##name] =                                                          \
        OBV_FIELD_WITH(every, shared_##name, kind_name, OBV_ANY_THREAD, NULL),
#define LINES_NUMBER(kind_name, type) LINES(kind_name, kind_name)
#define LINES_ENUM(name, type)        LINES(name, enum)
static const struct obv_property properties[] = {
    [NEXT] = OBV_FIELD_OBJECT(every, next, "every"),
    OBV_NUMBER_KINDS(LINES_NUMBER) ENUMS(LINES_ENUM)};

/* Values: 0, the greatest, one between, the least ------------------------- */

enum { STEPS = 4 };

#define IS_SIGNED(type) ((type)-1 < (type)1)
#define INTEGER_AT(type, step)                                                 \
    ((step) == 0   ? (type)0                                                   \
     : (step) == 2 ? (type)1                                                   \
     : IS_SIGNED(type)                                                         \
         ? (type)((step) == 1 ? (INT64_MAX >> (64 - 8 * sizeof(type)))         \
                              : -(INT64_MAX >> (64 - 8 * sizeof(type))) - 1)   \
         : (type)((step) == 1 ? UINT64_MAX : UINT64_MAX - 1))
#define FLOATING_AT(type, step)                                                \
    ((step) == 0   ? (type)0                                                   \
     : (step) == 1 ? (type)FLT_MAX                                             \
     : (step) == 2 ? (type)NAN                                                 \
                   : (type)-0.5)

#define DEFINE_INTEGER_AT(kind_name, type)                                     \
    static type kind_name##_at(int step)                                       \
    {                                                                          \
        return (type)INTEGER_AT(type, step);                                   \
    }
#define DEFINE_FLOATING_AT(kind_name, type)                                    \
    static type kind_name##_at(int step)                                       \
    {                                                                          \
        return FLOATING_AT(type, step);                                        \
    }
OBV_INTEGER_KINDS(DEFINE_INTEGER_AT)
OBV_FLOATING_KINDS(DEFINE_FLOATING_AT)

static enum color color_at(int step)
{
    static const enum color at[] = {RED, BLUE, GREEN, BLUE};
    return at[step];
}

static enum offset offset_at(int step)
{
    static const enum offset at[] = {AT, AFTER, BEFORE, FAR};
    return at[step];
}

static enum tiny tiny_at(int step)
{
    static const enum tiny at[] = {NONE, FULL, HALF, FULL};
    return at[step];
}

static enum brief brief_at(int step)
{
    static const enum brief at[] = {LEVEL, UP, DOWN, UP};
    return at[step];
}

/* Cases ------------------------------------------------------------------- */

/* A property; values are given by their step. */
struct kind_case {
    const char *name;
    enum obv_kind kind;
    uint32_t index;
    void (*set)(struct every *every, int step);
    enum obv_status (*set_by_index)(struct obv_object *object, int step);
    /* By the accessor and by index. */
    bool (*has)(const struct every *every, int step);
    bool (*is)(const struct obv_value *value, int step);
    enum obv_status (*trigger)(struct every *every, int step);
};

/* Floats: a NaN is one. */
#define IS(type, left, right) OBV_DETAIL_SAME((type)(left), (type)(right))

#define DEFINE_CASE(name, type, which, stated, member, passed)                 \
    static void set_##which##_##name(struct every *every, int step)            \
    {                                                                          \
        every_set_##which##_##name(every, name##_at(step));                    \
    }                                                                          \
    static enum obv_status index_##which##_##name(struct obv_object *object,   \
                                                  int step)                    \
    {                                                                          \
        return obv_set_##stated(object, PLACE_##which(name),                   \
                                (passed)name##_at(step));                      \
    }                                                                          \
    static bool has_##which##_##name(const struct every *every, int step)      \
    {                                                                          \
        passed got;                                                            \
        return obv_get_##stated(&every->object, PLACE_##which(name), &got) ==  \
                   OBV_OK &&                                                   \
               IS(passed, got, name##_at(step)) &&                             \
               IS(type, every_##which##_##name(every), name##_at(step));       \
    }                                                                          \
    static bool is_##which##_##name(const struct obv_value *value, int step)   \
    {                                                                          \
        return value->kind == OBV_KIND_##stated &&                             \
               value->property == &properties[PLACE_##which(name)] &&          \
               IS(passed, value->as.member, name##_at(step));                  \
    }                                                                          \
    static enum obv_status trigger_##which##_##name(struct every *every,       \
                                                    int step)                  \
    {                                                                          \
        type old = name##_at(step);                                            \
        return obv_trigger(&every->object, PLACE_##which(name), &old, NULL);   \
    }
#define PLACE_of(name)     OF_##name
#define PLACE_shared(name) SHARED_##name
#define DEFINE_CASES(name, type, stated, member, passed)                       \
    DEFINE_CASE(name, type, of, stated, member, passed)                        \
    DEFINE_CASE(name, type, shared, stated, member, passed)
#define DEFINE_NUMBER(kind_name, type)                                         \
    DEFINE_CASES(kind_name, type, kind_name, kind_name, type)
#define DEFINE_ENUM(name, type)                                                \
    DEFINE_CASES(name, type, enum, enumeration, int64_t)
OBV_NUMBER_KINDS(DEFINE_NUMBER)
ENUMS(DEFINE_ENUM)

#define CASE(name, stated, which)                                              \
    {#which "_" #name,     OBV_KIND_##stated,       PLACE_##which(name),       \
     set_##which##_##name, index_##which##_##name,  has_##which##_##name,      \
     is_##which##_##name,  trigger_##which##_##name},
#define CASES_NUMBER(kind_name, type)                                          \
    CASE(kind_name, kind_name, of) CASE(kind_name, kind_name, shared)
#define CASES_ENUM(name, type) CASE(name, enum, of) CASE(name, enum, shared)
static const struct kind_case cases[] = {OBV_NUMBER_KINDS(CASES_NUMBER)
                                             ENUMS(CASES_ENUM)};

/* The stage --------------------------------------------------------------- */

static bool every_retain(struct obv_object *object)
{
    return references_try(&((struct every *)object)->references);
}

static void every_release(struct obv_object *object)
{
    struct every *every = (struct every *)object;
    if (references_drop(&every->references)) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        free(every);
    }
}

static struct stage {
    struct fixture fixture;
    struct obv_class *cls;
    struct every *root;
    struct witness witness;
    struct obv_observation *handle;
} stage;

static struct obv_class_table table_of(const struct obv_property *lines)
{
    return (struct obv_class_table){.size = sizeof(struct obv_class_table),
                                    .name = "every",
                                    .instance_size = sizeof(struct every),
                                    .properties = lines,
                                    .property_count = PROPERTIES,
                                    .retain = every_retain,
                                    .release = every_release};
}

static struct every *make_every(void)
{
    struct every *every = calloc(1, sizeof *every);
    CHECK(every);
    every->references = 1;
    obv_object_init(&every->object, stage.cls);
    return every;
}

static void stage_begin(const struct obv_class_table *table)
{
    memset(&stage, 0, sizeof stage);
    fixture_begin(&stage.fixture);
    CHECK_EQ(obv_class_create(stage.fixture.context, table, &stage.cls, NULL),
             OBV_OK);
    stage.root = make_every();
    witness_init(&stage.witness, &stage.fixture);
    stage.witness.probe.kind.label = "kind";
}

static void stage_end(void)
{
    end(stage.handle);
    CHECK(drain(&stage.fixture) >= 0);
    every_release(&stage.root->object);
    probe_release(&stage.witness);
    fixture_end(&stage.fixture);
}

/* The case that runs, and what its next call must hand over. */
static const struct kind_case *running;
static int expected_old, expected_now;

static void expect_values(void *observer, struct obv_object *root,
                          const struct obv_call *call)
{
    CHECK(running->is(call->old, expected_old));
    CHECK(running->is(call->now, expected_now));
    CHECK_EQ(obv_value_equal(call->old, call->now),
             expected_old == expected_now);
    witness_changed(observer, root, call);
}

static void each_case(void (*run)(const struct kind_case *one),
                      const struct obv_class_table *table)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        running = &cases[i];
        stage_begin(table);
        stage.witness.probe.kind.changed = expect_values;
        run(running);
        stage_end();
    }
}

static void each(void (*run)(const struct kind_case *one))
{
    const struct obv_class_table table = table_of(properties);
    each_case(run, &table);
}

static void watch(const char *path, uint32_t flags)
{
    stage.handle = witness(&stage.root->object, path, &stage.witness, flags);
}

static void expect(int old, int now)
{
    expected_old = old;
    expected_now = now;
}

/* What any thread may set is told by the drain. */
static void set(const struct kind_case *one, int step)
{
    one->set(stage.root, step);
    make_inbound_edits(&stage.fixture);
}

static void set_by_index(const struct kind_case *one, int step)
{
    CHECK_EQ(one->set_by_index(&stage.root->object, step), OBV_OK);
    make_inbound_edits(&stage.fixture);
}

static bool is_of_any_thread(const struct kind_case *one)
{
    return (properties[one->index].flags & OBV_ANY_THREAD) != 0;
}

/* Tests ------------------------------------------------------------------- */

static void unobserved(const struct kind_case *one)
{
    for (int step = 1; step < STEPS; step++) {
        one->set(stage.root, step);
        CHECK(one->has(stage.root, step));
        CHECK_EQ(one->set_by_index(&stage.root->object, STEPS - step), OBV_OK);
        CHECK(one->has(stage.root, STEPS - step));
    }
}

TEST(EQ_1_every_kind_stores_its_limits)
{
    each(unobserved);
}

static void immediate(const struct kind_case *one)
{
    watch(one->name, OBV_VALUES | OBV_IMMEDIATE);
    for (int step = 1; step < STEPS; step++) {
        expect(step - 1, step);
        set(one, step);
        CHECK_EQ(calls_of(&stage.witness), step);
        set(one, step);
        set_by_index(one, step);
        CHECK_EQ(calls_of(&stage.witness), step);
    }
    expect(STEPS - 1, 0);
    set_by_index(one, 0);
    CHECK_EQ(calls_of(&stage.witness), STEPS);
}

TEST(EQ_6_an_equal_set_of_any_kind_is_no_change_and_another_has_its_values)
{
    each(immediate);
}

static void plain(const struct kind_case *one)
{
    stage.witness.probe.kind.changed = probe_changed;
    watch(one->name, 0);
    for (int step = 1; step < STEPS; step++) {
        one->set(stage.root, step);
        one->set(stage.root, step);
        CHECK_EQ(drain(&stage.fixture), 1);
        one->set(stage.root, step);
        CHECK_EQ(drain(&stage.fixture), 0);
    }
}

TEST(DR_1_a_delayed_call_for_any_kind)
{
    each(plain);
}

static void coalesced(const struct kind_case *one)
{
    watch(one->name, OBV_VALUES | OBV_RECORDS | OBV_NET);
    set(one, 1);
    set(one, 2);
    set(one, 3);
    expect(0, 3);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(stage.witness.count, 1);
    CHECK_EQ(stage.witness.entries[0].changes, 3);
    set(one, 2);
    set(one, 3);
    CHECK_EQ(drain(&stage.fixture), 0);
}

TEST(OB_2_first_and_last_value_records_and_net_of_any_kind)
{
    each(coalesced);
}

static void before(const struct kind_case *one)
{
    set(one, 1);
    watch(one->name, OBV_VALUES | OBV_IMMEDIATE | OBV_PRIOR);
    expect(1, 2);
    set(one, 2);
    CHECK_EQ(stage.witness.priors, 1);
    CHECK_EQ(calls_of(&stage.witness), 2);
}

TEST(OB_2_a_call_before_the_store_of_any_kind)
{
    each(before);
}

static void triggered(const struct kind_case *one)
{
    one->set(stage.root, 2);
    watch(one->name, OBV_VALUES);
    expect(1, 2);
    CHECK_EQ(one->trigger(stage.root, 1), OBV_OK);
    /* Of any thread's it was 2 that was told last. */
    CHECK_EQ(drain(&stage.fixture), !is_of_any_thread(one));
    CHECK_EQ(one->trigger(stage.root, 2), OBV_OK);
    CHECK_EQ(drain(&stage.fixture), 0);
}

TEST(MT_1_a_trigger_says_what_a_property_of_any_kind_was)
{
    each(triggered);
}

static void replaced(const struct kind_case *one)
{
    char path[64];
    struct every *left = make_every(), *right = make_every();
    one->set(left, 2);
    one->set(right, 3);
    every_set_next(stage.root, left);
    snprintf(path, sizeof path, "next.%s", one->name);
    watch(path, OBV_VALUES);
    expect(2, 3);
    every_set_next(stage.root, right);
    CHECK_EQ(drain(&stage.fixture), 1);
    one->set(left, 3);
    CHECK_EQ(drain(&stage.fixture), 0);
    every_set_next(stage.root, left);
    CHECK_EQ(drain(&stage.fixture), 0);
    every_release(&left->object);
    every_release(&right->object);
}

TEST(EQ_2_a_replaced_object_differs_by_its_value_of_any_kind)
{
    each(replaced);
}

static void read_by_path(const struct kind_case *one)
{
    struct obv_value value;
    for (int step = 1; step < STEPS; step++) {
        one->set(stage.root, step);
        CHECK_EQ(obv_value_at(&stage.root->object, one->name, &value, NULL),
                 OBV_OK);
        CHECK(one->is(&value, step));
        obv_value_deinit(stage.fixture.context, &value);
    }
}

TEST(KP_2_a_value_of_any_kind_is_read_by_path)
{
    each(read_by_path);
}

/* A comparison sees what lies in the field. */
static size_t comparisons;

static bool never_equal(const void *a, const void *b)
{
    comparisons += a != b;
    return false;
}

TEST(EQ_1_a_property_of_any_kind_has_a_comparison_of_its_own)
{
    struct obv_property own[PROPERTIES];
    memcpy(own, properties, sizeof own);
    const struct obv_class_table table = table_of(own);
    for (uint32_t i = NEXT + 1; i < PROPERTIES; i++) {
        own[i].equal = never_equal;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stage_begin(&table);
        watch(cases[i].name, OBV_IMMEDIATE);
        cases[i].set(stage.root, 0);
        cases[i].set(stage.root, 0);
        CHECK_EQ(calls_of(&stage.witness), 2);
        stage_end();
    }
    CHECK(comparisons > 0);
}

TEST(EQ_6_zeros_of_a_float_are_equal_and_so_are_its_nans)
{
    const struct obv_class_table table = table_of(properties);
    const uint32_t flags = OBV_IMMEDIATE;
    stage_begin(&table);
    stage.handle = witness(&stage.root->object, "*", &stage.witness, flags);
    every_set_of_f32(stage.root, -0.0F);
    every_set_shared_f32(stage.root, -0.0F);
    CHECK_EQ(calls_of(&stage.witness), 0);
    every_set_of_f32(stage.root, (float)NAN);
    every_set_of_f32(stage.root, -(float)NAN);
    CHECK_EQ(obv_set_f32(&stage.root->object, OF_f32, -(float)NAN), OBV_OK);
    every_set_shared_f32(stage.root, (float)NAN);
    every_set_shared_f32(stage.root, -(float)NAN);
    CHECK_EQ(calls_of(&stage.witness), 2);
    stage_end();
}

static void of_another_kind(const struct kind_case *one)
{
    struct obv_object *root = &stage.root->object;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct kind_case *other = &cases[i];
        if (other->kind == one->kind || one->index == other->index) {
            continue;
        }
        /* The setter of one kind at the place of another. */
        enum obv_status status = OBV_OK;
        switch (one->kind) {
#define SET_AT(kind_name, type)                                                \
    case OBV_KIND_##kind_name:                                                 \
        status = obv_set_##kind_name(root, other->index, (type)1);             \
        CHECK_EQ(status, OBV_E_KIND);                                          \
        {                                                                      \
            type got;                                                          \
            status = obv_get_##kind_name(root, other->index, &got);            \
        }                                                                      \
        break;
            OBV_NUMBER_KINDS(SET_AT)
#undef SET_AT
        default:
            status = obv_set_enum(root, other->index, 1);
            break;
        }
        CHECK_EQ(status, OBV_E_KIND);
        CHECK(other->has(stage.root, 0));
    }
}

TEST(FA_2_a_setter_by_index_of_another_kind_stores_nothing)
{
    each(of_another_kind);
}

TEST(FA_2_an_enum_by_index_takes_what_its_field_can_hold)
{
    const struct obv_class_table table = table_of(properties);
    const struct {
        uint32_t index;
        int64_t least, greatest;
    } ranges[] = {{OF_color, 0, UINT32_MAX},
                  {SHARED_color, 0, UINT32_MAX},
                  {OF_offset, INT32_MIN, INT32_MAX},
                  {OF_tiny, 0, UINT8_MAX},
                  {OF_brief, INT16_MIN, INT16_MAX}};
    stage_begin(&table);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        struct obv_object *root = &stage.root->object;
        uint32_t index = ranges[i].index;
        int64_t least = ranges[i].least, greatest = ranges[i].greatest, got;
        CHECK_EQ(obv_set_enum(root, index, least), OBV_OK);
        CHECK_EQ(obv_set_enum(root, index, least - 1), OBV_E_ARGUMENT);
        CHECK_EQ(obv_get_enum(root, index, &got), OBV_OK);
        CHECK_EQ(got, least);
        CHECK_EQ(obv_set_enum(root, index, greatest), OBV_OK);
        CHECK_EQ(obv_set_enum(root, index, greatest + 1), OBV_E_ARGUMENT);
        CHECK_EQ(obv_get_enum(root, index, &got), OBV_OK);
        CHECK_EQ(got, greatest);
    }
    stage_end();
}

/* Class tables ------------------------------------------------------------ */

static struct obv_error error_of(const struct obv_class_table *table)
{
    struct fixture fixture;
    struct obv_class *cls = NULL;
    struct obv_error error = {.status = OBV_OK};
    fixture_begin(&fixture);
    CHECK_EQ(obv_class_create(fixture.context, table, &cls, &error),
             OBV_E_LAYOUT);
    CHECK_EQ(error.status, OBV_E_LAYOUT);
    CHECK(!cls);
    fixture_end(&fixture);
    return error;
}

/* With one line of the table changed. */
static void expect_refused(uint32_t index, const struct obv_property *line)
{
    struct obv_property lines[PROPERTIES];
    memcpy(lines, properties, sizeof lines);
    lines[index] = *line;
    const struct obv_class_table table = table_of(lines);
    struct obv_error error = error_of(&table);
    CHECK_TEXT(error.class_name, "every");
    CHECK_TEXT(error.property, properties[index].name);
    CHECK_EQ(error.position, index);
    CHECK(error.message);
}

TEST(FA_2_a_field_of_another_size_is_refused_by_class_and_field)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct obv_property line = properties[cases[i].index];
        line.size = line.size == 2 ? 3 : line.size / 2 + 3;
        expect_refused(cases[i].index, &line);
        line = properties[cases[i].index];
        line.offset += line.size != 1;
        line.size += line.size == 1;
        line.size += line.kind == OBV_KIND_enum && line.size == 2;
        expect_refused(cases[i].index, &line);
    }
}

TEST(FA_2_a_flag_that_does_not_fit_is_refused_by_class_and_field)
{
    struct obv_property line = properties[OF_u32];
    CHECK(properties[OF_color].flags & OBV_UNSIGNED);
    CHECK(properties[OF_tiny].flags & OBV_UNSIGNED);
    CHECK(!((properties[OF_offset].flags | properties[OF_brief].flags |
             properties[OF_u8].flags) &
            OBV_UNSIGNED));
    line.flags = OBV_UNSIGNED;
    expect_refused(OF_u32, &line);
    line.flags = OBV_WEAK;
    expect_refused(OF_u32, &line);
}

TEST(FA_2_names_and_places_taken_twice_are_refused_by_class_and_field)
{
    struct obv_property line = properties[SHARED_u32];
    struct obv_class_table table = table_of(properties);
    struct obv_error error;
    line.name = properties[OF_u32].name;
    struct obv_property lines[PROPERTIES];
    memcpy(lines, properties, sizeof lines);
    lines[SHARED_u32] = line;
    table.properties = lines;
    error = error_of(&table);
    CHECK_TEXT(error.class_name, "every");
    CHECK_TEXT(error.property, "of_u32");
    lines[SHARED_u32] = properties[SHARED_u32];
    lines[SHARED_u32].offset = lines[OF_u32].offset;
    error = error_of(&table);
    CHECK_TEXT(error.class_name, "every");
    CHECK(strstr(error.property, "_u32"));
}

TEST(FA_2_a_class_that_is_wrong_as_a_whole_names_no_field)
{
    struct obv_class_table table = table_of(properties);
    table.retain = NULL;
    struct obv_error error = error_of(&table);
    CHECK_TEXT(error.class_name, "every");
    CHECK(!error.property);
    CHECK_EQ(error.position, 0);
}

TEST(FA_2_an_error_that_is_no_layout_names_no_class)
{
    struct obv_error error = {.class_name = "x", .property = "y"};
    struct obv_class *cls = NULL;
    CHECK_EQ(obv_class_create(NULL, NULL, &cls, &error), OBV_E_ARGUMENT);
    CHECK(!error.class_name && !error.property);
}
