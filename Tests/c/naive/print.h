/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs as scenario scripts, with what the model says must follow.
 */
#ifndef OBV_MODEL_PRINT_H
#define OBV_MODEL_PRINT_H

#include "program.h"

#include <stdio.h>

/** Runs a program by the model, and writes it as one test. Commands that the
    model refuses are left out. */
void print_script(FILE *file, const struct program *program, const char *name);

#endif
