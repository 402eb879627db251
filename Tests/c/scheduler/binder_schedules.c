/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of two threads over a binder of two properties that any thread may
 * set, one way or both, which begins, carries or ends meanwhile.
 *
 * Owed by its check: once nothing is pending both ends are what some set has made
 * of them, and equal as long as they are bound; what is set then is carried; `dispose`
 * is called once, and nothing leaks.
 */
#include "scheduler.h"

#include "threads_check.h"

#include "base/reclaim.h"

#include <observable/allocator.h>
#include <observable/observable.h>

#include <string.h>

enum { NUMBER, PROPERTIES };

enum { A, B, NODES };

struct node {
    struct obv_object object;
    int64_t number;
    unsigned references;
};

OBV_PROPERTY_ANY_THREAD(node, number, i64, NUMBER)

struct scenario {
    const char *name;
    void (*deeds[SCHEDULER_THREADS_MAX])(void);
    bool is_two_way;
    bool has_loops;  /* each end has one of its own */
    bool is_unbound; /* a deed binds them */
    bool is_pending; /* a set has made it due */
    int preemptions;
    bool costly;
};

static struct {
    const struct scenario *scenario;
    struct obv_context *context;
    struct obv_class *cls;
    struct node *nodes[NODES];
    struct obv_loop *loops[NODES]; /* NULL: the context's */
    struct obv_binder *binder;
    bool has_ended[NODES];
    unsigned disposed, begun;
} world;

static const struct obv_property lines[] = {
    [NUMBER] = OBV_FIELD_WITH(node, number, i64, OBV_ANY_THREAD, NULL)};

static bool retain(struct obv_object *object)
{
    unsigned *references = &((struct node *)(void *)object)->references;
    unsigned seen = obv__load_relaxed(references);
    while (seen > 0 && !obv__cas_seq_cst(references, &seen, seen + 1)) {
    }
    return seen > 0;
}

static void release(struct obv_object *object)
{
    struct node *node = (struct node *)(void *)object;
    const struct obv_allocator *from = scheduler_allocator();
    if (obv__fetch_add_acq_rel(&node->references, (unsigned)-1) == 1) {
        SCHEDULER_CHECK(obv_object_deinit(object) == OBV_OK);
        from->free(from->context, node, sizeof *node);
    }
}

static const struct obv_class_table table = {.size = sizeof table,
                                             .name = "node",
                                             .instance_size =
                                                 sizeof(struct node),
                                             .properties = lines,
                                             .property_count = PROPERTIES,
                                             .retain = retain,
                                             .release = release};

/* Deeds -------------------------------------------------------------------- */

static enum obv_status as_it_is(void *context, const struct obv_value *value,
                                struct obv_value *made)
{
    (void)context;
    SCHEDULER_POINT("function");
    *made = *value;
    return OBV_OK;
}

static void dispose(void *context)
{
    (void)context;
    world.disposed++;
}

static void bind(void)
{
    const struct obv_binder_options options = {.size = sizeof options,
                                               .is_two_way =
                                                   world.scenario->is_two_way,
                                               .transform = as_it_is,
                                               .reverse = as_it_is,
                                               .dispose = dispose};
    const struct obv_binder_end a = {&world.nodes[A]->object, "number",
                                     world.loops[A]};
    const struct obv_binder_end b = {&world.nodes[B]->object, "number",
                                     world.loops[B]};
    struct obv_binder *binder;
    SCHEDULER_CHECK(obv_bind(&a, &b, &options, &binder, NULL) == OBV_OK);
    world.binder = binder;
    world.begun++;
}

static void unbind(void)
{
    obv_unbind(world.binder);
    world.binder = NULL;
}

static void set_a(void)
{
    node_set_number(world.nodes[A], 1);
}

static void set_a_again(void)
{
    node_set_number(world.nodes[A], 2);
}

static void set_b(void)
{
    node_set_number(world.nodes[B], 3);
}

static void drain_once(void)
{
    (void)obv_loop_drain(obv_context_loop(world.context));
}

/* Whoever drains the loop of an end sets that. */
static void drain_b(void)
{
    (void)obv_loop_drain(world.loops[B]);
}

static void set_b_and_drain_a(void)
{
    set_b();
    (void)obv_loop_drain(world.loops[A]);
}

static void end_of(int which)
{
    world.has_ended[which] = true;
    release(&world.nodes[which]->object);
}

static void end_a(void)
{
    end_of(A);
}

static void end_b(void)
{
    end_of(B);
}

/* The world ---------------------------------------------------------------- */

static void setup(void)
{
    const struct scenario *scenario = world.scenario;
    const struct obv_allocator *from = scheduler_allocator();
    const struct obv_context_options options = {
        .size = sizeof options, .allocator = from, .reclaim_batch = 4};
    memset(&world, 0, sizeof world);
    world.scenario = scenario;
    obv__reclaim_reset_for_tests();
    SCHEDULER_CHECK(obv_context_create(&options, &world.context) == OBV_OK);
    SCHEDULER_CHECK(obv_class_create(world.context, &table, &world.cls, NULL) ==
                    OBV_OK);
    for (int i = 0; i < NODES; i++) {
        world.nodes[i] = from->allocate(from->context, sizeof *world.nodes[i]);
        SCHEDULER_CHECK(world.nodes[i]);
        memset(world.nodes[i], 0, sizeof *world.nodes[i]);
        world.nodes[i]->references = 1;
        obv_object_init(&world.nodes[i]->object, world.cls);
        if (scenario->has_loops) {
            SCHEDULER_CHECK(obv_loop_create(world.context, NULL,
                                            &world.loops[i]) == OBV_OK);
        }
    }
    if (!scenario->is_unbound) {
        bind();
    }
    if (scenario->is_pending) {
        node_set_number(world.nodes[A], 5);
    }
    obv__thread_unlist(obv__thread_self());
}

