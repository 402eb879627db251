/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binders (BI-1) whose paths lead elsewhere, also while values are on their way,
 * and binders that begin while others carry; and where memory is short.
 */
#define _POSIX_C_SOURCE 200809L

#include "binders.h"

static struct item *a, *b, *c, *d;

static void begin(void)
{
    fixture_begin(&fixture);
    a = item_create(&fixture);
    b = item_create(&fixture);
    c = item_create(&fixture);
    d = item_create(&fixture);
}

static void finish(void)
{
    item_set_next(a, NULL);
    drop(a);
    drop(b);
    drop(c);
    drop(d);
    fixture_end(&fixture);
}

static size_t calls;

static enum obv_status count_call(void *context, const struct obv_value *value,
                                  struct obv_value *made)
{
    (void)context;
    calls++;
    *made = *value;
    return OBV_OK;
}

/* What follows the same path has had the value that was there before. */
TEST(BI_1_what_follows_a_path_that_moves_has_what_is_carried_there)
{
    begin();
    item_set_large(d, 2);
    struct obv_binder *second = bind_one(b, "next.large", c, "large");
    struct obv_binder *first = bind_one(a, "large", b, "next.large");
    item_set_large(a, 5);
    drain_all();
    item_set_next(b, d);
    drain_all();
    CHECK_EQ(item_large(d), 5);
    CHECK_EQ(item_large(c), 5);
    obv_unbind(first);
    obv_unbind(second);
    finish();
}

TEST(BI_1_what_the_target_has_not_taken_goes_to_the_next_one)
{
    begin();
    item_set_next(b, c);
    struct obv_binder *binder = bind_one(a, "large", b, "next.large");
    item_set_large(a, 5);
    item_set_large(c, 6); /* later: it stays */
    drain_all();
    CHECK_EQ(item_large(c), 6);
    item_set_next(b, d);
    drain_all();
    CHECK_EQ(item_large(d), 5);
    obv_unbind(binder);
    finish();
}

TEST(BI_1_a_set_and_a_target_that_moves_are_one_call_of_the_function)
{
    const struct obv_binder_options options = {.size = sizeof options,
                                               .transform = count_call};
    begin();
    struct obv_binder *binder =
        bind_with(a, "large", b, "next.large", &options);
    calls = 0;
    item_set_large(a, 5);
    item_set_next(b, d);
    drain_all();
    CHECK_EQ(item_large(d), 5);
    CHECK_EQ(calls, 1);
    obv_unbind(binder);
    finish();
}

/* From one set on both paths lead to one property. */
TEST(BI_1_two_paths_that_come_to_be_one_property_settle)
{
    begin();
    struct obv_binder *binder = bind_one(a, "next.next.large", a, "next.large");
    item_set_next(a, a);
    drain_all();
    item_set_large(a, 4);
    drain_all();
    CHECK_EQ(item_large(a), 4);
    obv_unbind(binder);
    finish();
}

TEST(BI_1_where_one_set_moves_both_paths_the_source_counts)
{
    begin();
    item_set_next(c, d);
    item_set_large(c, 1);
    item_set_large(d, 2);
    struct obv_binder *binder =
        bind_both(b, "next.next.large", b, "next.large");
    item_set_next(b, c);
    drain_all();
    CHECK_EQ(item_large(c), 2);
    CHECK_EQ(item_large(d), 2);
    CHECK_EQ(fixture.diagnostics, 0);
    obv_unbind(binder);
    finish();
}

/* It was set before the second binder begins, and comes behind its first value. */
TEST(BI_1_what_is_on_its_way_as_a_binder_begins_reaches_it)
{
    begin();
    struct obv_binder *first = bind_both(a, "large", b, "large");
    drain_all();
    item_set_large(a, 5);
    struct obv_binder *second = bind_both(b, "large", c, "large");
    drain_all();
    CHECK_EQ(item_large(b), 5);
    CHECK_EQ(item_large(c), 5);
    obv_unbind(first);
    obv_unbind(second);
    finish();
}

/* A ring of three binders on two loops of one thread, of which one begins while
   another carries, and the third one ends. What counts as later where a binder
   begins does so for the one beside it. */
TEST(BI_1_a_ring_is_of_one_mind_while_a_binder_begins_and_another_ends)
{
    struct obv_loop *one, *other;
    const struct obv_binder_options both = {.size = sizeof both,
                                            .is_two_way = true};
    struct obv_binder *binders[3];
    begin();
    CHECK_EQ(obv_loop_create(fixture.context, NULL, &one), OBV_OK);
    CHECK_EQ(obv_loop_create(fixture.context, NULL, &other), OBV_OK);
    const struct obv_binder_end ends[][2] = {
        {{&b->object, "large", one}, {&a->object, "large", other}},
        {{&b->object, "large", other}, {&c->object, "large", other}},
        {{&a->object, "large", one}, {&c->object, "large", one}}};
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(obv_bind(&ends[i][0], &ends[i][1], &both, &binders[i], NULL),
                 OBV_OK);
    }
    while (obv_loop_drain(one) + obv_loop_drain(other) > 0) {
    }
    item_set_large(a, 3);
    item_set_large(b, 4);
    CHECK_EQ(obv_bind(&ends[2][0], &ends[2][1], &both, &binders[2], NULL),
             OBV_OK);
    for (int i = 0; i < 2; i++) {
        obv_loop_drain(one);
        obv_loop_drain(other);
    }
    obv_unbind(binders[1]);
    while (obv_loop_drain(one) + obv_loop_drain(other) > 0) {
    }
    CHECK_EQ(item_large(a), 4);
    CHECK_EQ(item_large(b), 4);
    CHECK_EQ(item_large(c), 4);
    obv_unbind(binders[0]);
    obv_unbind(binders[2]);
    obv_loop_destroy(one);
    obv_loop_destroy(other);
    finish();
}

