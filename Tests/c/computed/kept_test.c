/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that the core keeps for a binding as words, and doubles of either: how
 * they are compared, set, handed over, and what a read that cannot have them is
 * told.
 */
#include "test.h"

#include <observable/computed.h>
#include <observable/observable.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER, RATIO, HALF, TWICE, SHARE, RING, PROPERTIES };

/* Offsets of their own, behind the object: the values lie in the records. */
enum { AT_TWICE = 64, AT_SHARE = 72, AT_RING = 80, SIZE = 88 };

struct item {
    struct obv_object object;
    int64_t number;
    double ratio;
    double half;
};
OBV_PROPERTY(item, number, i64, NUMBER)
OBV_PROPERTY(item, ratio, f64, RATIO)
OBV_COMPUTED(item, half, f64, HALF)

static bool retain_item(struct obv_object *object)
{
    return obv_object_class(object) != NULL;
}

static void release_item(struct obv_object *object)
{
    (void)object; /* it lies in the program */
}

static size_t evaluations;

static enum obv_status half_of_ratio(struct obv_object *object,
                                     const struct obv_property *property,
                                     void *result)
{
    double half = item_ratio((struct item *)object) / 2;
    (void)property;
    evaluations++;
    memcpy(result, &half, sizeof half);
    return OBV_OK;
}

static enum obv_status twice_the_number(struct obv_object *object,
                                        const struct obv_property *property,
                                        void *result)
{
    int64_t twice = 2 * item_number((struct item *)object);
    (void)property;
    evaluations++;
    memcpy(result, &twice, sizeof twice);
    return OBV_OK;
}

static enum obv_status needs_itself(struct obv_object *object,
                                    const struct obv_property *property,
                                    void *result)
{
    enum obv_status status;
    const void *kept =
        obv_detail_kept_value_at(object, property->offset, &status);
    if (!kept && status == OBV_OK) {
        kept = obv_detail_kept_value(object, RING, &status);
    }
    (void)result;
    CHECK(!kept);
    CHECK_EQ(status, OBV_E_CYCLE);
    return status;
}

/* Boxes of numbers, for who is handed a value. */

struct box {
    struct obv_boxed boxed;
    uint64_t word;
};

static size_t live_boxes;

static void release_box(struct obv_boxed *box)
{
    live_boxes--;
    free(box);
}

static bool equal_boxes(const struct obv_boxed *a, const struct obv_boxed *b,
                        enum obv_compare how)
{
    (void)how;
    return ((const struct box *)a)->word == ((const struct box *)b)->word;
}

static struct obv_boxed *box_of_word(const struct obv_property *property,
                                     const void *kept)
{
    struct box *box = calloc(1, sizeof *box);
    CHECK(box);
    CHECK_EQ(property->size, sizeof box->word);
    box->boxed = (struct obv_boxed){release_box, equal_boxes};
    memcpy(&box->word, kept, sizeof box->word);
    live_boxes++;
    return &box->boxed;
}

static const void *value_in_box(const struct obv_boxed *box)
{
    return &((const struct box *)box)->word;
}

static const struct obv_computed_kept kept_words = {box_of_word, NULL,
                                                    value_in_box};
static const struct obv_computed of_half = {.size = sizeof of_half,
                                            .evaluate = half_of_ratio},
                                 of_twice = {.size = sizeof of_twice,
                                             .evaluate = twice_the_number,
                                             .flags = OBV_DETAIL_WORD,
                                             .kept = &kept_words},
                                 of_share = {.size = sizeof of_share,
                                             .evaluate = half_of_ratio,
                                             .flags = OBV_DETAIL_WORD |
                                                      OBV_DETAIL_DOUBLE,
                                             .kept = &kept_words},
                                 of_ring = {.size = sizeof of_ring,
                                            .evaluate = needs_itself,
                                            .flags = OBV_DETAIL_WORD,
                                            .kept = &kept_words};

#define KEPT(property_name, at, how)                                           \
    {                                                                          \
        .name = (property_name), .kind = OBV_KIND_custom, .offset = (at),      \
        .size = sizeof(uint64_t), .custom = &obv_detail_kept_values,           \
        .computed = (how)                                                      \
    }

static const struct obv_property properties[] = {
    [NUMBER] = OBV_FIELD(item, number, i64),
    [RATIO] = OBV_FIELD(item, ratio, f64),
    [HALF] = OBV_FIELD_COMPUTED(item, half, f64, &of_half),
    [TWICE] = KEPT("twice", AT_TWICE, &of_twice),
    [SHARE] = KEPT("share", AT_SHARE, &of_share),
    [RING] = KEPT("ring", AT_RING, &of_ring),
};

static struct obv_context *context;
static struct obv_class *cls;
static struct item item;

