/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declared dependencies of computed properties: `v` depends on what each test
 * declares, and its function looks at fields, so that nothing else is a
 * dependency.
 */
#define _POSIX_C_SOURCE 200809L

#include "test.h"

#include <observable/observable.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ORDER_NET,
    ORDER_RATE,
    ORDER_SHARED,
    ORDER_NEXT,
    ORDER_ITEMS,
    ORDER_V,
    ORDER_W,
    ORDER_TWICE,
    ORDER_PICK,
    ORDER_COUNT
};

struct order {
    struct obv_object object;
    size_t references;
    int64_t net, rate, shared;
    struct order *next;
    struct obv_object *items;
    int64_t v, w, twice;
    struct order *pick;
    size_t evaluations, picks, doublings;
    enum obv_status (*make_v)(struct order *order, int64_t *value);
};

OBV_PROPERTY(order, net, i64, ORDER_NET)
OBV_PROPERTY(order, rate, i64, ORDER_RATE)
OBV_PROPERTY_ANY_THREAD(order, shared, i64, ORDER_SHARED)
OBV_PROPERTY(order, next, object, ORDER_NEXT)
OBV_PROPERTY(order, items, object, ORDER_ITEMS)
OBV_COMPUTED(order, v, i64, ORDER_V)
OBV_COMPUTED(order, w, i64, ORDER_W)
OBV_COMPUTED(order, twice, i64, ORDER_TWICE)
OBV_COMPUTED(order, pick, object, ORDER_PICK)

static bool retain_order(struct obv_object *object)
{
    size_t *references = &((struct order *)object)->references;
    size_t seen = __atomic_load_n(references, __ATOMIC_RELAXED);
    while (seen > 0 &&
           !__atomic_compare_exchange_n(references, &seen, seen + 1, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return seen > 0;
}

static void release_order(struct obv_object *object)
{
    size_t *references = &((struct order *)object)->references;
    if (__atomic_sub_fetch(references, 1, __ATOMIC_ACQ_REL) == 0) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
        free(object);
    }
}

static enum obv_status make_v(struct obv_object *object,
                              const struct obv_property *property, void *result)
{
    struct order *order = (struct order *)object;
    (void)property;
    __atomic_add_fetch(&order->evaluations, 1, __ATOMIC_RELAXED);
    return order->make_v(order, result);
}

/* One more than v, found by itself. */
static enum obv_status make_w(struct obv_object *object,
                              const struct obv_property *property, void *result)
{
    int64_t value;
    (void)property;
    enum obv_status status = obv_get_i64(object, ORDER_V, &value);
    value++;
    memcpy(result, &value, sizeof value);
    return status;
}

static enum obv_status make_twice(struct obv_object *object,
                                  const struct obv_property *property,
                                  void *result)
{
    struct order *order = (struct order *)object;
    int64_t value = 2 * order_net(order);
    (void)property;
    order->doublings++;
    memcpy(result, &value, sizeof value);
    return OBV_OK;
}

static enum obv_status make_pick(struct obv_object *object,
                                 const struct obv_property *property,
                                 void *result)
{
    struct order *order = (struct order *)object;
    struct order *next = order_next(order);
    (void)property;
    order->picks++;
    if (next && !retain_order(&next->object)) {
        next = NULL;
    }
    memcpy(result, &next, sizeof next);
    return OBV_OK;
}

static struct obv_computed v = {.size = sizeof v, .evaluate = make_v};
static const struct obv_computed w = {.size = sizeof w, .evaluate = make_w},
                                 twice = {.size = sizeof twice,
                                          .evaluate = make_twice},
                                 pick = {.size = sizeof pick,
                                         .evaluate = make_pick};

static const struct obv_property order_properties[] = {
    [ORDER_NET] = OBV_FIELD(order, net, i64),
    [ORDER_RATE] = OBV_FIELD(order, rate, i64),
    [ORDER_SHARED] = OBV_FIELD_WITH(order, shared, i64, OBV_ANY_THREAD, NULL),
    [ORDER_NEXT] = OBV_FIELD_OBJECT(order, next, "order"),
    [ORDER_ITEMS] = OBV_FIELD_OBJECT(order, items, NULL),
    [ORDER_V] = OBV_FIELD_COMPUTED(order, v, i64, &v),
    [ORDER_W] = OBV_FIELD_COMPUTED(order, w, i64, &w),
    [ORDER_TWICE] = OBV_FIELD_COMPUTED(order, twice, i64, &twice),
    [ORDER_PICK] = OBV_FIELD_COMPUTED(order, pick, object, &pick),
};

static const struct obv_class_table order_table = {
    .size = sizeof order_table,
    .name = "order",
    .instance_size = sizeof(struct order),
    .properties = order_properties,
    .property_count = ORDER_COUNT,
    .retain = retain_order,
    .release = release_order,
};

/* The stage ---------------------------------------------------------------- */

static struct {
    struct obv_context *context;
    struct obv_class *cls;
    unsigned unresolved, memory, cycles, differences;
    char path[256], text[256];
} stage;

static void note(void *context, const struct obv_diagnostic *diagnostic)
{
    (void)context;
    stage.unresolved += diagnostic->kind == OBV_DIAGNOSTIC_UNRESOLVED;
    stage.memory += diagnostic->kind == OBV_DIAGNOSTIC_MEMORY;
    stage.cycles += diagnostic->kind == OBV_DIAGNOSTIC_CYCLE;
    stage.differences += diagnostic->kind == OBV_DIAGNOSTIC_DEPENDENCY;
    snprintf(stage.path, sizeof stage.path, "%s",
             diagnostic->path ? diagnostic->path : "");
    snprintf(stage.text, sizeof stage.text, "%s", diagnostic->text);
}

/* The class, whose `v` declares these paths. */
static enum obv_status make_class(const char *const *paths, size_t count,
                                  struct obv_error *error)
{
    v.dependencies = paths;
    v.dependency_count = count;
    return obv_class_create(stage.context, &order_table, &stage.cls, error);
}

static void context_begin(void)
{
    const struct obv_context_options options = {.size = sizeof options,
                                                .allocator = test_allocator(),
                                                .diagnose = note};
    CHECK_EQ(obv_context_create(&options, &stage.context), OBV_OK);
}

static void stage_begin(const char *const *paths, size_t count)
{
    context_begin();
    CHECK_EQ(make_class(paths, count, NULL), OBV_OK);
}

#define STAGE(...)                                                             \
    static const char *const declared[] = {__VA_ARGS__};                       \
    stage_begin(declared, sizeof declared / sizeof *declared)

static void stage_end(void)
{
    CHECK_EQ(obv_context_destroy(stage.context), OBV_OK);
    CHECK_EQ(test_live_blocks(), 0);
}

static enum obv_status net_field(struct order *order, int64_t *value)
{
    *value = order->net;
    return OBV_OK;
}

static struct order *order_new(void)
{
    struct order *order = calloc(1, sizeof *order);
    CHECK(order);
    order->references = 1;
    order->make_v = net_field;
    obv_object_init(&order->object, stage.cls);
    return order;
}

static void order_drop(struct order *order)
{
    release_order(&order->object);
}

static bool is_valid(const struct order *order)
{
    return obv_is_valid((struct obv_object *)(uintptr_t)&order->object,
                        ORDER_V);
}

/* Computes v anew; whether it was invalid. */
static bool was_invalid(struct order *order)
{
    size_t before = order->evaluations;
    bool invalid = !is_valid(order);
    (void)order_v(order);
    CHECK(is_valid(order));
    return invalid && order->evaluations == before + 1;
}

static ptrdiff_t drained(void)
{
    return obv_loop_drain(obv_context_loop(stage.context));
}

struct probe {
    size_t calls;
};

static void count_call(void *observer, struct obv_object *root,
                       const struct obv_call *call)
{
    (void)root;
    (void)call;
    ((struct probe *)observer)->calls++;
}

static const struct obv_handler_kind probe_kind = {.changed = count_call};

static struct obv_observation *watch(struct order *order, const char *path,
                                     uint32_t flags, struct probe *probe)
{
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = flags};
    const struct obv_pair pair = {&order->object, path};
    struct obv_observation *handle;
    CHECK_EQ(obv_observe_pairs(&pair, 1, &probe_kind, probe, &options, &handle,
                               NULL),
             OBV_OK);
    return handle;
}

