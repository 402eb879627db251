/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a first program uses: models from one list of properties, the default
 * context, and memory that is given back when it asks.
 */
#include "contract_fixture.h"

#include <observable/observable.h>

struct door {
    struct obv_object object;
    bool isOpen;
    const char *name;
    struct door *next;
    double width;
};

#define DOOR(P)                                                                \
    P(door, isOpen, bool)                                                      \
    P(door, name, string)                                                      \
    P(door, next, object_of(door))                                             \
    P(door, width, f64)

OBV_MODEL(door, DOOR)

/* Its property has the commonest name there is. */
struct stock {
    struct obv_object object;
    int32_t count;
};

#define STOCK(P) P(stock, count, i32)

OBV_MODEL(stock, STOCK)

/* With a class table of its own, for what keeps its objects. */
struct crate {
    struct obv_object object;
    int count;
    int32_t weight;
    struct crate *inner;
};

#define CRATE(P)                                                               \
    P(crate, weight, i32)                                                      \
    P(crate, inner, object_of(crate))

OBV_ACCESSORS(crate, CRATE)
OBV_PROPERTIES(crate, CRATE)

static bool crate_retain(struct obv_object *object)
{
    struct crate *crate = (struct crate *)object;
    crate->count += crate->count > 0;
    return crate->count > 0;
}

static void crate_release(struct obv_object *object)
{
    struct crate *crate = (struct crate *)object;
    if (--crate->count == 0) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
    }
}

static const struct obv_class_table crate_table = {
    .size = sizeof crate_table,
    .name = "crate",
    .instance_size = sizeof(struct crate),
    .properties = crate_properties,
    .property_count = crate_properties_count,
    .retain = crate_retain,
    .release = crate_release};

static void count(void *calls, struct obv_object *root,
                  const struct obv_call *call)
{
    (void)root;
    (void)call;
    ++*(int *)calls;
}

static const struct obv_handler_kind counting = {.changed = count};

static struct obv_class *door_class_in(struct obv_context *context)
{
    struct obv_class *cls = NULL;
    CHECK_EQ(obv_class_create(context, &door_table, &cls, NULL), OBV_OK);
    return cls;
}

TEST(a_list_of_properties_makes_a_whole_model)
{
    static const char *const names[] = {"isOpen", "name", "next", "width"};
    struct obv_context *context;
    CHECK_EQ(obv_context_create(NULL, &context), OBV_OK);
    struct obv_class *cls = door_class_in(context);
    CHECK_EQ(door_properties_count, 4);
    for (uint32_t i = 0; i < door_properties_count; i++) {
        uint32_t index;
        CHECK_EQ(obv_class_property(cls, names[i], &index), OBV_OK);
        CHECK_EQ(index, i);
    }
    CHECK_EQ(door_property_next, 2);

    struct door front = {0}, back = {0};
    int calls = 0;
    obv_object_init(&front.object, cls);
    obv_object_init(&back.object, cls);
    for (size_t i = 0; i < 4; i++) {
        CHECK_EQ(
            obv_observe(&front.object, names[i], &counting, &calls, NULL, NULL),
            OBV_OK);
    }
    door_set_isOpen(&front, true);
    CHECK_EQ(door_set_name(&front, "front"), OBV_OK);
    door_set_next(&front, &back);
    door_set_width(&front, 0.9);
    CHECK_EQ(obv_loop_drain(obv_context_loop(context)), 4);
    CHECK_EQ(calls, 4);
    CHECK(door_isOpen(&front) && door_next(&front) == &back);
    CHECK_TEXT(door_name(&front), "front");
    CHECK(door_width(&front) > 0.8);

    CHECK_EQ(obv_object_deinit(&front.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&back.object), OBV_OK);
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
}

TEST(a_property_may_be_called_count)
{
    struct obv_context *context;
    struct obv_class *cls = NULL;
    struct stock nails = {0};
    int calls = 0;
    CHECK_EQ(obv_context_create(NULL, &context), OBV_OK);
    CHECK_EQ(obv_class_create(context, &stock_table, &cls, NULL), OBV_OK);
    CHECK_EQ(stock_properties_count, 1);
    CHECK_EQ(stock_property_count, 0);
    obv_object_init(&nails.object, cls);
    CHECK_EQ(obv_observe(&nails.object, "count", &counting, &calls, NULL, NULL),
             OBV_OK);
    stock_set_count(&nails, 40);
    CHECK_EQ(obv_loop_drain(obv_context_loop(context)), 1);
    CHECK_EQ(stock_count(&nails), 40);
    CHECK_EQ(obv_object_deinit(&nails.object), OBV_OK);
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
}