static ptrdiff_t drain_all(void)
{
    ptrdiff_t calls = obv_loop_drain(obv_context_loop(world.context));
    for (int i = 0; i < NODES && world.loops[i]; i++) {
        calls += obv_loop_drain(world.loops[i]);
    }
    return calls;
}

static void settle(void)
{
    for (int i = 0; i < 6; i++) {
        (void)drain_all();
    }
    SCHEDULER_CHECK(drain_all() == 0);
}

static bool are_bound(void)
{
    return world.binder && !world.has_ended[A] && !world.has_ended[B];
}

static void check(void)
{
    obv__thread_list(obv__thread_self());
    SCHEDULER_CHECK(threads_are_right());
    settle();
    if (are_bound()) {
        SCHEDULER_CHECK(
            node_number(world.nodes[A]) == node_number(world.nodes[B]) ||
            (!world.scenario->is_two_way && node_number(world.nodes[B]) == 3));
        node_set_number(world.nodes[A], 20);
        settle();
        SCHEDULER_CHECK(node_number(world.nodes[B]) == 20);
    }
    unbind();
    settle();
    for (int i = 0; i < NODES; i++) {
        if (!world.has_ended[i]) {
            end_of(i);
        }
    }
    for (int i = 0; i < NODES && world.loops[i]; i++) {
        obv_loop_destroy(world.loops[i]);
    }
    SCHEDULER_CHECK(world.disposed == world.begun);
    SCHEDULER_CHECK(obv_context_destroy(world.context) == OBV_OK);
    SCHEDULER_CHECK(scheduler_live_blocks() == 0);
}

#define EACH(ways, its_ways)                                                   \
    {.name = ways ": set, drain",                                              \
     .deeds = {set_a, drain_once},                                             \
     .is_two_way = (its_ways),                                                 \
     .preemptions = 2},                                                        \
        {.name = ways ": pending, set, drain",                                 \
         .deeds = {set_a_again, drain_once},                                   \
         .is_two_way = (its_ways),                                             \
         .is_pending = true,                                                   \
         .preemptions = 2},                                                    \
        {.name = ways ": pending, set b, drain",                               \
         .deeds = {set_b, drain_once},                                         \
         .is_two_way = (its_ways),                                             \
         .is_pending = true,                                                   \
         .preemptions = 2},                                                    \
        {.name = ways ": set, set",                                            \
         .deeds = {set_a, set_a_again},                                        \
         .is_two_way = (its_ways),                                             \
         .preemptions = 2},                                                    \
        {.name = ways ": set, set b",                                          \
         .deeds = {set_a, set_b},                                              \
         .is_two_way = (its_ways),                                             \
         .preemptions = 2},                                                    \
        {.name = ways ": pending, drain, unbind",                              \
         .deeds = {drain_once, unbind},                                        \
         .is_two_way = (its_ways),                                             \
         .is_pending = true,                                                   \
         .preemptions = 2,                                                     \
         .costly = true},                                                      \
        {.name = ways ": set, unbind",                                         \
         .deeds = {set_a, unbind},                                             \
         .is_two_way = (its_ways),                                             \
         .preemptions = 2,                                                     \
         .costly = true},                                                      \
        {.name = ways ": pending, drain, end",                                 \
         .deeds = {drain_once, end_a},                                         \
         .is_two_way = (its_ways),                                             \
         .is_pending = true,                                                   \
         .preemptions = 2},                                                    \
        {.name = ways ": pending, drain, end b",                               \
         .deeds = {drain_once, end_b},                                         \
         .is_two_way = (its_ways),                                             \
         .is_pending = true,                                                   \
         .preemptions = 2},                                                    \
        {.name = ways ": unbind, end",                                         \
         .deeds = {unbind, end_a},                                             \
         .is_two_way = (its_ways),                                             \
         .preemptions = 2},                                                    \
        {.name = ways ": end, end b",                                          \
         .deeds = {end_a, end_b},                                              \
         .is_two_way = (its_ways),                                             \
         .preemptions = 2},                                                    \
        {.name = ways ": bind, set",                                           \
         .deeds = {bind, set_a},                                               \
         .is_two_way = (its_ways),                                             \
         .is_unbound = true,                                                   \
         .preemptions = 2},                                                    \
        {.name = ways ": bind, set b",                                         \
         .deeds = {bind, set_b},                                               \
         .is_two_way = (its_ways),                                             \
         .is_unbound = true,                                                   \
         .preemptions = 2},                                                    \
    {                                                                          \
        .name = ways ": bind, set, drain", .deeds = {bind, set_a, drain_once}, \
        .is_two_way = (its_ways), .is_unbound = true, .preemptions = 2,        \
        .costly = true                                                         \
    }

static const struct scenario scenarios[] = {
    EACH("one way", false),
    EACH("two ways", true),
    {.name = "two loops: pending, drain b, set b and drain a",
     .deeds = {drain_b, set_b_and_drain_a},
     .is_two_way = true,
     .has_loops = true,
     .is_pending = true,
     .preemptions = 2},
    {.name = "two ways: bind, set b, drain",
     .deeds = {bind, set_b, drain_once},
     .is_two_way = true,
     .is_unbound = true,
     .preemptions = 2,
     .costly = true},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        const struct scenario *scenario = &scenarios[i];
        const struct scheduler_program program = {
            .name = scenario->name,
            .setup = setup,
            .threads = {scenario->deeds[0], scenario->deeds[1],
                        scenario->deeds[2]},
            .check = check,
            .preemptions = scenario->preemptions,
            .costly = scenario->costly};
        world.scenario = scenario;
        scheduler_run(&program, argc, argv);
    }
    return 0;
}
