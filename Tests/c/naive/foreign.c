/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Foreign objects (KP-17): structs at fixed addresses. A path leads on to one
 * only while it is registered. Their memory is never freed.
 */
#include "model.h"

bool knows_foreign, foreign_is_counted;

bool counts_foreign(const struct program *program)
{
    return program->seed % 3 != 1;
}

bool is_foreign(int thing)
{
    return thing >= THINGS;
}

int child_of(int thing, int property)
{
    val value = world.thing[thing].value[property];
    if (property != F) {
        return holds_thing(property) ? value : NIL;
    }
    return value >= 0 && world.thing[value].alive ? value : NIL;
}

/* Whoever leads there already leads nowhere until it is set again. */
static void demand_no_pointer(int address)
{
    for (int t = 0; t < THINGS + ADDRESSES; t++) {
        if (has_property(t, F) && world.thing[t].value[F] == address) {
            reject("a pointer leads there");
        }
    }
}

void register_foreign(int address)
{
    if (world.thing[address].alive) {
        reject("it is registered");
    }
    demand_no_pointer(address);
    change_registration(address, true);
}

/* Ends the pairs whose root is the foreign object at an address. */
static void end_roots_at(int address)
{
    for (int w = 0; w < world.watches; w++) {
        struct watch *watch = &world.watch[w];
        bool holds = watch->pending && watch->for_root == address;
        holds = holds || (watch->aside && watch->aside_root == address);
        if (watch->used && holds) {
            reject("a call holds it");
        }
        for (int p = 0; p < PAIRS; p++) {
            struct pair *pair = &watch->pair[p];
            if (pair->linked && pair->root == address) {
                note_death(watch);
                end_pair(watch, pair);
            }
        }
    }
}

void unregister_foreign(int address)
{
    if (!world.thing[address].alive) {
        reject("it is not registered");
    }
    if (world.thing[address].holds > 0) {
        reject("a trigger or a call holds it");
    }
    end_roots_at(address);
    change_registration(address, false);
}

/* The program writes, and tells of it if it can. */
void write_foreign(int address, int property, val value)
{
    val *slot = &world.thing[address].value[property], old = *slot;
    *slot = value;
    if (world.thing[address].alive) {
        trigger_property(address, property, old, old);
    }
}
