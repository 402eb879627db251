/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binders (BI-1, BI-3, BI-8): what a user promises himself of two bound
 * properties, one way and both, of chains and rings, of several sources, and of
 * the threads that they lie on.
 */
#define _POSIX_C_SOURCE 200809L

#include "binders.h"

#include <observable/component.h>

/* One way ------------------------------------------------------------------ */

TEST(BI_1_BI_8_the_target_is_set_now_and_on_every_change)
{
    fixture_begin(&fixture);
    struct item *source = item_create(&fixture),
                *target = item_create(&fixture);
    item_set_large(source, 1);
    struct obv_binder *binder = bind_one(source, "large", target, "large");
    CHECK_EQ(item_large(target), 1);
    item_set_large(source, 2);
    item_set_large(source, 3);
    CHECK_EQ(item_large(target), 1);
    drain_all();
    CHECK_EQ(item_large(target), 3);
    drain_all();
    obv_unbind(binder);
    item_set_large(source, 4);
    drain_all();
    CHECK_EQ(item_large(target), 3);
    drop(source);
    drop(target);
    fixture_end(&fixture);
}

TEST(BI_1_every_kind_is_carried)
{
    static const uint8_t bytes[6] = {1, 2, 3, 4, 5, 6};
    static const char *const names[] = {"flag", "small",   "large",
                                        "real", "pointer", "text",
                                        "next", "bytes",   "shared"};
    struct obv_binder *binders[sizeof names / sizeof *names];
    fixture_begin(&fixture);
    struct item *source = item_create(&fixture),
                *target = item_create(&fixture);
    struct item *next = item_create(&fixture);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        binders[i] = bind_one(source, names[i], target, names[i]);
    }
    item_set_flag(source, true);
    item_set_small(source, -7);
    item_set_large(source, INT64_MIN);
    item_set_real(source, 0.5);
    item_set_pointer(source, &fixture);
    CHECK_EQ(item_set_text(source, "text"), OBV_OK);
    item_set_next(source, next);
    item_set_bytes(source, bytes);
    item_set_shared(source, 9);
    drain_all();
    CHECK(item_flag(target));
    CHECK_EQ(item_small(target), -7);
    CHECK_EQ(item_large(target), INT64_MIN);
    CHECK(item_real(target) == 0.5);
    CHECK(item_pointer(target) == (void *)&fixture);
    CHECK_TEXT(item_text(target), "text");
    CHECK(item_next(target) == next);
    CHECK(memcmp(target->bytes, bytes, sizeof bytes) == 0);
    CHECK_EQ(item_shared(target), 9);
    CHECK_EQ(item_set_text(source, NULL), OBV_OK);
    item_set_next(source, NULL);
    drain_all();
    CHECK(item_text(target) == NULL);
    CHECK(item_next(target) == NULL);
    CHECK_EQ(fixture.diagnostics, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        obv_unbind(binders[i]);
    }
    drop(next);
    drop(source);
    drop(target);
    fixture_end(&fixture);
}

TEST(BI_1_what_the_target_was_set_to_later_stays)
{
    fixture_begin(&fixture);
    struct item *source = item_create(&fixture),
                *target = item_create(&fixture);
    struct obv_binder *binder = bind_one(source, "large", target, "large");
    item_set_large(source, 1);
    item_set_large(target, 2);
    drain_all();
    CHECK_EQ(item_large(target), 2);
    item_set_large(target, 3);
    item_set_large(source, 4);
    drain_all();
    CHECK_EQ(item_large(target), 4);
    obv_unbind(binder);
    drop(source);
    drop(target);
    fixture_end(&fixture);
}

TEST(BI_1_a_target_whose_path_leads_nowhere_is_set_once_it_leads_somewhere)
{
    fixture_begin(&fixture);
    struct item *source = item_create(&fixture),
                *target = item_create(&fixture);
    struct item *first = item_create(&fixture), *second = item_create(&fixture);
    CHECK_EQ(item_set_text(source, "one"), OBV_OK);
    struct obv_binder *binder = bind_one(source, "text", target, "next.text");
    CHECK_EQ(item_set_text(source, "two"), OBV_OK);
    drain_all();
    item_set_next(target, first);
    drain_all();
    CHECK_TEXT(item_text(first), "two");
    item_set_next(target, second);
    drain_all();
    CHECK_TEXT(item_text(second), "two");
    CHECK_EQ(item_set_text(source, "three"), OBV_OK);
    drain_all();
    CHECK_TEXT(item_text(second), "three");
    CHECK_TEXT(item_text(first), "two");
    CHECK_EQ(fixture.diagnostics, 0);
    obv_unbind(binder);
    drop(source);
    drop(target);
    drop(first);
    drop(second);
    fixture_end(&fixture);
}

/* The source set before the path moves, after it, and the target after both. */
TEST(BI_1_a_target_whose_path_moves_has_what_the_source_was_set_to)
{
    for (int order = 0; order < 3; order++) {
        fixture_begin(&fixture);
        struct item *source = item_create(&fixture);
        struct item *target = item_create(&fixture);
        struct item *first = item_create(&fixture);
        struct item *second = item_create(&fixture);
        item_set_next(target, first);
        item_set_large(second, 9);
        struct obv_binder *binder =
            bind_one(source, "large", target, "next.large");
        drain_all();
        if (order != 1) {
            item_set_large(source, 1);
        }
        item_set_next(target, second);
        if (order == 1) {
            item_set_large(source, 1);
        } else if (order == 2) {
            item_set_large(second, 2);
        }
        drain_all();
        CHECK_EQ(item_large(second), order == 2 ? 2 : 1);
        CHECK_EQ(item_large(first), 0);
        obv_unbind(binder);
        drop(source);
        drop(target);
        drop(first);
        drop(second);
        fixture_end(&fixture);
    }
}

TEST(BI_1_a_source_that_leads_nowhere_leaves_the_target_as_it_is)
{
    fixture_begin(&fixture);
    struct item *source = item_create(&fixture),
                *target = item_create(&fixture);
    struct item *next = item_create(&fixture);
    item_set_large(next, 5);
    item_set_large(target, 1);
    struct obv_binder *binder = bind_one(source, "next.large", target, "large");
    CHECK_EQ(item_large(target), 1);
    item_set_next(source, next);
    drain_all();
    CHECK_EQ(item_large(target), 5);
    item_set_next(source, NULL);
    drain_all();
    CHECK_EQ(item_large(target), 5);
    obv_unbind(binder);
    drop(next);
    drop(source);
    drop(target);
    fixture_end(&fixture);
}

/* Functions ---------------------------------------------------------------- */

struct functions {
    size_t calls, disposed;
    int64_t step;
    enum obv_status fails;
};

