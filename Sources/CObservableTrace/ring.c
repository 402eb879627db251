/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last lines, kept in memory for a look at them later.
 */
#define _GNU_SOURCE
#include "trace.h"

#include <unistd.h>

enum { RING_SIZE = 1 << 16 };

static char ring[RING_SIZE];
static size_t written; /* in all */

void ring_begin(void)
{
    written = 0;
}

void ring_add(const struct text *line)
{
    for (size_t i = 0; i < line->length; i++) {
        ring[written++ % RING_SIZE] = line->bytes[i];
    }
}

void ring_print(void)
{
    struct text part = {.length = 0};
    size_t at = 0;
    if (written > RING_SIZE) {
        /* The rest of a line is no line. */
        for (at = written - RING_SIZE + 1; ring[(at - 1) % RING_SIZE] != '\n';
             at++) {
        }
    }
    for (; at < written; at++) {
        part.bytes[part.length++] = ring[at % RING_SIZE];
        if (part.length == sizeof part.bytes || at + 1 == written) {
            (void)text_write(&part, STDERR_FILENO);
            part.length = 0;
        }
    }
}