static void unwatch(struct obv_observation *handle)
{
    obv_stop(handle);
    obv_release(handle);
}

/* Paths -------------------------------------------------------------------- */

TEST(LL_2_a_declared_property_of_self_invalidates)
{
    STAGE("net");
    struct order *order = order_new();
    order_set_net(order, 1);
    CHECK_EQ(order_v(order), 1);
    CHECK(is_valid(order));
    order_set_rate(order, 5);
    CHECK(is_valid(order));
    order_set_net(order, 2);
    CHECK(!is_valid(order));
    CHECK_EQ(order->evaluations, 1);
    CHECK_EQ(order_v(order), 2);
    CHECK_EQ(order->evaluations, 2);
    order_set_net(order, 2);
    CHECK(is_valid(order));
    order_drop(order);
    stage_end();
}

TEST(LL_2_LL_13_what_a_superclass_declares_holds_below_it)
{
    STAGE("net");
    struct obv_class_table below = order_table;
    below.name = "order below";
    below.superclass = stage.cls;
    below.properties = NULL;
    below.property_count = 0;
    CHECK_EQ(obv_class_create(stage.context, &below, &stage.cls, NULL), OBV_OK);
    struct order *order = order_new();
    CHECK(was_invalid(order));
    order_set_rate(order, 5);
    CHECK(is_valid(order));
    order_set_net(order, 2);
    CHECK(was_invalid(order));
    order_drop(order);
    stage_end();
}

TEST(LL_2_a_declared_path_is_nil_at_first)
{
    STAGE("next.next.net");
    struct order *order = order_new(), *middle = order_new(),
                 *last = order_new();
    CHECK(was_invalid(order));
    order_set_next(order, middle);
    CHECK(was_invalid(order)); /* what a path passes is read */
    order_set_next(middle, last);
    CHECK(was_invalid(order));
    order_set_net(last, 4);
    CHECK(was_invalid(order));
    order_set_net(middle, 4);
    CHECK(is_valid(order));
    order_set_next(middle, NULL);
    CHECK(was_invalid(order));
    order_set_net(last, 5);
    CHECK(is_valid(order));
    order_drop(order);
    order_drop(middle);
    order_drop(last);
    stage_end();
}

TEST(LL_2_a_declared_path_follows_a_replaced_middle)
{
    STAGE("next.net");
    struct order *order = order_new(), *one = order_new(), *other = order_new();
    order_set_next(order, one);
    CHECK(was_invalid(order));
    order_set_next(order, other);
    CHECK(was_invalid(order)); /* also where its end is equal */
    order_set_net(one, 3);
    CHECK(is_valid(order));
    order_set_next(order, one);
    CHECK(was_invalid(order));
    order_set_next(order, other);
    CHECK(was_invalid(order));
    order_set_net(other, 3);
    CHECK(was_invalid(order));
    order_drop(order);
    order_drop(one);
    order_drop(other);
    stage_end();
}

TEST(LL_2_a_declared_path_through_star_invalidates)
{
    STAGE("*.net");
    struct order *order = order_new(), *next = order_new();
    CHECK(was_invalid(order));
    order_set_net(order, 1);
    CHECK(was_invalid(order)); /* a `*` reads all */
    order_set_next(order, next);
    CHECK(was_invalid(order));
    order_set_net(next, 1);
    CHECK(was_invalid(order));
    order_set_next(order, NULL);
    CHECK(was_invalid(order));
    order_drop(order);
    order_drop(next);
    stage_end();
}

/* A `*` leads to the property itself as well: what is set there stands, and that it
   becomes invalid is no news to it. */
TEST(LL_2_LL_4_a_declared_star_is_of_every_other_property)
{
    STAGE("*");
    struct order *order = order_new();
    CHECK(was_invalid(order));
    order_set_rate(order, 1);
    CHECK(was_invalid(order));
    order_set_v(order, 7);
    CHECK_EQ(order_v(order), 7);
    CHECK(is_valid(order));
    CHECK_EQ(order_twice(order), 0);
    CHECK(is_valid(order));
    order_set_net(order, 1);
    CHECK(was_invalid(order));
    CHECK_EQ(order_v(order), 1);
    order_drop(order);
    stage_end();
}

static const struct obv_collection_kind orders = {.size = sizeof orders,
                                                  .name = "orders",
                                                  .element = OBV_KIND_object},
                                        by_name = {.size = sizeof by_name,
                                                   .name = "by name",
                                                   .element = OBV_KIND_object},
                                        members = {.size = sizeof members,
                                                   .name = "members",
                                                   .element = OBV_KIND_object};

static struct obv_array *array_new(void)
{
    struct obv_class *cls;
    struct obv_array *array;
    CHECK_EQ(obv_array_class_create(stage.context, &orders, &cls, NULL),
             OBV_OK);
    CHECK_EQ(obv_array_create(cls, &array, NULL), OBV_OK);
    return array;
}

TEST(LL_2_declared_elements_of_an_array)
{
    STAGE("items.*.net", "items.#0.rate", "items.count");
    struct order *order = order_new(), *a = order_new(), *b = order_new();
    struct obv_array *array = array_new();
    CHECK(was_invalid(order));
    order_set_items(order, &array->container.object);
    CHECK(was_invalid(order));
    CHECK_EQ(obv_array_append(array, a), OBV_OK);
    CHECK(was_invalid(order));
    CHECK_EQ(obv_array_append(array, b), OBV_OK);
    CHECK(was_invalid(order));
    order_set_net(b, 1);
    CHECK(was_invalid(order));
    order_set_rate(b, 1);
    CHECK(is_valid(order));
    order_set_rate(a, 1);
    CHECK(was_invalid(order));
    CHECK_EQ(obv_array_swap(array, 0, 1), OBV_OK);
    order_set_rate(b, 2);
    CHECK(was_invalid(order));
    CHECK_EQ(obv_array_remove(array, 0), OBV_OK);
    CHECK(was_invalid(order));
    order_set_net(b, 2);
    CHECK(is_valid(order));
    order_set_items(order, NULL);
    CHECK(was_invalid(order));
    order_set_net(a, 9);
    CHECK(is_valid(order));
    obv_array_release(array);
    order_drop(order);
    order_drop(a);
    order_drop(b);
    stage_end();
}