static enum obv_status add_step(void *context, const struct obv_value *value,
                                struct obv_value *made)
{
    struct functions *functions = context;
    functions->calls++;
    if (obv_value_is_reachable(value)) {
        made->kind = OBV_KIND_i64;
        made->as.i64 = value->as.i64 + functions->step;
    }
    return functions->fails;
}

static enum obv_status dash_where_unreachable(void *context,
                                              const struct obv_value *value,
                                              struct obv_value *made)
{
    (void)context;
    made->kind = OBV_KIND_string;
    made->as.string = obv_value_is_reachable(value) ? value->as.string : "–";
    return OBV_OK;
}

/* Down to tens. */
static enum obv_status round_down(void *context, const struct obv_value *value,
                                  struct obv_value *made)
{
    (void)context;
    made->kind = OBV_KIND_i64;
    made->as.i64 = value->as.i64 / 10 * 10;
    return OBV_OK;
}

static void dispose_functions(void *context)
{
    struct functions *functions = context;
    functions->disposed++;
}

static struct obv_binder_options stepping(struct functions *functions)
{
    return (struct obv_binder_options){.size =
                                           sizeof(struct obv_binder_options),
                                       .transform = add_step,
                                       .context = functions,
                                       .dispose = dispose_functions,
                                       .label = "step"};
}

TEST(BI_1_a_function_makes_the_value)
{
    struct functions functions = {.step = 100};
    fixture_begin(&fixture);
    struct item *source = item_create(&fixture),
                *target = item_create(&fixture);
    const struct obv_binder_options options = stepping(&functions);
    struct obv_binder *binder =
        bind_with(source, "large", target, "shared", &options);
    CHECK_EQ(item_shared(target), 100);
    item_set_large(source, 1);
    drain_all();
    CHECK_EQ(item_shared(target), 101);
    CHECK_EQ(functions.calls, 2);
    obv_unbind(binder);
    CHECK_EQ(functions.disposed, 1);
    drop(source);
    drop(target);
    fixture_end(&fixture);
}

TEST(BI_1_a_function_is_asked_where_the_source_leads_nowhere)
{
    const struct obv_binder_options options = {
        .size = sizeof options, .transform = dash_where_unreachable};
    fixture_begin(&fixture);
    struct item *source = item_create(&fixture),
                *target = item_create(&fixture);
    struct item *next = item_create(&fixture);
    CHECK_EQ(item_set_text(next, "there"), OBV_OK);
    struct obv_binder *binder =
        bind_with(source, "next.text", target, "text", &options);
    CHECK_TEXT(item_text(target), "–");
    item_set_next(source, next);
    drain_all();
    CHECK_TEXT(item_text(target), "there");
    item_set_next(source, NULL);
    drain_all();
    CHECK_TEXT(item_text(target), "–");
    obv_unbind(binder);
    drop(next);
    drop(source);
    drop(target);
    fixture_end(&fixture);
}

TEST(BI_1_a_function_that_fails_stores_nothing_and_is_told)
{
    struct functions functions = {.step = 1};
    fixture_begin(&fixture);
    struct item *source = item_create(&fixture),
                *target = item_create(&fixture);
    const struct obv_binder_options options = stepping(&functions);
    struct obv_binder *binder =
        bind_with(source, "large", target, "large", &options);
    functions.fails = OBV_E_LIMIT;
    item_set_large(source, 7);
    drain_all();
    CHECK_EQ(item_large(target), 1);
    CHECK_EQ(fixture.diagnostics, 1);
    CHECK_EQ(fixture.last.kind, OBV_DIAGNOSTIC_BINDER);
    CHECK_TEXT(fixture.last.label, "step");
    functions.fails = OBV_OK;
    item_set_large(source, 8);
    drain_all();
    CHECK_EQ(item_large(target), 9);
    obv_unbind(binder);
    drop(source);
    drop(target);
    fixture_end(&fixture);
}

TEST(BI_1_a_property_of_another_kind_is_told)
{
    fixture_begin(&fixture);
    struct item *source = item_create(&fixture),
                *target = item_create(&fixture);
    struct obv_binder *binder = bind_one(source, "large", target, "small");
    CHECK_EQ(fixture.diagnostics, 1);
    CHECK_EQ(fixture.last.kind, OBV_DIAGNOSTIC_BINDER);
    obv_unbind(binder);
    drop(source);
    drop(target);
    fixture_end(&fixture);
}

/* Both ways, and rings ------------------------------------------------------ */

TEST(BI_1_two_ways_the_newest_set_is_everywhere)
{
    fixture_begin(&fixture);
    struct item *a = item_create(&fixture), *b = item_create(&fixture);
    item_set_large(a, 1);
    item_set_large(b, 2);
    struct obv_binder *binder = bind_both(a, "large", b, "large");
    CHECK_EQ(item_large(b), 1);
    drain_all();
    CHECK_EQ(item_large(a), 1);
    item_set_large(b, 3);
    drain_all();
    CHECK_EQ(item_large(a), 3);
    item_set_large(a, 4);
    item_set_large(b, 5);
    drain_all();
    CHECK_EQ(item_large(a), 5);
    CHECK_EQ(item_large(b), 5);
    item_set_large(b, 6);
    item_set_large(a, 7);
    drain_all();
    CHECK_EQ(item_large(a), 7);
    CHECK_EQ(item_large(b), 7);
    obv_unbind(binder);
    drop(a);
    drop(b);
    fixture_end(&fixture);
}

TEST(BI_1_a_set_of_an_equal_value_is_a_set)
{
    fixture_begin(&fixture);
    struct item *a = item_create(&fixture), *b = item_create(&fixture);
    struct obv_binder *binder = bind_both(a, "large", b, "large");
    drain_all();
    item_set_large(a, 4);
    item_set_large(b, 0); /* as it is, but later */
    drain_all();
    CHECK_EQ(item_large(a), 0);
    CHECK_EQ(item_large(b), 0);
    obv_unbind(binder);
    drop(a);
    drop(b);
    fixture_end(&fixture);
}

TEST(BI_1_what_is_rounded_on_its_way_does_not_come_back)
{
    const struct obv_binder_options options = {
        .size = sizeof options, .is_two_way = true, .transform = round_down};
    fixture_begin(&fixture);
    struct item *a = item_create(&fixture), *b = item_create(&fixture);
    item_set_large(a, 12);
    struct obv_binder *binder = bind_with(a, "large", b, "large", &options);
    drain_all();
    CHECK_EQ(item_large(b), 10);
    CHECK_EQ(item_large(a), 12);
    item_set_large(a, 25);
    drain_all();
    CHECK_EQ(item_large(b), 20);
    CHECK_EQ(item_large(a), 25);
    item_set_large(b, 33);
    drain_all();
    CHECK_EQ(item_large(a), 33);
    CHECK_EQ(item_large(b), 33);
    CHECK_EQ(fixture.diagnostics, 0);
    obv_unbind(binder);
    drop(a);
    drop(b);
    fixture_end(&fixture);
}

