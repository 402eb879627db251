/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements of key paths as text: the inverse of the scanner. It sets an escape
 * where the scanner would read something else without it, and nowhere else.
 */
#include "path/path.h"

#include "base/names.h"
#include "platform/atomic.h"

#include <observable/component.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A buffer that counts on when it is full. */
struct sink {
    char *buffer;
    size_t size;
    size_t length;
};

static void sink_put(struct sink *sink, char c)
{
    if (sink->length + 1 < sink->size) {
        sink->buffer[sink->length] = c;
    }
    sink->length++;
}

static void sink_plain(struct sink *sink, const char *text)
{
    for (; *text; text++) {
        sink_put(sink, *text);
    }
}

static void sink_number(struct sink *sink, uint64_t number)
{
    char digits[21];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    sink_plain(sink, digits);
}

static bool is_special(char c)
{
    return c != '\0' && strchr(".*#&@\\", c);
}

/* Whether a name without special characters would be read as something else:
   as a number, or as `count`. */
static bool is_ambiguous(const char *text, size_t length)
{
    size_t digits = strspn(text, "0123456789");
    return length > 0 &&
           (digits == length || (length == 5 && memcmp(text, "count", 5) == 0));
}

static void sink_name(struct sink *sink, const char *text, size_t length)
{
    if (is_ambiguous(text, length)) {
        sink_put(sink, '\\');
    }
    for (size_t i = 0; i < length; i++) {
        if (is_special(text[i])) {
            sink_put(sink, '\\');
        }
        sink_put(sink, text[i]);
    }
}

uint32_t obv__element_name(const struct obv_element *element)
{
    if (element->kind == OBV_ELEMENT_COMPONENT) {
        const struct obv_component *component =
            (const struct obv_component *)(uintptr_t)element->number;
        /* Acquire, pairs with obv__matcher_learn(): the name is interned. */
        return obv__load_acquire(&component->name);
    }
    return element->kind <= OBV_ELEMENT_COUNT ? element->name : OBV_NAME_NONE;
}

void obv__element_by_name(const struct obv_names *names,
                          struct obv_element *element, uint32_t name)
{
    if (name != OBV_NAME_NONE) {
        bool is_count = name == obv__names_find(names, "count", 5);
        *element = (struct obv_element){
            is_count ? OBV_ELEMENT_COUNT : OBV_ELEMENT_NAME, name, 0};
    }
}

/* By its name, once some object has shown it. */
static void sink_component(struct sink *sink, const struct obv_names *names,
                           const struct obv_element *element)
{
    size_t length;
    const char *text =
        obv_names_text(names, obv__element_name(element), &length);
    if (!text) {
        sink_plain(
            sink,
            ((const struct obv_component *)(uintptr_t)element->number)->text);
    } else if (length == 5 && memcmp(text, "count", 5) == 0) {
        sink_plain(sink, "count");
    } else {
        sink_name(sink, text, length);
    }
}

static void sink_element(struct sink *sink, const struct obv_names *names,
                         const struct obv_element *element)
{
    size_t length;
    const char *text;
    switch (element->kind) {
    case OBV_ELEMENT_NAME:
        text = obv_names_text(names, element->name, &length);
        sink_name(sink, text ? text : "", length);
        return;
    case OBV_ELEMENT_COUNT:
        sink_plain(sink, "count");
        return;
    case OBV_ELEMENT_ANY:
        sink_put(sink, '*');
        return;
    case OBV_ELEMENT_COMPONENT:
        sink_component(sink, names, element);
        return;
    case OBV_ELEMENT_KEY:
        text = obv__key_text(obv__key_in(element));
        sink_name(sink, text, strlen(text));
        return;
    case OBV_ELEMENT_POSITION:
        sink_put(sink, '#');
        break;
    case OBV_ELEMENT_MEMBER:
        sink_put(sink, '&');
        break;
    default:
        break;
    }
    sink_number(sink, element->number);
}

size_t obv__path_print_name(const char *text, size_t length, char *buffer,
                            size_t size)
{
    struct sink sink = {buffer, size, 0};
    sink_name(&sink, text, length);
    if (size > 0) {
        buffer[sink.length < size ? sink.length : size - 1] = '\0';
    }
    return sink.length;
}

size_t obv_path_print(const struct obv_names *names,
                      const struct obv_element *elements, size_t count,
                      char *buffer, size_t size)
{
    struct sink sink = {buffer, size, 0};
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            sink_put(&sink, '.');
        }
        sink_element(&sink, names, &elements[i]);
    }
    if (size > 0) {
        buffer[sink.length < size ? sink.length : size - 1] = '\0';
    }
    return sink.length;
}

size_t obv__printable_print(const struct obv_names *names,
                            const struct obv__printable *printable,
                            char *buffer, size_t size)
{
    return printable->path ? obv__path_print(printable->path, buffer, size)
                           : obv_path_print(names, printable->elements,
                                            printable->count, buffer, size);
}

const char *obv__path_print_now(const struct obv_allocator *allocator,
                                const struct obv_path *path,
                                struct obv__printed *printed)
{
    size_t length;
    const char *text = obv__path_text(path, &length);
    printed->block = NULL;
    if (text) {
        return text;
    }
    printed->size =
        obv__path_print(path, printed->near, sizeof printed->near) + 1;
    if (printed->size > sizeof printed->near) {
        printed->block = obv__allocate(allocator, printed->size);
    }
    if (!printed->block) {
        return printed->near;
    }
    (void)obv__path_print(path, printed->block, printed->size);
    return printed->block;
}