TEST(LL_2_declared_elements_of_a_dictionary)
{
    STAGE("items.one.net");
    struct order *order = order_new(), *a = order_new();
    struct obv_class *cls;
    struct obv_dictionary *dictionary;
    CHECK_EQ(obv_dictionary_class_create(stage.context, &by_name, &cls, NULL),
             OBV_OK);
    CHECK_EQ(obv_dictionary_create(cls, &dictionary, NULL), OBV_OK);
    order_set_items(order, &dictionary->container.object);
    CHECK(was_invalid(order));
    CHECK_EQ(obv_dictionary_put(dictionary, "other", a), OBV_OK);
    CHECK(was_invalid(order)); /* an element reads its container's content */
    CHECK_EQ(obv_dictionary_put(dictionary, "one", a), OBV_OK);
    CHECK(was_invalid(order));
    order_set_net(a, 1);
    CHECK(was_invalid(order));
    CHECK_EQ(obv_dictionary_delete(dictionary, "one"), OBV_OK);
    CHECK(was_invalid(order));
    order_set_net(a, 2);
    CHECK(is_valid(order));
    obv_dictionary_release(dictionary);
    order_drop(order);
    order_drop(a);
    stage_end();
}

TEST(LL_2_declared_elements_of_a_set)
{
    STAGE("items.*.net", "items.*");
    struct order *order = order_new(), *a = order_new();
    struct obv_class *cls;
    struct obv_set *set;
    CHECK_EQ(obv_set_class_create(stage.context, &members, &cls, NULL), OBV_OK);
    CHECK_EQ(obv_set_create(cls, &set, NULL), OBV_OK);
    order_set_items(order, &set->container.object);
    CHECK(was_invalid(order));
    CHECK_EQ(obv_set_add(set, a), OBV_OK);
    CHECK(was_invalid(order));
    order_set_net(a, 1);
    CHECK(was_invalid(order));
    CHECK_EQ(obv_set_discard(set, a), OBV_OK);
    CHECK(was_invalid(order));
    order_set_net(a, 2);
    CHECK(is_valid(order));
    obv_set_release(set);
    order_drop(order);
    order_drop(a);
    stage_end();
}

/* A position is read each time: an element of a path that is bound once is none
   here. */
TEST(LL_2_a_declared_position_is_read_each_time)
{
    STAGE("items.0.net");
    struct order *order = order_new(), *a = order_new(), *b = order_new();
    struct obv_array *array = array_new();
    CHECK_EQ(obv_array_append(array, a), OBV_OK);
    order_set_items(order, &array->container.object);
    CHECK(was_invalid(order));
    order_set_net(a, 1);
    CHECK(was_invalid(order));
    CHECK_EQ(obv_array_insert(array, 0, b), OBV_OK);
    CHECK(was_invalid(order));
    order_set_net(a, 2);
    CHECK(is_valid(order));
    order_set_net(b, 1);
    CHECK(was_invalid(order));
    CHECK_EQ(obv_array_remove(array, 0), OBV_OK);
    CHECK(was_invalid(order));
    order_set_net(a, 3);
    CHECK(was_invalid(order));
    obv_array_release(array);
    order_drop(order);
    order_drop(a);
    order_drop(b);
    stage_end();
}

TEST(LL_2_a_declared_property_that_any_thread_may_set)
{
    STAGE("next.shared");
    struct order *order = order_new(), *next = order_new();
    order_set_next(order, next);
    CHECK(was_invalid(order));
    order_set_shared(next, 2);
    CHECK(was_invalid(order));
    order_set_shared(next, 2);
    CHECK(is_valid(order));
    order_drop(order);
    order_drop(next);
    stage_end();
}

/* LL-2 and the others ------------------------------------------------------ */

static enum obv_status rate_and_net(struct order *order, int64_t *value)
{
    *value = order_rate(order) + order->net;
    return OBV_OK;
}

TEST(LL_2_what_is_declared_holds_beside_what_is_read)
{
    STAGE("net");
    struct order *order = order_new();
    order->make_v = rate_and_net;
    CHECK(was_invalid(order));
    order_set_rate(order, 1);
    CHECK(was_invalid(order));
    order_set_net(order, 1);
    CHECK(was_invalid(order));
    CHECK_EQ(order_v(order), 2);
    order_drop(order);
    stage_end();
}

TEST(LL_1_LL_2_of_a_lazy_property_what_is_declared_counts_alone)
{
    v.flags = OBV_LAZY;
    STAGE("net");
    struct order *order = order_new();
    order->make_v = rate_and_net;
    CHECK(was_invalid(order));
    order_set_rate(order, 1);
    CHECK(is_valid(order));
    order_set_net(order, 1);
    CHECK(was_invalid(order));
    CHECK_EQ(order_v(order), 2);
    order_drop(order);
    stage_end();
}

TEST(LL_4_what_is_declared_holds_for_what_was_set_before_it_was_computed)
{
    STAGE("next.net");
    struct order *order = order_new(), *next = order_new();
    order_set_next(order, next);
    order_set_v(order, 9);
    CHECK_EQ(order->evaluations, 0);
    CHECK(is_valid(order));
    CHECK_EQ(order_v(order), 9);
    order_set_rate(next, 1);
    CHECK_EQ(order_v(order), 9);
    order_set_net(next, 1);
    CHECK(!is_valid(order));
    CHECK_EQ(order_v(order), 0);
    order_set_v(order, 0);
    order_set_net(next, 2);
    CHECK(was_invalid(order));
    order_drop(order);
    order_drop(next);
    stage_end();
}

/* What the set reads for that is computed as for an evaluation. */
TEST(LL_4_what_is_declared_of_a_set_leads_through_what_is_computed)
{
    STAGE("pick.net", "twice", "rate");
    struct order *order = order_new(), *next = order_new();
    order_set_next(order, next);
    order_set_v(order, 9);
    CHECK_EQ(order->evaluations, 0);
    CHECK(order->picks == 1 && order->doublings == 1);
    CHECK(is_valid(order));
    order_set_rate(order, 1);
    CHECK(was_invalid(order));
    order_set_v(order, 9);
    order_set_net(next, 1);
    CHECK(was_invalid(order));
    order_set_v(order, 9);
    order_set_net(order, 1);
    CHECK(was_invalid(order));
    order_drop(order);
    order_drop(next);
    stage_end();
}

TEST(LL_3_several_declared_paths_make_it_invalid_once)
{
    STAGE("net", "net", "*", "next.net", "next.*");
    struct order *order = order_new();
    struct probe probe = {0};
    struct obv_observation *handle = watch(order, "w", 0, &probe);
    order_set_next(order, order);
    (void)drained();
    size_t evaluations = order->evaluations;
    probe.calls = 0;
    order_set_net(order, 3);
    CHECK_EQ(order->evaluations, evaluations);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(probe.calls, 1);
    CHECK_EQ(order->evaluations, evaluations + 1);
    order_set_next(order, NULL);
    (void)drained();
    unwatch(handle);
    order_drop(order);
    stage_end();
}

