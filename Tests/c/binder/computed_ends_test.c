/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binders (BI-1) whose ends are computed properties: these are as new as what has
 * made them invalid, not as the drain that computes them.
 */
#include "computed/cell.h"

#include <observable/binder.h>

#include <sched.h>

static struct cell *a, *b, *c;

static void begin(void)
{
    stage_begin();
    a = cell_new();
    b = cell_new();
    c = cell_new();
}

static void finish(void)
{
    cell_drop(a);
    cell_drop(b);
    cell_drop(c);
    stage_end();
}

static struct obv_binder *bind_as(struct cell *source, const char *from,
                                  struct cell *target, const char *to,
                                  bool is_two_way)
{
    const struct obv_binder_end ends[] = {{&source->object, from, NULL},
                                          {&target->object, to, NULL}};
    const struct obv_binder_options options = {.size = sizeof options,
                                               .is_two_way = is_two_way};
    struct obv_binder *binder;
    CHECK_EQ(obv_bind(&ends[0], &ends[1], &options, &binder, NULL), OBV_OK);
    return binder;
}

static void settle(void)
{
    for (size_t drains = 0; drained() > 0; drains++) {
        CHECK(drains < 5000);
    }
}

TEST(BI_1_what_a_target_is_set_to_behind_an_input_of_its_source_stays)
{
    begin();
    struct obv_binder *binder = bind_as(a, "v", b, "a", false);
    cell_set_a(a, 1);
    cell_set_a(b, 50);
    settle();
    CHECK_EQ(cell_a(b), 50);
    cell_set_a(a, 2);
    settle();
    CHECK_EQ(cell_a(b), 2);
    obv_unbind(binder);
    finish();
}

/* Whom a computed property leads to a value that is yet to be computed, and waited
   for by others, the value is read at the call: as old as what it is made of. */
static void lead_to_invalid(void)
{
    cell_set_other(a, a);
    cell_set_a(a, 1);
    CHECK(cell_next(a) == a);
}

static void lead_nowhere(void)
{
    cell_set_other(a, NULL);
    settle();
    CHECK(!cell_next(a));
}

TEST(BI_1_a_source_that_is_read_at_the_call_is_no_newer_for_that)
{
    begin();
    struct probe *probe = probe_new();
    struct obv_observation *handle = watch(a, "v", probe);
    struct obv_binder *binder = bind_as(a, "next.v", b, "a", false);
    settle();
    lead_to_invalid();
    cell_set_b(a, 2);
    cell_set_a(b, 50);
    settle();
    CHECK_EQ(cell_a(b), 50);
    obv_unbind(binder);
    unwatch(handle);
    lead_nowhere();
    free(probe);
    finish();
}

TEST(BI_1_a_target_that_is_read_at_the_call_is_as_new_as_its_inputs)
{
    begin();
    struct probe *probe = probe_new();
    struct obv_observation *handle = watch(a, "v", probe);
    struct obv_binder *binder = bind_as(b, "a", a, "next.v", false);
    settle();
    lead_to_invalid();
    cell_set_a(b, 50);
    cell_set_b(a, 2);
    settle();
    CHECK_EQ(cell_v(a), 3);
    obv_unbind(binder);
    unwatch(handle);
    lead_nowhere();
    free(probe);
    finish();
}

/* Also where somebody has read the property meanwhile. */
TEST(BI_1_the_latest_input_of_a_computed_source_counts)
{
    begin();
    struct obv_binder *binder = bind_as(a, "v", b, "a", false);
    cell_set_a(a, 1);
    cell_set_a(b, 50);
    cell_set_b(a, 2);
    settle();
    CHECK_EQ(cell_a(b), 3);
    cell_set_a(a, 5);
    CHECK_EQ(cell_v(a), 7);
    cell_set_a(b, 51);
    settle();
    CHECK_EQ(cell_a(b), 51);
    obv_unbind(binder);
    finish();
}

TEST(BI_1_what_is_computed_of_computed_ones_is_as_new_as_their_inputs)
{
    begin();
    struct obv_binder *binder = bind_as(a, "w", b, "a", false);
    cell_set_a(a, 1);
    cell_set_a(b, 50);
    settle();
    CHECK_EQ(cell_a(b), 50);
    cell_set_a(a, 2);
    cell_set_a(b, 51);
    cell_set_b(a, 1); /* `w` is told of nothing more, and `v` of this */
    settle();
    CHECK_EQ(cell_a(b), 6);
    obv_unbind(binder);
    finish();
}

