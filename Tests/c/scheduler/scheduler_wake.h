/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wake-up descriptors as the scheduler has them: a word for each, and writing
 * and clearing are steps.
 */
#ifndef SCHEDULER_WAKE_H
#define SCHEDULER_WAKE_H

#include <stdbool.h>

/** Whether a descriptor is readable now; no step. */
bool scheduler_is_readable(int descriptor);

/** Descriptors that are open. */
int scheduler_open_descriptors(void);

#endif