TEST(LL_3_what_is_declared_goes_on_through_chains)
{
    STAGE("next.net");
    struct order *order = order_new(), *next = order_new();
    order_set_next(order, next);
    CHECK_EQ(order_w(order), 1);
    order_set_net(next, 1);
    CHECK(!obv_is_valid(&order->object, ORDER_W));
    order_set_net(order, 4);
    CHECK_EQ(order->evaluations, 1);
    CHECK_EQ(order_w(order), 5);
    CHECK_EQ(order->evaluations, 2);
    order_drop(order);
    order_drop(next);
    stage_end();
}

TEST(LL_5_an_observed_property_follows_what_is_declared)
{
    STAGE("next.rate");
    struct order *order = order_new(), *next = order_new();
    struct probe late = {0}, at_once = {0};
    order_set_next(order, next);
    struct obv_observation *delayed = watch(order, "v", 0, &late),
                           *immediate =
                               watch(order, "v", OBV_IMMEDIATE, &at_once);
    order->net = 1;
    order_set_rate(next, 1);
    CHECK_EQ(at_once.calls, 1);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(late.calls, 1);
    order_set_rate(next, 2);
    CHECK(drained() <= 0);
    CHECK(late.calls == 1 && at_once.calls == 1);
    order->net = 2;
    order_set_next(order, NULL);
    CHECK_EQ(drained(), 1);
    CHECK(late.calls == 2 && at_once.calls == 2);
    unwatch(delayed);
    unwatch(immediate);
    order_drop(order);
    order_drop(next);
    stage_end();
}

TEST(DR_11_a_batch_schedules_what_is_declared_at_its_end)
{
    STAGE("next.net");
    struct order *order = order_new(), *next = order_new();
    struct probe probe = {0};
    order_set_next(order, next);
    struct obv_observation *handle = watch(order, "w", 0, &probe);
    struct obv_batch batch;
    obv_batch_begin(&batch);
    order->net = 1;
    order_set_net(next, 1);
    CHECK(!is_valid(order));
    CHECK(drained() <= 0);
    obv_batch_end(&batch);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(probe.calls, 1);
    unwatch(handle);
    order_drop(order);
    order_drop(next);
    stage_end();
}

/* Other roots -------------------------------------------------------------- */

static void depend(struct order *order, struct order *root, const char *path)
{
    CHECK_EQ(obv_depend_on(&order->object, ORDER_V, &root->object, path, NULL),
             OBV_OK);
}

TEST(LL_2_a_dependency_at_another_object)
{
    stage_begin(NULL, 0);
    struct order *order = order_new(), *other = order_new(),
                 *next = order_new();
    CHECK(was_invalid(order));
    depend(order, other, "next.net");
    depend(order, other, "next.net");
    depend(order, other, "rate");
    CHECK(is_valid(order));
    order_set_next(other, next);
    CHECK(was_invalid(order));
    order_set_net(next, 2);
    CHECK(was_invalid(order));
    order_set_rate(other, 2);
    CHECK(was_invalid(order));
    CHECK_EQ(obv_depend_no_more(&order->object, ORDER_V, &other->object,
                                "next.net", NULL),
             OBV_OK);
    order_set_net(next, 3);
    CHECK(is_valid(order));
    order_set_rate(other, 3);
    CHECK(was_invalid(order));
    CHECK_EQ(
        obv_depend_no_more(&order->object, ORDER_V, &other->object, NULL, NULL),
        OBV_OK);
    order_set_rate(other, 4);
    CHECK(is_valid(order));
    order_drop(order);
    order_drop(other);
    order_drop(next);
    stage_end();
}

TEST(LL_2_what_the_class_declares_is_taken_back)
{
    STAGE("rate", "net");
    for (int is_computed = 0; is_computed < 2; is_computed++) {
        struct order *order = order_new();
        if (is_computed) {
            CHECK(was_invalid(order));
        }
        CHECK_EQ(obv_depend_no_more(&order->object, ORDER_V, &order->object,
                                    "rate", NULL),
                 OBV_OK);
        CHECK(is_computed || was_invalid(order));
        order_set_rate(order, order->rate + 1);
        CHECK(is_valid(order));
        order_set_net(order, order->net + 1);
        CHECK(was_invalid(order));
        CHECK_EQ(obv_depend_no_more(&order->object, ORDER_V, &order->object,
                                    NULL, NULL),
                 OBV_OK);
        order_set_net(order, order->net + 1);
        CHECK(is_valid(order));
        order_drop(order);
    }
    stage_end();
}

/* It may name what it looks at, each time it runs. */
static enum obv_status net_that_it_declares(struct order *order, int64_t *value)
{
    *value = order->next ? order->next->net : -1;
    return order->next ? obv_depend_on(&order->object, ORDER_V,
                                       &order->next->object, "net", NULL)
                       : OBV_OK;
}

TEST(LL_2_a_function_declares_while_it_runs)
{
    STAGE("next");
    struct order *order = order_new(), *one = order_new(), *other = order_new();
    order->make_v = net_that_it_declares;
    CHECK_EQ(order_v(order), -1);
    order_set_next(order, one);
    CHECK(was_invalid(order));
    order_set_net(one, 1);
    CHECK(was_invalid(order));
    CHECK_EQ(order_v(order), 1);
    order_set_next(order, other);
    CHECK(was_invalid(order));
    CHECK_EQ(order_v(order), 0);
    order_set_net(other, 2);
    CHECK(was_invalid(order));
    CHECK_EQ(order_v(order), 2);
    order_set_next(order, NULL);
    order_drop(one);
    CHECK_EQ(order_v(order), -1);
    order_drop(order);
    order_drop(other);
    stage_end();
}

TEST(LL_2_a_dependency_at_a_collection)
{
    stage_begin(NULL, 0);
    struct order *order = order_new(), *a = order_new();
    struct obv_array *array = array_new();
    CHECK_EQ(obv_depend_on(&order->object, ORDER_V, &array->container.object,
                           "*.net", NULL),
             OBV_OK);
    CHECK(was_invalid(order));
    CHECK_EQ(obv_array_append(array, a), OBV_OK);
    CHECK(was_invalid(order));
    order_set_net(a, 1);
    CHECK(was_invalid(order));
    obv_array_release(array); /* which ends it: a change */
    CHECK(was_invalid(order));
    order_drop(order);
    order_drop(a);
    stage_end();
}

TEST(LL_2_LL_4_a_dependency_at_another_object_holds_before_it_is_computed)
{
    stage_begin(NULL, 0);
    struct order *order = order_new(), *other = order_new();
    depend(order, other, "rate");
    order_set_v(order, 3);
    CHECK(is_valid(order));
    order_set_rate(other, 1);
    CHECK(!is_valid(order));
    CHECK(was_invalid(order));
    order_drop(order);
    order_drop(other);
    stage_end();
}

TEST(LL_3_dependencies_keep_nothing_alive)
{
    STAGE("next.net");
    struct order *order = order_new(), *other = order_new(),
                 *next = order_new();
    order_set_next(order, next);
    CHECK(was_invalid(order));
    depend(order, other, "net");
    CHECK(order->references == 1 && other->references == 1);
    CHECK_EQ(next->references, 2);
    order_drop(other); /* which ends it: a change */
    CHECK(was_invalid(order));
    order_set_net(next, 1);
    CHECK(was_invalid(order));
    order_drop(order);
    CHECK_EQ(next->references, 1);
    order_set_net(next, 2);
    order_drop(next);
    stage_end();
}

