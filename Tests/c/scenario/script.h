/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts as text: reads a file into tests, lines and words. Their meaning is
 * the runner's business (run.c).
 */
#ifndef OBV_SCENARIO_SCRIPT_H
#define OBV_SCENARIO_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

/** The words of a command; a nested command is the end of an outer one. */
struct words {
    char **word;
    size_t count;
    unsigned line;
};

enum language { LANGUAGE_ANY, LANGUAGE_C, LANGUAGE_SWIFT };

/** One test of a script. */
struct scenario {
    const char *name;
    unsigned line;
    struct words *lines;
    size_t line_count;
    enum language only;
    /** What is wrong with the text itself, or NULL. */
    const char *fault;
    struct scenario *next;
};

/** Reads a file; NULL if that fails. It is kept (`keep()`). */
struct scenario *script_read(const char *file);

/** The rest of a command behind its first `count` words. */
struct words words_from(struct words words, size_t count);

/** The text of a word: what stands in its quotes, or the word itself. */
const char *word_text(const char *word);

/** The end of a word inside brackets: spaces in quotes do not end the word. */
const char *word_behind(const char *at, const char *end);

/** Whether a word is a decimal number, without a sign. */
bool word_is_number(const char *word);

/** Memory that stays until all of it is given back, cleared. */
void *keep(size_t size);

/** Frees all blocks of keep(), when the tests of a file have run: the processes
    of later tests would copy them. */
void give_back_kept(void);

#endif
