/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules of the operations that core_schedules leaves out: each of them
 * against each, and against those that it has; and three threads at the wiring,
 * all with one preemption. core_world.h says what is checked.
 *
 *     OBV_SCHEDULES=full   three threads with two
 */
#include "core_world.h"

#include <stdio.h>
#include <stdlib.h>

/* The first are only in pairs with the others. */
static const struct deed *const deeds[] = {
    &deed_observe,      &deed_set,
    &deed_put,          &deed_stop,
    &deed_drain,        &deed_end,
    &deed_batch,        &deed_make_immediate,
    &deed_poke,         &deed_stop_and_wait,
    &deed_stop_path,    &deed_stop_observer,
    &deed_stop_handler, &deed_schedule,
    &deed_execute,      &deed_ask,
    &deed_drain_some,   &deed_make_loop,
    &deed_also,         &deed_collect};

enum { PUT = 2, FIRST_OWN = 10, DEEDS = sizeof deeds / sizeof *deeds };

static const struct scenario kinds[] = {
    {.name = "x", .pending = true, .flags = OBV_EXTENSIBLE},
    {.name = "immediate x", .flags = OBV_IMMEDIATE | OBV_EXTENSIBLE},
    {.name = "b.x", .depth = 1, .pending = true, .flags = OBV_EXTENSIBLE},
};

/* Who rewires, with whom else; none of them sets what another does. */
static const struct scenario triples[] = {
    {.name = "put, put_below, set",
     .deeds = {&deed_put, &deed_put_below, &deed_set},
     .depth = 2},
    {.name = "put, put_below, observe_kept",
     .deeds = {&deed_put, &deed_put_below, &deed_observe_kept},
     .depth = 2},
    {.name = "put, put_below, stop",
     .deeds = {&deed_put, &deed_put_below, &deed_stop},
     .depth = 2},
    {.name = "put, put_below, end",
     .deeds = {&deed_put, &deed_put_below, &deed_end},
     .depth = 2},
    {.name = "put, set_new, drain",
     .deeds = {&deed_put, &deed_set_new, &deed_drain},
     .depth = 1},
    {.name = "put, set_new, stop",
     .deeds = {&deed_put, &deed_set_new, &deed_stop},
     .depth = 1},
    {.name = "put, observe, stop",
     .deeds = {&deed_put, &deed_observe, &deed_stop},
     .depth = 1},
    {.name = "put, observe, observe",
     .deeds = {&deed_put, &deed_observe, &deed_observe},
     .depth = 1},
    {.name = "put, put_below, set_alike",
     .deeds = {&deed_put, &deed_put_below, &deed_set_alike},
     .depth = 2},
    {.name = "put_twice, set, stop",
     .deeds = {&deed_put_twice, &deed_set, &deed_stop},
     .depth = 1},
};

static bool is_full(void)
{
    const char *asked = getenv("OBV_SCHEDULES");
    return asked && *asked == 'f';
}

static void run(struct scenario scenario, const char *kind, int preemptions,
                int argc, char **argv)
{
    char name[96];
    const struct deed *const *of = scenario.deeds;
    snprintf(name, sizeof name, "%s: %s, %s%s%s", kind, of[0]->name,
             of[1]->name, of[2] ? ", " : "", of[2] ? of[2]->name : "");
    scenario.name = name;
    scenario.preemptions = preemptions;
    if (scheduler_is_asked(name, argc, argv)) {
        core_run(&scenario);
    }
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
    int preemptions = is_full() ? 2 : 1;
    for (size_t i = 0; i < sizeof triples / sizeof *triples; i++) {
        run(triples[i], "three", preemptions, argc, argv);
    }
    return 0;
}
