/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The views: which paths of the machine are observed, and what is shown when
 * they change. Registered before anything is known of the machine; nobody
 * tells them what happens in the model.
 */
#ifndef BOARD_VIEWS_H
#define BOARD_VIEWS_H

#include "display.h"
#include "model.h"

#define VIEWS_MAX 16

/** What every view's handler is given as its observer. */
struct views {
    struct display *display;
    /** Bytes of the biggest process at which the alarm is given. */
    int64_t alarm;
    /** Calls of immediate handlers; the library counts the delayed ones. */
    uint64_t immediate;
    struct obv_observation *handles[VIEWS_MAX];
    size_t count;
};

/**
 * Registers all views on `machine`, for the loop of its context.
 *
 * @return false if one could not be: said on standard error. Those that could
 *         are then to be closed as well.
 */
bool views_open(struct views *views, struct machine *machine,
                struct display *display, int64_t alarm);

/** Stops all views and gives their handles back. */
void views_close(struct views *views);

#endif
