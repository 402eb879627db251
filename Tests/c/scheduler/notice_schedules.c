/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of two threads, of which one ends a root, or has ended it, whose
 * observer is told of that; the other drains, stops, or ends the observer.
 * core_world.h says what is checked.
 */
#include "core_world.h"

#define BOTH(a, b) .hears = true, .deeds = {&deed_##a, &deed_##b}

static const struct scenario scenarios[] = {
    {.name = "end: drain", BOTH(drain_twice, end)},
    {.name = "end: drain, woken",
     BOTH(drain_twice, end),
     .rings = true,
     .preemptions = 2},
    {.name = "end: drain, pending",
     BOTH(drain, end),
     .pending = true,
     .preemptions = 2},
    {.name = "end: stop", BOTH(stop_and_release, end), .preemptions = 2},
    {.name = "end: stop, immediate",
     BOTH(stop_and_wait, end),
     .flags = OBV_IMMEDIATE,
     .preemptions = 2},
    {.name = "end: stop, plain",
     BOTH(stop_and_wait, end),
     .plain = true,
     .preemptions = 2},
    {.name = "end: stop, immediate, plain",
     BOTH(stop_and_wait, end),
     .flags = OBV_IMMEDIATE,
     .plain = true,
     .preemptions = 2},
    {.name = "end: end of the observer",
     BOTH(end_observer, end),
     .observer_is_held = true,
     .preemptions = 2},
    {.name = "end: end of the observer, immediate",
     BOTH(end_observer, end),
     .flags = OBV_IMMEDIATE,
     .observer_is_held = true,
     .preemptions = 2},
    {.name = "end: drain, by the loop",
     BOTH(drain_twice, end),
     .flags = OBV_IMMEDIATE,
     .by_loop = true,
     .preemptions = 2},
    {.name = "end: stop, by the loop",
     BOTH(stop_and_wait, end),
     .flags = OBV_IMMEDIATE,
     .by_loop = true,
     .preemptions = 2},
    {.name = "end: set", BOTH(set, end), .preemptions = 2},
    {.name = "dead: drain", BOTH(drain_twice, drain_twice), .dead = true},
    {.name = "dead: drain, constant",
     BOTH(drain_twice, drain_twice),
     .dead = true,
     .constant = true},
    {.name = "dead: stop", BOTH(stop_and_release, drain), .dead = true},
    {.name = "dead: stop and wait", BOTH(stop_and_wait, drain), .dead = true},
    {.name = "dead: stop and collect",
     BOTH(stop_and_collect, drain),
     .dead = true,
     .preemptions = 2},
    {.name = "dead: stop, plain",
     BOTH(stop_and_wait, drain),
     .dead = true,
     .plain = true},
    {.name = "dead: stop, plain, constant",
     BOTH(stop_and_wait, drain),
     .dead = true,
     .plain = true,
     .constant = true},
    {.name = "dead: end of the observer",
     BOTH(end_observer, drain),
     .dead = true,
     .observer_is_held = true},
    {.name = "dead: release, drain of an object",
     BOTH(stop_and_release, drain),
     .dead = true,
     .observer_is_held = true},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        core_run(&scenarios[i], argc, argv);
    }
    return 0;
}
