/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line.
 */
#ifndef BOARD_OPTIONS_H
#define BOARD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct options {
    /** How long to run; 0: until interrupted. */
    double seconds;
    /** Lines instead of drawing in place. */
    bool plain;
    /** Show `recording` although /proc can be read. */
    bool recorded;
    const char *recording;
    /** Where to write a recording to, or NULL. */
    const char *record;
    /** The folder that is read. */
    const char *proc;
    /** Bytes of the biggest process at which the alarm is given. */
    int64_t alarm;
};

/** What the caller has to do with the answer of options_read(). */
enum options_result { OPTIONS_RUN, OPTIONS_HELP_GIVEN, OPTIONS_WRONG };

/** Reads the command line; says on standard error what is wrong with it. */
enum options_result options_read(struct options *options, int argc,
                                 char *argv[]);

#endif