TEST(BI_1_an_observer_whose_path_moves_makes_nothing_later)
{
    begin();
    struct probe probe;
    probe_init(&probe, &fixture);
    struct obv_observation *moved =
        observe_with(d, "next.large", &probe, OBV_VALUES, NULL);
    struct obv_binder *first = bind_both(a, "large", b, "large");
    struct obv_binder *second = bind_both(a, "large", c, "large");
    drain_all();
    item_set_large(b, 5);
    item_set_large(c, 6);
    item_set_next(d, a);
    drain_all();
    CHECK_EQ(item_large(a), 6);
    CHECK_EQ(item_large(b), 6);
    CHECK_EQ(item_large(c), 6);
    obv_unbind(first);
    obv_unbind(second);
    end(moved);
    probe_release(&probe);
    finish();
}

/* Values of a binding ------------------------------------------------------- */

struct number {
    struct obv_object object;
    size_t references;
    int64_t number;
};

struct boxed_number {
    struct obv_boxed boxed; /* the first */
    int64_t number;
};

static void release_box(struct obv_boxed *box)
{
    free(box);
}

static bool boxes_equal(const struct obv_boxed *left,
                        const struct obv_boxed *right, enum obv_compare how)
{
    (void)how;
    return ((const struct boxed_number *)left)->number ==
           ((const struct boxed_number *)right)->number;
}

static bool numbers_equal(const struct obv_property *property,
                          struct obv_object *left,
                          const struct obv_property *other,
                          struct obv_object *right)
{
    (void)property;
    (void)other;
    return ((struct number *)left)->number == ((struct number *)right)->number;
}

static struct obv_boxed *copy_number(const struct obv_property *property,
                                     struct obv_object *object,
                                     const void *value)
{
    struct boxed_number *box = malloc(sizeof *box);
    (void)property;
    CHECK(box);
    box->boxed = (struct obv_boxed){release_box, boxes_equal};
    box->number =
        value ? *(const int64_t *)value : ((struct number *)object)->number;
    return &box->boxed;
}

static bool retain_number(struct obv_object *object)
{
    return references_try(&((struct number *)object)->references);
}

static void release_number(struct obv_object *object)
{
    if (references_drop(&((struct number *)object)->references)) {
        CHECK_EQ(obv_object_deinit(object), OBV_OK);
    }
}

static enum obv_status unbox(void *context, const struct obv_value *value,
                             struct obv_value *made)
{
    (void)context;
    CHECK_EQ(value->kind, OBV_KIND_custom);
    made->kind = OBV_KIND_i64;
    made->as.i64 = ((const struct boxed_number *)value->as.custom)->number;
    return OBV_OK;
}

TEST(BI_1_a_value_of_a_binding_goes_to_where_the_target_moves)
{
    const struct obv_value_kind kind = {
        .size = sizeof kind, .equal = numbers_equal, .copy = copy_number};
    const struct obv_property number = {.name = "number",
                                        .kind = OBV_KIND_custom,
                                        .offset =
                                            offsetof(struct number, number),
                                        .size = sizeof(int64_t),
                                        .custom = &kind};
    const struct obv_class_table table = {.size = sizeof table,
                                          .name = "number",
                                          .instance_size =
                                              sizeof(struct number),
                                          .properties = &number,
                                          .property_count = 1,
                                          .retain = retain_number,
                                          .release = release_number};
    const struct obv_binder_options options = {.size = sizeof options,
                                               .transform = unbox};
    struct number source = {.references = 1, .number = 5};
    struct obv_class *cls;
    struct obv_binder *binder;
    begin();
    CHECK_EQ(obv_class_create(fixture.context, &table, &cls, NULL), OBV_OK);
    obv_object_init(&source.object, cls);
    const struct obv_binder_end ends[] = {{&source.object, "number", NULL},
                                          {&b->object, "next.large", NULL}};
    CHECK_EQ(obv_bind(&ends[0], &ends[1], &options, &binder, NULL), OBV_OK);
    item_set_next(b, c);
    drain_all();
    CHECK_EQ(item_large(c), 5);
    int64_t before = source.number;
    source.number = 6;
    obv_detail_changed_from(&source.object, 0, &before);
    drain_all();
    CHECK_EQ(item_large(c), 6);
    item_set_next(b, d);
    drain_all();
    CHECK_EQ(item_large(d), 6);
    obv_unbind(binder);
    release_number(&source.object);
    finish();
}

/* Memory ------------------------------------------------------------------- */

static enum obv_status fill_in(void *context, const struct obv_value *value,
                               struct obv_value *made)
{
    (void)context;
    made->kind = OBV_KIND_string;
    made->as.string = obv_value_is_reachable(value) ? value->as.string : "none";
    return OBV_OK;
}

/* Each allocation of a set and the drain behind it fails once. */
TEST(FA_1_what_there_is_no_memory_for_is_carried_by_the_next_drain_or_told)
{
    const struct obv_binder_options options = {.size = sizeof options,
                                               .transform = fill_in};
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        begin();
        CHECK_EQ(item_set_text(a, "before"), OBV_OK);
        struct obv_binder *binder = bind_with(a, "text", b, "text", &options);
        drain_all();
        test_fail_allocation(n, false);
        enum obv_status status = item_set_text(a, "after");
        drain_all();
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        const char *text = item_text(b);
        CHECK(strcmp(text, item_text(a)) == 0 ||
              (strcmp(text, "before") == 0 && fixture.diagnostics > 0));
        CHECK(failed || status == OBV_OK);
        obv_unbind(binder);
        finish();
    }
}
