/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The element `*` at the end of a path, through the public interface.
 */
#include "test.h"

#include <observable/observable.h>

#include <string.h>

enum { BASE_I, BASE_D, BASE_CHILD, BASE_COUNT };
enum { SUB_K = BASE_COUNT, SUB_COUNT };

struct base {
    struct obv_object object;
    int32_t i;
    double d;
    struct base *child;
};

struct sub {
    struct base base;
    int32_t k;
};

OBV_PROPERTY(base, i, i32, BASE_I)
OBV_PROPERTY(base, d, f64, BASE_D)
OBV_PROPERTY(base, child, object, BASE_CHILD)
OBV_PROPERTY(sub, k, i32, SUB_K)

static const struct obv_property base_properties[] = {
    [BASE_I] = OBV_FIELD(base, i, i32),
    [BASE_D] = OBV_FIELD(base, d, f64),
    [BASE_CHILD] = OBV_FIELD_OBJECT(base, child, "base"),
};
static const struct obv_property sub_properties[] = {OBV_FIELD(sub, k, i32)};

static struct obv_context *context;
static struct obv_class *base_class, *sub_class;

static void count(void *observer, struct obv_object *root,
                  const struct obv_call *call)
{
    (void)root;
    (void)call;
    ++*(int *)observer;
}

static const struct obv_handler_kind kind = {.changed = count};

static void begin(void)
{
    static struct obv_class_table base_table = {.size = sizeof base_table,
                                                .name = "base",
                                                .instance_size =
                                                    sizeof(struct base),
                                                .properties = base_properties,
                                                .property_count = BASE_COUNT};
    static struct obv_class_table sub_table = {.size = sizeof sub_table,
                                               .name = "sub",
                                               .instance_size =
                                                   sizeof(struct sub),
                                               .properties = sub_properties,
                                               .property_count = 1};
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator()};
    CHECK_EQ(obv_context_create(&options, &context), OBV_OK);
    CHECK_EQ(obv_class_create(context, &base_table, &base_class, NULL), OBV_OK);
    sub_table.superclass = base_class;
    CHECK_EQ(obv_class_create(context, &sub_table, &sub_class, NULL), OBV_OK);
}

static int64_t drained(void)
{
    return obv_loop_drain(obv_context_loop(context));
}

TEST(WC_1_every_property_inherited_ones_included)
{
    int calls = 0;
    struct sub object = {.k = 0};
    begin();
    obv_object_init(&object.base.object, sub_class);
    CHECK_EQ(obv_observe(&object.base.object, "*", &kind, &calls, NULL, NULL),
             OBV_OK);
    base_set_i(&object.base, 1);
    CHECK_EQ(drained(), 1);
    sub_set_k(&object, 1);
    base_set_d(&object.base, 2.0);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(calls, 2);
    CHECK_EQ(obv_observer_count(&object.base.object, "i"), 1);
    CHECK_EQ(obv_observer_count(&object.base.object, "*"), 1);
    CHECK_EQ(obv_object_deinit(&object.base.object), OBV_OK);
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
}

TEST(WC_1_nothing_inside_the_values)
{
    int calls = 0;
    struct base root = {.i = 0}, child = {.i = 0};
    begin();
    obv_object_init(&root.object, base_class);
    obv_object_init(&child.object, base_class);
    base_set_child(&root, &child);
    CHECK_EQ(obv_observe(&root.object, "*", &kind, &calls, NULL, NULL), OBV_OK);
    base_set_i(&child, 1);
    CHECK_EQ(drained(), 0);
    base_set_child(&root, NULL);
    CHECK_EQ(drained(), 1);
    obv_object_deinit(&child.object);
    obv_object_deinit(&root.object);
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
}