static size_t cycles;

static void count_cycles(void *unused, const struct obv_diagnostic *diagnostic)
{
    (void)unused;
    cycles += diagnostic->kind == OBV_DIAGNOSTIC_CYCLE;
}

static void begin(void)
{
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator(),
                                                .diagnose = count_cycles};
    static const struct obv_class_table table = {.size = sizeof table,
                                                 .name = "item",
                                                 .instance_size = SIZE,
                                                 .properties = properties,
                                                 .property_count = PROPERTIES,
                                                 .retain = retain_item,
                                                 .release = release_item};
    CHECK_EQ(obv_context_create(&options, &context), OBV_OK);
    CHECK_EQ(obv_class_create(context, &table, &cls, NULL), OBV_OK);
    item = (struct item){.ratio = 8};
    obv_object_init(&item.object, cls);
    evaluations = 0;
    cycles = 0;
}

static void end(void)
{
    CHECK_EQ(obv_object_deinit(&item.object), OBV_OK);
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
    CHECK_EQ(live_boxes, 0);
}

/* By offset, as a getter reads; else the longer way. */
static uint64_t word_at(uint32_t offset, uint32_t property)
{
    enum obv_status status;
    uint64_t word;
    const void *kept = obv_detail_kept_value_at(&item.object, offset, &status);
    CHECK_EQ(status, OBV_OK);
    if (!kept) {
        kept = obv_detail_kept_value(&item.object, property, &status);
    }
    CHECK(kept);
    memcpy(&word, kept, sizeof word);
    return word;
}

static double share(void)
{
    uint64_t word = word_at(AT_SHARE, SHARE);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static void set_share(double value)
{
    obv_detail_set_kept(&item.object, SHARE, &value);
}

TEST(LL_1_a_kept_word_is_computed_once_and_after_a_change)
{
    begin();
    CHECK(!obv_detail_last(&item.object, TWICE));
    item_set_number(&item, 21);
    CHECK_EQ(word_at(AT_TWICE, TWICE), 42);
    CHECK_EQ(word_at(AT_TWICE, TWICE), 42);
    CHECK_EQ(evaluations, 1);
    item_set_number(&item, 5);
    CHECK_EQ(*(const uint64_t *)obv_detail_last(&item.object, TWICE), 42);
    CHECK_EQ(word_at(AT_TWICE, TWICE), 10);
    CHECK_EQ(evaluations, 2);
    end();
}

TEST(LL_3_a_kept_word_that_is_set_stands_until_what_it_needs_changes)
{
    const uint64_t seven = 7;
    begin();
    obv_detail_set_kept(&item.object, TWICE, &seven);
    CHECK_EQ(word_at(AT_TWICE, TWICE), 7);
    CHECK_EQ(evaluations, 0);
    CHECK_EQ(obv_invalidate(&item.object, TWICE), OBV_OK);
    CHECK_EQ(word_at(AT_TWICE, TWICE), 0);
    obv_detail_set_kept(&item.object, TWICE, &seven);
    item_set_number(&item, 3);
    CHECK_EQ(word_at(AT_TWICE, TWICE), 6);
    end();
}

/* Handed to an observer that asks for values, as boxes. */

struct seen {
    size_t calls;
    uint64_t old, now;
};

static uint64_t word_of(const struct obv_value *value)
{
    return value->kind == OBV_KIND_custom
               ? ((const struct box *)value->as.custom)->word
               : UINT64_MAX;
}

static void see(void *observer, struct obv_object *root,
                const struct obv_call *call)
{
    struct seen *seen = observer;
    (void)root;
    seen->calls++;
    seen->old = word_of(call->old);
    seen->now = word_of(call->now);
}

static const struct obv_handler_kind seeing = {.changed = see,
                                               .label = "seeing"};

static struct obv_observation *watch(const char *path, struct seen *seen,
                                     unsigned flags)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_VALUES | flags};
    const struct obv_pair pair = {&item.object, path};
    struct obv_observation *handle;
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &seeing, seen, &options, &handle, NULL),
        OBV_OK);
    return handle;
}

static void unwatch(struct obv_observation *handle)
{
    obv_stop(handle);
    obv_release(handle);
}

static void drain(void)
{
    (void)obv_loop_drain(obv_context_loop(context));
}

