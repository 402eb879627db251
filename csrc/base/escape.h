/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and texts of programs, shown to people: escaped as vis(3) does, so that
 * none can drive a terminal or look like another line.
 */
#ifndef OBV_ESCAPE_H
#define OBV_ESCAPE_H

#include <stddef.h>

/** Hands a text, escaped, to `write` in pieces; NULL is no text. */
void obv__escape(const char *text,
                 void (*write)(void *context, const char *text, size_t length),
                 void *context);

#endif
