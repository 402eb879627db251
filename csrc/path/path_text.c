/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scanner of key paths. A fault is found at the first byte with which the
 * text can no longer become a path, so it is always where scanning stands;
 * only a bad number is found after its digits and told at the first of them.
 */
#include "path/path_text.h"

#include <observable/path.h>

#include <string.h>

static bool scan_fault(struct obv__path_scan *scan, size_t at,
                       const char *message)
{
    scan->at = at;
    scan->message = message;
    return false;
}

static bool scan_at_end(const struct obv__path_scan *scan)
{
    return scan->at == scan->length;
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

/* The bytes of the character that `lead` begins, and the bounds of the second
   one; 0 if none begins so. Overlong forms, surrogates and what lies above
   U+10FFFF are excluded by the second byte's bounds. */
static size_t character_size(unsigned char lead, unsigned char *low,
                             unsigned char *high)
{
    *low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    *high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (lead < 0x80) {
        return lead != 0;
    }
    if (lead < 0xC2 || lead > 0xF4) {
        return 0;
    }
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

static bool scan_character(struct obv__path_scan *scan)
{
    unsigned char low, high;
    size_t size = character_size(scan->text[scan->at], &low, &high);
    if (size == 0) {
        return scan_fault(scan, scan->at,
                          scan->text[scan->at] ? "no UTF-8 character begins so"
                                               : "a key path holds no NUL");
    }
    size_t end = ++scan->at + size - 1;
    for (; scan->at < end; scan->at++) {
        if (scan_at_end(scan)) {
            return scan_fault(scan, scan->at,
                              "the text ends inside a character");
        }
        unsigned char c = scan->text[scan->at];
        if (c < low || c > high) {
            return scan_fault(scan, scan->at,
                              "a UTF-8 character goes on otherwise");
        }
        low = 0x80;
        high = 0xBF;
    }
    return true;
}

/* Reads the digits from scan->at on. */
static bool scan_digits(struct obv__path_scan *scan, uint64_t max,
                        uint64_t *number)
{
    size_t first = scan->at;
    uint64_t value = 0;
    bool fits = true;
    for (; !scan_at_end(scan) && is_digit(scan->text[scan->at]); scan->at++) {
        uint64_t digit = scan->text[scan->at] - (unsigned)'0';
        fits = fits && value <= (max - digit) / 10;
        value = fits ? value * 10 + digit : 0;
    }
    if (scan->text[first] == '0' && scan->at - first > 1) {
        return scan_fault(scan, first, "a number begins with a needless 0");
    }
    if (!fits) {
        return scan_fault(scan, first, "a number is too large");
    }
    *number = value;
    return true;
}

/* An element that can hold nothing more must be at its end. */
static bool scan_end(struct obv__path_scan *scan, const char *message)
{
    return scan_at_end(scan) || scan->text[scan->at] == '.' ||
           scan_fault(scan, scan->at, message);
}

static bool scan_any(struct obv__path_scan *scan)
{
    scan->at++;
    return scan_end(scan, "`*` is an element alone; in a key write `\\*`");
}

/* `#n` and `&h`. */
static bool scan_marked(struct obv__path_scan *scan, uint64_t max,
                        uint64_t *number)
{
    scan->at++;
    if (scan_at_end(scan) || !is_digit(scan->text[scan->at])) {
        return scan_fault(scan, scan->at,
                          "a number follows `#` and `&`; in a key write `\\#`, "
                          "`\\&`");
    }
    return scan_digits(scan, max, number) &&
           scan_end(scan, "after `#` and `&` stand digits only");
}

static bool scan_name_character(struct obv__path_scan *scan,
                                struct obv__path_token *token)
{
    switch (scan->text[scan->at]) {
    case '*':
    case '#':
    case '&':
    case '@':
        return scan_fault(scan, scan->at,
                          "`*`, `#`, `&` and `@` inside a name need a `\\`");
    case '\\':
        token->escaped = true;
        scan->at++;
        if (scan_at_end(scan)) {
            return scan_fault(scan, scan->at, "the text ends after a `\\`");
        }
        break;
    default:
        break;
    }
    return scan_character(scan);
}

static bool all_digits(const unsigned char *text, size_t size)
{
    size_t i = 0;
    while (i < size && is_digit(text[i])) {
        i++;
    }
    return i == size;
}

static bool is_count(const unsigned char *text, size_t size)
{
    return size == 5 && memcmp(text, "count", 5) == 0;
}

static bool scan_name(struct obv__path_scan *scan,
                      struct obv__path_token *token)
{
    while (!scan_at_end(scan) && scan->text[scan->at] != '.') {
        if (!scan_name_character(scan, token)) {
            return false;
        }
    }
    const unsigned char *text = scan->text + token->begin;
    size_t size = scan->at - token->begin;
    if (token->escaped) {
        return true;
    }
    if (all_digits(text, size)) {
        token->kind = OBV_ELEMENT_OCCURRENCE;
        scan->at = token->begin;
        return scan_digits(scan, INT64_MAX, &token->number);
    }
    if (is_count(text, size)) {
        token->kind = OBV_ELEMENT_COUNT;
    }
    return true;
}

static bool scan_element(struct obv__path_scan *scan,
                         struct obv__path_token *token)
{
    if (scan_at_end(scan)) {
        return scan_fault(scan, scan->at,
                          "the text ends where an element must stand");
    }
    switch (scan->text[scan->at]) {
    case '.':
        return scan_fault(scan, scan->at, "an element is empty");
    case '@':
        return scan_fault(
            scan, scan->at,
            "there are no `@` operators: a computed property says "
            "the same; in a key write `\\@`");
    case '*':
        token->kind = OBV_ELEMENT_ANY;
        return scan_any(scan);
    case '#':
        token->kind = OBV_ELEMENT_POSITION;
        return scan_marked(scan, INT64_MAX, &token->number);
    case '&':
        token->kind = OBV_ELEMENT_MEMBER;
        return scan_marked(scan, UINT64_MAX, &token->number);
    default:
        return scan_name(scan, token);
    }
}

void obv__path_scan_init(struct obv__path_scan *scan, const char *text,
                         size_t length)
{
    bool cut = length > OBV_PATH_LENGTH_MAX;
    *scan =
        (struct obv__path_scan){.text = (const unsigned char *)text,
                                .length = cut ? OBV_PATH_LENGTH_MAX : length,
                                .cut = cut};
}

bool obv__path_scan_next(struct obv__path_scan *scan,
                         struct obv__path_token *token)
{
    bool more = scan->count == 0 || !scan_at_end(scan);
    if (more && scan->count == OBV_PATH_COUNT_MAX) {
        return scan_fault(scan, scan->at,
                          "a key path has at most 255 elements");
    }
    scan->at += more && scan->count > 0; /* the dot */
    *token =
        (struct obv__path_token){.kind = OBV_ELEMENT_NAME, .begin = scan->at};
    bool read = more && scan_element(scan, token);
    if (!read && scan->cut && scan_at_end(scan)) {
        return scan_fault(scan, scan->at, "a key path has at most 65535 bytes");
    }
    token->end = scan->at;
    scan->count += read;
    return read;
}

size_t obv__path_unescape(const struct obv__path_scan *scan,
                          const struct obv__path_token *token, char *to)
{
    size_t size = 0;
    for (size_t i = token->begin; i < token->end; i++) {
        i += scan->text[i] == '\\';
        to[size++] = (char)scan->text[i];
    }
    return size;
}
