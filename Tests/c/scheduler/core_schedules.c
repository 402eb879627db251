/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All schedules of two threads over the whole core. Each pair of {observe, set,
 * put another object into the middle, stop, drain, end}, for delayed and
 * immediate observations of "x" and "b.x", at rest and pending; then what takes
 * three deeds to go wrong. core_world.h says what is checked.
 *
 * Two threads never set the same "b": a property that is not of any thread has
 * one owner. The lower middle of "b.b.x" takes the place of that pair.
 */
#include "core_world.h"

#include <stdio.h>

static const struct deed *const deeds[] = {
    &deed_observe,          &deed_set,   &deed_put,
    &deed_stop_and_release, &deed_drain, &deed_end};

enum { OBSERVE, SET, PUT, STOP, DRAIN, END, DEEDS };

static const struct scenario kinds[] = {
    {.name = "x"},
    {.name = "b.x", .depth = 1},
    {.name = "pending x", .pending = true},
    {.name = "pending b.x", .pending = true, .depth = 1},
    {.name = "immediate x", .flags = OBV_IMMEDIATE},
    {.name = "immediate b.x", .flags = OBV_IMMEDIATE, .depth = 1},
    {.name = "token x", .flags = OBV_TOKEN, .pending = true},
};

/* Two preemptions where three make too many schedules: where threads rewire or
   end something. */
static int bound_of(const struct scenario *scenario, unsigned left,
                    unsigned right)
{
    bool ends = left == STOP || right == STOP || right == END;
    bool puts = left == PUT || right == PUT;
    if (scenario->depth == 0) {
        return left == STOP && right == END ? 2 : 3;
    }
    return ends || puts || left == right ? 2 : 3;
}

static void run_pair(struct scenario scenario, unsigned left, unsigned right,
                     int argc, char **argv)
{
    char name[80];
    bool both_stop = left == STOP && right == STOP;
    bool puts = left == PUT || right == PUT;
    if (puts && (left == right || scenario.depth == 0)) {
        return;
    }
    scenario.deeds[0] = both_stop ? &deed_stop : deeds[left];
    scenario.deeds[1] = both_stop ? &deed_stop : deeds[right];
    snprintf(name, sizeof name, "%s: %s, %s", scenario.name,
             scenario.deeds[0]->name, scenario.deeds[1]->name);
    scenario.name = name;
    scenario.preemptions = bound_of(&scenario, left, right);
    if (scheduler_is_asked(name, argc, argv)) {
        core_run(&scenario);
    }
}

#define BOTH(a, b) .deeds = {&deed_##a, &deed_##b}

