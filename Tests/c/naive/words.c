/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and values of programs, and how a script spells them.
 */
#include "program.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *property_names[UNKNOWN] = {"i",
                                       "j",
                                       "d",
                                       "flag",
                                       "s",
                                       "t",
                                       "a",
                                       "b",
                                       "c",
                                       "w",
                                       "clamped",
                                       "f",
                                       "list",
                                       "dict",
                                       "set",
                                       "sum",
                                       "twice",
                                       "label",
                                       "deep",
                                       "pick",
                                       "tenfold",
                                       "over",
                                       "far",
                                       "k",
                                       "strings",
                                       "words",
                                       "tags",
                                       "plain",
                                       "any",
                                       "count",
                                       "#0",
                                       "#1",
                                       "#2",
                                       "#3",
                                       "#4",
                                       "x",
                                       "y",
                                       "\\count",
                                       "a",
                                       "i",
                                       "b",
                                       "*",
                                       "0",
                                       "1",
                                       "2",
                                       "3",
                                       "4",
                                       "99",
                                       "&7",
                                       "&4294967303",
                                       "&9223372036854775815",
                                       "&18446744073709551615",
                                       "&0",
                                       "&1",
                                       "&2",
                                       "&3",
                                       "&4",
                                       "&5",
                                       "&6",
                                       "&8",
                                       "&9"};

int8_t hash_of[THINGS] = {HASH,     HASH,     HASH,     HASH + 1,
                          HASH + 1, HASH + 1, HASH + 2, HASH + 2,
                          HASH + 2, HASH + 3, HASH + 3, HASH + 3};

static char unknown_names[UNKNOWN_NAMES][24] = {"zz"};
static int unknown_count = 1;

static const char *texts[TEXTS] = {"", "x", "y"};
static char text_memory[TEXTS][48];
static int text_count = 3;
static double doubles[DOUBLES] = {0.0, -0.0, 1.5, (double)NAN};
static int double_count = 4;

const char *element_name(int element)
{
    return element < UNKNOWN ? property_names[element]
                             : unknown_names[element - UNKNOWN];
}

int element_of(const char *name)
{
    for (int e = 0; e < UNKNOWN + unknown_count; e++) {
        if (strcmp(element_name(e), name) == 0) {
            return e;
        }
    }
    if (unknown_count == UNKNOWN_NAMES ||
        strlen(name) >= sizeof unknown_names[0]) {
        return -1;
    }
    strcpy(unknown_names[unknown_count], name);
    return UNKNOWN + unknown_count++;
}

enum kind kind_of(int property)
{
    static const enum kind kinds[K + 1] = {
        INT,    INT,    DOUBLE, BOOL,   TEXT,   TEXT,   OBJECT, OBJECT,
        OBJECT, OBJECT, INT,    INT,    OBJECT, OBJECT, OBJECT, INT,
        INT,    TEXT,   INT,    OBJECT, INT,    INT,    OBJECT, INT};
    return property == F       ? ADDRESS
           : property == COUNT ? INT
           : property <= K     ? kinds[property]
                               : OBJECT;
}

bool holds_thing(int property)
{
    return (property >= A && property <= W) || property == L ||
           property == DICT || property == SET_OF_THINGS || property == PICK ||
           property == FAR || is_position(property) || is_key(property) ||
           is_number(property) || is_hash(property) || property >= ITEM;
}

bool is_computed(int property)
{
    return property >= SUM && property <= FAR;
}

bool is_position(int element)
{
    return element >= FIRST && element <= LAST;
}

bool is_key(int property)
{
    return property >= KEY && property <= LAST_KEY;
}

bool is_hash(int element)
{
    return element >= HASH && element <= LAST_HASH;
}

const char *edit_name(enum word word)
{
    static const char *const names[EDIT_WORDS] = {[TOLD] = "",
                                                  [APPEND] = "append",
                                                  [INSERT] = "insert",
                                                  [REMOVE] = "remove",
                                                  [REPLACE] = "replace",
                                                  [MOVE_ITEM] = "move",
                                                  [SWAP] = "swap",
                                                  [SORT] = "sort",
                                                  [REVERSE] = "reverse",
                                                  [SHUFFLE] = "shuffle",
                                                  [CLEAR] = "clear",
                                                  [ASSIGN] = "assign",
                                                  [REPLACE_RANGE] =
                                                      "replacerange",
                                                  [PUT_KEY] = "put",
                                                  [DELETE_KEY] = "delete",
                                                  [ADD] = "add",
                                                  [DISCARD] = "discard",
                                                  [UNION] = "union",
                                                  [INTERSECT] = "intersect",
                                                  [SUBTRACT] = "subtract",
                                                  [SYMMETRIC] = "symmetric"};
    return word < EDIT_WORDS ? names[word] : "";
}

