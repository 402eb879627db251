/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Escaping what programs have named.
 */
#include "base/escape.h"

#include "platform/bsd.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void obv__escape(const char *text,
                 void (*write)(void *context, const char *text, size_t length),
                 void *context)
{
    char piece[8];
    for (; text && *text; text++) {
        const char *end =
            vis(piece, (unsigned char)*text, VIS_CSTYLE | VIS_NL | VIS_TAB,
                (unsigned char)text[1]);
        write(context, piece, (size_t)(end - piece));
    }
}

void obv__line_add(void *line, const char *text, size_t length)
{
    struct obv__line *to = line;
    size_t room = sizeof to->text - 1 - to->length;
    length = length < room ? length : room;
    memcpy(to->text + to->length, text, length);
    to->length += length;
    to->text[to->length] = '\0';
}

void obv__line_add_name(struct obv__line *line, const char *before,
                        const char *name)
{
    if (name) {
        obv__line_add(line, before, strlen(before));
        obv__escape(name, obv__line_add, line);
    }
}

void obv__line_add_place(struct obv__line *line, const char *file,
                         uint32_t number)
{
    char text[16];
    obv__line_add_name(line, " (", file);
    if (file) {
        (void)snprintf(text, sizeof text, ":%" PRIu32 ")", number);
        obv__line_add(line, text, strlen(text));
    }
}