TEST(LT_9_what_is_first_read_at_the_end_declares_nothing)
{
    STAGE("net");
    struct order *order = order_new();
    order_set_net(order, 4);
    order->references = 0; /* as in what its language runs at its end */
    CHECK_EQ(order_v(order), 4);
    CHECK_EQ(stage.memory, 0);
    order->references = 1;
    order_drop(order);
    stage_end();
}

TEST(LL_3_the_end_of_what_depends_ends_it)
{
    stage_begin(NULL, 0);
    struct order *order = order_new(), *other = order_new();
    depend(order, other, "net");
    depend(order, other, "*.net");
    CHECK(was_invalid(order));
    order_drop(order);
    order_set_net(other, 3);
    order_set_next(other, other);
    order_set_next(other, NULL);
    order_drop(other);
    stage_end();
}

static void count_name(void *count, const char *name)
{
    (void)name;
    ++*(size_t *)count;
}

TEST(ST_7_declared_dependencies_are_untouched_by_any_stop)
{
    STAGE("next.net", "net");
    struct order *order = order_new(), *next = order_new(),
                 *other = order_new();
    struct probe probe = {0};
    order_set_next(order, next);
    CHECK(was_invalid(order));
    depend(order, other, "next.net");
    depend(order, other, "rate");
    struct order *roots[] = {order, next, other};
    struct obv_observation *handles[3];
    for (size_t i = 0; i < 3; i++) {
        handles[i] = watch(roots[i], "next.net", 0, &probe);
    }
    for (size_t i = 0; i < 3; i++) {
        static const char *const paths[] = {"next.net", "net", "rate"};
        CHECK_EQ(obv_stop_observer(&roots[i]->object, &probe, paths, 3, NULL),
                 OBV_OK);
        CHECK_EQ(obv_stop_observer(&roots[i]->object, NULL, NULL, 0, NULL),
                 OBV_OK);
        CHECK_EQ(obv_stop_handler(&roots[i]->object, &probe_kind, NULL),
                 OBV_OK);
        CHECK_EQ(obv_stop_path(handles[i], &roots[i]->object, "net", NULL),
                 OBV_OK);
        unwatch(handles[i]);
        CHECK_EQ(obv_observer_count(&roots[i]->object, "net"), 0);
        CHECK_EQ(obv_observer_count(&roots[i]->object, "next"), 0);
        size_t listed = 0;
        obv_observed_properties(&roots[i]->object, count_name, &listed);
        CHECK_EQ(listed, 0);
    }
    order_set_net(next, 1);
    CHECK(was_invalid(order));
    order_set_net(order, 1);
    CHECK(was_invalid(order));
    order_set_rate(other, 1);
    CHECK(was_invalid(order));
    order_set_next(other, next);
    CHECK(was_invalid(order));
    order_drop(order);
    order_drop(next);
    order_drop(other);
    stage_end();
}

/* Through what is computed itself ------------------------------------------- */

TEST(LL_3_what_is_computed_at_the_end_is_checked_and_no_more)
{
    STAGE("next.twice");
    struct order *order = order_new(), *next = order_new();
    order_set_next(order, next);
    CHECK(was_invalid(order));
    CHECK_EQ(next->doublings, 1);
    order_set_net(next, 2);
    CHECK(!is_valid(order));
    CHECK_EQ(next->doublings, 1);
    CHECK(was_invalid(order));
    CHECK_EQ(next->doublings, 2);
    next->net = 7; /* nobody hears of it, so there and back is no change */
    order_set_net(next, 2);
    CHECK(!is_valid(order));
    size_t evaluations = order->evaluations;
    (void)order_v(order);
    CHECK(is_valid(order));
    CHECK_EQ(next->doublings, 3);
    CHECK_EQ(order->evaluations, evaluations);
    order_drop(order);
    order_drop(next);
    stage_end();
}

static enum obv_status twice_of_next(struct order *order, int64_t *value)
{
    *value = order->next->twice;
    return OBV_OK;
}

TEST(BI_1_what_declares_a_computed_property_is_as_new_as_its_inputs)
{
    STAGE("next.twice");
    struct order *order = order_new(), *next = order_new(),
                 *target = order_new();
    const struct obv_binder_end ends[] = {{&order->object, "v", NULL},
                                          {&target->object, "rate", NULL}};
    struct obv_binder *binder;
    order->make_v = twice_of_next;
    order_set_next(order, next);
    CHECK_EQ(obv_bind(&ends[0], &ends[1], NULL, &binder, NULL), OBV_OK);
    order_set_net(next, 2);
    order_set_rate(target, 50);
    (void)drained();
    CHECK_EQ(order_rate(target), 50);
    order_set_net(next, 3);
    order_set_rate(target, 51);
    order_set_net(next, 4);
    (void)drained();
    CHECK_EQ(order_rate(target), 8);
    obv_unbind(binder);
    order_drop(order);
    order_drop(next);
    order_drop(target);
    stage_end();
}

TEST(LL_14_a_declared_path_leads_through_what_is_computed)
{
    STAGE("pick.net");
    struct order *order = order_new(), *one = order_new(), *other = order_new();
    order_set_net(one, 1);
    order_set_next(order, one);
    CHECK(was_invalid(order));
    CHECK_EQ(order->picks, 1);
    order_set_net(one, 2);
    CHECK(was_invalid(order));
    order_set_next(order, other);
    CHECK(!is_valid(order));
    CHECK_EQ(order->picks, 1); /* LL-3 */
    CHECK(was_invalid(order));
    CHECK_EQ(order->picks, 2);
    order_set_net(one, 3);
    CHECK(is_valid(order));
    order_set_net(other, 3);
    CHECK(was_invalid(order));
    order_set_next(order, NULL);
    CHECK(was_invalid(order));
    order_drop(order);
    order_drop(one);
    order_drop(other);
    stage_end();
}

TEST(LL_3_a_replaced_middle_computes_nothing)
{
    STAGE("next.next.twice");
    struct order *order = order_new(), *one = order_new(), *other = order_new(),
                 *last = order_new();
    order_set_next(one, last);
    order_set_next(order, one);
    CHECK(was_invalid(order));
    order_set_next(other, other);
    order_set_next(order, other);
    CHECK(!is_valid(order));
    CHECK_EQ(other->doublings, 0);
    CHECK(was_invalid(order));
    CHECK_EQ(other->doublings, 1);
    order_set_net(other, 4);
    CHECK(was_invalid(order));
    order_set_next(other, NULL);
    order_drop(order);
    order_drop(one);
    order_drop(other);
    order_drop(last);
    stage_end();
}

