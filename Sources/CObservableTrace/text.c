/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that is written at once: lines of several threads never mix, and what is
 * written stays if the program crashes.
 */
#define _GNU_SOURCE
#include "trace.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAME_MAX_LENGTH = 300 };

void text_add(struct text *text, const char *format, ...)
{
    size_t room = sizeof text->bytes - text->length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->bytes + text->length, room, format, arguments);
    va_end(arguments);
    if (length > 0) {
        text->length += (size_t)length < room ? (size_t)length : room - 1;
    }
}

/* The length of the character of UTF-8 at `bytes`, and its number; 0: there is
   none. */
static size_t character_at(const unsigned char *bytes, uint32_t *number)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = bytes[0] < 0x80           ? 1
                    : (bytes[0] >> 5) == 0x06 ? 2
                    : (bytes[0] >> 4) == 0x0e ? 3
                    : (bytes[0] >> 3) == 0x1e ? 4
                                              : 0;
    *number = length > 1 ? bytes[0] & (0xffu >> (length + 1)) : bytes[0];
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] >> 6) != 2) {
            return 0;
        }
        *number = *number << 6 | (bytes[i] & 0x3f);
    }
    bool is_surrogate = *number >= 0xd800 && *number < 0xe000;
    return length != 0 && *number >= least[length] && *number <= 0x10ffff &&
                   !is_surrogate
               ? length
               : 0;
}

/* Whether a character is shown as itself. */
static bool is_shown(uint32_t number)
{
    bool is_control = number < 0x20 || (number >= 0x7f && number < 0xa0);
    bool turns = number == 0x061c || number == 0xfeff ||
                 (number >= 0x200b && number <= 0x200f) ||
                 (number >= 0x2028 && number <= 0x202e) ||
                 (number >= 0x2060 && number <= 0x206f);
    return !is_control && !turns;
}

void text_add_name(struct text *text, const char *name)
{
    const unsigned char *at = (const unsigned char *)(name ? name : "");
    size_t end = text->length + NAME_MAX_LENGTH;
    while (*at != '\0' && text->length < end) {
        uint32_t number;
        size_t length = character_at(at, &number);
        if (length == 0) {
            text_add(text, "\\u%04x", (unsigned)*at);
        } else if (!is_shown(number)) {
            text_add(text, "\\u%04x", (unsigned)number);
        } else if (*at == '"' || *at == '\\') {
            text_add(text, "\\%c", *at);
        } else {
            text_add(text, "%.*s", (int)length, (const char *)at);
        }
        at += length != 0 ? length : 1;
    }
    if (*at != '\0') {
        text_add(text, "...");
    }
}

void text_add_place(struct text *text, const char *file, uint32_t line)
{
    if (file) {
        text_add(text, " (");
        text_add_name(text, file);
        text_add(text, ":%u)", (unsigned)line);
    }
}

bool text_write(const struct text *text, int descriptor)
{
    size_t written = 0;
    while (written < text->length) {
        ssize_t now =
            write(descriptor, text->bytes + written, text->length - written);
        if (now < 0 && errno != EINTR) {
            return false;
        }
        written += now > 0 ? (size_t)now : 0;
    }
    return true;
}