TEST(OB_2_a_kept_word_is_handed_over_in_a_box)
{
    const uint64_t nine = 9;
    struct seen seen = {0}, at_once = {0};
    begin();
    struct obv_observation *handle = watch("twice", &seen, 0);
    struct obv_observation *immediate = watch("twice", &at_once, OBV_IMMEDIATE);
    item_set_number(&item, 1);
    item_set_number(&item, 2);
    CHECK_EQ(at_once.calls, 2);
    CHECK_EQ(at_once.old, 2);
    CHECK_EQ(at_once.now, 4);
    drain();
    CHECK_EQ(seen.calls, 1);
    CHECK_EQ(seen.old, 0);
    CHECK_EQ(seen.now, 4);
    obv_detail_set_kept(&item.object, TWICE, &nine);
    CHECK_EQ(at_once.calls, 3);
    CHECK_EQ(at_once.old, 4);
    CHECK_EQ(at_once.now, 9);
    obv_detail_set_kept(&item.object, TWICE, &nine);
    CHECK_EQ(at_once.calls, 3);
    drain();
    CHECK_EQ(seen.calls, 2);
    struct obv_boxed *copy = obv_detail_copy_last(&item.object, TWICE);
    CHECK_EQ(((struct box *)copy)->word, 9);
    copy->release(copy);
    unwatch(handle);
    unwatch(immediate);
    drain();
    end();
}

/* What was never computed. */

TEST(LL_4_a_first_set_is_a_change_whatever_is_set)
{
    const struct obv_observe_options options = {
        .size = sizeof options, .flags = OBV_VALUES | OBV_IMMEDIATE};
    for (uint64_t value = 0; value < 10; value += 9) {
        struct seen seen = {0};
        struct obv_observation *handle;
        begin();
        CHECK_EQ(obv_observe_class(cls, "twice", &seeing, &seen, &options,
                                   &handle, NULL),
                 OBV_OK);
        obv_detail_set_kept(&item.object, TWICE, &value);
        CHECK_EQ(seen.calls, 1);
        CHECK_EQ(seen.old, UINT64_MAX); /* not known */
        CHECK_EQ(seen.now, value);
        obv_detail_set_kept(&item.object, TWICE, &value);
        CHECK_EQ(seen.calls, 1);
        unwatch(handle);
        drain();
        end();
    }
}

static void read_before(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    struct seen *seen = observer;
    (void)root;
    seen->calls++;
    *(call->is_prior ? &seen->old : &seen->now) = word_at(AT_TWICE, TWICE);
}

static const struct obv_handler_kind reading_before = {.changed = read_before,
                                                       .label = "reading"};

TEST(OB_2_a_call_before_the_first_set_reads_what_is_computed)
{
    const struct obv_observe_options options = {
        .size = sizeof options, .flags = OBV_PRIOR | OBV_IMMEDIATE};
    const struct obv_pair pair = {&item.object, "*"};
    const uint64_t zero = 0;
    struct seen seen = {0};
    struct obv_observation *handle;
    begin();
    item_set_number(&item, 21);
    CHECK_EQ(obv_observe_pairs(&pair, 1, &reading_before, &seen, &options,
                               &handle, NULL),
             OBV_OK);
    obv_detail_set_kept(&item.object, TWICE, &zero);
    CHECK_EQ(seen.calls, 2);
    CHECK_EQ(seen.old, 42);
    CHECK_EQ(seen.now, 0);
    CHECK_EQ(word_at(AT_TWICE, TWICE), 0);
    CHECK_EQ(evaluations, 1);
    unwatch(handle);
    drain();
    end();
}

TEST(LL_4_a_set_of_what_has_ended_is_none)
{
    const uint64_t nine = 9;
    begin();
    CHECK_EQ(obv_object_deinit(&item.object), OBV_OK);
    obv_detail_set_kept(&item.object, TWICE, &nine);
    obv_object_init(&item.object, cls);
    end();
}

/* Zeros and what is not a number. */

static const double zeros[] = {0.0, -0.0};

TEST(EQ_1_a_computed_double_is_compared_as_a_number)
{
    struct seen seen = {0};
    begin();
    struct obv_observation *handle = watch("half", &seen, OBV_IMMEDIATE);
    for (size_t i = 0; i < 2; i++) {
        item_set_ratio(&item, 6);
        CHECK(item_half(&item) == 3);
        item_set_ratio(&item, zeros[i]);
        seen.calls = 0;
        item_set_ratio(&item, 5e-324); /* half of that is no less than zero */
        item_set_ratio(&item, -5e-324);
        CHECK_EQ(seen.calls, 0);
        CHECK(item_half(&item) == 0);
        CHECK_EQ(signbit(item_half(&item)) != 0, i);
    }
    item_set_ratio(&item, NAN);
    CHECK_EQ(seen.calls, 1);
    item_set_ratio(&item, -NAN);
    item_set_ratio(&item, NAN);
    CHECK_EQ(seen.calls, 1);
    item_set_ratio(&item, 2);
    CHECK_EQ(seen.calls, 2);
    CHECK(item_half(&item) == 1);
    unwatch(handle);
    drain();
    end();
}

