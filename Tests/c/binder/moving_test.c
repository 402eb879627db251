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
