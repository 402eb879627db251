/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs. The next command is made up from what the model's world is
 * now, so most of them mean something.
 */
#ifndef OBV_MODEL_GENERATE_H
#define OBV_MODEL_GENERATE_H

#include "program.h"

#include <stddef.h>

/** Where random numbers come from: a seed, or the bytes of a fuzzer. */
struct source {
    uint64_t state;
    const uint8_t *bytes;
    size_t left;
    /** The bytes are used up. */
    bool dry;
};

/** Options that are left out of programs (of program.h), and beside them `*`
    before the end of a path, failing allocations, observations of classes,
    foreign objects, and containers of each sort. */
enum {
    WITHOUT_INNER_STAR = 1 << 16,
    WITHOUT_STARVE = 1 << 17,
    WITHOUT_CLASS = 1 << 18,
    WITHOUT_FOREIGN = 1 << 19,
    WITHOUT_LISTS = 1 << 20, /* those of the others behind it */
    WITHOUT_DICTIONARIES = WITHOUT_LISTS << 1,
    WITHOUT_SETS = WITHOUT_LISTS << 2,
    WITHOUT_COMPUTED = WITHOUT_LISTS << 3,
    WITHOUT_CONTAINERS = WITHOUT_LISTS | WITHOUT_DICTIONARIES | WITHOUT_SETS
};
extern unsigned options_off;
/** Nothing that a script cannot say. */
extern bool only_script;

/** Adds the next command to a program, for the world as it is; false: no room.
    It may be refused by the model. */
bool generate_step(struct source *source, struct program *program);
/** A whole program, by the model alone; the model's world is then at its
    end. */
void generate_program(struct source *source, struct program *program,
                      int steps);

#endif
