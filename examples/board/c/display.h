/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the user sees: one row a subject. On a terminal each row has its place
 * and is drawn over; plain, each new text of a row is a line with its time.
 */
#ifndef BOARD_DISPLAY_H
#define BOARD_DISPLAY_H

#include <stdbool.h>
#include <stdint.h>

/** The rows, from the top. */
enum display_row {
    ROW_STATUS,
    ROW_LOAD,
    ROW_AVAILABLE,
    ROW_BIGGEST,
    ROW_STATE,
    ROW_MEMORY,
    ROW_BUSIEST,
    ROW_ALARM,
    ROW_VANISHED,
    ROW_UNREADABLE,
    ROW_MISSING,
    ROW_COUNT
};

/** Longest text of a row with its NUL; what is longer is cut. */
#define DISPLAY_TEXT 160

struct display {
    bool plain;
    /** When it was opened, in microseconds (clock_now()). */
    int64_t opened;
    char rows[ROW_COUNT][DISPLAY_TEXT];
};

/** Microseconds of a clock that only goes forward. */
int64_t clock_now(void);

/** Opens the display on standard output. */
void display_open(struct display *display, bool plain);

#if defined(__GNUC__)
#define DISPLAY_FORMAT __attribute__((format(printf, 3, 4)))
#else
#define DISPLAY_FORMAT
#endif

/** Says something in a row. What stands there already is not said again. */
DISPLAY_FORMAT void display_say(struct display *display, enum display_row row,
                                const char *format, ...);

/** The cause of a row's text is gone: plain says `text`, a terminal's row
    becomes empty. Nothing happens if the row is empty. */
void display_over(struct display *display, enum display_row row,
                  const char *text);

#endif