#define RING 10

struct ring {
    struct item *items[RING];
    struct obv_binder *binders[RING];
};

static void ring_begin(struct ring *ring,
                       const struct obv_binder_options *options)
{
    for (size_t i = 0; i < RING; i++) {
        ring->items[i] = item_create(&fixture);
    }
    for (size_t i = 0; i < RING; i++) {
        ring->binders[i] =
            bind_with(ring->items[i], "large", ring->items[(i + 1) % RING],
                      "large", options);
    }
}

static void ring_end(struct ring *ring)
{
    for (size_t i = 0; i < RING; i++) {
        obv_unbind(ring->binders[i]);
    }
    for (size_t i = 0; i < RING; i++) {
        drop(ring->items[i]);
    }
}

TEST(BI_1_a_ring_settles_at_the_newest_set)
{
    struct ring ring;
    fixture_begin(&fixture);
    ring_begin(&ring, NULL);
    drain_all();
    for (int64_t round = 1; round <= 20; round++) {
        for (int64_t i = 0; i < 4; i++) {
            item_set_large(ring.items[test_random() % RING], 10 * round + i);
        }
        drain_all();
        for (size_t i = 0; i < RING; i++) {
            CHECK_EQ(item_large(ring.items[i]), 10 * round + 3);
        }
    }
    CHECK_EQ(fixture.diagnostics, 0);
    ring_end(&ring);
    fixture_end(&fixture);
}

TEST(BI_1_a_ring_that_does_not_settle_ends)
{
    struct functions functions = {.step = 1};
    struct ring ring;
    fixture_begin(&fixture);
    const struct obv_binder_options options = stepping(&functions);
    ring_begin(&ring, &options);
    drain_all();
    fixture.diagnostics = 0;
    functions.calls = 0;
    item_set_large(ring.items[0], 100);
    drain_all();
    for (size_t i = 0; i < RING; i++) {
        CHECK_EQ(item_large(ring.items[i]), 100 + (int64_t)i);
    }
    CHECK_EQ(fixture.diagnostics, 0);
    CHECK_EQ(functions.calls, RING - 1);
    ring_end(&ring);
    CHECK_EQ(functions.disposed, RING);
    fixture_end(&fixture);
}

/* Ends --------------------------------------------------------------------- */

TEST(BI_1_a_binder_is_over_with_either_end_and_keeps_neither)
{
    for (int which = 0; which < 2; which++) {
        fixture_begin(&fixture);
        struct functions functions = {.step = 1};
        const struct obv_binder_options options = stepping(&functions);
        struct item *ends[] = {item_create(&fixture), item_create(&fixture)};
        struct obv_binder *binder =
            bind_with(ends[0], "large", ends[1], "large", &options);
        CHECK(!obv_binder_has_ended(binder));
        item_set_large(ends[0], 3); /* a call is scheduled */
        drop(ends[which]);
        drain_all();
        CHECK(obv_binder_has_ended(binder));
        CHECK_EQ(obv_observer_count(&ends[1 - which]->object, "large"), 0);
        CHECK_EQ(functions.disposed, 0);
        obv_unbind(binder);
        CHECK_EQ(functions.disposed, 1);
        drop(ends[1 - which]);
        fixture_end(&fixture);
    }
}

static struct obv_binder *own;

static enum obv_status unbind_in(void *context, const struct obv_value *value,
                                 struct obv_value *made)
{
    struct functions *functions = context;
    if (++functions->calls == 2) {
        obv_unbind(own);
        CHECK_EQ(functions->disposed, 0);
    }
    *made = *value;
    return OBV_OK;
}

TEST(BI_1_a_binder_may_be_given_back_inside_its_own_function)
{
    struct functions functions = {.step = 0};
    struct obv_binder_options options = stepping(&functions);
    options.transform = unbind_in;
    fixture_begin(&fixture);
    struct item *source = item_create(&fixture),
                *target = item_create(&fixture);
    own = bind_with(source, "large", target, "large", &options);
    item_set_large(source, 1);
    drain_all();
    CHECK_EQ(functions.disposed, 1);
    item_set_large(source, 2);
    drain_all();
    CHECK_EQ(functions.calls, 2);
    drop(source);
    drop(target);
    fixture_end(&fixture);
}

TEST(BI_1_what_cannot_be_bound_is_refused_and_nothing_is_changed)
{
    static const struct {
        const char *from, *to;
        enum obv_status status;
        size_t index;
    } cases[] = {{"large", "large", OBV_E_ARGUMENT, 0}, /* one property */
                 {"large", "large.", OBV_E_SYNTAX, 1},
                 {"a..b", "large", OBV_E_SYNTAX, 0},
                 {"*", "large", OBV_E_KIND, 0},
                 {"large", "next.*", OBV_E_KIND, 1},
                 {NULL, "large", OBV_E_ARGUMENT, 0},
                 {"large", NULL, OBV_E_ARGUMENT, 1}};
    struct functions functions = {.step = 1};
    const struct obv_binder_options options = stepping(&functions);
    fixture_begin(&fixture);
    struct item *item = item_create(&fixture);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct obv_binder_end from = {&item->object, cases[i].from, NULL};
        const struct obv_binder_end to = {&item->object, cases[i].to, NULL};
        struct obv_binder *binder = NULL;
        struct obv_error error = {.status = OBV_OK};
        CHECK_EQ(obv_bind(&from, &to, &options, &binder, &error),
                 cases[i].status);
        CHECK_EQ(error.status, cases[i].status);
        CHECK_EQ(error.index, cases[i].index);
        CHECK(error.message && !binder);
    }
    CHECK_EQ(functions.disposed, 0);
    CHECK_EQ(obv_observer_count(&item->object, "large"), 0);
    obv_unbind(NULL);
    drop(item);
    fixture_end(&fixture);
}

/* How often an object was told that it is observed, or is not. */
static int told_states;

static void note_told(struct obv_object *object, uint32_t property,
                      bool is_observed)
{
    (void)object;
    (void)property;
    (void)is_observed;
    told_states++;
}