const char *key_text(int property)
{
    const char *name = property_names[property];
    return name + (name[0] == '\\');
}

int key_of(int element)
{
    for (int k = KEY; k <= LAST_KEY && element != COUNT; k++) {
        if (strcmp(property_names[k], element_name(element)) == 0) {
            return k;
        }
    }
    return element;
}

bool is_number(int element)
{
    return element >= NUMBER && element <= BEYOND;
}

const char *thing_name(int thing)
{
    static const char *const names[] = {"A", "B", "C", "D", "E", "F", "X", "Y",
                                        "Z", "W", "G", "H", "J", "K", "U", "V"};
    const int named = sizeof names / sizeof *names;
    static const char *const addresses[ADDRESSES] = {"&0", "&1", "&2"};
    return thing < 0         ? "nil"
           : thing >= THINGS ? addresses[thing - THINGS]
           : thing >= named  ? "one more"
                             : names[thing];
}

const char *watch_name(int watch)
{
    static const char *const names[WATCHES] = {
        "O",  "P",  "Q",  "R",  "S",  "T",  "U",  "V",
        "O2", "P2", "Q2", "R2", "S2", "T2", "U2", "V2"};
    return names[watch];
}

const char *loop_name(int loop)
{
    static const char *const names[LOOPS] = {"", "L", "M", "N", "K"};
    return names[loop];
}

const char *text_at(val value)
{
    return value < 0 ? NULL : texts[value];
}

double double_at(val value)
{
    return doubles[value];
}

val text_value(const char *text)
{
    for (int i = 0; i < text_count; i++) {
        if (strcmp(texts[i], text) == 0) {
            return i;
        }
    }
    if (text_count == TEXTS || strlen(text) >= sizeof text_memory[0]) {
        return ANY;
    }
    texts[text_count] = strcpy(text_memory[text_count], text);
    return text_count++;
}

val double_value(double number)
{
    for (int i = 0; i < double_count; i++) {
        if (memcmp(&doubles[i], &number, sizeof number) == 0 ||
            (isnan(number) && isnan(doubles[i]))) {
            return i;
        }
    }
    if (double_count == DOUBLES) {
        return ANY;
    }
    doubles[double_count] = number;
    return double_count++;
}

bool values_equal(int property, val a, val b)
{
    if (a == b || a == UNREACHABLE || b == UNREACHABLE ||
        kind_of(property) != DOUBLE) {
        return a == b;
    }
    double left = doubles[a], right = doubles[b];
    return !(left < right || left > right || isnan(left) || isnan(right));
}

const char *path_text(const struct path *path, char *to)
{
    to[0] = '\0';
    for (int e = 0; e < path->length; e++) {
        strcat(to, e ? "." : "");
        strcat(to, element_name(path->element[e]));
    }
    return to;
}

const char *way_text(const struct path *path, uint64_t way, char *to)
{
    struct path taken = *path;
    for (int e = path->length; e-- > 0; way /= WAY) {
        int name = (int)(way % WAY);
        if (name < ITEM) {
            taken.element[e] = (int8_t)name;
        }
    }
    return path_text(&taken, to);
}

const char *value_text(int property, val value, char *to)
{
    if (value == UNREACHABLE) {
        return strcpy(to, "unreachable");
    }
    switch (kind_of(property)) {
    case INT:
        sprintf(to, "%d", (int)value);
        break;
    case BOOL:
        strcpy(to, value ? "true" : "false");
        break;
    case DOUBLE:
        if (isnan(doubles[value])) {
            strcpy(to, "nan");
        } else {
            sprintf(to, "%.17g", doubles[value]);
            strcat(to, strpbrk(to, ".e") ? "" : ".0");
        }
        break;
    case TEXT:
        if (value < 0) {
            strcpy(to, "nil");
        } else {
            sprintf(to, "\"%s\"", texts[value]);
        }
        break;
    case OBJECT:
    case ADDRESS:
        strcpy(to, thing_name(value));
        break;
    }
    return to;
}
