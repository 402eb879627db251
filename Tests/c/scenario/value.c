/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values: what a script writes, reads and expects. An object is meant by its
 * name's entry, which outlives it, so a value never dangles.
 */
#include "list.h"
#include "scenario.h"
#include "thing.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_word(const char *word, struct value *value)
{
    static const struct {
        const char *word;
        struct value value;
    } constants[] = {
        {"unreachable", {.kind = VALUE_UNREACHABLE}},
        {"nil", {.kind = VALUE_NIL}},
        {"true", {.kind = VALUE_BOOL, .truth = true}},
        {"false", {.kind = VALUE_BOOL}},
        {"nan", {.kind = VALUE_FLOAT, .real = (double)NAN}},
    };
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (strcmp(word, constants[i].word) == 0) {
            *value = constants[i].value;
            return true;
        }
    }
    return false;
}

static bool parse_number(const char *word, struct value *value)
{
    char *end = NULL;
    if (!isdigit((unsigned char)word[*word == '-'])) {
        return false;
    }
    errno = 0;
    value->kind = VALUE_INT;
    value->integer = strtoll(word, &end, 10);
    if (*end == '\0' && errno == 0) {
        return true;
    }
    value->kind = VALUE_FLOAT;
    value->real = strtod(word, &end);
    return *end == '\0';
}

/* What stands in brackets, part by part. */
static struct value parse_list(const char *word)
{
    size_t length = strlen(word), room = length / 2 + 1;
    struct value value = {.kind = VALUE_LIST,
                          .items = keep(room * sizeof *value.items)};
    for (const char *at = word + 1, *end = word + length - 1; at < end;) {
        const char *next = word_behind(at, end);
        size_t size = (size_t)(next - at);
        if (size > 0) {
            value.items[value.item_count++] =
                value_parse(memcpy(keep(size + 1), at, size));
        }
        at = next + 1;
    }
    return value;
}

/* The end of a key in quotes; behind it stands a colon, and what it stands
   for. */
static const char *behind_key(const char *at, const char *word)
{
    const char *end = *at == '"' ? at + 1 : NULL;
    while (end && *end != '"' && *end != '\0') {
        end += *end == '\\' && end[1] != '\0' ? 2 : 1;
    }
    if (!end || end[0] != '"' || end[1] != ':') {
        fail("a dictionary is written {\"key\":VALUE}: %s", word);
    }
    return end + 1;
}

static struct value parse_dictionary(const char *word)
{
    size_t length = strlen(word), room = length / 2 + 1;
    struct value value = {.kind = VALUE_DICTIONARY,
                          .items = keep(room * sizeof *value.items),
                          .keys = keep(room * sizeof *value.keys)};
    for (const char *at = word + 1, *end = word + length - 1; at < end;) {
        const char *next = word_behind(at, end);
        if (next > at) {
            const char *colon = behind_key(at, word);
            size_t key = (size_t)(colon - at),
                   item = (size_t)(next - colon - 1);
            value.keys[value.item_count] =
                word_text(memcpy(keep(key + 1), at, key));
            value.items[value.item_count++] =
                value_parse(memcpy(keep(item + 1), colon + 1, item));
        }
        at = next + 1;
    }
    return value;
}

struct value value_parse(const char *word)
{
    struct value value = {.kind = VALUE_NIL};
    if (parse_word(word, &value) || parse_number(word, &value)) {
        return value;
    }
    if (word[0] == '"') {
        value.kind = VALUE_TEXT;
        value.text = word_text(word);
    } else if (word[0] == '[') {
        value = parse_list(word);
    } else if (word[0] == '{') {
        value = parse_dictionary(word);
    } else if (isupper((unsigned char)word[0]) && strchr(word, '.')) {
        value = place_read(word);
    } else if (isupper((unsigned char)word[0])) {
        value.kind = VALUE_OBJECT;
        value.object = world_named(word);
    } else {
        fail("this is no value: %s", word);
    }
    return value;
}

const char *word_with_hashes(const char *word)
{
    const char *at = word[0] == '"' ? NULL : strstr(word, "&(");
    if (!at) {
        return word;
    }
    const char *end = strchr(at, ')'), *begin = at + 2;
    size_t size = (size_t)(end - begin), room = strlen(word) + 24;
    struct value member = value_parse(memcpy(keep(size + 1), begin, size));
    char *text = keep(room);
    snprintf(text, room, "%.*s&%" PRIu64 "%s", (int)(at - word), word,
             list_hash(&member), end + 1);
    return word_with_hashes(text);
}

static struct value text_handed(const char *text)
{
    if (!text) {
        return (struct value){.kind = VALUE_NIL};
    }
    size_t size = strlen(text) + 1;
    return (struct value){.kind = VALUE_TEXT,
                          .text = memcpy(keep(size), text, size)};
}

static struct value object_handed(const struct obv_object *object)
{
    if (!object) {
        return (struct value){.kind = VALUE_NIL};
    }
    if (list_is_one(object)) {
        return list_value((struct list *)(uintptr_t)object);
    }
    return (struct value){.kind = VALUE_OBJECT,
                          .object = ((const struct thing *)object)->named};
}

