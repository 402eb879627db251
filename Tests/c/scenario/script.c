/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts: a file becomes tests, a line becomes words. Knows no command but
 * `test` and `only`. What is wrong with a text fails the test that it stands
 * in, when that is run.
 */
#include "script.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A chain through every kept block, so that leak checkers reach them all. */
static union kept {
    union kept *next;
    max_align_t alignment;
} * kept;

void *keep(size_t size)
{
    union kept *block = calloc(1, sizeof(union kept) + size);
    if (!block) {
        abort();
    }
    block->next = kept;
    kept = block;
    return block + 1;
}

void give_back_kept(void)
{
    while (kept) {
        union kept *next = kept->next;
        free(kept);
        kept = next;
    }
}

static char *keep_text(const char *text, size_t length)
{
    char *copy = keep(length + 1);
    memcpy(copy, text, length);
    return copy;
}

struct words words_from(struct words words, size_t count)
{
    words.word += count;
    words.count -= count;
    return words;
}

bool word_is_number(const char *word)
{
    return *word != '\0' && word[strspn(word, "0123456789")] == '\0';
}

static int hex_digit(char character)
{
    const char *digits = "0123456789ABCDEF";
    const char *place = character ? strchr(digits, character) : NULL;
    return place ? (int)(place - digits) : -1;
}

/* One character of a quoted text: `\"`, `\\`, `\xHH`, else itself. */
static const char *unquote_one(const char *from, char *to)
{
    if (from[0] != '\\') {
        *to = from[0];
        return from + 1;
    }
    if (from[1] == 'x' && hex_digit(from[2]) >= 0 && hex_digit(from[3]) >= 0) {
        *to = (char)(hex_digit(from[2]) * 16 + hex_digit(from[3]));
        return from + 4;
    }
    bool escapes = from[1] == '"' || from[1] == '\\';
    *to = escapes ? from[1] : '\\';
    return from + (escapes ? 2 : 1);
}

const char *word_text(const char *word)
{
    size_t length = strlen(word);
    if (word[0] != '"' || length < 2) {
        return word;
    }
    char *text = keep(length), *to = text;
    for (const char *from = word + 1; from < word + length - 1;) {
        from = unquote_one(from, to++);
    }
    return text;
}

const char *word_behind(const char *at, const char *end)
{
    bool quoted = false;
    for (; at < end && (quoted || !strchr(" \t", *at)); at++) {
        if (*at == '"') {
            quoted = !quoted;
        } else if (quoted && *at == '\\' && at + 1 < end) {
            at++;
        }
    }
    return at;
}

static const char stays_open[] = "a quote or bracket stays open";

/* What is wrong with an escape, or NULL. Before anything but `x` a backslash
   may stand for itself. */
static const char *fault_of_escape(const char *at)
{
    if (at[1] != 'x') {
        return NULL;
    }
    if (hex_digit(at[2]) < 0 || hex_digit(at[3]) < 0) {
        return "in quotes two digits of 0-9 and A-F follow \\x";
    }
    return hex_digit(at[2]) + hex_digit(at[3]) == 0 ? "no text holds a NUL"
                                                    : NULL;
}

/* Behind the closing quote, or NULL and what is wrong. */
static const char *skip_quoted(const char *at, const char **fault)
{
    for (at++; *at != '\0' && *at != '"'; at++) {
        if (*at == '\\' && at[1] != '\0') {
            *fault = *fault ? *fault : fault_of_escape(at);
            at++;
        }
    }
    if (*at != '"') {
        *fault = stays_open;
    }
    return *fault ? NULL : at + 1;
}

static bool begins_comment(const char *at)
{
    return at[0] == '#' && (at[1] == '\0' || isspace((unsigned char)at[1]));
}

static bool ends_word(const char *at)
{
    return *at == '\0' || isspace((unsigned char)*at) || begins_comment(at);
}

/*
 * Behind the word that begins here; NULL if a quote or bracket is not as it
 * must be. Quotes count at a word's begin and inside brackets, brackets at a
 * word's begin and behind `&`: elsewhere they are characters of a path.
 */
static const char *skip_word(const char *at, const char **fault)
{
    const char *begin = at;
    int depth = 0;
    while (*at != '\0' && (depth > 0 || !isspace((unsigned char)*at)) &&
           !begins_comment(at)) {
        if (*at == '"' && (at == begin || depth > 0)) {
            at = skip_quoted(at, fault);
            if (at && depth == 0 && !ends_word(at)) {
                *fault = "something stands behind a quote";
            }
            if (*fault) {
                return NULL;
            }
            continue;
        }
        bool opens = strchr("[{", *at) && (at == begin || depth > 0);
        if (opens || (*at == '(' && at > begin && at[-1] == '&')) {
            depth++;
        } else if (depth > 0 && strchr("]})", *at)) {
            depth--;
        }
        at++;
    }
    if (depth > 0) {
        *fault = stays_open;
    }
    return *fault ? NULL : at;
}