TEST(LL_12_a_cycle_by_declaration_ends)
{
    STAGE("next.v", "next.w", "w");
    struct order *a = order_new(), *b = order_new();
    struct probe probe = {0};
    order_set_next(a, b);
    order_set_next(b, a);
    CHECK_EQ(order_v(a), 0);
    CHECK_EQ(order_w(b), 1);
    struct obv_observation *handle = watch(a, "w", 0, &probe);
    a->net = b->net = 3;
    CHECK_EQ(obv_invalidate(&b->object, ORDER_V), OBV_OK);
    (void)drained();
    CHECK_EQ(order_v(b), 3);
    order_set_v(a, 8);
    CHECK_EQ(order_w(a), order_v(a) + 1);
    (void)drained();
    unwatch(handle);
    order_set_next(a, NULL);
    order_set_next(b, NULL);
    order_drop(a);
    order_drop(b);
    stage_end();
}

/* Errors ------------------------------------------------------------------- */

static enum obv_status v_of_next(struct order *order, int64_t *value)
{
    CHECK(order->evaluations < 100);
    return obv_get_i64(&order->next->object, ORDER_V, value);
}

static void depend_on_v(struct order *order, struct order *on)
{
    CHECK_EQ(obv_depend_on(&order->object, ORDER_V, &on->object, "v", NULL),
             OBV_OK);
}

/* Two that need each other never have a value. */
TEST(LL_12_who_declares_what_is_in_a_cycle_is_computed_once)
{
    STAGE("net");
    struct order *a = order_new(), *b = order_new(), *c = order_new();
    struct probe probe = {0};
    int64_t value;
    b->next = c;
    c->next = b;
    b->make_v = c->make_v = v_of_next;
    depend_on_v(a, b);
    depend_on_v(b, c);
    depend_on_v(c, b);
    CHECK_EQ(order_v(a), 0);
    CHECK_EQ(a->evaluations, 1);
    CHECK(b->evaluations <= 2);
    CHECK_EQ(obv_get_i64(&b->object, ORDER_V, &value), OBV_E_CYCLE);
    struct obv_observation *handle = watch(a, "v", 0, &probe);
    order_set_net(b, 1);
    a->net = 1;
    (void)drained();
    CHECK_EQ(order_v(a), 1);
    unwatch(handle);
    b->next = c->next = NULL;
    order_drop(a);
    order_drop(b);
    order_drop(c);
    stage_end();
}

TEST(LL_2_KP_1_a_class_with_a_malformed_path_is_refused)
{
    static const char *const malformed[] = {"net", "next..net"},
                             *const itself[] = {"v"};
    struct obv_error error = {0};
    context_begin();
    CHECK_EQ(make_class(malformed, 2, &error), OBV_E_SYNTAX);
    CHECK_EQ(error.index, 1);
    CHECK_EQ(error.position, 5);
    CHECK_TEXT(error.property, "v");
    CHECK_EQ(make_class(itself, 1, &error), OBV_E_ARGUMENT);
    CHECK_EQ(error.index, 0);
    stage_end();
}

TEST(LL_2_KP_12_a_declared_path_of_an_unknown_property_is_told)
{
    STAGE("nett", "net");
    struct order *order = order_new();
    CHECK(was_invalid(order));
    CHECK_EQ(stage.unresolved, 1);
    CHECK_TEXT(stage.path, "nett");
    order_set_net(order, 1);
    CHECK(was_invalid(order));
    CHECK_EQ(stage.unresolved, 1);
    order_drop(order);
    stage_end();
}

TEST(LL_2_what_cannot_be_declared_is_refused)
{
    stage_begin(NULL, 0);
    struct order *order = order_new(), *other = order_new();
    struct obv_object *object = &order->object, *root = &other->object;
    struct obv_error error = {0};
    CHECK_EQ(obv_depend_on(object, ORDER_V, root, "next..net", &error),
             OBV_E_SYNTAX);
    CHECK_EQ(error.position, 5);
    CHECK_EQ(obv_depend_on(object, ORDER_NET, root, "net", &error),
             OBV_E_UNKNOWN);
    CHECK_EQ(obv_depend_on(object, ORDER_COUNT, root, "net", &error),
             OBV_E_UNKNOWN);
    CHECK_EQ(obv_depend_on(object, ORDER_V, object, "v", &error),
             OBV_E_ARGUMENT);
    CHECK_EQ(obv_depend_on(NULL, ORDER_V, root, "v", &error), OBV_E_ARGUMENT);
    CHECK_EQ(obv_depend_on(object, ORDER_V, NULL, "v", &error), OBV_E_ARGUMENT);
    CHECK_EQ(obv_depend_on(object, ORDER_V, root, "v", &error), OBV_OK);
    CHECK_EQ(obv_depend_on(object, ORDER_V, root, "nett", &error), OBV_OK);
    CHECK_EQ(stage.unresolved, 1);
    CHECK_EQ(obv_depend_no_more(object, ORDER_V, root, "rate", NULL), OBV_OK);
    CHECK_EQ(obv_depend_no_more(object, ORDER_V, root, ".", NULL),
             OBV_E_SYNTAX);
    CHECK_EQ(obv_depend_no_more(object, ORDER_W, root, NULL, NULL), OBV_OK);
    CHECK(was_invalid(order));
    order_drop(order);
    order_drop(other);
    stage_end();
}

/* What is declared and what is read ---------------------------------------- */

static enum obv_status net_of_next(struct order *order, int64_t *value)
{
    struct order *next = order_next(order);
    *value = next ? order_net(next) : 0;
    return OBV_OK;
}

TEST(LL_2_a_read_that_is_not_declared_is_told_once_a_property)
{
    STAGE("next.net");
    struct order *order = order_new(), *other = order_new();
    obv_check_dependencies(stage.context, true);
    order->make_v = net_of_next;
    CHECK(was_invalid(order));
    order_set_next(order, other);
    CHECK(was_invalid(order));
    CHECK_EQ(stage.differences, 0);
    order->make_v = rate_and_net;
    order_set_next(order, NULL);
    order_set_net(other, 1);
    CHECK_EQ(obv_invalidate(&order->object, ORDER_V), OBV_OK);
    CHECK(was_invalid(order));
    CHECK_EQ(stage.differences, 1);
    CHECK_TEXT(stage.path, "v: rate");
    order_set_rate(order, 3);
    CHECK(was_invalid(order));
    CHECK(was_invalid(other));
    CHECK_EQ(stage.differences, 1);
    order_drop(order);
    order_drop(other);
    stage_end();
}

TEST(LL_2_what_is_declared_and_not_read_is_told)
{
    v.flags = OBV_LAZY;
    STAGE("rate", "next.net");
    struct order *order = order_new();
    order->make_v = rate_and_net;
    CHECK(was_invalid(order));
    order_set_next(order, order);
    CHECK(was_invalid(order));
    CHECK_EQ(stage.differences, 0); /* nobody has asked */
    obv_check_dependencies(stage.context, true);
    order_set_next(order, NULL);
    CHECK(was_invalid(order));
    CHECK_EQ(stage.differences, 0); /* the path leads nowhere */
    order_set_next(order, order);
    CHECK(was_invalid(order));
    CHECK_EQ(stage.differences, 1);
    CHECK_TEXT(stage.path, "v: next.net");
    order_set_next(order, NULL);
    order_drop(order);
    stage_end();
}

static enum obv_status net_without_dependencies(struct order *order,
                                                int64_t *value)
{
    *value = order->net;
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(obv_depend_no_more(&order->object, ORDER_V, &order->object,
                                    NULL, NULL),
                 OBV_OK);
    }
    return OBV_OK;
}