TEST(a_list_says_of_which_class_objects_are)
{
    struct obv_context *context;
    struct obv_error error;
    CHECK_EQ(obv_context_create(NULL, &context), OBV_OK);
    struct obv_class *cls = door_class_in(context);
    CHECK_EQ(obv_validate(cls, "next.next.width", &error), OBV_OK);
    CHECK_EQ(obv_validate(cls, "next.nest.width", &error), OBV_E_UNKNOWN);
    CHECK_TEXT(error.message, "the declared class has no such property");
    CHECK_EQ(obv_validate(cls, "width.next", &error), OBV_E_UNKNOWN);
    CHECK_TEXT(error.message, "a property on the way is not declared to hold "
                              "objects of a class");
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
}

TEST(no_context_is_the_default_one)
{
    CHECK(obv_context_loop(NULL) == obv_context_loop(obv_context_default()));
    CHECK(obv_context_loop(NULL) != NULL);
    obv_context_collect(NULL);
}

/* An observation of everything that retires something: a path, a pair of its
   own, several pairs, `*`; with the objects at its ends. */
TEST(a_list_of_properties_goes_with_a_table_of_ones_own)
{
    struct obv_context *context;
    struct obv_class *cls = NULL;
    uint32_t index;
    CHECK_EQ(obv_context_create(NULL, &context), OBV_OK);
    CHECK_EQ(obv_class_create(context, &crate_table, &cls, NULL), OBV_OK);
    CHECK_EQ(obv_class_property(cls, "inner", &index), OBV_OK);
    CHECK_EQ(index, crate_property_inner);
    CHECK_EQ(obv_validate(cls, "inner.inner.weight", NULL), OBV_OK);

    struct crate outer = {.count = 1}, inner = {.count = 1};
    int calls = 0;
    obv_object_init(&outer.object, cls);
    obv_object_init(&inner.object, cls);
    CHECK_EQ(obv_observe(&outer.object, "inner.weight", &counting, &calls, NULL,
                         NULL),
             OBV_OK);
    crate_set_inner(&outer, &inner);
    CHECK_EQ(inner.count, 2);
    crate_set_weight(&inner, 7);
    CHECK_EQ(obv_loop_drain(obv_context_loop(context)), 1);
    crate_release(&inner.object);
    CHECK_EQ(inner.count, 1);
    crate_release(&outer.object);
    CHECK_EQ(inner.count, 0);
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
}

static void observe_and_end(struct obv_context *context, struct obv_class *cls)
{
    struct door front = {0}, back = {0};
    struct obv_observation *handle;
    int calls = 0;
    obv_object_init(&front.object, cls);
    obv_object_init(&back.object, cls);
    const struct obv_pair pairs[] = {{&front.object, "next.next.width"},
                                     {&front.object, "*"},
                                     {&back.object, "width"}};
    CHECK_EQ(
        obv_observe_pairs(pairs, 3, &counting, &calls, NULL, &handle, NULL),
        OBV_OK);
    CHECK_EQ(
        obv_observe(&front.object, "isOpen", &counting, &calls, NULL, NULL),
        OBV_OK);
    door_set_next(&front, &back);
    door_set_isOpen(&front, true);
    CHECK_EQ(obv_loop_drain(obv_context_loop(context)), 2);
    obv_stop(handle);
    obv_release(handle);
    CHECK_EQ(obv_object_deinit(&front.object), OBV_OK);
    CHECK_EQ(obv_object_deinit(&back.object), OBV_OK);
}

TEST(collecting_gives_back_all_that_waits)
{
    struct fixture fixture;
    fixture_begin(&fixture);
    struct obv_class *cls = door_class_in(fixture.context);
    /* Names stay for the life of their context. */
    observe_and_end(fixture.context, cls);
    obv_context_collect(fixture.context);
    size_t before = test_live_blocks();
    for (int i = 0; i < 3; i++) {
        observe_and_end(fixture.context, cls);
        CHECK(test_live_blocks() > before);
        obv_context_collect(fixture.context);
        CHECK_EQ(test_live_blocks(), before);
    }
    fixture_end(&fixture);
}

static void *collecting_thread(void *given)
{
    struct fixture *fixture = given;
    for (int i = 0; i < 2000; i++) {
        obv_context_collect(fixture->context);
    }
    return NULL;
}

TEST(collecting_goes_on_beside_everything)
{
    struct fixture fixture;
    pthread_t thread;
    fixture_begin(&fixture);
    struct obv_class *cls = door_class_in(fixture.context);
    CHECK_EQ(pthread_create(&thread, NULL, collecting_thread, &fixture), 0);
    for (int i = 0; i < 500; i++) {
        observe_and_end(fixture.context, cls);
    }
    pthread_join(thread, NULL);
    fixture_end(&fixture);
}
