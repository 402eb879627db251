/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binders (BI-1, BI-8): what a user promises himself of two bound properties,
 * one way and both, of chains and rings, and of the threads that they lie on.
 */
#define _POSIX_C_SOURCE 200809L

#include "contract_fixture.h"

#include <observable/component.h>

static struct fixture fixture;

static struct obv_binder *bind_with(struct item *source, const char *from,
                                    struct item *target, const char *to,
                                    const struct obv_binder_options *options)
{
    const struct obv_binder_end ends[] = {{&source->object, from, NULL},
                                          {&target->object, to, NULL}};
    struct obv_binder *binder = NULL;
    CHECK_EQ(obv_bind(&ends[0], &ends[1], options, &binder, NULL), OBV_OK);
    return binder;
}

static struct obv_binder *bind_one(struct item *source, const char *from,
                                   struct item *target, const char *to)
{
    return bind_with(source, from, target, to, NULL);
}

static struct obv_binder *bind_both(struct item *source, const char *from,
                                    struct item *target, const char *to)
{
    const struct obv_binder_options options = {.size = sizeof options,
                                               .is_two_way = true};
    return bind_with(source, from, target, to, &options);
}

static void drain_all(void)
{
    while (drain(&fixture) > 0) {
    }
}

static void drop(struct item *item)
{
    item_release(&item->object);
}

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

TEST(BI_1_a_ring_that_does_not_settle_is_told_and_ends)
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
    CHECK_EQ(fixture.diagnostics, 1);
    CHECK_EQ(fixture.last.kind, OBV_DIAGNOSTIC_BINDER);
    CHECK_EQ(functions.calls, RING);
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
                                     bool is_reverse,
                                     const struct obv_value *value,
                                     struct obv_object *root, bool is_settled)
{
    (void)carrier;
    (void)is_reverse;
    (void)value;
    (void)root;
    (void)is_settled;
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
            obv_bind_compiled(&ends[0], &ends[1], &carrier, &binder, NULL);
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