static const struct scenario more[] = {
    {.name = "marks: set_twice, drain_twice", BOTH(set_twice, drain_twice)},
    {.name = "marks: pending, set_twice, drain",
     BOTH(set_twice, drain),
     .pending = true},
    {.name = "marks: set_twice, observe", BOTH(set_twice, observe)},
    {.name = "marks: two loops",
     BOTH(set_twice, drain_second),
     .pending = true,
     .second = true},
    {.name = "marks: set_and_drain twice",
     BOTH(set_and_drain, set_and_drain),
     .preemptions = 2},
    {.name = "marks: of a lock",
     BOTH(set_twice, drain),
     .pending = true,
     .locked = true,
     .constant = true},
    {.name = "marks: of a lock, bound",
     BOTH(set_and_drain, set_twice),
     .locked = true,
     .bound = true,
     .constant = true},
    {.name = "marks: of a lock, bound, pending",
     BOTH(drain, set_twice),
     .pending = true,
     .locked = true,
     .bound = true},
    {.name = "marks: of a lock, batch of the owner",
     BOTH(batch_and_drain, set_twice),
     .locked = true,
     .bound = true},
    {.name = "list: set, stop",
     BOTH(set, stop_and_release),
     .second = true,
     .preemptions = 2},
    {.name = "frequent: set, drain", BOTH(set, drain), .constant = true},
    {.name = "frequent: set_twice, drain",
     BOTH(set_twice, drain),
     .pending = true,
     .constant = true},
    {.name = "frequent: set, set", BOTH(set, set), .constant = true},
    {.name = "frequent: set, stop",
     BOTH(set, stop_and_release),
     .constant = true},
    {.name = "frequent: set, end", BOTH(set, end), .constant = true},
    {.name = "frequent: set, end of the observer",
     BOTH(set, end_observer),
     .constant = true,
     .observer_is_held = true},
    {.name = "frequent: drain, stop",
     BOTH(drain, stop_and_release),
     .pending = true,
     .constant = true},
    {.name = "frequent: drain, drain",
     BOTH(drain_twice, drain_twice),
     .pending = true,
     .constant = true},
    {.name = "frequent: bound",
     BOTH(set_and_drain, set),
     .bound = true,
     .constant = true},
    {.name = "waits: stop, drain", BOTH(stop_and_wait, drain), .pending = true},
    {.name = "waits: stop, drain of a group",
     BOTH(stop_and_wait, drain),
     .pending = true,
     .flags = OBV_EXTENSIBLE},
    {.name = "waits: stop, immediate",
     BOTH(stop_and_wait, set),
     .flags = OBV_IMMEDIATE},
    {.name = "guarded: stop, drain",
     BOTH(stop_and_release, drain),
     .pending = true,
     .guarded = true},
    {.name = "paths: put, set_new", BOTH(put, set_new), .depth = 1},
    {.name = "paths: put_back, set",
     BOTH(put_back, set),
     .depth = 1,
     .preemptions = 2},
    {.name = "paths: put_twice, drain",
     BOTH(put_twice, drain),
     .depth = 1,
     .preemptions = 2},
    {.name = "paths: put, set", BOTH(put, set), .depth = 2, .preemptions = 2},
    {.name = "paths: put, put_below",
     BOTH(put, put_below),
     .depth = 2,
     .preemptions = 2},
    {.name = "paths: put_twice, put_below",
     BOTH(put_twice, put_below),
     .depth = 2,
     .preemptions = 2},
    {.name = "paths: put_nil, put_below",
     BOTH(put_nil, put_below),
     .depth = 2,
     .preemptions = 2},
    {.name = "paths: end, put_below",
     BOTH(end, put_below),
     .depth = 2,
     .preemptions = 2},
    {.name = "poke: observe", BOTH(poke_twice, observe)},
    {.name = "poke: observe b.x", BOTH(poke_twice, observe), .depth = 1},
    {.name = "poke: drain", BOTH(poke, drain_twice), .pending = true},
    {.name = "poke: put", BOTH(poke, put), .depth = 1, .preemptions = 2},
    {.name = "poke: put, new", BOTH(poke_new, put), .depth = 1},
    {.name = "poke: stop",
     BOTH(poke, stop_and_release),
     .flags = OBV_IMMEDIATE},
    {.name = "batch: drain", BOTH(batch, drain_twice)},
    {.name = "batch: drain, pending",
     BOTH(batch, drain_twice),
     .pending = true},
    {.name = "batch: set", BOTH(batch, set)},
    {.name = "batch: batch", BOTH(batch, batch), .preemptions = 2},
    {.name = "batch: set_and_drain",
     BOTH(batch, set_and_drain),
     .preemptions = 2},
    {.name = "batch: put", BOTH(batch, put), .depth = 1, .preemptions = 2},
    {.name = "batch: observe", BOTH(batch, observe)},
    {.name = "batch: stop", BOTH(batch, stop_and_release)},
    {.name = "batch: stop, token",
     BOTH(batch, stop_and_wait),
     .flags = OBV_TOKEN},
    {.name = "batch: end of the observer",
     BOTH(batch, end_observer),
     .preemptions = 2,
     .observer_is_held = true},
    {.name = "observer: set",
     BOTH(end_observer, set),
     .preemptions = 2,
     .observer_is_held = true},
    {.name = "observer: set, immediate",
     BOTH(end_observer, set),
     .preemptions = 2,
     .flags = OBV_IMMEDIATE,
     .observer_is_held = true},
    {.name = "observer: drain",
     BOTH(end_observer, drain),
     .pending = true,
     .observer_is_held = true},
    {.name = "observer: stop",
     BOTH(end_observer, stop_and_release),
     .observer_is_held = true,
     .preemptions = 2},
    {.name = "observer: end",
     BOTH(end_observer, end),
     .observer_is_held = true,
     .preemptions = 2},
    {.name = "observer: put",
     BOTH(end_observer, put),
     .depth = 1,
     .observer_is_held = true,
     .preemptions = 2},
    {.name = "told: stop, observe", BOTH(stop, observe), .told = true},
    {.name = "told: stop_and_release, observe",
     BOTH(stop_and_release, observe),
     .told = true},
    {.name = "told: observe, end",
     BOTH(observe, end),
     .depth = 1,
     .told = true,
     .preemptions = 2},
    {.name = "told: stop, end",
     BOTH(stop, end),
     .depth = 1,
     .told = true,
     .preemptions = 2},
    {.name = "told: stop, put",
     BOTH(stop, put),
     .depth = 1,
     .told = true,
     .preemptions = 2},
    {.name = "told: observe, put",
     BOTH(observe, put),
     .depth = 1,
     .told = true,
     .preemptions = 2},
    {.name = "told: put, put_below",
     BOTH(put, put_below),
     .depth = 2,
     .told = true,
     .preemptions = 2},
    {.name = "told: end of the observer, observe",
     BOTH(end_observer, observe),
     .observer_is_held = true,
     .told = true,
     .preemptions = 2},
};

int main(int argc, char **argv)
{
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        for (unsigned left = 0; left < DEEDS; left++) {
            for (unsigned right = left; right < DEEDS; right++) {
                run_pair(kinds[kind], left, right, argc, argv);
            }
        }
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        if (scheduler_is_asked(more[i].name, argc, argv)) {
            core_run(&more[i]);
        }
    }
    return 0;
}
