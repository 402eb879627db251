/* SPDX-License-Identifier: Apache-2.0 */
/*
 * obv_model_check: runs scenario scripts by the model alone, and checks what
 * they expect of the library. So the model is held against the contract by the
 * same scripts. A test that says more than the model knows is left out.
 *
 *     obv_model_check [--verbose] FILE...
 */
#define _DEFAULT_SOURCE

#include "model.h"

#include "../scenario/script.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_NAMES = LAST_HASH - HASH };

static const struct scenario *scenario;
static struct program script;
static struct words lines[STEPS + NESTED];
static int line_count;
static unsigned line_now;
static bool verbose;

/* The jump that ends a test. */
static jmp_buf test_over;
static char left_out[200], failure[300];

_Noreturn static void leave_out(const char *why, const char *what)
{
    snprintf(left_out, sizeof left_out, "line %u: %s %s", line_now, why, what);
    longjmp(test_over, 1);
}

static void differ(const char *what, long have, const char *want)
{
    if (failure[0] == '\0') {
        snprintf(failure, sizeof failure, "line %u: %s is %ld, not %s",
                 line_now, what, have, want);
    }
}

/* Names ------------------------------------------------------------------- */

enum { NAMES = CONTAINERS > WATCHES ? CONTAINERS : WATCHES };

struct names {
    const char *name[NAMES];
    int count;
};
static struct names things, watches, loops;