TEST(LL_2_a_function_that_is_checked_takes_back_all_that_is_declared)
{
    STAGE("net");
    struct order *order = order_new();
    obv_check_dependencies(stage.context, true);
    order->make_v = net_without_dependencies;
    CHECK_EQ(order_v(order), 0);
    CHECK_EQ(obv_invalidate(&order->object, ORDER_V), OBV_OK);
    CHECK_EQ(order_v(order), 0);
    order_set_net(order, 1);
    CHECK_EQ(order_v(order), 0);
    order_drop(order);
    stage_end();
}

static enum obv_status
declares_and_takes_back(struct obv_object *object,
                        const struct obv_property *property)
{
    (void)property;
    CHECK_EQ(obv_depend_on(object, ORDER_V, object, "rate", NULL), OBV_OK);
    return obv_depend_no_more(object, ORDER_V, object, "net", NULL);
}

TEST(LL_2_what_the_class_declares_is_taken_back_while_it_is_declared)
{
    v.declare = declares_and_takes_back;
    STAGE("net");
    struct order *order = order_new();
    CHECK(was_invalid(order));
    order_set_net(order, 1);
    CHECK(is_valid(order));
    order_set_rate(order, 1);
    CHECK(was_invalid(order));
    order_drop(order);
    stage_end();
    v.declare = NULL;
}

static enum obv_status sum_of_items(struct order *order, int64_t *value)
{
    const struct obv_array *array =
        (const struct obv_array *)(void *)order_items(order);
    *value = 0;
    for (size_t i = 0; array && i < obv_array_count(array); i++) {
        *value += order_net(obv_array_at(array, i));
    }
    return OBV_OK;
}

TEST(LL_2_elements_that_are_declared_are_read)
{
    STAGE("items.*.net", "items.count");
    struct order *order = order_new(), *a = order_new();
    struct obv_array *array = array_new();
    obv_check_dependencies(stage.context, true);
    order->make_v = sum_of_items;
    CHECK_EQ(obv_array_append(array, a), OBV_OK);
    order_set_items(order, &array->container.object);
    order_set_net(a, 5);
    CHECK_EQ(order_v(order), 5);
    order_set_net(a, 6);
    CHECK_EQ(order_v(order), 6);
    CHECK_EQ(stage.differences, 0);
    order_set_items(order, NULL);
    obv_array_release(array);
    order_drop(order);
    order_drop(a);
    stage_end();
}

/* Random graphs ------------------------------------------------------------ */

enum { ORDERS = 5, STEPS = 4000 };

static int64_t net_of(const struct order *order)
{
    return order ? order->net : 0;
}

/* What the declared paths lead to, as the fields are. */
static int64_t sum_of_fields(const struct order *order)
{
    const struct order *next = order->next, *last = next ? next->next : NULL;
    const struct obv_array *array =
        (const struct obv_array *)(void *)order->items;
    int64_t sum = order->rate + 3 * net_of(next) + 5 * net_of(last) +
                  7 * (last ? 2 * last->net : 0);
    for (size_t i = 0; array && i < array->count; i++) {
        sum += 11 * net_of(array->elements[i]);
    }
    return sum;
}

static enum obv_status random_value(struct order *order, int64_t *value)
{
    *value = sum_of_fields(order);
    return OBV_OK;
}

struct watched {
    struct order *order;
    struct obv_array *array;
    struct probe late, at_once;
    struct obv_observation *handles[2];
    int64_t last; /* as it was at the last drain */
};

static void check_drain(struct watched *all)
{
    for (size_t i = 0; i < ORDERS; i++) {
        all[i].late.calls = 0;
    }
    (void)drained();
    for (size_t i = 0; i < ORDERS; i++) {
        int64_t now = sum_of_fields(all[i].order);
        if (all[i].handles[0]) {
            CHECK_EQ(all[i].late.calls, now != all[i].last);
        }
        all[i].last = now;
    }
}

static void toggle(struct watched *watched)
{
    if (watched->handles[0]) {
        unwatch(watched->handles[0]);
        unwatch(watched->handles[1]);
        watched->handles[0] = NULL;
    } else {
        watched->handles[0] = watch(watched->order, "v", 0, &watched->late);
        watched->handles[1] =
            watch(watched->order, "w", OBV_IMMEDIATE, &watched->at_once);
        watched->last = sum_of_fields(watched->order);
    }
}

static void edit_items(struct watched *all, struct watched *one)
{
    struct obv_array *array = one->array;
    size_t count = obv_array_count(array);
    if (count > 3) {
        CHECK_EQ(obv_array_remove(array, test_random() % count), OBV_OK);
    } else {
        CHECK_EQ(obv_array_insert(array, test_random() % (count + 1),
                                  all[test_random() % ORDERS].order),
                 OBV_OK);
    }
}

static void step(struct watched *all)
{
    struct watched *one = &all[test_random() % ORDERS];
    struct order *other = all[test_random() % ORDERS].order;
    int64_t before = sum_of_fields(one->order);
    one->at_once.calls = 0;
    switch (test_random() % 9) {
    case 0:
    case 1:
        order_set_net(one->order, (int64_t)(test_random() % 4));
        break;
    case 2:
        order_set_rate(one->order, (int64_t)(test_random() % 2));
        break;
    case 3:
        order_set_next(one->order, test_random() % 4 ? other : NULL);
        break;
    case 4:
        order_set_items(one->order, test_random() % 3
                                        ? &one->array->container.object
                                        : NULL);
        break;
    case 5:
        edit_items(all, one);
        break;
    case 6:
        CHECK_EQ(order_v(one->order), sum_of_fields(one->order));
        break;
    case 7:
        check_drain(all);
        break;
    default:
        check_drain(all);
        toggle(one);
        break;
    }
    if (one->handles[0]) {
        CHECK_EQ(one->at_once.calls, before != sum_of_fields(one->order));
    }
}

TEST(LL_2_LL_3_LL_5_random_declared_paths_do_what_the_fields_say)
{
    /* `items.*` since a second time of the same element is none to what lies
       below (WC-3). */
    STAGE("rate", "next.net", "pick.next.net", "next.next.twice", "items.*.net",
          "items.*");
    struct watched all[ORDERS] = {{0}};
    for (size_t i = 0; i < ORDERS; i++) {
        all[i].order = order_new();
        all[i].order->make_v = random_value;
        struct obv_class *cls =
            i == 0 ? NULL : obv_object_class(&all[0].array->container.object);
        if (cls) {
            CHECK_EQ(obv_array_create(cls, &all[i].array, NULL), OBV_OK);
        } else {
            all[i].array = array_new();
        }
    }
    for (size_t i = 0; i < STEPS; i++) {
        step(all);
    }
    check_drain(all);
    for (size_t i = 0; i < ORDERS; i++) {
        CHECK_EQ(order_v(all[i].order), sum_of_fields(all[i].order));
        if (all[i].handles[0]) {
            toggle(&all[i]);
        }
        order_set_next(all[i].order, NULL);
        CHECK(!order_pick(all[i].order)); /* which has held an object */
        order_set_items(all[i].order, NULL);
        obv_array_release(all[i].array);
    }
    (void)drained();
    for (size_t i = 0; i < ORDERS; i++) {
        order_drop(all[i].order);
    }
    stage_end();
}

