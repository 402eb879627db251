/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows in place by ANSI sequences, or plain lines.
 */
#define _POSIX_C_SOURCE 200809L
#include "display.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void display_open(struct display *display, bool plain)
{
    *display = (struct display){.plain = plain, .opened = clock_now()};
    for (int row = 0; row < ROW_COUNT && !plain; row++) {
        putchar('\n');
    }
    fflush(stdout);
}

/* The cursor rests below the last row. Up, erase the row, write it cut at the
   terminal's edge instead of wrapped, and down again. */
static void draw_in_place(enum display_row row, const char *text)
{
    int up = ROW_COUNT - (int)row;
    printf("\033[%dA\r\033[2K\033[?7l%s\033[?7h\033[%dB\r", up, text, up);
    fflush(stdout);
}

static void draw(const struct display *display, enum display_row row,
                 const char *text)
{
    if (!display->plain) {
        draw_in_place(row, text);
        return;
    }
    double seconds = (double)(clock_now() - display->opened) / 1e6;
    printf("%6.2f s  %s\n", seconds, text);
    fflush(stdout);
}

void display_say(struct display *display, enum display_row row,
                 const char *format, ...)
{
    char text[DISPLAY_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (strcmp(text, display->rows[row]) != 0) {
        memcpy(display->rows[row], text, sizeof text);
        draw(display, row, text);
    }
}

void display_over(struct display *display, enum display_row row,
                  const char *text)
{
    if (display->rows[row][0] != '\0') {
        display->rows[row][0] = '\0';
        draw(display, row, display->plain ? text : "");
    }
}
