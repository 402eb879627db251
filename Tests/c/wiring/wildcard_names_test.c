/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Path instances: what a `*` leads to is told apart by the properties' names
 * (EQ-8), wherever they stand in their classes. The two classes here have the
 * same properties at other places, and one that the other lacks.
 */
#include "witness_fixture.h"

#include <stdio.h>

struct pair {
    struct obv_object object;
    struct item *left, *right, *own;
    int64_t large;
};

/* Properties by their places; their names are the fields'. */
enum { FIRST_LEFT, FIRST_RIGHT, FIRST_LARGE, FIRST_OWN };
enum { SECOND_RIGHT, SECOND_LARGE, SECOND_LEFT };

OBV_PROPERTY(pair, own, object, FIRST_OWN)

static const struct obv_property first_properties[] = {
    [FIRST_LEFT] = OBV_FIELD_OBJECT(pair, left, "item"),
    [FIRST_RIGHT] = OBV_FIELD_OBJECT(pair, right, "item"),
    [FIRST_LARGE] = OBV_FIELD(pair, large, i64),
    [FIRST_OWN] = OBV_FIELD_OBJECT(pair, own, "item"),
};
static const struct obv_property second_properties[] = {
    [SECOND_RIGHT] = OBV_FIELD_OBJECT(pair, right, "item"),
    [SECOND_LARGE] = OBV_FIELD(pair, large, i64),
    [SECOND_LEFT] = OBV_FIELD_OBJECT(pair, left, "item"),
};

/* "own" is a number here. */
static const struct obv_property odd_properties[] = {
    {.name = "own",
     .kind = OBV_KIND_i64,
     .offset = (uint32_t)offsetof(struct pair, large),
     .size = (uint32_t)sizeof(int64_t)},
};

struct holder {
    struct obv_object object;
    struct pair *held;
};

OBV_PROPERTY(holder, held, object, 0)

static const struct obv_property holder_properties[] = {
    OBV_FIELD_WITH(holder, held, object, OBV_UNOWNED, NULL)};

static struct obv_class_table tables[6];

static struct obv_class *make_class(struct fixture *fixture, unsigned which,
                                    const char *name, size_t size,
                                    const struct obv_property *properties,
                                    size_t count)
{
    struct obv_class *made;
    tables[which] = (struct obv_class_table){.size = sizeof tables[which],
                                             .name = name,
                                             .instance_size = size,
                                             .properties = properties,
                                             .property_count = count};
    CHECK_EQ(obv_class_create(fixture->context, &tables[which], &made, NULL),
             OBV_OK);
    return made;
}

/* A holder, and what it holds by turns: all of them objects of the test. */
static struct stage {
    struct fixture fixture;
    struct holder holder;
    struct pair first, second, short_one, odd;
    struct item *one, *other;
    struct witness witness;
} stage;

static void stage_begin(void)
{
    memset(&stage, 0, sizeof stage);
    fixture_begin(&stage.fixture);
    struct obv_class *holder =
        make_class(&stage.fixture, 0, "holder", sizeof(struct holder),
                   holder_properties, 1);
    struct obv_class *first = make_class(
        &stage.fixture, 1, "first", sizeof(struct pair), first_properties, 4);
    struct obv_class *second = make_class(
        &stage.fixture, 2, "second", sizeof(struct pair), second_properties, 3);
    struct obv_class *short_one = make_class(
        &stage.fixture, 3, "short", sizeof(struct pair), first_properties, 3);
    struct obv_class *odd = make_class(&stage.fixture, 4, "odd",
                                       sizeof(struct pair), odd_properties, 1);
    obv_object_init(&stage.holder.object, holder);
    obv_object_init(&stage.odd.object, odd);
    obv_object_init(&stage.first.object, first);
    obv_object_init(&stage.second.object, second);
    obv_object_init(&stage.short_one.object, short_one);
    stage.one = item_create(&stage.fixture);
    stage.other = item_create(&stage.fixture);
    item_set_large(stage.one, 1);
    item_set_large(stage.other, 2);
    witness_init(&stage.witness, &stage.fixture);
}

/* Ends the pairs with what they hold. */
static void stage_end(void)
{
    CHECK_EQ(obv_object_deinit(&stage.holder.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&stage.first.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&stage.second.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&stage.short_one.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&stage.odd.object), OBV_OK);
    CHECK_EQ(stage.one->references, 1);
    CHECK_EQ(stage.other->references, 1);
    item_release(&stage.one->object);
    item_release(&stage.other->object);
    CHECK(drain(&stage.fixture) >= 0);
    probe_release(&stage.witness);
    fixture_end(&stage.fixture);
}

static void put(struct pair *pair, uint32_t property, struct item *item)
{
    CHECK_EQ(
        obv_set_object(&pair->object, property, item ? &item->object : NULL),
        OBV_OK);
}