TEST(WC_1_a_replaced_object_is_compared_property_by_property)
{
    int calls = 0;
    struct base root = {.i = 0}, one = {.i = 0}, same = {.i = 0};
    struct sub other = {.k = 0};
    begin();
    obv_object_init(&root.object, base_class);
    obv_object_init(&one.object, base_class);
    obv_object_init(&same.object, base_class);
    obv_object_init(&other.base.object, sub_class);
    base_set_child(&root, &one);
    CHECK_EQ(obv_observe(&root.object, "child.*", &kind, &calls, NULL, NULL),
             OBV_OK);
    base_set_child(&root, &same);
    CHECK_EQ(drained(), 0);
    base_set_i(&one, 3);
    CHECK_EQ(drained(), 0);
    base_set_child(&root, &one);
    CHECK_EQ(drained(), 1);
    base_set_child(&root, &other.base);
    CHECK_EQ(drained(), 1);
    sub_set_k(&other, 4);
    CHECK_EQ(drained(), 1);
    obv_object_deinit(&root.object);
    sub_set_k(&other, 5);
    CHECK_EQ(drained(), 0);
    obv_object_deinit(&one.object);
    obv_object_deinit(&same.object);
    obv_object_deinit(&other.base.object);
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
}

TEST(WC_2_it_stands_in_the_middle)
{
    int calls = 0;
    struct base root = {.i = 0}, one = {.i = 1}, other = {.i = 1};
    struct sub leaf = {.k = 7};
    begin();
    obv_object_init(&root.object, base_class);
    obv_object_init(&one.object, base_class);
    obv_object_init(&other.object, base_class);
    obv_object_init(&leaf.base.object, sub_class);
    CHECK_EQ(obv_observe(&root.object, "*.i", &kind, &calls, NULL, NULL),
             OBV_OK);
    CHECK_EQ(obv_observe(&root.object, "child.*.k", &kind, &calls, NULL, NULL),
             OBV_OK);
    base_set_i(&root, 3); /* leads nowhere */
    CHECK_EQ(drained(), 0);
    base_set_child(&root, &one);
    CHECK_EQ(drained(), 1);
    base_set_i(&one, 2);
    CHECK_EQ(drained(), 1);
    base_set_child(&one, &leaf.base); /* leads to a k */
    CHECK_EQ(drained(), 1);
    sub_set_k(&leaf, 8);
    CHECK_EQ(drained(), 1);
    base_set_child(&other, &leaf.base);
    base_set_i(&other, 2);
    CHECK_EQ(drained(), 0);
    base_set_child(&root, &other); /* equal by both ways */
    CHECK_EQ(drained(), 0);
    base_set_i(&one, 9);
    CHECK_EQ(drained(), 0);
    CHECK_EQ(obv_observer_count(&one.object, "*"), 0);
    CHECK_EQ(obv_observer_count(&leaf.base.object, "k"), 1);
    obv_object_deinit(&leaf.base.object);
    CHECK_EQ(drained(), 1);
    other.child = NULL;
    obv_object_deinit(&root.object);
    obv_object_deinit(&one.object);
    obv_object_deinit(&other.object);
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
}

/* A ring: the chains of properties are as long as the path, and no longer. */
TEST(KP_8_wildcards_over_a_ring_end)
{
    int calls = 0;
    struct base ring[3] = {{.i = 0}, {.i = 0}, {.i = 0}};
    begin();
    for (int n = 0; n < 3; n++) {
        obv_object_init(&ring[n].object, base_class);
    }
    for (int n = 0; n < 3; n++) {
        base_set_child(&ring[n], &ring[(n + 1) % 3]);
    }
    CHECK_EQ(obv_observe(&ring[0].object, "*.*.*.*", &kind, &calls, NULL, NULL),
             OBV_OK);
    for (int n = 0; n < 3; n++) {
        base_set_i(&ring[n], 1);
        CHECK_EQ(drained(), n == 0);
    }
    base_set_child(&ring[1], &ring[1]); /* where each property is equal */
    CHECK_EQ(drained(), 0);
    base_set_child(&ring[1], NULL);
    CHECK_EQ(drained(), 1);
    for (int n = 0; n < 3; n++) {
        obv_object_deinit(&ring[n].object);
    }
    CHECK_EQ(obv_context_destroy(context), OBV_OK);
}
