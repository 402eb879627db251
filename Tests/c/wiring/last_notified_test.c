/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends of paths that any thread may set, when the object above them is replaced:
 * what counts before is the value that was told last. What threads do to one
 * another here is in scheduler/ ("alike").
 */
#include "contract_fixture.h"

#include <math.h>

enum {
    STATION_READING,
    STATION_CODE,
    STATION_PLACE,
    STATION_EXACT,
    STATION_COUNT
};

struct station {
    struct item item;
    double reading;
    int64_t code; /* alike where the last digit is */
    int32_t place;
    double exact; /* each bit counts */
};

OBV_PROPERTY_ANY_THREAD(station, reading, f64, ITEM_COUNT + STATION_READING)
OBV_PROPERTY_ANY_THREAD(station, code, i64, ITEM_COUNT + STATION_CODE)
OBV_PROPERTY_ANY_THREAD(station, place, i32, ITEM_COUNT + STATION_PLACE)

static bool codes_equal(const void *a, const void *b)
{
    return *(const int64_t *)a % 10 == *(const int64_t *)b % 10;
}

static bool bits_equal(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(double)) == 0;
}

static const struct obv_property station_properties[STATION_COUNT] = {
    [STATION_READING] =
        OBV_FIELD_WITH(station, reading, f64, OBV_ANY_THREAD, NULL),
    [STATION_CODE] = {.name = "code",
                      .kind = OBV_KIND_i64,
                      .offset = (uint32_t)offsetof(struct station, code),
                      .size = sizeof(int64_t),
                      .flags = OBV_ANY_THREAD,
                      .equal = codes_equal},
    [STATION_PLACE] = OBV_FIELD_WITH(station, place, i32, OBV_ANY_THREAD, NULL),
    [STATION_EXACT] = {.name = "exact",
                       .kind = OBV_KIND_f64,
                       .offset = (uint32_t)offsetof(struct station, exact),
                       .size = sizeof(double),
                       .flags = OBV_ANY_THREAD,
                       .equal = bits_equal},
};

static struct obv_class_table station_table;
static struct obv_class *station_class;
static struct fixture fixture;
static struct probe probe;
static struct item *root;
static struct station *one, *other;

static struct station *make_station(void)
{
    struct station *station = calloc(1, sizeof *station);
    CHECK(station);
    station->item.references = 1;
    obv_object_init(&station->item.object, station_class);
    return station;
}

/* `one` stands behind the root, and the path is observed. */
static struct obv_observation *begin(const char *path)
{
    fixture_begin(&fixture);
    station_table =
        (struct obv_class_table){.size = sizeof station_table,
                                 .name = "station",
                                 .superclass = fixture.item_class,
                                 .instance_size = sizeof(struct station),
                                 .properties = station_properties,
                                 .property_count = STATION_COUNT};
    CHECK_EQ(
        obv_class_create(fixture.context, &station_table, &station_class, NULL),
        OBV_OK);
    probe_init(&probe, &fixture);
    root = item_create(&fixture);
    one = make_station();
    other = make_station();
    item_set_next(root, &one->item);
    return observe(root, path, &probe);
}

static void finish(struct obv_observation *handle)
{
    obv_stop(handle);
    obv_release(handle);
    item_release(&root->object);
    item_release(&one->item.object);
    item_release(&other->item.object);
    probe_release(&probe);
    fixture_end(&fixture);
}

/* How often the probe is called. */
static size_t calls(void)
{
    size_t before = probe.calls;
    drain(&fixture);
    return probe.calls - before;
}

static void replace(struct station *by)
{
    item_set_next(root, &by->item);
}

TEST(EQ_2_a_value_of_any_thread_that_was_told_is_compared)
{
    struct obv_observation *handle = begin("next.place");
    station_set_place(one, 3);
    CHECK_EQ(calls(), 1);
    other->place = 3;
    replace(other);
    CHECK_EQ(calls(), 0);
    station_set_place(other, 4);
    CHECK_EQ(calls(), 1);
    replace(one);
    CHECK_EQ(calls(), 1);
    station_set_place(one, 5);
    station_set_place(one, 6);
    station_set_place(one, 4);
    CHECK_EQ(calls(), 1);
    replace(other);
    CHECK_EQ(calls(), 0);
    finish(handle);
}