static enum obv_status low_v(struct cell *cell, int64_t *value)
{
    enum obv_status status = obv_get_i64(&cell->object, CELL_V, value);
    *value /= 10;
    return status;
}

/* What has not changed in the end has not been set. */
TEST(BI_1_an_input_that_leaves_a_computed_source_as_it_is_sets_nothing)
{
    begin();
    a->make_w = low_v;
    struct obv_binder *binder = bind_as(a, "w", b, "a", false);
    cell_set_a(b, 50);
    cell_set_a(a, 9);
    settle();
    CHECK_EQ(cell_a(b), 50);
    obv_unbind(binder);
    finish();
}

TEST(BI_1_an_invalidation_by_hand_is_a_set)
{
    begin();
    struct obv_binder *binder = bind_as(a, "v", b, "a", false);
    cell_set_a(b, 50);
    a->b = 3;
    CHECK_EQ(obv_invalidate(&a->object, CELL_V), OBV_OK);
    settle();
    CHECK_EQ(cell_a(b), 3);
    a->b = 4;
    CHECK_EQ(obv_invalidate(&a->object, CELL_V), OBV_OK);
    cell_set_a(b, 51);
    settle();
    CHECK_EQ(cell_a(b), 51);
    obv_unbind(binder);
    finish();
}

/* Both ways: whoever was set last, whichever of the two is looked at first. */
TEST(BI_1_a_computed_end_that_became_invalid_later_stays)
{
    begin();
    struct obv_binder *binders[] = {bind_as(a, "v", b, "a", true),
                                    bind_as(c, "a", a, "v", true)};
    settle();
    cell_set_a(b, 50);
    cell_set_a(c, 60);
    cell_set_a(a, 7);
    settle();
    CHECK_EQ(cell_v(a), 7);
    CHECK_EQ(cell_a(b), 7);
    CHECK_EQ(cell_a(c), 7);
    cell_set_a(a, 8);
    cell_set_a(c, 60);
    cell_set_a(b, 50);
    settle();
    CHECK_EQ(cell_v(a), 50);
    CHECK_EQ(cell_a(b), 50);
    CHECK_EQ(cell_a(c), 50);
    obv_unbind(binders[0]);
    obv_unbind(binders[1]);
    finish();
}

/* It was not set, so what was set before that goes there. */
TEST(BI_1_a_computed_end_that_stays_as_it_is_is_set)
{
    begin();
    struct obv_binder *binder = bind_as(b, "a", a, "v", true);
    settle();
    cell_set_a(b, 50);
    cell_set_a(a, 7);
    cell_set_a(a, 0);
    settle();
    CHECK_EQ(cell_a(b), 50);
    CHECK_EQ(cell_v(a), 50);
    obv_unbind(binder);
    finish();
}

/* An input comes behind what the property was set to, and was set before that. */
TEST(BI_1_what_is_computed_behind_a_later_set_is_carried)
{
    begin();
    struct obv_binder *set = bind_as(b, "a", a, "v", true);
    struct obv_binder *input = bind_as(c, "a", a, "a", false);
    settle();
    cell_set_a(b, 49); /* so it is carried first */
    cell_set_a(c, 7);
    cell_set_a(b, 50);
    settle();
    CHECK_EQ(cell_v(a), 7);
    CHECK_EQ(cell_a(b), 7);
    obv_unbind(set);
    obv_unbind(input);
    finish();
}

static enum obv_status one_more(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell) + 1;
    return OBV_OK;
}

TEST(BI_1_a_ring_through_a_computed_property_that_never_agrees_stops)
{
    begin();
    a->make_v = one_more;
    struct obv_binder *binders[] = {bind_as(a, "v", b, "a", false),
                                    bind_as(b, "a", a, "a", false)};
    settle();
    cell_set_a(a, 7);
    settle();
    obv_unbind(binders[0]);
    obv_unbind(binders[1]);
    finish();
}

