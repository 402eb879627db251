/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of key paths (in <observable/path.h>): a scanner that takes a
 * text apart, element by element. It allocates nothing and knows no names.
 *
 * Owed: every position of an error; a text that passed once passes again.
 */
#ifndef OBV_PATH_TEXT_H
#define OBV_PATH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Scanning a text; begin with obv__path_scan_init(). */
struct obv__path_scan {
    const unsigned char *text;
    size_t length;       /* at most OBV_PATH_LENGTH_MAX */
    bool cut;            /* the text is longer than that */
    size_t at;           /* the next byte; after a fault the one at fault */
    size_t count;        /* elements so far */
    const char *message; /* the fault, a constant; NULL: none so far */
};

/** One element as it is written. */
struct obv__path_token {
    uint32_t kind;     /* enum obv_element_kind */
    bool escaped;      /* NAME: has an escape */
    uint64_t number;   /* POSITION, OCCURRENCE, MEMBER */
    size_t begin, end; /* its bytes */
};

void obv__path_scan_init(struct obv__path_scan *scan, const char *text,
                         size_t length);

/** Reads the next element; false at the end of the text and at a fault. */
bool obv__path_scan_next(struct obv__path_scan *scan,
                         struct obv__path_token *token);

/** Writes an element's bytes without escapes to `to`, which has room for all
    of them, and answers how many there are. */
size_t obv__path_unescape(const struct obv__path_scan *scan,
                          const struct obv__path_token *token, char *to);

#endif
