/* SPDX-License-Identifier: Apache-2.0 */
/*
 * obv_model_fuzz: the generator of random programs as a target of libFuzzer:
 * the bytes of an input choose what a seed chooses otherwise.
 *
 *     obv_model_fuzz [-max_total_time=SECONDS] [CORPUS]
 */
#include "generate.h"
#include "print.h"
#include "real.h"
#include "shrink.h"

#include <stdio.h>
#include <stdlib.h>

enum { COMMANDS_AN_INPUT = 110 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static struct program program;

/* The process is not to be used after this. */
_Noreturn static void give_up(void)
{
    on_difference = NULL;
    shrink(&program);
    (void)fails(&program, true);
    print_script(stderr, &program, "shrunk");
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct source source = {.bytes = bytes, .left = count};
    on_difference = give_up;
    knows_foreign = knows_twins = knows_extra = true;
    knows = EVERY_SORT;
    program.seed = count;
    generate_program(&source, &program, COMMANDS_AN_INPUT);
    run_both(&program, false);
    return 0;
}
