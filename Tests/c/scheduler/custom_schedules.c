/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of two threads, or three, over what the core has for language
 * bindings: objects in the middle that end by being replaced, setters by
 * offset, a component that two threads teach, observers that are gone.
 * custom_world.h says what is checked.
 */
#include "custom_world.h"

static void put_b2(void)
{
    thing_put(world.a, world.b2);
    world.b2 = NULL;
}

static void put_b3(void)
{
    thing_put(world.a, world.b3);
    world.b3 = NULL;
}

static void put_b4(void)
{
    thing_put(world.z, world.b4);
    world.b4 = NULL;
}

/* b2 ends by the second; between the two the other thread goes on, at no
   preemption's price. */
static void put_twice(void)
{
    put_b2();
    scheduler_yield();
    thing_put(world.a, NULL);
}

static void put_nil(void)
{
    thing_put(world.a, NULL);
}

static void observe(void)
{
    custom_begin_path(&world.probes[2]);
}

/* Called at once, with what stands at the end. */
static void observe_present(void)
{
    struct probe *probe = &world.probes[2];
    const struct obv_pair pair = {&world.a->object, "b.x"};
    const struct obv_observe_options options = {
        .size = sizeof options,
        .flags = OBV_INITIAL | OBV_IMMEDIATE | OBV_VALUES};
    probe->root = world.a;
    SCHEDULER_CHECK(obv_observe_pairs(&pair, 1, &probe->kind, probe, &options,
                                      &probe->handle, NULL) == OBV_OK);
    probe->begun = probe->stopped = true; /* not asked what it has seen last */
}

static void set_twice(void)
{
    thing_set_x(world.a, 11);
    thing_set_x(world.a, 12);
}

/* To what b2 has. */
static void set_alike(void)
{
    thing_set_x(world.b1, 2);
    thing_let_go(world.b1);
}

static void set_filtered(void)
{
    thing_set_x_filtered(world.a, 13);
}

static void drain_once(void)
{
    (void)obv_loop_drain(world.loop);
}

static void stop(void)
{
    world.probes[0].stopped = true;
    obv_stop(world.probes[0].handle);
}

static void count(void)
{
    (void)obv_observer_count(&world.a->object, "x");
}

static const struct scenario scenarios[] = {
    {.name = "child: put, put",
     .deeds = {put_b2, put_b3},
     .depth = 1,
     .preemptions = 2},
    {.name = "child: put, put nil",
     .deeds = {put_b2, put_nil},
     .depth = 1,
     .preemptions = 2},
    {.name = "child: put, observe",
     .deeds = {put_b2, observe},
     .depth = 1,
     .preemptions = 2},
    {.name = "child: put_twice, observe present",
     .deeds = {put_twice, observe_present},
     .depth = 1,
     .preemptions = 1},
    {.name = "child: put, drain",
     .deeds = {put_b2, drain_once},
     .depth = 1,
     .preemptions = 2},
    {.name = "alike: put, set_alike",
     .deeds = {put_b2, set_alike},
     .depth = 1,
     .keeps = true,
     .preemptions = 2},
    {.name = "alike: put, set_alike, drain",
     .deeds = {put_b2, set_alike, drain_once},
     .depth = 1,
     .keeps = true,
     .pending = true,
     .preemptions = 2,
     .costly = true},
    {.name = "alike: component, put, set_alike",
     .deeds = {put_b2, set_alike},
     .depth = 1,
     .component = true,
     .keeps = true,
     .preemptions = 2},
    {.name = "child: put, stop",
     .deeds = {put_b2, stop},
     .depth = 1,
     .preemptions = 2},
    {.name = "look: set_twice, drain", .deeds = {set_twice, drain_once}},
    {.name = "look: pending, set_twice, drain",
     .deeds = {set_twice, drain_once},
     .pending = true},
    {.name = "look: set_twice, observe", .deeds = {set_twice, observe}},
    {.name = "filter: stop, set", .deeds = {stop, set_filtered}, .every = true},
    {.name = "learn: put, put",
     .deeds = {put_b2, put_b4},
     .depth = 1,
     .component = true,
     .preemptions = 2},
    {.name = "gone: count, stop", .deeds = {count, stop}, .mortal = true},
    {.name = "gone: count, count",
     .deeds = {count, count},
     .mortal = true,
     .gone = true,
     .preemptions = 2},
    {.name = "gone: count, set",
     .deeds = {count, set_twice},
     .mortal = true,
     .gone = true,
     .preemptions = 2},
};

int main(int argc, char **argv)
{
    custom_run(scenarios, sizeof scenarios / sizeof *scenarios, argc, argv);
    return 0;
}