TEST(EQ_8_ways_are_matched_by_name_wherever_it_stands)
{
    stage_begin();
    put(&stage.first, FIRST_LEFT, stage.one);
    put(&stage.first, FIRST_RIGHT, stage.other);
    put(&stage.second, SECOND_LEFT, stage.one);
    put(&stage.second, SECOND_RIGHT, stage.other);
    holder_set_held(&stage.holder, &stage.first);
    struct obv_observation *handle =
        witness(&stage.holder.object, "held.*.large", &stage.witness, 0);
    holder_set_held(&stage.holder, &stage.second);
    CHECK_EQ(drain(&stage.fixture), 0);
    /* By the same places, and so by the other names. */
    put(&stage.second, SECOND_LEFT, stage.other);
    put(&stage.second, SECOND_RIGHT, stage.one);
    CHECK_EQ(drain(&stage.fixture), 1);
    holder_set_held(&stage.holder, &stage.first);
    CHECK_EQ(drain(&stage.fixture), 1);
    end(handle);
    stage_end();
}

TEST(EQ_8_what_ends_at_a_star_is_matched_by_name)
{
    stage_begin();
    /* Three of each, and the values of the one at the other's places. */
    put(&stage.short_one, FIRST_LEFT, stage.one);
    put(&stage.short_one, FIRST_RIGHT, stage.other);
    put(&stage.second, SECOND_LEFT, stage.one);
    put(&stage.second, SECOND_RIGHT, stage.other);
    holder_set_held(&stage.holder, &stage.short_one);
    struct obv_observation *handle =
        witness(&stage.holder.object, "held.*", &stage.witness, 0);
    holder_set_held(&stage.holder, &stage.second);
    CHECK_EQ(drain(&stage.fixture), 0);
    CHECK_EQ(obv_set_i64(&stage.second.object, SECOND_LARGE, 5), OBV_OK);
    CHECK_EQ(drain(&stage.fixture), 1);
    holder_set_held(&stage.holder, &stage.short_one);
    CHECK_EQ(drain(&stage.fixture), 1);
    end(handle);
    stage_end();
}

TEST(DR_13_ways_are_named_by_the_properties)
{
    const struct kept_entry *entry;
    stage_begin();
    put(&stage.first, FIRST_LEFT, stage.one);
    put(&stage.second, SECOND_RIGHT, stage.one);
    holder_set_held(&stage.holder, &stage.first);
    struct obv_observation *handle = witness(
        &stage.holder.object, "held.*.large", &stage.witness, OBV_RECORDS);
    holder_set_held(&stage.holder, &stage.second);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(stage.witness.count, 2);
    entry = entry_of(&stage.witness, "held.left.large");
    CHECK(entry && entry->first.bits == 1);
    CHECK_EQ(entry->last.kind, OBV_KIND_unreachable);
    entry = entry_of(&stage.witness, "held.right.large");
    CHECK(entry && entry->last.bits == 1);
    CHECK_EQ(entry->first.kind, OBV_KIND_unreachable);
    CHECK_TEXT(entry->path, "held.*.large");
    end(handle);
    stage_end();
}

/* What the next object has no property for is let go of. */
TEST(KP_3_WC_2_ways_by_names_that_the_next_object_lacks_are_let_go)
{
    stage_begin();
    pair_set_own(&stage.first, stage.one);
    put(&stage.first, FIRST_LEFT, stage.other);
    put(&stage.second, SECOND_LEFT, stage.other);
    holder_set_held(&stage.holder, &stage.first);
    struct obv_observation *handle =
        witness(&stage.holder.object, "held.*.large", &stage.witness, 0);
    CHECK_EQ(obv_observer_count(&stage.one->object, "large"), 1);
    holder_set_held(&stage.holder, &stage.second);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(obv_observer_count(&stage.one->object, "large"), 0);
    CHECK_EQ(obv_observer_count(&stage.other->object, "large"), 1);
    item_set_large(stage.one, 7);
    CHECK_EQ(drain(&stage.fixture), 0);
    holder_set_held(&stage.holder, &stage.first);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(obv_observer_count(&stage.one->object, "large"), 1);
    holder_set_held(&stage.holder, &stage.short_one);
    CHECK_EQ(drain(&stage.fixture), 1);
    CHECK_EQ(obv_observer_count(&stage.one->object, "large"), 0);
    end(handle);
    stage_end();
}