struct value value_handed(const struct obv_value *handed)
{
    const struct obv_property *property = handed->property;
    if (obv_value_is_reachable(handed) != (property != NULL) ||
        (property && property->kind != handed->kind)) {
        fail("a value was handed over that is not of its property's kind");
    }
    switch (handed->kind) {
    case OBV_KIND_unreachable:
        return (struct value){.kind = VALUE_UNREACHABLE};
    case OBV_KIND_bool:
        return (struct value){.kind = VALUE_BOOL, .truth = handed->as.boolean};
    case OBV_KIND_i64:
        return (struct value){.kind = VALUE_INT, .integer = handed->as.i64};
    case OBV_KIND_size:
        return (struct value){.kind = VALUE_INT,
                              .integer = (int64_t)handed->as.u64};
    case OBV_KIND_f64:
        return (struct value){.kind = VALUE_FLOAT, .real = handed->as.f64};
    case OBV_KIND_string:
        return text_handed(handed->as.string);
    case OBV_KIND_object:
        return object_handed(handed->as.object);
    default:
        fail("a value was handed over of kind %d, which no Thing has",
             (int)handed->kind);
    }
}

static bool is_numeric(const struct value *value)
{
    return value->kind == VALUE_INT || value->kind == VALUE_FLOAT;
}

static double as_real(const struct value *value)
{
    return value->kind == VALUE_INT ? (double)value->integer : value->real;
}

static bool reals_equal(double a, double b)
{
    return (isnan(a) && isnan(b)) || !(a < b || a > b || isnan(a) || isnan(b));
}

static bool items_equal(const struct value *a, const struct value *b)
{
    bool equal = a->item_count == b->item_count;
    for (size_t i = 0; equal && i < a->item_count; i++) {
        equal = value_equal(&a->items[i], &b->items[i]);
    }
    return equal;
}

/* In whatever order. */
static bool members_equal(const struct value *a, const struct value *b)
{
    bool equal = a->item_count == b->item_count;
    for (size_t i = 0; equal && i < a->item_count; i++) {
        bool found = false;
        for (size_t k = 0; !found && k < b->item_count; k++) {
            found = value_equal(&a->items[i], &b->items[k]);
        }
        equal = found;
    }
    return equal;
}

/* In whatever order. */
static bool pairs_equal(const struct value *a, const struct value *b)
{
    bool equal = a->item_count == b->item_count;
    for (size_t i = 0; equal && i < a->item_count; i++) {
        bool found = false;
        for (size_t k = 0; !found && k < b->item_count; k++) {
            found = strcmp(a->keys[i], b->keys[k]) == 0 &&
                    value_equal(&a->items[i], &b->items[k]);
        }
        equal = found;
    }
    return equal;
}

bool value_equal(const struct value *a, const struct value *b)
{
    if (a->kind == VALUE_SET && b->kind == VALUE_LIST) {
        return members_equal(a, b); /* written in brackets as well */
    }
    if (a->kind != b->kind) {
        return is_numeric(a) && is_numeric(b) &&
               reals_equal(as_real(a), as_real(b));
    }
    switch (a->kind) {
    case VALUE_BOOL:
        return a->truth == b->truth;
    case VALUE_INT:
        return a->integer == b->integer;
    case VALUE_FLOAT:
        return reals_equal(a->real, b->real);
    case VALUE_TEXT:
        return strcmp(a->text, b->text) == 0;
    case VALUE_OBJECT:
        return a->object == b->object;
    case VALUE_LIST:
        return items_equal(a, b);
    case VALUE_SET:
        return members_equal(a, b);
    case VALUE_DICTIONARY:
        return pairs_equal(a, b);
    case VALUE_UNREACHABLE:
    case VALUE_NIL:
    case VALUE_ANY: /* no value's */
        break;
    }
    return true;
}

static const char *items_print(const struct value *value)
{
    bool has_keys = value->kind == VALUE_DICTIONARY;
    size_t room = 3;
    for (size_t i = 0; i < value->item_count; i++) {
        room += strlen(value_print(&value->items[i])) + 1;
        room += has_keys ? strlen(value->keys[i]) + 3 : 0;
    }
    char *text = keep(room);
    strcat(text, has_keys ? "{" : "[");
    for (size_t i = 0; i < value->item_count; i++) {
        strcat(text, i ? " " : "");
        if (has_keys) {
            strcat(strcat(strcat(text, "\""), value->keys[i]), "\":");
        }
        strcat(text, value_print(&value->items[i]));
    }
    return strcat(text, has_keys ? "}" : "]");
}

const char *value_print(const struct value *value)
{
    static const char *const constants[] = {"unreachable", "nil"};
    size_t room = value->kind == VALUE_TEXT ? strlen(value->text) + 3 : 64;
    char *text = keep(room);
    switch (value->kind) {
    case VALUE_UNREACHABLE:
    case VALUE_NIL:
        return constants[value->kind];
    case VALUE_BOOL:
        return value->truth ? "true" : "false";
    case VALUE_OBJECT:
        return value->object->name;
    case VALUE_LIST:
    case VALUE_SET:
    case VALUE_DICTIONARY:
        return items_print(value);
    case VALUE_INT:
        snprintf(text, room, "%" PRId64, value->integer);
        break;
    case VALUE_FLOAT:
        snprintf(text, room, "%g", value->real);
        break;
    case VALUE_TEXT:
        snprintf(text, room, "\"%s\"", value->text);
        break;
    case VALUE_ANY: /* no value's */
        break;
    }
    return text;
}