TEST(BI_1_OS_1_an_end_of_a_binder_that_is_refused_is_told_nothing)
{
    fixture_begin(&fixture);
    struct obv_context *other = NULL;
    CHECK_EQ(obv_context_create(NULL, &other), OBV_OK);
    struct obv_class_table table = fixture.item_table;
    table.name = "aware";
    table.observed_changed = note_told;
    CHECK_EQ(
        obv_class_create(fixture.context, &table, &fixture.item_class, NULL),
        OBV_OK);
    struct item *item = item_create(&fixture), *bad = item_create(&fixture);
    const struct {
        struct obv_binder_end bad;
        enum obv_status status;
    } cases[] = {
        {{&bad->object, "#0", NULL}, OBV_E_KIND},
        {{&bad->object, "large", obv_context_loop(other)}, OBV_E_OPTIONS}};
    const struct obv_binder_end good = {&item->object, "large", NULL};
    for (size_t i = 0; i < 4 * sizeof cases / sizeof *cases; i++) {
        const struct obv_binder_options options = {.size = sizeof options,
                                                   .is_two_way = i % 4 > 0};
        const struct obv_binder_end *end = &cases[i / 4].bad;
        struct obv_binder *binder = NULL;
        CHECK_EQ(obv_bind(i % 2 ? end : &good, i % 2 ? &good : end, &options,
                          &binder, NULL),
                 cases[i / 4].status);
        CHECK(!binder);
    }
    CHECK_EQ(told_states, 0);
    drop(item);
    drop(bad);
    fixture_end(&fixture);
    obv_context_destroy(other);
}

TEST(FA_2_a_binder_that_cannot_be_made_leaves_everything_as_it_was)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        struct functions functions = {.step = 1};
        const struct obv_binder_options options = stepping(&functions);
        struct obv_binder *binder = NULL;
        fixture_begin(&fixture);
        struct item *a = item_create(&fixture), *b = item_create(&fixture);
        const struct obv_binder_end from = {&a->object, "large", NULL};
        const struct obv_binder_end to = {&b->object, "next.large", NULL};
        test_fail_allocation(n, true);
        enum obv_status status = obv_bind(&from, &to, &options, &binder, NULL);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK(failed || status == OBV_OK);
        if (status != OBV_OK) {
            CHECK_EQ(status, OBV_E_MEMORY);
            CHECK_EQ(obv_observer_count(&a->object, "large"), 0);
            CHECK_EQ(obv_observer_count(&b->object, "next"), 0);
            CHECK_EQ(functions.disposed, 0);
        }
        obv_unbind(binder);
        drop(a);
        drop(b);
        fixture_end(&fixture);
    }
}

static enum obv_status carry_nowhere(struct obv_carrier *carrier,
                                     struct obv_carrying *carrying,
                                     bool is_reverse, struct obv_value *values,
                                     struct obv_object *root)
{
    (void)carrier;
    (void)carrying;
    (void)is_reverse;
    (void)values;
    (void)root;
    return OBV_OK;
}

static size_t disposed_made, disposed_unmade;

static void dispose_carrier(struct obv_carrier *carrier, bool is_made)
{
    (void)carrier;
    disposed_made += is_made;
    disposed_unmade += !is_made;
}

TEST(FA_2_a_carrier_is_given_back_whatever_becomes_of_its_binder)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        struct obv_carrier carrier = {.carry = carry_nowhere,
                                      .dispose = dispose_carrier};
        struct obv_binder *binder = NULL;
        struct obv_path *path;
        fixture_begin(&fixture);
        struct item *a = item_create(&fixture), *b = item_create(&fixture);
        CHECK_EQ(obv_path_parse(obv_context_names(fixture.context), "large", 5,
                                &path, NULL),
                 OBV_OK);
        const struct obv_compiled_end ends[] = {{&a->object, path, NULL},
                                                {&b->object, path, NULL}};
        disposed_made = disposed_unmade = 0;
        test_fail_allocation(n, true);
        enum obv_status status =
            obv_bind_compiled(ends, 1, &carrier, &binder, NULL);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK(status == OBV_OK || (failed && status == OBV_E_MEMORY));
        CHECK_EQ(disposed_unmade, status != OBV_OK);
        obv_unbind(binder);
        CHECK_EQ(disposed_made, status == OBV_OK);
        obv_path_destroy(path);
        drop(a);
        drop(b);
        fixture_end(&fixture);
    }
}

/* Corrections -------------------------------------------------------------- */

/* An end that keeps what it is set to within a limit, as a binding's setter
   does. */
struct keeper {
    struct obv_carrier carrier; /* the first */
    int64_t limits[2];          /* of the source, and of the target */
};

static enum obv_status carry_kept(struct obv_carrier *carrier,
                                  struct obv_carrying *carrying,
                                  bool is_reverse, struct obv_value *values,
                                  struct obv_object *root)
{
    int64_t limit =
        ((struct keeper *)(void *)carrier)->limits[is_reverse ? 0 : 1];
    struct item *item = (struct item *)(void *)root;
    int64_t offered = values[0].as.i64;
    int64_t kept = limit > 0 && offered > limit    ? limit
                   : limit < 0 && offered > -limit ? offered + 1
                                                   : offered;
    if (obv_carry_decide(carrying)) {
        item_set_large(item, kept);
        if (kept != offered) {
            obv_carry_corrected(carrying);
        }
    }
    return OBV_OK;
}

static void keep_nothing(struct obv_carrier *carrier, bool is_made)
{
    (void)carrier;
    (void)is_made;
}

static struct obv_binder *bind_keeper(struct keeper *keeper, struct item *a,
                                      struct item *b)
{
    struct obv_path *path;
    struct obv_binder *binder;
    keeper->carrier = (struct obv_carrier){.carry = carry_kept,
                                           .dispose = keep_nothing,
                                           .is_two_way = true,
                                           .label = "keeper"};
    CHECK_EQ(obv_path_parse(obv_context_names(fixture.context), "large", 5,
                            &path, NULL),
             OBV_OK);
    const struct obv_compiled_end ends[] = {{&a->object, path, NULL},
                                            {&b->object, path, NULL}};
    CHECK_EQ(obv_bind_compiled(ends, 1, &keeper->carrier, &binder, NULL),
             OBV_OK);
    obv_path_destroy(path);
    return binder;
}

TEST(BI_1_what_an_end_makes_of_a_value_is_carried_back)
{
    struct keeper keeper = {.limits = {0, 100}};
    fixture_begin(&fixture);
    struct item *a = item_create(&fixture), *b = item_create(&fixture),
                *c = item_create(&fixture);
    struct obv_binder *first = bind_keeper(&keeper, a, b);
    struct obv_binder *second = bind_both(b, "large", c, "large");
    item_set_large(a, 170);
    drain_all();
    CHECK_EQ(item_large(a), 100);
    CHECK_EQ(item_large(b), 100);
    CHECK_EQ(item_large(c), 100);
    /* What is set later than the value that is corrected stays. */
    item_set_large(a, 170);
    drain(&fixture);
    item_set_large(a, 60);
    drain_all();
    CHECK_EQ(item_large(a), 60);
    CHECK_EQ(item_large(b), 60);
    CHECK_EQ(item_large(c), 60);
    CHECK_EQ(fixture.diagnostics, 0);
    obv_unbind(first);
    obv_unbind(second);
    drop(a);
    drop(b);
    drop(c);
    fixture_end(&fixture);
}