static int find(const struct names *names, const char *name)
{
    for (int i = 0; i < names->count; i++) {
        if (strcmp(names->name[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static int add(struct names *names, const char *name, int room)
{
    int at = find(names, name);
    if (at >= 0) {
        return at;
    }
    if (names->count == room) {
        leave_out("too many names:", name);
    }
    names->name[names->count] = name;
    return names->count++;
}

static int named(const struct names *names, const char *name)
{
    int at = find(names, name);
    if (at < 0) {
        leave_out("unknown name", name);
    }
    return at;
}

/* Words ------------------------------------------------------------------- */

/* Properties of the world that the model does not have. */
static bool is_elsewhere(const char *name)
{
    static const char *const names[] = {"strings", "words",  "tags",
                                        "plain",   "copied", "any",
                                        "ping",    "pong",   "count"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Names are added to the hashes as they are met; what has no name has the last
   one. */
static int element_of_hash(const char *name)
{
    static char names[HASH_NAMES][40];
    int element = HASH;
    while (element < LAST_HASH && property_names[element][0] != '\0' &&
           strcmp(property_names[element], name) != 0) {
        element++;
    }
    if (element == LAST_HASH || strlen(name) >= sizeof *names) {
        leave_out("too many", "hashes");
    }
    property_names[element] = strcpy(names[element - HASH], name);
    return element;
}

static void forget_hashes(void)
{
    for (int h = HASH; h <= LAST_HASH; h++) {
        property_names[h] = "";
    }
    memset(hash_of, LAST_HASH, sizeof hash_of);
}

/* `&(X)` or `&7`, which nobody has. */
static int read_hash(const char *word)
{
    char name[40];
    size_t length = strlen(word);
    if (word_is_number(word + 1)) {
        return element_of_hash(word);
    }
    if (length >= sizeof name || length < 4 || strncmp(word, "&(", 2) != 0 ||
        word[2] == '"') {
        leave_out("path", word);
    }
    memcpy(name, word + 2, length - 3);
    name[length - 3] = '\0';
    int element = element_of_hash(word);
    hash_of[named(&things, name)] = (int8_t)element;
    return element;
}

/* -1: the model does not know it. */
static int read_element(const char *word, enum sort behind)
{
    bool is_count = strcmp(word, "count") == 0;
    if (*word == '&') {
        return read_hash(word);
    }
    if (behind == DICTIONARIES && isalpha((unsigned char)*word)) {
        return element_of(word);
    }
    bool odd = *word == '\0' || (is_elsewhere(word) && !is_count) ||
               (is_count && behind == OBJECTS) ||
               (strchr(word, '\\') && strcmp(word, "\\count") != 0) ||
               (strchr(word, '*') && strcmp(word, "*") != 0) ||
               (*word == '#' &&
                (word[1] < '0' || word[1] >= '0' + ROOM || word[2] != '\0'));
    bool is_far = word_is_number(word) && (word[1] || word[0] >= '0' + ROOM);
    return odd ? -1 : is_far ? BEYOND : element_of(word);
}

static struct path read_path_text(const char *word)
{
    struct path path = {.length = 0};
    char text[100];
    if (strlen(word) >= sizeof text || strpbrk(word, "\"@") ||
        strstr(word, "\\.")) {
        leave_out("path", word);
    }
    strcpy(text, word);
    for (char *at = text, *dot; at; at = dot ? dot + 1 : NULL) {
        dot = strchr(at, '.');
        if (dot) {
            *dot = '\0';
        }
        enum sort behind = path.length > 0
                               ? sort_held(path.element[path.length - 1])
                               : OBJECTS;
        int element = read_element(at, behind);
        if (element < 0 || path.length == ELEMENTS) {
            leave_out("path", word);
        }
        path.element[path.length++] = (int8_t)element;
    }
    return path;
}

static struct path read_path_text(const char *word);

/* A thing by its name, or by where it stands: `A.list`. */
static int read_thing(const char *word)
{
    char name[100];
    const char *dot = strchr(word, '.');
    if (!dot || (size_t)(dot - word) >= sizeof name) {
        return named(&things, word);
    }
    memcpy(name, word, (size_t)(dot - word));
    name[dot - word] = '\0';
    const struct path path = read_path_text(dot + 1);
    int thing = read_path(named(&things, name), &path);
    if (thing < 0) {
        leave_out("nothing there:", word);
    }
    return thing;
}

static val read_value(int property, const char *word)
{
    char *end = NULL;
    val value = ANY;
    if (strcmp(word, "unreachable") == 0) {
        return UNREACHABLE;
    }
    long long number = strtoll(word, &end, 10);
    bool is_int = *end == '\0' && number > -1000000 && number < 1000000;
    switch (kind_of(property)) {
    case INT:
        value = is_int ? (val)number : ANY;
        break;
    case BOOL:
        value = strcmp(word, "true") == 0    ? 1
                : strcmp(word, "false") == 0 ? 0
                                             : ANY;
        break;
    case DOUBLE:
        value = double_value(strtod(word, &end));
        value = *end == '\0' ? value : ANY;
        break;
    case TEXT:
        value = strcmp(word, "nil") == 0 ? NIL
                : word[0] == '"'         ? text_value(word_text(word))
                                         : ANY;
        break;
    case ADDRESS:
        break; /* scripts have none */
    case OBJECT:
        value = strcmp(word, "nil") == 0 ? NIL : read_thing(word);
        break;
    }
    if (value == ANY) {
        leave_out("value", word);
    }
    return value;
}

static void read_place(struct command *command, const char *word)
{
    char text[100];
    if (strlen(word) >= sizeof text || !strchr(word, '.')) {
        leave_out("place", word);
    }
    strcpy(text, word);
    *strchr(text, '.') = '\0';
    command->thing = (int8_t)named(&things, text);
    struct path path = read_path_text(word + strlen(text) + 1);
    if (path.length > PLACES) {
        leave_out("place", word);
    }
    command->places = path.length;
    for (int e = 0; e < path.length; e++) {
        if (path.element[e] >= PROPERTIES) {
            leave_out("place", word);
        }
        command->place[e] = path.element[e];
    }
}

static struct command read_command(struct words words);

static int16_t read_nested(struct words words)
{
    struct command command = read_command(words);
    if (script.nested_count == NESTED) {
        leave_out("too many", "nested commands");
    }
    script.nested[script.nested_count] = command;
    return (int16_t)script.nested_count++;
}

/* Commands ---------------------------------------------------------------- */

static void read_paths(struct command *command, struct words words)
{
    for (size_t i = 0; i < words.count; i++) {
        if (command->paths == PATHS) {
            leave_out("too many", "paths");
        }
        command->path[command->paths++] = read_path_text(words.word[i]);
    }
}

static void read_options(struct command *command, struct words words)
{
    static const struct {
        const char *word;
        int option;
    } options[] = {{"immediate", IMMEDIATELY},
                   {"defer", DEFERS},
                   {"once", ONCE},
                   {"initial", INITIAL},
                   {"any-element", ANY_ELEMENT},
                   {"net", NET},
                   {"values", VALUES},
                   {"prior", PRIOR},
                   {"records", RECORDS},
                   {"token", TOKEN},
                   {"always", COMPARE_ALWAYS},
                   {"equal", COMPARE_EQUAL},
                   {"identity", COMPARE_IDENTITY}};
    while (words.count > 0) {
        const char *word = words.word[0];
        int option = 0;
        for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
            option =
                strcmp(options[i].word, word) == 0 ? options[i].option : option;
        }
        bool takes = strcmp(word, "by") == 0 || strcmp(word, "block") == 0 ||
                     strcmp(word, "loop") == 0;
        if (!option && strcmp(word, "compare") != 0 &&
            !(takes && words.count > 1)) {
            leave_out("option", word);
        }
        command->options |= (uint16_t)option;
        if (strcmp(word, "by") == 0) {
            command->by = (int8_t)named(&watches, words.word[1]);
        } else if (strcmp(word, "block") == 0) {
            command->block = (int8_t)named(&watches, words.word[1]);
        } else if (strcmp(word, "loop") == 0) {
            command->loop = (int8_t)(named(&loops, words.word[1]) + 1);
        }
        words = words_from(words, takes ? 2 : 1);
    }
}

/* Whether a word is a class; says which. */
static bool read_class(struct command *command, const char *word)
{
    command->of_sub = strcmp(word, "Sub") == 0;
    return command->of_sub || strcmp(word, "Thing") == 0;
}

static void read_observe(struct command *command, struct words words)
{
    struct words paths = words_from(words, 2);
    command->watch = (int8_t)add(&watches, words.word[0], WATCHES);
    if (command->verb == OBSERVE) {
        command->thing = (int8_t)named(&things, words.word[1]);
    } else if (!read_class(command, words.word[1])) {
        leave_out("class", words.word[1]);
    }
    for (size_t i = 0; i < paths.count; i++) {
        if (strcmp(paths.word[i], ":") == 0) {
            read_options(command, words_from(paths, i + 1));
            paths.count = i;
        }
    }
    read_paths(command, paths);
}

static void read_stop(struct command *command, struct words words)
{
    command->watch = (int8_t)named(&watches, words.word[0]);
    command->verb = STOP;
    if (words.count == 1) {
        return;
    }
    if (strcmp(words.word[1], "by") == 0) {
        command->verb = STOP_BY_CLASS;
        if (!read_class(command, words.word[2])) {
            command->verb = STOP_BY;
            command->thing = (int8_t)named(&things, words.word[2]);
        }
        read_paths(command, words_from(words, 3));
    } else {
        command->verb = STOP_PATH;
        read_paths(command, words_from(words, 2));
    }
}

static void read_drain(struct command *command, struct words words)
{
    command->verb = DRAIN;
    while (words.count > 0) {
        if (word_is_number(words.word[0])) {
            command->names_new = true;
            command->value = (val)atoi(words.word[0]);
        } else {
            command->loop = (int8_t)(named(&loops, words.word[0]) + 1);
        }
        words = words_from(words, 1);
    }
}

static void read_trigger(struct command *command, struct words words)
{
    char place[120];
    snprintf(place, sizeof place, "%s.%s", words.word[0], words.word[1]);
    read_place(command, place);
    int property = command->place[command->places - 1];
    command->value = read_value(property, words.word[2]);
    command->names_new = words.count > 3;
    if (command->names_new) {
        command->now = read_value(property, words.word[3]);
    }
}

static int16_t keep_line(struct words words)
{
    if (line_count == STEPS + NESTED) {
        leave_out("too many", "lines");
    }
    lines[line_count] = words;
    return (int16_t)line_count++;
}

/* Those that take one name. */
static bool read_simple(struct command *command, struct words words)
{
    static const struct {
        const char *word;
        enum verb verb;
        struct names *names;
    } simple[] = {{"drop", DROP, &things},
                  {"off", OFF, &watches},
                  {"stopall", STOP_ALL, &watches},
                  {"cancel", CANCEL, &watches},
                  {"schedule", SCHEDULE, &watches},
                  {"execute", EXECUTE, &watches},
                  {"immediate", IMMEDIATE, &watches},
                  {"endloop", END_LOOP, &loops},
                  {"dropobserver", DROP_OBSERVER, &watches},
                  {"invalidateall", INVALIDATE_ALL, &things},
                  {"force", FORCE, &things}};
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++) {
        if (strcmp(simple[i].word, words.word[0]) == 0) {
            int8_t name = (int8_t)named(simple[i].names, words.word[1]);
            command->verb = (uint8_t)simple[i].verb;
            command->thing = command->watch = name;
            command->loop = (int8_t)(name + 1);
            return true;
        }
    }
    return false;
}

/* Lists ------------------------------------------------------------------- */

static int8_t read_position(const char *word)
{
    if (!word_is_number(word) || atoi(word) > ROOM) {
        leave_out("position", word);
    }
    return (int8_t)atoi(word);
}

/* `[X Y]`. */
static void read_content(struct list_edit *edit, const char *word)
{
    char text[100];
    if (word[0] != '[' || strlen(word) >= sizeof text) {
        leave_out("content", word);
    }
    snprintf(text, sizeof text, "%s", word + 1);
    for (char *at = strtok(text, " ]"); at; at = strtok(NULL, " ]")) {
        if (edit->inserted == ROOM) {
            leave_out("content", word);
        }
        edit->item[edit->inserted++] = (int8_t)named(&things, at);
    }
}

static enum word edit_word(const char *word)
{
    int found = TOLD + 1;
    while (found < EDIT_WORDS &&
           strcmp(edit_name((enum word)found), word) != 0) {
        found++;
    }
    return found < EDIT_WORDS ? (enum word)found : TOLD;
}

/* The positions first, then what comes. */
static void read_edit_of_items(struct command *command, struct words rest)
{
    struct list_edit *edit = &command->edit[0];
    enum word word = (enum word)command->word;
    bool has_place = word == INSERT || word == REMOVE || word == REPLACE ||
                     word == MOVE_ITEM || word == SWAP || word == REPLACE_RANGE;
    bool has_second =
        word == MOVE_ITEM || word == SWAP || word == REPLACE_RANGE;
    if (has_place) {
        edit->at = read_position(rest.word[0]);
    }
    if (has_second) {
        edit->to = read_position(rest.word[1]);
        edit->removed = (int8_t)(edit->to - edit->at);
    }
    rest = words_from(rest, (size_t)has_place + has_second);
    if (rest.count == 0 || word == SORT) {
        return;
    }
    if (rest.word[0][0] == '[') {
        read_content(edit, rest.word[0]);
    } else {
        edit->inserted = 1;
        edit->item[0] = (int8_t)read_thing(rest.word[0]);
    }
}

/* Dictionaries ------------------------------------------------------------ */

/* A key as a path has it. */
static const char *element_of_key(const char *key)
{
    return strcmp(key, "count") == 0 ? "\\count" : key;
}

static int8_t read_key(const char *key)
{
    for (int k = KEY; k <= LAST_KEY; k++) {
        if (strcmp(property_names[k], element_of_key(key)) == 0) {
            return (int8_t)(k - KEY);
        }
    }
    leave_out("key", key);
}

static void add_edit(struct command *command, struct list_edit edit)
{
    if (command->edits == EDITS) {
        leave_out("too many", "edits");
    }
    command->edit[command->edits++] = edit;
}

/* The next of `{"k":X "l":Y}`, which is taken apart; NULL: there is none. */
static char *next_pair(char **at, char **value)
{
    char *key = strchr(*at, '"'), *end = key ? strchr(key + 1, '"') : NULL;
    if (!end || end[1] != ':') {
        return NULL;
    }
    *end = '\0';
    *value = end + 2;
    *at = *value + strcspn(*value, " }");
    *at += **at != '\0';
    (*at)[-1] = '\0';
    return key + 1;
}

/* Puts each. */
static void read_pairs(struct command *command, const char *word)
{
    char text[200], *at = text, *key, *value;
    if (word[0] != '{' || strlen(word) >= sizeof text) {
        leave_out("content", word);
    }
    strcpy(text, word);
    while ((key = next_pair(&at, &value)) != NULL) {
        struct list_edit edit = {
            .kind = PUT, .at = read_key(key), .inserted = 1};
        edit.item[0] = (int8_t)read_value(A, value);
        add_edit(command, edit);
    }
}

static void read_edit_of_keys(struct command *command, struct words rest)
{
    if (command->word != PUT_KEY && command->word != DELETE_KEY) {
        read_pairs(command, rest.word[0]);
        return;
    }
    struct list_edit edit = {.kind = command->word == PUT_KEY ? PUT : DELETE,
                             .at = read_key(word_text(rest.word[0])),
                             .inserted = command->word == PUT_KEY};
    if (command->word == PUT_KEY) {
        edit.item[0] = (int8_t)read_value(A, rest.word[1]);
    }
    add_edit(command, edit);
}

static void add_key(const char *key)
{
    static char names[KEYS][24];
    key = element_of_key(key);
    for (int k = KEY; k <= LAST_KEY; k++) {
        if (strcmp(property_names[k], key) == 0) {
            return;
        }
        if (property_names[k][0] == '\0' && strlen(key) < sizeof *names) {
            property_names[k] = strcpy(names[k - KEY], key);
            return;
        }
    }
}

/* All that is ever put or deleted has a place from the start. */
static void find_keys(void)
{
    for (int k = KEY; k <= LAST_KEY; k++) {
        property_names[k] = k == KEY_OF_COUNT ? "\\count" : "";
    }
    for (size_t l = 0; l < scenario->line_count; l++) {
        const struct words *words = &scenario->lines[l];
        for (size_t i = 0; i < words->count; i++) {
            const char *word = words->word[i];
            char text[200], *at = text, *key, *value;
            bool names =
                strcmp(word, "put") == 0 || strcmp(word, "delete") == 0;
            if (names && i + 2 < words->count) {
                add_key(word_text(words->word[i + 2]));
            }
            snprintf(text, sizeof text, "%s", word[0] == '{' ? word : "");
            while ((key = next_pair(&at, &value)) != NULL) {
                add_key(key);
            }
        }
    }
}

/* Sets -------------------------------------------------------------------- */

/* `[X Y]`, a bit each. */
static uint64_t read_members(const char *word)
{
    struct list_edit content = {.inserted = 0};
    uint64_t members = 0;
    read_content(&content, word);
    for (int i = 0; i < content.inserted; i++) {
        members |= UINT64_C(1) << content.item[i];
    }
    return members;
}

static void read_edit(struct command *command, struct words words)
{
    struct words rest = words_from(words, 2);
    command->verb = EDIT;
    command->word = (uint8_t)edit_word(words.word[0]);
    read_place(command, words.word[1]);
    bool is_of_keys = command->word == PUT_KEY || command->word == DELETE_KEY ||
                      (rest.count > 0 && rest.word[0][0] == '{');
    if (is_of_keys) {
        read_edit_of_keys(command, rest);
    } else {
        read_edit_of_items(command, rest);
    }
}

/* Reads the operand of a set: a value, a new container, or one that stands
   elsewhere. */
static void read_set_value(struct command *command, const char *word)
{
    int property = command->place[command->places - 1];
    bool is_container = sort_held(property) != OBJECTS;
    struct command of = {.verb = SET};
    if (strchr("[{", word[0]) && !is_container) {
        leave_out("content", word);
    }
    if (word[0] == '[') {
        command->word = CONTENT;
        read_content(&command->edit[0], word);
    } else if (word[0] == '{') {
        command->word = CONTENT;
        read_pairs(command, word);
    } else if (is_container && strchr(word, '.') != NULL) {
        read_place(&of, word);
        if (of.places != 1 || of.place[0] != property) {
            leave_out("value", word);
        }
        command->word = SHARED;
        command->value = of.thing;
    } else {
        command->value = read_value(property, word);
    }
}

static bool is_expectation(const char *word)
{
    static const char *const words[] = {
        "calls",    "order",    "saw",        "root",    "value",
        "count",    "observed", "unresolved", "alive",   "dead",
        "observer", "block",    "pending",    "dropped", "reports",
        "old",      "now",      "record",     "records", "truncated",
        "told",     "leads",    "evals",      "valid",   "invalid"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static struct command read_command(struct words words)
{
    struct command command = {.by = -1, .block = -1};
    const char *word = words.word[0];
    struct words rest = words_from(words, 1);
    if (is_expectation(word)) {
        command.verb = EXPECT;
        command.nested = keep_line(words);
    } else if (strcmp(word, "set") == 0 || strcmp(word, "poke") == 0) {
        command.verb = word[0] == 's' ? SET : POKE;
        read_place(&command, rest.word[0]);
        if (command.verb == SET) {
            read_set_value(&command, rest.word[1]);
        } else {
            command.value =
                read_value(command.place[command.places - 1], rest.word[1]);
        }
    } else if (strcmp(word, "read") == 0 ||
               (strcmp(word, "invalidate") == 0 && rest.count == 1)) {
        command.verb = word[0] == 'r' ? READ : INVALIDATE;
        read_place(&command, rest.word[0]);
    } else if (edit_word(word) != TOLD) {
        read_edit(&command, words);
    } else if (strcmp(word, "trigger") == 0) {
        command.verb = TRIGGER;
        read_trigger(&command, rest);
    } else if (strcmp(word, "observe") == 0 || strcmp(word, "typed") == 0 ||
               strcmp(word, "token") == 0) {
        command.verb = OBSERVE;
        command.options = strcmp(word, "token") == 0 ? TOKEN : 0;
        read_observe(&command, rest);
    } else if (strcmp(word, "class") == 0) {
        command.verb = OBSERVE_CLASS;
        read_observe(&command, rest);
    } else if (strcmp(word, "also") == 0) {
        command.verb = ALSO;
        command.watch = (int8_t)named(&watches, rest.word[0]);
        command.thing = (int8_t)named(&things, rest.word[1]);
        read_paths(&command, words_from(rest, 2));
    } else if (strcmp(word, "on") == 0 || strcmp(word, "ondrop") == 0) {
        command.verb = word[2] == '\0' ? ON : ON_DROP;
        command.watch = (int8_t)named(&watches, rest.word[0]);
        command.nested = read_nested(words_from(rest, 1));
    } else if (strcmp(word, "ondeinit") == 0) {
        command.verb = ON_DEINIT;
        command.thing = (int8_t)named(&things, rest.word[0]);
        command.nested = read_nested(words_from(rest, 1));
    } else if (strcmp(word, "stop") == 0) {
        read_stop(&command, rest);
    } else if (strcmp(word, "stopblock") == 0) {
        command.verb = STOP_BLOCK_CLASS;
        command.watch = (int8_t)named(&watches, rest.word[0]);
        if (!read_class(&command, rest.word[1])) {
            command.verb = STOP_BLOCK;
            command.thing = (int8_t)named(&things, rest.word[1]);
        }
    } else if (strcmp(word, "loop") == 0) {
        command.verb = LOOP;
        command.loop = (int8_t)(add(&loops, rest.word[0], LOOPS - 1) + 1);
    } else if (strcmp(word, "drain") == 0) {
        read_drain(&command, rest);
    } else if (strcmp(word, "batch") == 0 || strcmp(word, "end") == 0) {
        command.verb = word[0] == 'b' ? BATCH : END;
    } else if (strcmp(word, "cancelwait") == 0) {
        command.verb = CANCEL_WAIT;
        command.watch = (int8_t)named(&watches, rest.word[0]);
        command.refused = strcmp(rest.word[1], "false") == 0;
    } else if (strcmp(word, "thread") == 0) {
        command.verb = THREAD;
        command.nested = read_nested(rest);
    } else if (strcmp(word, "fails") == 0 &&
               strcmp(rest.word[0], "refused") == 0 &&
               strcmp(rest.word[1], "execute") == 0) {
        command = read_command(words_from(rest, 1));
        command.refused = true;
    } else if (strcmp(word, "fails") == 0 &&
               strcmp(rest.word[0], "depth") == 0) {
        command = read_command(words_from(rest, 1));
    } else if (!read_simple(&command, words)) {
        leave_out("command", word);
    }
    return command;
}

/* `fails kind`, `fails past-end`: of observing, or of an edit, which the model
   refuses. */
static void run_failing(struct words words)
{
    static const char *const answers[] = {
        [GRANTED] = "", [NO_SUCH_ELEMENT] = "kind", [PAST_END] = "past-end"};
    struct command command = read_command(words_from(words, 2));
    bool good = model_step(&script, &command);
    bool asks = command.verb == OBSERVE || command.verb == OBSERVE_CLASS ||
                command.verb == ALSO;
    if (good ? !asks : command.verb != EDIT) {
        leave_out("refused:", good ? "not" : rejected);
    }
    if (good && strcmp(answers[events[0].answer], words.word[1]) != 0) {
        differ("the answer", events[0].answer, words.word[1]);
    }
}

static void read_new(struct words words)
{
    const char *last = words.word[words.count - 1];
    bool is_sub = words.count > 1 && strcmp(last, "Sub") == 0;
    words.count -= is_sub;
    for (size_t i = 0; i < words.count; i++) {
        char *name = words.word[i], *colon = strchr(name, ':');
        if (colon == name) {
            continue;
        }
        if (colon) {
            *colon = '\0';
        }
        struct command command = {.verb = is_sub ? NEW_SUB : NEW};
        command.thing = (int8_t)add(&things, name, CONTAINERS);
        if (!model_step(&script, &command)) {
            leave_out("refused:", rejected);
        }
    }
}

/* Expectations ------------------------------------------------------------ */

static void expect_number(const char *what, long have, const char *want)
{
    if (have != strtol(want, NULL, 10)) {
        differ(what, have, want);
    }
}

static bool is_value(int property, val have, const char *word)
{
    val want = read_value(property, word);
    return have == want || have == ANY ||
           (have >= -1 && want >= -1 && values_equal(property, have, want));
}

static void expect_value(const char *what, int property, val have,
                         const char *word)
{
    if (!is_value(property, have, word)) {
        char text[TEXT_OF_PATH];
        (void)value_text(property, have, text);
        if (failure[0] == '\0') {
            snprintf(failure, sizeof failure, "line %u: %s is %s, not %s",
                     line_now, what, text, word);
        }
    }
}

static struct watch *watch_named(const char *name)
{
    return &world.watch[named(&watches, name)];
}

/* A set in brackets contains exactly what `is_in` says. */
static void expect_set(const char *what, const char *text,
                       bool (*is_in)(int, int), int of)
{
    char copy[200] = " ";
    strncat(copy, text + 1, sizeof copy - 3);
    copy[strlen(copy) - 1] = '\0';
    strcat(copy, " ");
    for (int e = 0; e < UNKNOWN; e++) {
        char name[40];
        if (element_of(property_names[e]) != e || !property_names[e][0]) {
            continue; /* a key without a name, or with that of a property */
        }
        snprintf(name, sizeof name, " %s ", property_names[e]);
        if ((strstr(copy, name) != NULL) != is_in(of, e)) {
            differ(what, is_in(of, e), property_names[e]);
        }
    }
}

static void expect_unresolved(const struct watch *watch, struct words words)
{
    char have[400] = "[", path[TEXT_OF_PATH];
    if (watch->of_class && unresolved_of(watch) > 0) {
        strcat(have, path_text(&watch->class_path, path));
    }
    for (int p = 0; p < PAIRS; p++) {
        const struct pair *pair = &watch->pair[p];
        if (pair->linked && (!is_resolved(pair) || pair->is_nowhere)) {
            strcat(have, have[1] ? " " : "");
            strcat(have, path_text(&pair->path, path));
        }
    }
    strcat(have, "]");
    /* In the order of registration, or the other way round. */
    if (strlen(have) != strlen(words.word[0])) {
        differ("unresolved", (long)strlen(have), words.word[0]);
    }
}

static void expect_order(struct words words)
{
    bool same = words.count == (size_t)world.order_count;
    for (size_t i = 0; i < words.count && same; i++) {
        same = named(&watches, words.word[i]) == world.order[i];
    }
    if (!same) {
        differ("the order", world.order_count,
               words.count ? words.word[0] : "");
    }
}

/* By the path as it was written, or by the way that was taken. */
static bool is_named(const struct entry *entry, const char *name)
{
    char text[TEXT_OF_PATH];
    return strcmp(path_text(&entry->path, text), name) == 0 ||
           strcmp(way_text(&entry->path, entry->way, text), name) == 0;
}

static void expect_record(struct words words)
{
    const struct watch *watch = watch_named(words.word[0]);
    for (int e = 0; e < watch->handed.count; e++) {
        const struct entry *entry = &watch->handed.entry[e];
        int property = last_property(entry->way);
        if (is_named(entry, words.word[1]) &&
            is_value(property, entry->first, words.word[2]) &&
            is_value(property, entry->last, words.word[3]) &&
            (long)entry->changes == strtol(words.word[4], NULL, 10)) {
            return;
        }
    }
    differ("a record", 0, words.word[1]);
}

/* Reads a path, which leads nowhere through a dying object. */
static val leads_to(int root, struct path path)
{
    for (int8_t length = 1; length < path.length; length++) {
        struct path begun = path;
        begun.length = length;
        val at = read_path(root, &begun);
        if (at >= 0 && world.thing[at].dying) {
            return UNREACHABLE;
        }
    }
    return read_path(root, &path);
}

static void expect_pairs(int dictionary, const char *word)
{
    struct command wanted = {.edits = 0};
    read_pairs(&wanted, word);
    bool same = world.thing[dictionary].value[COUNT] == wanted.edits;
    for (int i = 0; i < wanted.edits && same; i++) {
        const struct list_edit *edit = &wanted.edit[i];
        same = world.thing[dictionary].value[KEY + edit->at] == edit->item[0];
    }
    if (!same) {
        differ("the count", world.thing[dictionary].value[COUNT], word);
    }
}

static void expect_content(int list, const char *word)
{
    struct list_edit wanted = {.inserted = 0};
    if (is_dictionary(list)) {
        expect_pairs(list, word);
        return;
    }
    if (is_set(list)) {
        if (members_of(list, STAR) != read_members(word)) {
            differ("the count", world.thing[list].value[COUNT], word);
        }
        return;
    }
    read_content(&wanted, word);
    bool same = world.thing[list].value[COUNT] == wanted.inserted;
    for (int i = 0; i < wanted.inserted && same; i++) {
        same = world.thing[list].value[FIRST + i] == wanted.item[i];
    }
    if (!same) {
        differ("the count", world.thing[list].value[COUNT], word);
    }
}

/* The property at which the first path of an observation ends. */
static int first_property(const struct watch *watch)
{
    return last_property(way_of_path(watch->first_root, &watch->first_path));
}

static bool is_valid_one(int thing, int element)
{
    return is_computed(element) && element < OVER && is_valid(thing, element);
}

static bool is_not(int thing, int element)
{
    return is_computed(element) && element < OVER && !is_valid(thing, element);
}

static void expect_at(struct words words)
{
    const char *word = words.word[0];
    struct words rest = words_from(words, 1);
    unsigned outer = line_now;
    line_now = words.line;
    if (strcmp(word, "calls") == 0) {
        for (size_t i = 0; i + 1 < rest.count; i += 2) {
            expect_number("calls", watch_named(rest.word[i])->calls,
                          rest.word[i + 1]);
        }
    } else if (strcmp(word, "order") == 0) {
        expect_order(rest);
    } else if (strcmp(word, "saw") == 0) {
        const struct watch *watch = watch_named(rest.word[0]);
        expect_value("saw", first_property(watch), watch->saw, rest.word[1]);
    } else if (strcmp(word, "old") == 0 || strcmp(word, "now") == 0) {
        const struct watch *watch = watch_named(rest.word[0]);
        expect_value(word, first_property(watch),
                     word[0] == 'o' ? watch->old : watch->now, rest.word[1]);
    } else if (strcmp(word, "root") == 0) {
        int root = watch_named(rest.word[0])->root;
        const char *name = root < 0 ? "none" : things.name[root];
        if (strcmp(name, rest.word[1]) != 0) {
            differ("the root", 0, rest.word[1]);
        }
    } else if (strcmp(word, "record") == 0) {
        expect_record(rest);
    } else if (strcmp(word, "records") == 0 || strcmp(word, "truncated") == 0) {
        int count = watch_named(rest.word[0])->handed.count;
        int given = count < RECORDED ? count : RECORDED;
        expect_number(word, word[0] == 'r' ? given : count - given,
                      rest.word[1]);
    } else if (strcmp(word, "leads") == 0) {
        const struct path path = read_path_text(rest.word[1]);
        int root = named(&things, rest.word[0]);
        expect_value("what a path leads to",
                     last_property(way_of_path(root, &path)),
                     leads_to(root, path), rest.word[2]);
    } else if (strcmp(word, "value") == 0) {
        struct command command = {.by = -1};
        read_place(&command, rest.word[0]);
        struct path path = {.length = command.places};
        memcpy(path.element, command.place, (size_t)command.places);
        (void)read_along(command.thing, &path);
        if (strchr("[{", rest.word[1][0])) {
            expect_content(read_path(command.thing, &path), rest.word[1]);
        } else {
            expect_value("value",
                         last_property(way_of_path(command.thing, &path)),
                         read_path(command.thing, &path), rest.word[1]);
        }
    } else if (world.poked_thing >= 0) {
        leave_out("left open between", "a poke and its trigger");
    } else if (strcmp(word, "count") == 0) {
        int thing = read_thing(rest.word[0]);
        int element = element_of(rest.word[1]);
        expect_number("count", count_of(thing, element), rest.word[2]);
    } else if (strcmp(word, "evals") == 0) {
        struct command command = {.by = -1};
        read_place(&command, rest.word[0]);
        expect_number("the number of evaluations",
                      computed_at(command.thing, command.place[0])->evaluations,
                      rest.word[1]);
    } else if (strcmp(word, "valid") == 0 || strcmp(word, "invalid") == 0) {
        expect_set(word, rest.word[1], word[0] == 'v' ? is_valid_one : is_not,
                   read_thing(rest.word[0]));
    } else if (strcmp(word, "observed") == 0) {
        expect_set("observed", rest.word[1], is_observed,
                   read_thing(rest.word[0]));
    } else if (strcmp(word, "unresolved") == 0) {
        expect_unresolved(watch_named(rest.word[0]), words_from(rest, 1));
    } else if (strcmp(word, "alive") == 0 || strcmp(word, "dead") == 0) {
        bool alive = world.thing[named(&things, rest.word[0])].alive;
        if (alive != (word[0] == 'a')) {
            differ("alive", alive, rest.word[0]);
        }
    } else if (strcmp(word, "observer") == 0) {
        int observer = watch_named(rest.word[0])->observer;
        if (world.observer[observer].alive !=
            (strcmp(rest.word[1], "alive") == 0)) {
            differ("an observer", world.observer[observer].alive, rest.word[1]);
        }
    } else if (strcmp(word, "told") == 0) {
        int observer = watch_named(rest.word[0])->observer;
        expect_number("told", world.observer[observer].told, rest.word[1]);
    } else if (strcmp(word, "block") == 0) {
        int closure = watch_named(rest.word[0])->closure;
        bool held = false;
        for (int w = 0; w < world.watches; w++) {
            held = held || (world.watch[w].closure == closure &&
                            !is_done(&world.watch[w]));
        }
        if (held != (strcmp(rest.word[1], "held") == 0)) {
            differ("a block", held, rest.word[1]);
        }
    } else if (strcmp(word, "pending") == 0) {
        int pending = 0;
        for (int l = 0; l < world.loops; l++) {
            pending += pending_in(l);
        }
        expect_number("pending", pending, rest.word[0]);
    } else if (strcmp(word, "dropped") == 0) {
        expect_number("dropped", world.dropped, rest.word[0]);
    } else if (strcmp(word, "reports") == 0) {
        expect_number("reports", world.reports, rest.word[0]);
    }
    line_now = outer;
}

static void expect_line(int line)
{
    expect_at(lines[line]);
}

static void expect_count(int count)
{
    char want[20];
    snprintf(want, sizeof want, "%d", count);
    expect_number("a drain", world.drained, want);
}

/* Tests ------------------------------------------------------------------- */

/* Without names all collections are nil; else those that are named, which must be
   all that the model does not know. */
static void read_bare(struct words names)
{
    static const char *const unknown[] = {"strings", "words", "tags", "plain"};
    const size_t count = sizeof unknown / sizeof *unknown;
    bool same = names.count == count;
    for (size_t i = 0; i < count && same; i++) {
        same = strcmp(names.word[i], unknown[i]) == 0;
    }
    if (names.count > 0 && !same) {
        leave_out("bare", names.word[0]);
    }
    has_unset = true;
    gives_containers = names.count > 0;
}

static void run_lines(void)
{
    has_unset = false;
    gives_containers = true;
    find_keys();
    forget_hashes();
    for (size_t i = 0; i < scenario->line_count && !failure[0]; i++) {
        struct words words = scenario->lines[i];
        line_now = words.line;
        if (strcmp(words.word[0], "bare") == 0) {
            read_bare(words_from(words, 1));
            continue;
        }
        if (strcmp(words.word[0], "new") == 0) {
            read_new(words_from(words, 1));
            continue;
        }
        if (strcmp(words.word[0], "fails") == 0 &&
            (strcmp(words.word[1], "kind") == 0 ||
             strcmp(words.word[1], "past-end") == 0)) {
            run_failing(words);
            continue;
        }
        struct command command = read_command(words);
        if (!model_step(&script, &command)) {
            leave_out("refused:", rejected);
        }
    }
}

enum outcome { PASSED, FAILED, LEFT_OUT };

static enum outcome run_test(void)
{
    left_out[0] = failure[0] = '\0';
    things.count = watches.count = loops.count = line_count = 0;
    memset(&script, 0, sizeof script);
    model_begin();
    script.computes = true;
    if (setjmp(test_over) == 0) {
        run_lines();
    }
    return failure[0] ? FAILED : left_out[0] ? LEFT_OUT : PASSED;
}

int main(int count, char **words)
{
    int counts[3] = {0, 0, 0};
    expect = expect_line;
    blocks_read = knows_mended = true;
    expect_drained = expect_count;
    for (int f = 1; f < count; f++) {
        if (strcmp(words[f], "--verbose") == 0) {
            verbose = true;
            continue;
        }
        scenario = script_read(words[f]);
        if (!scenario) {
            printf("not ok %s: it cannot be read\n", words[f]);
            counts[FAILED]++;
        }
        for (; scenario; scenario = scenario->next) {
            enum outcome outcome = run_test();
            counts[outcome]++;
            if (outcome == FAILED) {
                printf("not ok %s: %s\n", scenario->name, failure);
            } else if (verbose) {
                printf("%s %s %s\n", outcome == PASSED ? "ok" : "--",
                       scenario->name, left_out);
            }
        }
    }
    printf("%d tests say more than the model knows\n", counts[LEFT_OUT]);
    printf("%d passed, %d failed\n", counts[PASSED], counts[FAILED]);
    return counts[FAILED] == 0 && counts[PASSED] > 0 ? 0 : 1;
}
