/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Escaping what programs have named.
 */
#include "base/escape.h"

#include "platform/bsd.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Adds text as it is. */
static void add_to_line(struct obv__line *line, const char *text)
{
    size_t room = sizeof line->text - 1 - line->length;
    size_t length = strlen(text) < room ? strlen(text) : room;
    memcpy(line->text + line->length, text, length);
    line->length += length;
    line->text[line->length] = '\0';
}

void obv__line_add_name(struct obv__line *line, const char *before,
                        const char *name)
{
    char piece[8];
    add_to_line(line, name ? before : "");
    for (; name && *name; name++) {
        (void)vis(piece, (unsigned char)*name, VIS_CSTYLE | VIS_NL | VIS_TAB,
                  (unsigned char)name[1]);
        add_to_line(line, piece);
    }
}

void obv__line_add_place(struct obv__line *line, const char *file,
                         uint32_t number)
{
    char text[16];
    obv__line_add_name(line, " (", file);
    if (file) {
        (void)snprintf(text, sizeof text, ":%" PRIu32 ")", number);
        add_to_line(line, text);
    }
}
