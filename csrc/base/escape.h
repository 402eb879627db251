/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and texts of programs, shown to people: escaped as vis(3) does, so that
 * none can drive a terminal or look like another line.
 */
#ifndef OBV_ESCAPE_H
#define OBV_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

/** A line for people. Text that does not fit is cut. */
struct obv__line {
    size_t length;
    char text[1024];
};

/** Adds a name, escaped, and what stands before it; nothing for NULL. */
void obv__line_add_name(struct obv__line *line, const char *before,
                        const char *name);

/** Adds ` (file:number)`; nothing for NULL. */
void obv__line_add_place(struct obv__line *line, const char *file,
                         uint32_t number);

#endif
