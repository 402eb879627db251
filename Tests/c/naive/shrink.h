/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a program by both, and finding the fewest commands that still differ.
 */
#ifndef OBV_MODEL_SHRINK_H
#define OBV_MODEL_SHRINK_H

#include "program.h"

/** By the model and the library, step for step; ends the process where they
    differ. `whole`: everything is compared after each step. */
void run_both(const struct program *program, bool whole);

/** Whether the two differ, tried in a process of its own. `aloud`: it prints
    each command, and what differs. */
bool fails(const struct program *program, bool aloud);

/** Takes away what is not needed for a difference. */
void shrink(struct program *program);

#endif