TEST(KP_15_a_property_of_another_kind_is_let_go_whole)
{
    struct witness star;
    stage_begin();
    witness_init(&star, &stage.fixture);
    pair_set_own(&stage.first, stage.one);
    holder_set_held(&stage.holder, &stage.first);
    struct obv_observation *handle =
        witness(&stage.holder.object, "held.own.large", &stage.witness, 0);
    struct obv_observation *by_star =
        witness(&stage.holder.object, "held.*.large", &star, 0);
    holder_set_held(&stage.holder, &stage.odd);
    CHECK_EQ(drain(&stage.fixture), 2);
    CHECK_EQ(obv_observer_count(&stage.one->object, "large"), 0);
    CHECK_EQ(obv_set_i64(&stage.odd.object, 0, 5), OBV_OK);
    CHECK_EQ(drain(&stage.fixture), 0);
    holder_set_held(&stage.holder, &stage.first);
    CHECK_EQ(drain(&stage.fixture), 2);
    CHECK_EQ(obv_observer_count(&stage.one->object, "large"), 2);
    end(handle);
    end(by_star);
    probe_release(&star);
    stage_end();
}

/* Memory ------------------------------------------------------------------ */

enum { MANY = 80 };

struct wide {
    struct obv_object object;
    int32_t values[MANY];
};

static struct obv_property wide_properties[MANY];
static char wide_names[MANY][8];

static void wide_init(struct wide *wide, struct obv_class *cls)
{
    memset(wide, 0, sizeof *wide);
    obv_object_init(&wide->object, cls);
}

static void note_call(void *observer, struct obv_object *root,
                      const struct obv_call *call)
{
    (void)root;
    (void)call;
    ++*(size_t *)observer;
}

static size_t count_calls(size_t calls[MANY])
{
    size_t count = 0;
    for (size_t i = 0; i < MANY; i++) {
        count += calls[i];
        calls[i] = 0;
    }
    return count;
}

static size_t count_unresolved(struct obv_observation *const handles[MANY])
{
    size_t count = 0;
    for (size_t i = 0; i < MANY; i++) {
        count += obv_unresolved_path(handles[i], 0, NULL, 0) >= 0;
    }
    return count;
}

/* Paths beneath one star, of which the n-th allocation of a set leaves out one at
   most. Whether it was refused. */
static bool leave_one_out(size_t n)
{
    static const struct obv_handler_kind kind = {.changed = note_call};
    struct holder holder = {.held = NULL};
    struct wide one, other;
    struct obv_observation *handles[MANY];
    size_t calls[MANY] = {0};
    stage_begin();
    struct obv_class *wide = make_class(&stage.fixture, 5, "wide", sizeof one,
                                        wide_properties, MANY);
    obv_object_init(&holder.object, obv_object_class(&stage.holder.object));
    wide_init(&one, wide);
    wide_init(&other, wide);
    for (size_t i = 0; i < MANY; i++) {
        char path[16];
        (void)snprintf(path, sizeof path, "*.%.12s", wide_names[i]);
        CHECK_EQ(obv_observe(&holder.object, path, &kind, &calls[i],
                             &handles[i], NULL),
                 OBV_OK);
    }
    test_fail_allocation(n, false);
    CHECK_EQ(obv_set_object(&holder.object, 0, &one.object), OBV_OK);
    bool failed = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK_EQ(drain(&stage.fixture), MANY);
    CHECK_EQ(count_calls(calls), MANY);
    size_t lacked = count_unresolved(handles);
    /* With one that lacks a path instance go those beside it. */
    CHECK(lacked == 0 || lacked == MANY);
    /* Equal in all: only these are told. */
    CHECK_EQ(obv_set_object(&holder.object, 0, &other.object), OBV_OK);
    CHECK_EQ(drain(&stage.fixture), (ptrdiff_t)lacked);
    CHECK_EQ(count_calls(calls), lacked);
    CHECK_EQ(count_unresolved(handles), 0);
    CHECK_EQ(obv_set_object(&holder.object, 0, &one.object), OBV_OK);
    CHECK_EQ(drain(&stage.fixture), 0);
    for (size_t i = 0; i < MANY; i++) {
        obv_stop(handles[i]);
        obv_release(handles[i]);
    }
    CHECK_EQ(obv_object_deinit(&holder.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&one.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&other.object), OBV_OK);
    stage_end();
    return failed;
}

TEST(EQ_2_FA_1_beneath_a_star_who_lacked_a_way_is_told)
{
    for (size_t i = 0; i < MANY; i++) {
        (void)snprintf(wide_names[i], sizeof wide_names[i], "p%zu", i);
        wide_properties[i] = (struct obv_property){
            .name = wide_names[i],
            .kind = OBV_KIND_i32,
            .offset =
                (uint32_t)(offsetof(struct wide, values) + i * sizeof(int32_t)),
            .size = (uint32_t)sizeof(int32_t)};
    }
    size_t n = 1;
    while (leave_one_out(n)) {
        n++;
    }
    CHECK(n > MANY);
}