/* Short memory ------------------------------------------------------------- */

static void refuse_each(void (*round)(size_t n, bool all, bool *refused))
{
    for (int all = 0; all < 2; all++) {
        bool refused = true;
        for (size_t n = 1; refused; n++) {
            round(n, all, &refused);
        }
    }
}

/* With memory again, the value is what it should be, now and after a change. */
static void check_follows(struct order *order, struct order *next)
{
    order->net = order->net + 1;
    order_set_net(next, next->net + 1);
    CHECK_EQ(order_v(order), order->net);
    CHECK(is_valid(order));
    order->net = order->net + 1;
    order_set_net(next, next->net + 1);
    CHECK(!is_valid(order));
    CHECK_EQ(order_v(order), order->net);
}

static void compute_with_a_refusal(size_t n, bool all, bool *refused)
{
    STAGE("next.next.net", "*.rate", "pick.twice");
    struct order *order = order_new(), *next = order_new(), *last = order_new();
    order_set_next(order, next);
    order_set_next(next, last);
    test_fail_allocation(n, all);
    (void)order_v(order);
    *refused = test_allocation_failed();
    test_fail_allocation(0, false);
    check_follows(order, last);
    check_follows(order, next);
    order_drop(order);
    order_drop(next);
    order_drop(last);
    stage_end();
}

static void set_with_a_refusal(size_t n, bool all, bool *refused)
{
    STAGE("next.net");
    struct order *order = order_new(), *next = order_new();
    order_set_next(order, next);
    stage.memory = 0;
    test_fail_allocation(n, all);
    order_set_v(order, 70);
    *refused = test_allocation_failed();
    test_fail_allocation(0, false);
    /* It holds what was set, or else this was told. */
    CHECK(order_v(order) == 70 || stage.memory >= 1);
    check_follows(order, next);
    order_drop(order);
    order_drop(next);
    stage_end();
}

static void rewire_with_a_refusal(size_t n, bool all, bool *refused)
{
    STAGE("next.next.net", "*.next.net");
    struct order *order = order_new(), *next = order_new(), *last = order_new();
    struct obv_array *array = array_new();
    CHECK(was_invalid(order));
    CHECK_EQ(obv_array_append(array, next), OBV_OK);
    order_set_next(next, last);
    test_fail_allocation(n, all);
    order_set_next(order, next);
    order_set_items(order, &array->container.object);
    (void)order_v(order);
    *refused = test_allocation_failed();
    test_fail_allocation(0, false);
    check_follows(order, last);
    order_set_items(order, NULL);
    obv_array_release(array);
    order_drop(order);
    order_drop(next);
    order_drop(last);
    stage_end();
}

static void depend_with_a_refusal(size_t n, bool all, bool *refused)
{
    stage_begin(NULL, 0);
    struct order *order = order_new(), *other = order_new(),
                 *next = order_new();
    order_set_next(other, next);
    CHECK(was_invalid(order));
    test_fail_allocation(n, all);
    enum obv_status status = obv_depend_on(&order->object, ORDER_V,
                                           &other->object, "next.net", NULL);
    *refused = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK(status == OBV_OK || status == OBV_E_MEMORY);
    CHECK(*refused || status == OBV_OK);
    order_set_net(next, 1);
    CHECK(status != OBV_OK || !is_valid(order));
    depend(order, other, "next.net");
    check_follows(order, next);
    order_drop(order);
    order_drop(other);
    order_drop(next);
    stage_end();
}

static void take_back_with_a_refusal(size_t n, bool all, bool *refused)
{
    STAGE("rate", "next.net");
    struct order *order = order_new();
    test_fail_allocation(n, all);
    enum obv_status status = obv_depend_no_more(&order->object, ORDER_V,
                                                &order->object, "rate", NULL);
    *refused = test_allocation_failed();
    test_fail_allocation(0, false);
    CHECK(status == OBV_OK || status == OBV_E_MEMORY);
    CHECK(*refused || status == OBV_OK);
    CHECK(was_invalid(order));
    order_set_rate(order, 1);
    CHECK_EQ(is_valid(order), status == OBV_OK);
    (void)order_v(order);
    order_set_next(order, NULL);
    CHECK(is_valid(order));
    order_drop(order);
    stage_end();
}

static void make_with_a_refusal(size_t n, bool all, bool *refused)
{
    static const char *const paths[] = {"next.next.net", "rate"};
    context_begin();
    test_fail_allocation(n, all);
    enum obv_status status = make_class(paths, 2, NULL);
    *refused = test_allocation_failed();
    test_fail_allocation(0, false);
    /* The names' hash table does without. */
    CHECK(status == OBV_OK || (*refused && status == OBV_E_MEMORY));
    if (status != OBV_OK) {
        CHECK_EQ(make_class(paths, 2, NULL), OBV_OK);
    }
    stage_end();
}

TEST(FA_1_a_failed_allocation_while_a_declared_property_is_computed)
{
    refuse_each(compute_with_a_refusal);
}

TEST(FA_1_a_failed_allocation_while_a_declared_property_is_set)
{
    refuse_each(set_with_a_refusal);
}

TEST(FA_1_a_failed_allocation_while_a_declared_path_follows)
{
    refuse_each(rewire_with_a_refusal);
}

TEST(FA_2_a_failed_allocation_while_a_dependency_is_declared)
{
    refuse_each(depend_with_a_refusal);
}

TEST(FA_2_a_failed_allocation_while_a_declared_path_is_taken_back)
{
    refuse_each(take_back_with_a_refusal);
}

TEST(FA_2_a_failed_allocation_while_a_class_declares)
{
    refuse_each(make_with_a_refusal);
}

/* Threads ------------------------------------------------------------------ */

enum { SETS = 20000 };

static void *set_shared(void *context)
{
    struct order *order = context;
    for (int64_t i = 1; i <= SETS; i++) {
        order_set_shared(order, i);
    }
    return NULL;
}

static enum obv_status shared_of_next(struct order *order, int64_t *value)
{
    *value = __atomic_load_n(&order->next->shared, __ATOMIC_RELAXED);
    return OBV_OK;
}

TEST(TH_2_what_is_declared_ends_at_the_last_value_of_any_thread)
{
    STAGE("next.shared");
    struct order *order = order_new(), *next = order_new();
    struct probe probe = {0};
    pthread_t threads[2];
    order->make_v = shared_of_next;
    order_set_next(order, next);
    struct obv_observation *handle = watch(order, "w", 0, &probe);
    for (size_t i = 0; i < 2; i++) {
        CHECK(pthread_create(&threads[i], NULL, set_shared, next) == 0);
    }
    for (int i = 0; i < 2000; i++) {
        (void)drained();
        (void)order_w(order);
    }
    for (size_t i = 0; i < 2; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    (void)drained();
    (void)drained();
    CHECK_EQ(order_w(order), SETS + 1);
    size_t calls = probe.calls;
    order_set_shared(next, 1);
    CHECK_EQ(drained(), 1);
    CHECK_EQ(probe.calls, calls + 1);
    unwatch(handle);
    order_drop(order);
    order_drop(next);
    stage_end();
}