TEST(EQ_2_the_same_where_one_object_takes_the_place_of_one_of_its_class)
{
    struct obv_observation *handle = begin("next.shared");
    struct item *first = item_create(&fixture), *second = item_create(&fixture);
    item_set_next(root, first);
    item_set_shared(first, 3);
    CHECK_EQ(calls(), 1);
    second->shared = 3;
    item_set_next(root, second);
    CHECK_EQ(calls(), 0);
    item_set_next(root, first);
    CHECK_EQ(calls(), 0);
    item_set_shared(first, 4);
    CHECK_EQ(calls(), 1);
    item_set_next(root, second);
    CHECK_EQ(calls(), 1);
    item_release(&first->object);
    item_release(&second->object);
    finish(handle);
}

TEST(EQ_2_of_every_property_values_of_any_thread_are_compared_as_told)
{
    struct obv_observation *handle = begin("next.*");
    station_set_place(one, 3);
    station_set_reading(one, 1.5);
    CHECK_EQ(calls(), 1);
    other->place = 3;
    other->reading = 1.5;
    replace(other);
    CHECK_EQ(calls(), 0);
    station_set_reading(other, 2);
    CHECK_EQ(calls(), 1);
    replace(one);
    CHECK_EQ(calls(), 1);
    finish(handle);
}

TEST(EQ_6_what_is_known_of_any_thread_tells_no_zeros_and_no_NaNs_apart)
{
    struct obv_observation *handle = begin("next.reading");
    station_set_reading(one, -0.0);
    replace(other);
    CHECK_EQ(calls(), 0);
    station_set_reading(other, NAN);
    CHECK_EQ(calls(), 1);
    station_set_reading(other, -NAN);
    one->reading = nan("0x7");
    replace(one);
    CHECK_EQ(calls(), 0);
    finish(handle);
}

TEST(EQ_11_a_set_of_any_thread_that_is_equal_in_its_own_way_is_known)
{
    struct obv_observation *handle = begin("next.code");
    station_set_code(one, 10);
    CHECK_EQ(station_code(one), 10);
    replace(other);
    CHECK_EQ(calls(), 0);
    station_set_code(other, 7);
    CHECK_EQ(calls(), 1);
    station_set_code(other, 27);
    one->code = 37;
    replace(one);
    CHECK_EQ(calls(), 0);
    finish(handle);
}

TEST(EQ_11_what_is_known_is_compared_bit_by_bit_where_the_property_is)
{
    struct obv_observation *handle = begin("next.exact");
    one->exact = -0.0;
    other->exact = -0.0;
    replace(other);
    CHECK_EQ(calls(), 1); /* past the setter */
    replace(one);
    CHECK_EQ(calls(), 0);
    other->exact = 0.0;
    replace(other);
    CHECK_EQ(calls(), 1);
    finish(handle);
}

/* A write past the setter was told to nobody. */
TEST(MT_1_a_write_past_the_setter_of_any_thread_differs_from_what_was_told)
{
    struct obv_observation *handle = begin("next.place");
    int32_t old = one->place;
    one->place = 9;
    CHECK_EQ(
        obv_trigger(&one->item.object, ITEM_COUNT + STATION_PLACE, &old, NULL),
        OBV_OK);
    CHECK_EQ(calls(), 1);
    other->place = 9;
    replace(other);
    CHECK_EQ(calls(), 0);
    other->place = 10;
    one->place = 10;
    replace(one);
    CHECK_EQ(calls(), 1);
    finish(handle);
}

TEST(MT_1_writes_past_two_setters_of_any_thread_do_not_make_up_for_each_other)
{
    struct obv_observation *handle = begin("next.*");
    station_set_place(one, 1);
    station_set_code(one, 2);
    CHECK_EQ(calls(), 1);
    one->place = other->place = 2;
    one->code = other->code = 1;
    replace(other);
    CHECK_EQ(calls(), 1);
    finish(handle);
}

static void let_other_go(struct probe *observer)
{
    if (other) {
        item_release(&other->item.object);
        other = NULL;
    }
    (void)observer;
}

/* An equal set that is told all the same: what it is told may end the object. */
TEST(EQ_11_LT_1_a_handler_of_an_equal_set_of_any_thread_lets_the_object_go)
{
    struct obv_observation *handle = begin("next.place");
    const struct obv_pair pair = {&other->item.object, "place"};
    const struct obv_observe_options options = {
        .size = sizeof options,
        .flags = OBV_IMMEDIATE,
        .compare = OBV_COMPARE_ALWAYS_DIFFERENT};
    struct obv_observation *same = NULL;
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &probe.kind, &probe, &options, &same, NULL),
        OBV_OK);
    struct obv_object *object = &other->item.object;
    probe.then = let_other_go;
    CHECK_EQ(obv_set_i32(object, ITEM_COUNT + STATION_PLACE, 0), OBV_OK);
    CHECK_EQ(probe.calls, 1);
    CHECK(other == NULL);
    obv_release(same);
    other = make_station();
    finish(handle);
}