/* The words of one line; answers what is wrong with it, or NULL. */
static const char *split(const char *text, size_t length, struct words *words)
{
    const char *fault = NULL;
    size_t room = length / 2 + 1;
    words->word = keep(room * sizeof *words->word);
    words->count = 0;
    if (strlen(text) != length) {
        return "no line holds a NUL";
    }
    for (;;) {
        text += strspn(text, " \t\r\n\v\f");
        if (*text == '\0' || begins_comment(text)) {
            return NULL;
        }
        const char *end = skip_word(text, &fault);
        if (!end) {
            return fault;
        }
        words->word[words->count++] = keep_text(text, (size_t)(end - text));
        text = end;
    }
}

/* --- tests --------------------------------------------------------------- */

struct reader {
    const char *file;
    struct scenario *first, **end;
    struct scenario *current;
};

static struct scenario *begin_test(struct reader *reader, const char *name,
                                   unsigned line)
{
    struct scenario *scenario = keep(sizeof *scenario);
    scenario->name = name;
    scenario->line = line;
    *reader->end = scenario;
    reader->end = &scenario->next;
    reader->current = scenario;
    return scenario;
}

static void note_fault(struct scenario *scenario, unsigned line,
                       const char *fault)
{
    if (!scenario->fault) {
        scenario->fault = fault;
        scenario->line = line;
    }
}

static bool is_rule(const char *word)
{
    return isupper((unsigned char)word[0]) && isupper((unsigned char)word[1]) &&
           word[2] == '-' && word_is_number(word + 3);
}

static bool is_taken(const struct reader *reader, const char *name)
{
    for (const struct scenario *scenario = reader->first; scenario;
         scenario = scenario->next) {
        if (strcmp(scenario->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void read_test_line(struct reader *reader, struct words words)
{
    bool named = words.count >= 2;
    bool taken = named && is_taken(reader, words.word[1]);
    struct scenario *scenario =
        begin_test(reader, named ? words.word[1] : reader->file, words.line);
    if (words.count < 3) {
        note_fault(scenario, words.line, "a test has a name and a rule's id");
    }
    if (taken) {
        note_fault(scenario, words.line, "another test has this name");
    }
    for (size_t i = 2; i < words.count; i++) {
        if (!is_rule(words.word[i])) {
            note_fault(scenario, words.line, "this is no rule's id");
        }
    }
}

static void read_only_line(struct scenario *scenario, struct words words)
{
    const char *language = words.count == 2 ? words.word[1] : "";
    enum language only = strcmp(language, "c") == 0       ? LANGUAGE_C
                         : strcmp(language, "swift") == 0 ? LANGUAGE_SWIFT
                                                          : LANGUAGE_ANY;
    if (only == LANGUAGE_ANY ||
        (scenario->only != LANGUAGE_ANY && scenario->only != only)) {
        note_fault(scenario, words.line, "only c or only swift");
    }
    /* If that is wrong, the test is run, and fails, in both languages. */
    scenario->only = scenario->fault ? LANGUAGE_ANY : only;
}

static void add_line(struct scenario *scenario, struct words words)
{
    size_t count = scenario->line_count;
    if ((count & (count - 1)) == 0) { /* room is the next power of two */
        struct words *lines = keep((count ? 2 * count : 1) * sizeof *lines);
        if (count > 0) {
            memcpy(lines, scenario->lines, count * sizeof *lines);
        }
        scenario->lines = lines;
    }
    scenario->lines[scenario->line_count++] = words;
}

static void read_line(struct reader *reader, const char *text, size_t length,
                      unsigned line)
{
    struct words words = {NULL, 0, line};
    const char *fault = split(text, length, &words);
    if (!fault && words.count == 0) {
        return;
    }
    if (!fault && strcmp(words.word[0], "test") == 0) {
        read_test_line(reader, words);
        return;
    }
    if (!reader->current) {
        begin_test(reader, reader->file, line);
        note_fault(reader->current, line, "this stands before the first test");
    } else if (fault) {
        note_fault(reader->current, line, fault);
    } else if (strcmp(words.word[0], "only") == 0) {
        read_only_line(reader->current, words);
    } else {
        add_line(reader->current, words);
    }
}

/* With a NUL behind it, which is not counted. */
static char *read_all(const char *file, size_t *length)
{
    FILE *stream = fopen(file, "rb");
    if (!stream) {
        return NULL;
    }
    size_t size = 0, room = 4096;
    char *text = keep(room);
    for (size_t got; (got = fread(text + size, 1, room - size - 1, stream));) {
        size += got;
        if (size == room - 1) {
            char *larger = keep(room * 2);
            memcpy(larger, text, size);
            text = larger;
            room *= 2;
        }
    }
    bool good = !ferror(stream);
    *length = size;
    fclose(stream);
    return good ? text : NULL;
}

struct scenario *script_read(const char *file)
{
    size_t length = 0;
    char *text = read_all(file, &length);
    if (!text) {
        return NULL;
    }
    struct reader reader = {file, NULL, NULL, NULL};
    reader.end = &reader.first;
    const char *behind = text + length;
    for (unsigned line = 1; text; line++) {
        char *end = memchr(text, '\n', (size_t)(behind - text));
        if (end) {
            *end = '\0';
        }
        read_line(&reader, text, (size_t)((end ? end : behind) - text), line);
        text = end ? end + 1 : NULL;
    }
    if (!reader.first) {
        note_fault(begin_test(&reader, file, 1), 1, "there is no test in it");
    }
    return reader.first;
}