static void *set_shared(void *argument)
{
    cell_set_shared(argument, cell_shared(argument) + 1);
    return NULL;
}

static void set_on_another_thread(struct cell *cell)
{
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, set_shared, cell), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

static enum obv_status sum_with_shared(struct cell *cell, int64_t *value)
{
    *value = cell_a(cell) + cell_shared(cell);
    return OBV_OK;
}

TEST(BI_1_inputs_of_two_threads_count_in_the_order_in_which_they_were_set)
{
    begin();
    a->make_v = sum_with_shared;
    struct obv_binder *binder = bind_as(a, "v", b, "a", false);
    set_on_another_thread(a);
    cell_set_a(b, 50);
    settle();
    CHECK_EQ(cell_a(b), 50);
    cell_set_a(a, 5);
    cell_set_a(b, 51);
    set_on_another_thread(a);
    settle();
    CHECK_EQ(cell_a(b), 7);
    obv_unbind(binder);
    finish();
}

/* Random sets -------------------------------------------------------------- */

/* The even ones of the ends are computed, with two inputs each. */
enum { ENDS = 8, BINDERS = ENDS + 1, STEPS = 200, ROUNDS = 200 };

static struct cell *cells[ENDS];
static struct obv_loop *loops[2];

static size_t below(size_t count)
{
    return (size_t)(test_random() % count);
}

static struct obv_binder_end random_end(size_t number)
{
    return (struct obv_binder_end){&cells[number]->object,
                                   number % 2 ? "a" : "v", loops[below(2)]};
}

static int64_t held_at(size_t number)
{
    return number % 2 ? cell_a(cells[number]) : cell_v(cells[number]);
}

/* Each value is another one, so that each input makes another sum. */
static void set_at(size_t number, int64_t value)
{
    struct cell *cell = cells[number];
    size_t way = number % 2 ? 0 : below(3);
    if (number % 2 || way == 1) {
        cell_set_a(cell, value - cell_b(cell));
    } else if (way == 2) {
        cell_set_b(cell, value - cell_a(cell));
    } else {
        cell_set_v(cell, value);
    }
}

static void settle_loops(void)
{
    ptrdiff_t calls = 1;
    for (size_t drains = 0; calls > 0; drains++) {
        calls = obv_loop_drain(loops[0]);
        calls += obv_loop_drain(loops[1]);
        CHECK(drains < 1000);
    }
}

static void check_ends(int64_t value)
{
    settle_loops();
    for (size_t i = 0; i < ENDS; i++) {
        CHECK_EQ(held_at(i), value);
    }
}

/* A tree of binders, both ways, and one that makes a ring of it. */
static void run_round(void)
{
    const struct obv_binder_options options = {.size = sizeof options,
                                               .is_two_way = true};
    struct obv_binder *binders[BINDERS] = {NULL};
    int64_t newest = 0;
    for (size_t i = 0; i < ENDS; i++) {
        cells[i] = cell_new();
    }
    for (size_t i = 1; i < BINDERS; i++) {
        struct obv_binder_end from = random_end(i == ENDS ? 0 : below(i));
        struct obv_binder_end to = random_end(i == ENDS ? ENDS - 1 : i);
        CHECK_EQ(obv_bind(&from, &to, &options, &binders[i], NULL), OBV_OK);
    }
    for (size_t i = 0; i < STEPS; i++) {
        switch (below(8)) {
        case 0:
            check_ends(newest);
            break;
        case 1:
        case 2:
            (void)obv_loop_drain(loops[below(2)]);
            break;
        case 3:
            (void)held_at(below(ENDS));
            break;
        default:
            set_at(below(ENDS), ++newest);
        }
    }
    check_ends(newest);
    for (size_t i = 0; i < BINDERS; i++) {
        obv_unbind(binders[i]);
    }
    for (size_t i = 0; i < ENDS; i++) {
        cell_drop(cells[i]);
    }
}

TEST(BI_1_random_computed_ends_agree_on_the_newest_set)
{
    stage_begin();
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(obv_loop_create(stage.context, NULL, &loops[i]), OBV_OK);
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        run_round();
    }
    obv_loop_destroy(loops[0]);
    obv_loop_destroy(loops[1]);
    stage_end();
}