TEST(BI_1_corrections_that_never_settle_are_told)
{
    struct keeper keeper = {.limits = {-100, -100}};
    fixture_begin(&fixture);
    struct item *a = item_create(&fixture), *b = item_create(&fixture);
    struct obv_binder *binder = bind_keeper(&keeper, a, b);
    item_set_large(a, 170);
    drain_all();
    CHECK(fixture.diagnostics >= 1);
    int64_t stands = item_large(a);
    CHECK(stands > 170 && stands < 2000);
    item_set_large(a, 5);
    drain_all();
    CHECK_EQ(item_large(b), 5);
    obv_unbind(binder);
    drop(a);
    drop(b);
    fixture_end(&fixture);
}

/* An immediate observer that corrects sets anew. */
static void at_most_100(void *observer, struct obv_object *root,
                        const struct obv_call *call)
{
    struct item *item = (struct item *)(void *)root;
    (void)observer;
    (void)call;
    if (item_large(item) > 100) {
        item_set_large(item, 100);
    }
}

TEST(BI_1_what_an_immediate_observer_corrects_is_carried_back)
{
    static const struct obv_handler_kind kind = {.changed = at_most_100};
    const struct obv_observe_options options = {.size = sizeof options,
                                                .flags = OBV_IMMEDIATE};
    struct item *items[3];
    struct obv_binder *binders[3];
    fixture_begin(&fixture);
    for (size_t i = 0; i < 3; i++) {
        items[i] = item_create(&fixture);
    }
    const struct obv_pair pair = {&items[1]->object, "large"};
    CHECK_EQ(obv_observe_pairs(&pair, 1, &kind, NULL, &options, NULL, NULL),
             OBV_OK);
    for (size_t i = 0; i < 3; i++) {
        binders[i] = bind_both(items[i], "large", items[(i + 1) % 3], "large");
    }
    for (size_t from = 0; from < 3; from++) {
        item_set_large(items[from], 170);
        drain_all();
        for (size_t i = 0; i < 3; i++) {
            CHECK_EQ(item_large(items[i]), 100);
        }
        item_set_large(items[from], 7);
        drain_all();
        CHECK_EQ(item_large(items[2 - from]), 7);
    }
    CHECK_EQ(fixture.diagnostics, 0);
    for (size_t i = 0; i < 3; i++) {
        obv_unbind(binders[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        drop(items[i]);
    }
    fixture_end(&fixture);
}

/* Several sources ---------------------------------------------------------- */

#define SOURCES 3

/* Sets the target to the sum of what can be reached. */
struct sum {
    struct obv_carrier carrier; /* the first */
    size_t calls, disposed;
    size_t count;
    struct obv_path *path; /* "large" */
};

static enum obv_status carry_sum(struct obv_carrier *carrier,
                                 struct obv_carrying *carrying, bool is_reverse,
                                 struct obv_value *values,
                                 struct obv_object *root)
{
    struct sum *sum = (struct sum *)(void *)carrier;
    int64_t made = 0;
    CHECK(!is_reverse);
    sum->calls++;
    for (size_t i = 0; i < sum->count; i++) {
        made += obv_value_is_reachable(&values[i]) ? values[i].as.i64 : 0;
    }
    if (obv_carry_decide(carrying)) {
        item_set_large((struct item *)(void *)root, made);
    }
    return OBV_OK;
}

static void dispose_sum(struct obv_carrier *carrier, bool is_made)
{
    struct sum *sum = (struct sum *)(void *)carrier;
    (void)is_made;
    obv_path_destroy(sum->path);
    sum->disposed++;
}

static const struct obv_carrier sum_carrier = {.carry = carry_sum,
                                               .dispose = dispose_sum};

static enum obv_status bind_sum(struct sum *sum, struct item *const *sources,
                                size_t count, struct item *target,
                                struct obv_binder **binder)
{
    struct obv_compiled_end ends[SOURCES + 1];
    *sum = (struct sum){.carrier = sum_carrier, .count = count};
    CHECK_EQ(obv_path_parse(obv_context_names(fixture.context), "large", 5,
                            &sum->path, NULL),
             OBV_OK);
    for (size_t i = 0; i <= count; i++) {
        struct item *item = i < count ? sources[i] : target;
        ends[i] = (struct obv_compiled_end){&item->object, sum->path, NULL};
    }
    return obv_bind_compiled(ends, count, &sum->carrier, binder, NULL);
}

struct sources {
    struct sum sum;
    struct item *items[SOURCES], *target;
    struct obv_binder *binder;
};

static void sources_begin(struct sources *sources)
{
    fixture_begin(&fixture);
    for (size_t i = 0; i < SOURCES; i++) {
        sources->items[i] = item_create(&fixture);
        item_set_large(sources->items[i], 1);
    }
    sources->target = item_create(&fixture);
    CHECK_EQ(bind_sum(&sources->sum, sources->items, SOURCES, sources->target,
                      &sources->binder),
             OBV_OK);
}

static void sources_end(struct sources *sources)
{
    obv_unbind(sources->binder);
    CHECK_EQ(sources->sum.disposed, 1);
    for (size_t i = 0; i < SOURCES; i++) {
        drop(sources->items[i]);
    }
    drop(sources->target);
    fixture_end(&fixture);
}

TEST(BI_3_several_sources_are_carried_together_once_a_cycle)
{
    struct sources sources;
    sources_begin(&sources);
    CHECK_EQ(item_large(sources.target), SOURCES);
    CHECK_EQ(sources.sum.calls, 1);
    drain_all();
    for (int64_t i = 0; i < SOURCES; i++) {
        item_set_large(sources.items[i], 10 + i);
    }
    item_set_large(sources.items[0], 100);
    CHECK_EQ(item_large(sources.target), SOURCES);
    drain_all();
    CHECK_EQ(item_large(sources.target), 100 + 11 + 12);
    CHECK_EQ(sources.sum.calls, 2);
    item_set_large(sources.items[1], 0);
    drain_all();
    CHECK_EQ(item_large(sources.target), 100 + 12);
    CHECK_EQ(sources.sum.calls, 3);
    CHECK_EQ(fixture.diagnostics, 0);
    sources_end(&sources);
}

TEST(BI_3_what_the_target_was_set_to_later_stays)
{
    struct sources sources;
    sources_begin(&sources);
    drain_all();
    item_set_large(sources.items[0], 5);
    item_set_large(sources.target, 1000);
    drain_all();
    CHECK_EQ(item_large(sources.target), 1000);
    item_set_large(sources.items[2], 5);
    drain_all();
    CHECK_EQ(item_large(sources.target), 11);
    sources_end(&sources);
}

/* As it comes from another loop. */
static void set_as_of(struct item *item, int64_t value, uint64_t moment)
{
    struct obv_stamp stamp;
    obv_stamp_begin(&stamp, moment);
    item_set_large(item, value);
    obv_stamp_end(&stamp);
}

TEST(BI_3_an_older_set_of_another_source_is_carried_as_well)
{
    const uint64_t moment = UINT64_C(1) << 40;
    struct sources sources;
    sources_begin(&sources);
    drain_all();
    set_as_of(sources.items[0], 5, moment);
    drain_all();
    set_as_of(sources.items[1], 7, moment - 1);
    drain_all();
    CHECK_EQ(item_large(sources.target), 5 + 7 + 1);
    set_as_of(sources.items[2], 9, moment);
    drain_all();
    CHECK_EQ(item_large(sources.target), 5 + 7 + 9);
    CHECK_EQ(fixture.diagnostics, 0);
    sources_end(&sources);
}

/* source → left, source → right by another loop; left + right → sum. */
TEST(BI_3_one_set_that_comes_on_two_ways_is_carried_whole)
{
    struct sum sum;
    struct obv_loop *other;
    const struct obv_loop_options options = {.size = sizeof options};
    struct obv_binder *ways[3], *binder;
    fixture_begin(&fixture);
    struct item *further = item_create(&fixture);
    struct item *source = item_create(&fixture),
                *target = item_create(&fixture);
    struct item *sides[] = {item_create(&fixture), item_create(&fixture)};
    CHECK_EQ(obv_loop_create(fixture.context, &options, &other), OBV_OK);
    const struct obv_binder_end from = {&source->object, "large", NULL};
    for (size_t i = 0; i < 2; i++) {
        const struct obv_binder_end to = {&sides[i]->object, "large",
                                          i == 1 ? other : NULL};
        CHECK_EQ(obv_bind(&from, &to, NULL, &ways[i], NULL), OBV_OK);
    }
    CHECK_EQ(bind_sum(&sum, sides, 2, target, &binder), OBV_OK);
    ways[2] = bind_one(target, "large", further, "large");
    drain_all();
    item_set_large(source, 4);
    drain_all();
    CHECK_EQ(item_large(target), 4);
    CHECK_EQ(item_large(further), 4);
    CHECK(obv_loop_drain(other) > 0);
    drain_all();
    CHECK_EQ(item_large(target), 8);
    CHECK_EQ(item_large(further), 8);
    CHECK_EQ(fixture.diagnostics, 0);
    obv_unbind(binder);
    obv_unbind(ways[0]);
    obv_unbind(ways[1]);
    obv_unbind(ways[2]);
    CHECK_EQ(obv_loop_destroy(other), OBV_OK);
    drop(further);
    drop(source);
    drop(target);
    drop(sides[0]);
    drop(sides[1]);
    fixture_end(&fixture);
}

/* first = second + one; second = first + one. */
static void drain_soon(void)
{
    for (int i = 0; i < 5000; i++) {
        CHECK(drain(&fixture) >= 0);
    }
    CHECK_EQ(drain(&fixture), 0);
}

TEST(BI_3_a_ring_of_several_sources_is_told_and_ends)
{
    struct sum sums[2];
    struct obv_binder *binders[2];
    fixture_begin(&fixture);
    struct item *one = item_create(&fixture);
    struct item *items[] = {item_create(&fixture), item_create(&fixture)};
    item_set_large(one, 1);
    for (size_t i = 0; i < 2; i++) {
        struct item *const sources[] = {items[1 - i], one};
        CHECK_EQ(bind_sum(&sums[i], sources, 2, items[i], &binders[i]), OBV_OK);
    }
    drain_soon();
    fixture.diagnostics = 0;
    sums[0].calls = sums[1].calls = 0;
    item_set_large(items[0], 100);
    drain_soon();
    CHECK_EQ(item_large(items[1]), 101);
    CHECK_EQ(item_large(items[0]), 100);
    CHECK_EQ(fixture.diagnostics, 0);
    item_set_large(one, 2);
    drain_soon();
    CHECK(fixture.diagnostics_of_binders > 0);
    for (size_t i = 0; i < 2; i++) {
        obv_unbind(binders[i]);
        drop(items[i]);
    }
    drop(one);
    fixture_end(&fixture);
}

TEST(BI_3_it_is_over_with_any_of_its_objects)
{
    for (size_t which = 0; which <= SOURCES; which++) {
        struct sources sources;
        sources_begin(&sources);
        item_set_large(sources.items[1], 3);
        struct item **dead =
            which == SOURCES ? &sources.target : &sources.items[which];
        drop(*dead);
        drain_all();
        CHECK(obv_binder_has_ended(sources.binder));
        *dead = item_create(&fixture);
        for (size_t i = 0; i < SOURCES; i++) {
            CHECK_EQ(obv_observer_count(&sources.items[i]->object, "large"), 0);
        }
        sources_end(&sources);
    }
}

TEST(BI_3_none_and_both_ways_are_refused)
{
    struct sum sum;
    struct obv_binder *binder = NULL;
    fixture_begin(&fixture);
    struct item *items[] = {item_create(&fixture), item_create(&fixture)};
    struct item *target = item_create(&fixture);
    CHECK_EQ(bind_sum(&sum, items, 0, target, &binder), OBV_E_ARGUMENT);
    CHECK_EQ(sum.disposed, 1);
    struct sum both = {.carrier = sum_carrier};
    both.carrier.is_two_way = true;
    const struct obv_compiled_end end = {&target->object, NULL, NULL};
    const struct obv_compiled_end ends[] = {end, end, end};
    CHECK_EQ(obv_bind_compiled(ends, 2, &both.carrier, &binder, NULL),
             OBV_E_ARGUMENT);
    CHECK_EQ(both.disposed, 1);
    CHECK(!binder);
    drop(items[0]);
    drop(items[1]);
    drop(target);
    fixture_end(&fixture);
}

TEST(FA_2_several_sources_that_cannot_be_bound_leave_everything_as_it_was)
{
    bool failed = true;
    for (size_t n = 1; failed; n++) {
        struct sum sum = {.carrier = sum_carrier};
        struct obv_binder *binder = NULL;
        fixture_begin(&fixture);
        struct item *items[] = {item_create(&fixture), item_create(&fixture)};
        CHECK_EQ(obv_path_parse(obv_context_names(fixture.context), "large", 5,
                                &sum.path, NULL),
                 OBV_OK);
        const struct obv_compiled_end ends[] = {
            {&items[0]->object, sum.path, NULL},
            {&items[0]->object, sum.path, NULL},
            {&items[1]->object, sum.path, NULL}};
        test_fail_allocation(n, true);
        CHECK_EQ(obv_bind_check_compiled(ends, 2, &sum.carrier, NULL), OBV_OK);
        enum obv_status status =
            obv_bind_compiled(ends, 2, &sum.carrier, &binder, NULL);
        failed = test_allocation_failed();
        test_fail_allocation(0, false);
        CHECK(status == OBV_OK || (failed && status == OBV_E_MEMORY));
        CHECK_EQ(sum.disposed, status != OBV_OK);
        obv_unbind(binder);
        drain_all();
        CHECK_EQ(sum.disposed, 1);
        drop(items[0]);
        drop(items[1]);
        fixture_end(&fixture);
    }
}

/* Cutting off -------------------------------------------------------------- */

static size_t living(struct obv_binder *const *binders, size_t count)
{
    size_t mask = 0;
    for (size_t i = 0; i < count; i++) {
        mask |= (size_t)!obv_binder_has_ended(binders[i]) << i;
    }
    return mask;
}

/* By path and source: which of the binders below are left, by bits. */
static const struct cut {
    const char *path;
    size_t source, left; /* source: 1, 2; 0: any */
} cuts[] = {{NULL, 0, 32},     {"large", 0, 32 | 16 | 8 | 2},
            {"small", 0, 61},  {"text", 0, 63},
            {NULL, 1, 32 | 6}, {NULL, 2, 32 | 16 | 8 | 1},
            {"large", 2, 59},  {"next.large", 0, 55},
            {"shared", 1, 47}, {"small", 1, 63}};

TEST(BI_8_what_sets_an_object_is_cut_off_by_path_and_source)
{
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        fixture_begin(&fixture);
        struct item *items[] = {item_create(&fixture), item_create(&fixture),
                                item_create(&fixture)};
        struct item *target = items[0], *first = items[1], *second = items[2];
        struct obv_binder *binders[] = {
            bind_one(first, "large", target, "large"),
            bind_one(second, "small", target, "small"),
            bind_one(second, "large", target, "large"),
            bind_one(first, "large", target, "next.large"),
            bind_both(target, "shared", first, "shared"),
            bind_one(target, "real", first, "real")};
        drain_all();
        fixture.diagnostics = 0;
        item_set_large(first, 3); /* calls are scheduled */
        CHECK_EQ(
            obv_cut_off(&target->object, cuts[i].path,
                        cuts[i].source ? &items[cuts[i].source]->object : NULL,
                        NULL),
            OBV_OK);
        CHECK_EQ(living(binders, 6), cuts[i].left);
        drain_all();
        CHECK_EQ(item_large(target), cuts[i].left & 1 ? 3 : 0);
        for (size_t b = 0; b < 6; b++) {
            obv_unbind(binders[b]);
        }
        drop(target);
        drop(first);
        drop(second);
        fixture_end(&fixture);
    }
}

TEST(BI_8_what_cannot_be_cut_off_is_said)
{
    struct obv_error error;
    struct obv_object zero = {0};
    fixture_begin(&fixture);
    struct item *item = item_create(&fixture);
    CHECK_EQ(obv_cut_off(NULL, NULL, NULL, &error), OBV_E_ARGUMENT);
    CHECK_EQ(obv_cut_off(&zero, NULL, NULL, &error), OBV_E_ARGUMENT);
    CHECK_EQ(obv_cut_off_compiled(NULL, NULL, NULL), OBV_E_ARGUMENT);
    CHECK_EQ(obv_cut_off(&item->object, "a..b", NULL, &error), OBV_E_SYNTAX);
    CHECK_EQ(error.position, 2);
    CHECK_EQ(obv_cut_off(&item->object, "large", NULL, NULL), OBV_OK);
    CHECK_EQ(obv_cut_off(&item->object, NULL, &item->object, NULL), OBV_OK);
    drop(item);
    fixture_end(&fixture);
}

static struct item *to_be_cut;

static void cut_off_what_begins(struct obv_object *object, uint32_t property,
                                bool is_observed)
{
    (void)property;
    if (is_observed && object != &to_be_cut->object) {
        CHECK_EQ(obv_cut_off(&to_be_cut->object, NULL, NULL, NULL), OBV_OK);
    }
}

TEST(BI_8_a_binder_that_is_cut_off_as_it_begins_has_ended)
{
    fixture_begin(&fixture);
    struct obv_class_table table = fixture.item_table;
    table.name = "aware";
    table.observed_changed = cut_off_what_begins;
    CHECK_EQ(
        obv_class_create(fixture.context, &table, &fixture.item_class, NULL),
        OBV_OK);
    struct item *source = item_create(&fixture),
                *target = to_be_cut = item_create(&fixture);
    struct obv_binder *binder = bind_one(source, "large", target, "next.large");
    CHECK(obv_binder_has_ended(binder));
    CHECK_EQ(obv_observer_count(&source->object, "large"), 0);
    CHECK_EQ(obv_observer_count(&target->object, "next"), 0);
    obv_unbind(binder);
    drain_all();
    drop(source);
    drop(target);
    fixture_end(&fixture);
}

/* Threads ------------------------------------------------------------------ */

#define THREADS 4
#define SETS    2000

static struct crew {
    struct ring ring;
    struct obv_loop *loops[THREADS];
    pthread_barrier_t barrier;
    size_t calls; /* of one round; any thread */
    int64_t last; /* any thread */
} crew;

static size_t thread_of(size_t item)
{
    return item % THREADS;
}

/* Drains its loop together with the others until nobody has anything. */
static void settle(size_t mine)
{
    size_t calls;
    do {
        pthread_barrier_wait(&crew.barrier);
        __atomic_store_n(&crew.calls, 0, __ATOMIC_RELAXED);
        pthread_barrier_wait(&crew.barrier);
        ptrdiff_t count = obv_loop_drain(crew.loops[mine]);
        CHECK(count >= 0);
        __atomic_add_fetch(&crew.calls, (size_t)count, __ATOMIC_RELAXED);
        pthread_barrier_wait(&crew.barrier);
        calls = __atomic_load_n(&crew.calls, __ATOMIC_RELAXED);
    } while (calls != 0);
}

static void make_loop(size_t mine)
{
    const struct obv_loop_options options = {.size = sizeof options,
                                             .bound = true};
    CHECK_EQ(obv_loop_create(fixture.context, &options, &crew.loops[mine]),
             OBV_OK);
}

static void bind_next(size_t i)
{
    const struct obv_binder_options options = {.size = sizeof options,
                                               .is_two_way = true};
    size_t next = (i + 1) % RING;
    const struct obv_binder_end from = {&crew.ring.items[i]->object, "large",
                                        crew.loops[thread_of(i)]};
    const struct obv_binder_end to = {&crew.ring.items[next]->object, "large",
                                      crew.loops[thread_of(next)]};
    CHECK_EQ(obv_bind(&from, &to, &options, &crew.ring.binders[i], NULL),
             OBV_OK);
}

static void *work(void *number)
{
    size_t mine = (size_t)(uintptr_t)number;
    make_loop(mine);
    pthread_barrier_wait(&crew.barrier);
    for (size_t i = mine; i < RING; i += THREADS) {
        bind_next(i);
    }
    settle(mine);
    for (int n = 0; n < SETS; n++) {
        size_t i = mine + THREADS * (size_t)(n % 2);
        int64_t value = __atomic_add_fetch(&crew.last, 1, __ATOMIC_RELAXED);
        item_set_large(crew.ring.items[i], value);
        if (n % 7 == 0) {
            CHECK(obv_loop_drain(crew.loops[mine]) >= 0);
        }
    }
    settle(mine);
    pthread_barrier_wait(&crew.barrier);
    if (mine == 0) {
        for (size_t i = 1; i < RING; i++) {
            CHECK_EQ(item_large(crew.ring.items[i]),
                     item_large(crew.ring.items[0]));
        }
        item_set_large(crew.ring.items[0], -1);
    }
    settle(mine);
    return NULL;
}

TEST(BI_1_a_two_way_ring_of_ten_on_four_threads_settles)
{
    pthread_t threads[THREADS];
    fixture_begin(&fixture);
    CHECK_EQ(pthread_barrier_init(&crew.barrier, NULL, THREADS), 0);
    for (size_t i = 0; i < RING; i++) {
        crew.ring.items[i] = item_create(&fixture);
    }
    for (size_t i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, work, (void *)i), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (size_t i = 0; i < RING; i++) {
        CHECK_EQ(item_large(crew.ring.items[i]), -1);
    }
    CHECK_EQ(fixture.diagnostics, 0);
    ring_end(&crew.ring);
    pthread_barrier_destroy(&crew.barrier);
    fixture_end(&fixture);
}

/* While the binder sets the target another thread sets it too, and carries that. */
static struct crossing {
    struct item *items[2];
    struct obv_loop *loops[2];
    bool is_over;
} crossing;

static void *set_target_and_carry(void *nothing)
{
    item_set_shared(crossing.items[1], 2);
    CHECK(obv_loop_drain(crossing.loops[0]) >= 0);
    return nothing;
}

static void cross(struct probe *probe)
{
    (void)probe;
    if (!crossing.is_over) {
        pthread_t thread;
        crossing.is_over = true;
        CHECK_EQ(pthread_create(&thread, NULL, set_target_and_carry, NULL), 0);
        CHECK_EQ(pthread_join(thread, NULL), 0);
    }
}

TEST(BI_1_ends_of_any_thread_do_not_cross_on_two_loops)
{
    const struct obv_binder_options options = {.size = sizeof options,
                                               .is_two_way = true};
    struct obv_binder_end ends[2];
    struct obv_binder *binder;
    struct probe probe;
    fixture_begin(&fixture);
    probe_init_plain(&probe);
    crossing.is_over = false;
    for (size_t i = 0; i < 2; i++) {
        crossing.items[i] = item_create(&fixture);
        CHECK_EQ(obv_loop_create(fixture.context, NULL, &crossing.loops[i]),
                 OBV_OK);
        ends[i] = (struct obv_binder_end){&crossing.items[i]->object, "shared",
                                          crossing.loops[i]};
    }
    struct item *third = item_create(&fixture);
    struct obv_binder *other =
        bind_both(crossing.items[1], "shared", third, "shared");
    CHECK_EQ(obv_bind(&ends[0], &ends[1], &options, &binder, NULL), OBV_OK);
    probe.then = cross;
    struct obv_observation *handle = observe_with(
        crossing.items[1], "shared", &probe, OBV_IMMEDIATE | OBV_PRIOR, NULL);
    item_set_shared(crossing.items[0], 1);
    for (size_t left = 1; left > 0;) {
        CHECK(obv_loop_drain(crossing.loops[1]) >= 0);
        CHECK(obv_loop_drain(crossing.loops[0]) >= 0);
        CHECK(drain(&fixture) >= 0);
        left = obv_loop_pending(crossing.loops[0]) +
               obv_loop_pending(crossing.loops[1]) +
               obv_loop_pending(obv_context_loop(fixture.context));
    }
    CHECK(crossing.is_over);
    CHECK_EQ(item_shared(crossing.items[0]), item_shared(crossing.items[1]));
    CHECK_EQ(item_shared(third), item_shared(crossing.items[1]));
    CHECK_EQ(fixture.diagnostics, 0);
    end(handle);
    obv_unbind(binder);
    obv_unbind(other);
    for (size_t i = 0; i < 2; i++) {
        drop(crossing.items[i]);
        obv_loop_destroy(crossing.loops[i]);
    }
    drop(third);
    fixture_end(&fixture);
}

static void *cut_often(void *fixed)
{
    struct item *const *items = fixed;
    for (int n = 0; n < SETS; n++) {
        CHECK_EQ(obv_cut_off(&items[1]->object, NULL, &items[0]->object, NULL),
                 OBV_OK);
        CHECK_EQ(obv_cut_off(&items[1]->object, "next.shared",
                             &items[0]->object, NULL),
                 OBV_OK);
    }
    return NULL;
}

TEST(BI_8_a_binder_may_end_while_another_thread_cuts_it_off)
{
    pthread_t thread;
    fixture_begin(&fixture);
    struct item *items[] = {item_create(&fixture), item_create(&fixture)};
    CHECK_EQ(pthread_create(&thread, NULL, cut_often, items), 0);
    for (int n = 0; n < SETS; n++) {
        obv_unbind(bind_one(items[0], "shared", items[1],
                            n % 2 == 0 ? "shared" : "next.shared"));
    }
    pthread_join(thread, NULL);
    drain_all();
    CHECK_EQ(obv_observer_count(&items[0]->object, "shared"), 0);
    CHECK_EQ(obv_observer_count(&items[1]->object, "shared"), 0);
    drop(items[0]);
    drop(items[1]);
    fixture_end(&fixture);
}
