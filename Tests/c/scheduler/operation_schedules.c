/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules of the operations that core_schedules leaves out: each of them
 * against each, and against those that it has, with one preemption; the same
 * for observations of a class; the end of a loop, with two; and three threads at
 * the wiring. core_world.h says what is checked.
 */
#include "core_world.h"

#include <stdio.h>

/* The first are only in pairs with the others. */
static const struct deed *const deeds[] = {
    &deed_observe,       &deed_set,
    &deed_put,           &deed_stop,
    &deed_drain,         &deed_end,
    &deed_batch,         &deed_make_immediate,
    &deed_poke,          &deed_stop_and_wait,
    &deed_stop_path,     &deed_stop_observer,
    &deed_stop_handler,  &deed_schedule,
    &deed_execute,       &deed_ask,
    &deed_drain_some,    &deed_make_loop,
    &deed_also,          &deed_collect,
    &deed_poke_path,     &deed_poke_place,
    &deed_name,          &deed_make_class,
    &deed_identify,      &deed_show,
    &deed_stop_compiled, &deed_stop_observer_compiled,
    &deed_also_compiled, &deed_observe_compiled};

enum { PUT = 2, FIRST_OWN = 10, DEEDS = sizeof deeds / sizeof *deeds };

/* Of a class, all pairs. */
static const struct deed *const class_deeds[] = {
    &deed_observe,
    &deed_observe_compiled,
    &deed_set,
    &deed_poke,
    &deed_poke_path,
    &deed_poke_place,
    &deed_drain,
    &deed_end,
    &deed_batch,
    &deed_make_immediate,
    &deed_schedule,
    &deed_execute,
    &deed_identify,
    &deed_make_class,
    &deed_collect,
    &deed_stop,
    &deed_stop_and_wait,
    &deed_stop_path,
    &deed_stop_compiled,
    &deed_stop_class_observer,
    &deed_stop_class_observer_compiled,
    &deed_stop_class_handler,
    &deed_put};

enum { CLASS_DEEDS = sizeof class_deeds / sizeof *class_deeds };

/* While the second loop ends. */
static const struct deed *const loop_deeds[] = {&deed_set,
                                                &deed_set_twice,
                                                &deed_poke,
                                                &deed_batch,
                                                &deed_end,
                                                &deed_drain,
                                                &deed_collect,
                                                &deed_make_loop,
                                                &deed_observe,
                                                &deed_observe_kept_loop,
                                                &deed_schedule_second,
                                                &deed_execute_second,
                                                &deed_make_second_immediate,
                                                &deed_drain_kept,
                                                &deed_stop_second,
                                                &deed_show,
                                                &deed_put};

/* While the first is stopped, and its memory goes: who needs no handle. */
static const struct deed *const without_handle[] = {
    &deed_stop_observer,
    &deed_stop_observer_compiled,
    &deed_stop_handler,
    &deed_drain_some,
    &deed_make_loop,
    &deed_collect,
    &deed_poke_path,
    &deed_poke_place,
    &deed_name,
    &deed_make_class,
    &deed_identify,
    &deed_show,
    &deed_observe_compiled};
static const struct deed *const class_without_handle[] = {
    &deed_stop_class_observer,
    &deed_stop_class_observer_compiled,
    &deed_stop_class_handler,
    &deed_observe_compiled,
    &deed_poke_path,
    &deed_poke_place,
    &deed_set,
    &deed_drain,
    &deed_end,
    &deed_batch,
    &deed_identify};

static const struct scenario kinds[] = {
    {.name = "x", .pending = true, .flags = OBV_EXTENSIBLE},
    {.name = "immediate x", .flags = OBV_IMMEDIATE | OBV_EXTENSIBLE},
    {.name = "b.x", .depth = 1, .pending = true, .flags = OBV_EXTENSIBLE},
};

static const struct scenario class_kinds[] = {
    {.name = "class x", .of_class = true},
    {.name = "class token x", .flags = OBV_TOKEN, .of_class = true},
    {.name = "class immediate x", .flags = OBV_IMMEDIATE, .of_class = true},
    {.name = "class b.x", .depth = 1, .of_class = true},
};

static const struct scenario loop_kinds[] = {
    {.name = "loop x", .second = true},
    {.name = "loop pending x", .second = true, .pending = true},
    {.name = "loop b.x", .second = true, .depth = 1},
};

