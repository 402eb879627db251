/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Escaping what programs have named.
 */
#include "base/escape.h"

#include "platform/bsd.h"

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