TEST(EQ_1_a_kept_double_is_compared_as_a_number)
{
    struct seen seen = {0};
    begin();
    struct obv_observation *handle = watch("share", &seen, OBV_IMMEDIATE);
    for (size_t i = 0; i < 2; i++) {
        item_set_ratio(&item, 6);
        CHECK(share() == 3);
        item_set_ratio(&item, zeros[i]);
        seen.calls = 0;
        item_set_ratio(&item, -zeros[i] * 7);
        CHECK_EQ(seen.calls, 0);
        set_share(-zeros[i]);
        CHECK_EQ(seen.calls, 0);
        CHECK_EQ(signbit(share()) != 0, i);
    }
    set_share(NAN);
    CHECK_EQ(seen.calls, 1);
    set_share(-NAN);
    CHECK_EQ(seen.calls, 1);
    set_share(1.5);
    CHECK_EQ(seen.calls, 2);
    CHECK(share() == 1.5);
    unwatch(handle);
    drain();
    end();
}

/* The first time it is no source of itself yet, from then on it is. */
TEST(DR_15_a_kept_word_that_needs_itself_is_told_of_once_a_read)
{
    enum obv_status status;
    begin();
    CHECK(!obv_detail_kept_value(&item.object, RING, &status));
    CHECK_EQ(status, OBV_E_CYCLE);
    for (size_t read = 2; read < 5; read++) {
        CHECK(!obv_detail_kept_value_at(&item.object, AT_RING, &status));
        CHECK_EQ(status, OBV_E_CYCLE);
        CHECK_EQ(cycles, read);
    }
    end();
}

static void count(void *observer, struct obv_object *root,
                  const struct obv_call *call)
{
    (void)root;
    (void)call;
    ((struct seen *)observer)->calls++;
}

static const struct obv_handler_kind counting = {.changed = count,
                                                 .label = "counting"};

static enum obv_status always_seven(struct obv_object *object,
                                    const struct obv_property *property,
                                    void *result)
{
    const int64_t seven = 7 + 0 * item_number((struct item *)object);
    (void)property;
    memcpy(result, &seven, sizeof seven);
    return OBV_OK;
}

TEST(EQ_11_a_kept_word_that_always_differs_is_another_each_time)
{
    static const struct obv_computed of_seven = {.size = sizeof of_seven,
                                                 .evaluate = always_seven,
                                                 .flags = OBV_DETAIL_WORD,
                                                 .kept = &kept_words};
    struct obv_property own[] = {OBV_FIELD(item, number, i64),
                                 KEPT("seven", AT_TWICE, &of_seven)};
    own[1].flags = OBV_ALWAYS_DIFFERENT;
    const struct obv_class_table table = {.size = sizeof table,
                                          .name = "differing",
                                          .instance_size = SIZE,
                                          .properties = own,
                                          .property_count = 2,
                                          .retain = retain_item,
                                          .release = release_item};
    struct seen seen = {0};
    struct obv_class *differing;
    begin();
    CHECK_EQ(obv_object_deinit(&item.object), OBV_OK);
    CHECK_EQ(obv_class_create(context, &table, &differing, NULL), OBV_OK);
    obv_object_init(&item.object, differing);
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    const struct obv_pair pair = {&item.object, "seven"};
    struct obv_observation *handle;
    CHECK_EQ(
        obv_observe_pairs(&pair, 1, &counting, &seen, &options, &handle, NULL),
        OBV_OK);
    for (int64_t number = 1; number < 4; number++) {
        item_set_number(&item, number);
        CHECK_EQ(seen.calls, number);
    }
    unwatch(handle);
    drain();
    end();
}

TEST(BI_a_kept_word_is_refused_that_is_no_word)
{
    static const struct obv_computed not_kept = {.size = sizeof not_kept,
                                                 .evaluate = twice_the_number,
                                                 .flags = OBV_DETAIL_WORD};
    const struct obv_property wrong[] = {
        KEPT("short", AT_TWICE, &of_twice),
        KEPT("nowhere", AT_TWICE, &not_kept),
        {.name = "field",
         .kind = OBV_KIND_i64,
         .offset = offsetof(struct item, number),
         .size = sizeof(int64_t),
         .computed = &of_twice},
    };
    begin();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct obv_property property = wrong[i];
        property.size = i == 0 ? sizeof(uint32_t) : property.size;
        const struct obv_class_table table = {.size = sizeof table,
                                              .name = "wrong",
                                              .instance_size = SIZE,
                                              .properties = &property,
                                              .property_count = 1};
        struct obv_class *made;
        CHECK_EQ(obv_class_create(context, &table, &made, NULL), OBV_E_LAYOUT);
    }
    end();
}