/* Who rewires, with whom else; none of them sets what another does. */
static const struct scenario triples[] = {
    {.name = "three: put, put_below, set",
     .deeds = {&deed_put, &deed_put_below, &deed_set},
     .depth = 2,
     .preemptions = 2,
     .costly = true},
    {.name = "three: put, put_below, observe_kept",
     .deeds = {&deed_put, &deed_put_below, &deed_observe_kept},
     .depth = 2,
     .preemptions = 2,
     .costly = true},
    {.name = "three: put, put_below, stop",
     .deeds = {&deed_put, &deed_put_below, &deed_stop},
     .depth = 2,
     .preemptions = 2,
     .costly = true},
    {.name = "three: put, put_below, end",
     .deeds = {&deed_put, &deed_put_below, &deed_end},
     .depth = 2,
     .preemptions = 2,
     .costly = true},
    {.name = "three: put, set_new, drain",
     .deeds = {&deed_put, &deed_set_new, &deed_drain},
     .depth = 1,
     .preemptions = 2,
     .costly = true},
    {.name = "three: put, set_new, stop",
     .deeds = {&deed_put, &deed_set_new, &deed_stop},
     .depth = 1,
     .preemptions = 2,
     .costly = true},
    {.name = "three: put, put_below, set_alike",
     .deeds = {&deed_put, &deed_put_below, &deed_set_alike},
     .depth = 2,
     .preemptions = 2,
     .costly = true},
    {.name = "three: put_twice, set, stop",
     .deeds = {&deed_put_twice, &deed_set, &deed_stop},
     .depth = 1,
     .preemptions = 2,
     .costly = true},
};

static void run(struct scenario scenario, const char *kind, int preemptions,
                int argc, char **argv)
{
    char name[96];
    const struct deed *const *of = scenario.deeds;
    snprintf(name, sizeof name, "%s: %s, %s", kind, of[0]->name, of[1]->name);
    scenario.name = name;
    scenario.preemptions = preemptions;
    core_run(&scenario, argc, argv);
}

static void run_each(struct scenario scenario, const struct deed *left,
                     const struct deed *const *deeds_right, size_t count,
                     int preemptions, int argc, char **argv)
{
    scenario.deeds[0] = left;
    for (size_t i = 0; i < count; i++) {
        scenario.deeds[1] = deeds_right[i];
        if (deeds_right[i] != &deed_put || scenario.depth > 0) {
            run(scenario, scenario.name, preemptions, argc, argv);
        }
    }
}

#define EACH(array) (array), sizeof(array) / sizeof *(array)

/* Only what replaces b is sure to be followed below it. */
static void run_classes(int argc, char **argv)
{
    for (size_t kind = 0; kind < sizeof class_kinds / sizeof *class_kinds;
         kind++) {
        for (unsigned left = 0; left < CLASS_DEEDS; left++) {
            for (unsigned right = left; right < CLASS_DEEDS; right++) {
                struct scenario scenario = class_kinds[kind];
                scenario.deeds[0] = class_deeds[left];
                scenario.deeds[1] = class_deeds[right];
                bool puts = scenario.deeds[1] == &deed_put;
                if (puts == (scenario.depth > 0) && (!puts || left != right)) {
                    run(scenario, scenario.name, 1, argc, argv);
                }
            }
        }
    }
}

static void run_loops(int argc, char **argv)
{
    for (size_t kind = 0; kind < sizeof loop_kinds / sizeof *loop_kinds;
         kind++) {
        run_each(loop_kinds[kind], &deed_destroy_loop, EACH(loop_deeds), 2,
                 argc, argv);
    }
}

static void run_released(int argc, char **argv)
{
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        run_each(kinds[kind], &deed_stop_and_collect, EACH(without_handle), 1,
                 argc, argv);
    }
    run_each(class_kinds[0], &deed_stop_and_collect, EACH(class_without_handle),
             1, argc, argv);
}

int main(int argc, char **argv)
{
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        for (unsigned left = 0; left < DEEDS; left++) {
            unsigned from = left > FIRST_OWN ? left : FIRST_OWN;
            for (unsigned right = from; right < DEEDS; right++) {
                struct scenario scenario = kinds[kind];
                scenario.deeds[0] = deeds[left];
                scenario.deeds[1] = deeds[right];
                if (left != PUT || scenario.depth > 0) {
                    run(scenario, kinds[kind].name, 1, argc, argv);
                }
            }
        }
    }
    run_classes(argc, argv);
    run_loops(argc, argv);
    run_released(argc, argv);
    for (size_t i = 0; i < sizeof triples / sizeof *triples; i++) {
        core_run(&triples[i], argc, argv);
    }
    return 0;
}
