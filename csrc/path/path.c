/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiled form of key paths: one constant block, with the text behind the
 * elements. A text is scanned before anything is interned or allocated, so that
 * one with a fault has done neither.
 */
#include "path/path.h"

#include "base/memory.h"
#include "base/names.h"
#include "base/status.h"
#include "path/path_text.h"

#include <string.h>

static size_t path_size(size_t count, size_t length)
{
    return sizeof(struct obv_path) + count * sizeof(struct obv_element) +
           length + 1;
}

/* With one reference, and room for a text of this length. */
static struct obv_path *path_allocate(const struct obv_names *names,
                                      size_t count, size_t length)
{
    struct obv_path *path = obv__allocate_zeroed(obv__names_allocator(names),
                                                 path_size(count, length));
    if (path) {
        path->names = names;
        path->references = 1;
        path->length = (uint32_t)length;
        path->count = (uint16_t)count;
    }
    return path;
}

static void note_kinds(struct obv_path *path)
{
    for (size_t i = 0; i < path->count; i++) {
        path->kinds |= (uint8_t)(1u << path->elements[i].kind);
    }
}

void obv__path_free(struct obv_path *path)
{
    for (size_t i = 0; i < path->count; i++) {
        obv__element_release(&path->elements[i]);
    }
    obv__free(obv__names_allocator(path->names), path,
              path_size(path->count, path->length));
}

void obv_path_destroy(struct obv_path *path)
{
    obv__path_release(path);
}

/* The names of a text; `interns`: those that are new as well. */
static enum obv_status name_elements(struct obv_names *names, bool interns,
                                     const struct obv__path_scan *scan,
                                     const struct obv__path_token *tokens,
                                     struct obv_path *path)
{
    enum obv_status status = OBV_OK;
    for (size_t i = 0; status == OBV_OK && i < path->count; i++) {
        struct obv_element *element = &path->elements[i];
        element->kind = tokens[i].kind;
        element->number = tokens[i].number;
        if (element->kind > OBV_ELEMENT_COUNT) {
            continue;
        }
        const char *name = (const char *)scan->text + tokens[i].begin;
        size_t size = tokens[i].end - tokens[i].begin;
        if (tokens[i].escaped) {
            /* The room of the text holds a part of it. */
            size = obv__path_unescape(scan, &tokens[i], obv__path_chars(path));
            name = obv__path_chars(path);
        }
        if (interns) {
            status = obv_names_intern(names, name, size, &element->name);
        } else {
            element->name = obv__names_find(names, name, size);
        }
    }
    return status;
}

static enum obv_status path_compile(struct obv_names *names, bool interns,
                                    const char *text, size_t length,
                                    struct obv_path **path,
                                    struct obv_error *error)
{
    if (!names || !path || (!text && length)) {
        return obv__fail_as(error, OBV_E_ARGUMENT);
    }
    struct obv__path_scan scan;
    struct obv__path_token tokens[OBV_PATH_COUNT_MAX + 1];
    obv__path_scan_init(&scan, text, length);
    while (obv__path_scan_next(&scan, &tokens[scan.count])) {
    }
    if (scan.message) {
        (void)obv__fail(error, OBV_E_SYNTAX, scan.message);
        if (error) {
            error->position = scan.at;
        }
        return OBV_E_SYNTAX;
    }
    struct obv_path *made = path_allocate(names, scan.count, length);
    enum obv_status status =
        made ? name_elements(names, interns, &scan, tokens, made)
             : OBV_E_MEMORY;
    if (status != OBV_OK) {
        obv_path_destroy(made);
        return obv__fail_as(error, status);
    }
    memcpy(obv__path_chars(made), text, length);
    note_kinds(made);
    *path = made;
    return OBV_OK;
}

enum obv_status obv_path_parse(struct obv_names *names, const char *text,
                               size_t length, struct obv_path **path,
                               struct obv_error *error)
{
    return path_compile(names, true, text, length, path, error);
}

enum obv_status obv_path_find(const struct obv_names *names, const char *text,
                              size_t length, struct obv_path **path,
                              struct obv_error *error)
{
    return path_compile((struct obv_names *)(uintptr_t)names, false, text,
                        length, path, error);
}

/* Copies one element of the typed form, without what its kind does not use. */
static enum obv_status copy_element(struct obv_names *names,
                                    const struct obv_element *from,
                                    struct obv_element *to)
{
    to->kind = from->kind;
    to->number = from->kind >= OBV_ELEMENT_POSITION ? from->number : 0;
    switch (from->kind) {
    case OBV_ELEMENT_NAME:
        to->name = from->name;
        return obv_names_text(names, from->name, NULL) ? OBV_OK
                                                       : OBV_E_ARGUMENT;
    case OBV_ELEMENT_COUNT:
        return obv_names_intern(names, "count", 5, &to->name);
    case OBV_ELEMENT_ANY:
    case OBV_ELEMENT_MEMBER:
        return OBV_OK;
    case OBV_ELEMENT_POSITION:
    case OBV_ELEMENT_OCCURRENCE:
        return from->number <= INT64_MAX ? OBV_OK : OBV_E_ARGUMENT;
    case OBV_ELEMENT_COMPONENT:
        return from->number != 0 ? OBV_OK : OBV_E_ARGUMENT;
    case OBV_ELEMENT_KEY:
        obv__element_retain(to);
        return OBV_OK;
    default:
        return OBV_E_ARGUMENT;
    }
}

enum obv_status obv_path_make(struct obv_names *names,
                              const struct obv_element *elements, size_t count,
                              struct obv_path **path, struct obv_error *error)
{
    if (!names || !path || !elements || count == 0) {
        return obv__fail_as(error, OBV_E_ARGUMENT);
    }
    if (count > OBV_PATH_COUNT_MAX) {
        return obv__fail(error, OBV_E_LIMIT,
                         "a key path has at most 255 elements");
    }
    bool is_open = false;
    for (size_t i = 0; i < count; i++) {
        is_open = is_open || elements[i].kind == OBV_ELEMENT_COMPONENT;
        if (elements[i].kind == OBV_ELEMENT_KEY && elements[i].number == 0) {
            return obv__fail_as(error, OBV_E_ARGUMENT);
        }
    }
    struct obv_path *made = path_allocate(
        names, count,
        is_open ? 0 : obv_path_print(names, elements, count, NULL, 0));
    enum obv_status status = made ? OBV_OK : OBV_E_MEMORY;
    for (size_t i = 0; status == OBV_OK && i < count; i++) {
        status = copy_element(names, &elements[i], &made->elements[i]);
    }
    if (status != OBV_OK) {
        obv_path_destroy(made);
        return obv__fail_as(error, status);
    }
    made->is_open = is_open;
    note_kinds(made);
    if (!is_open) {
        (void)obv_path_print(names, made->elements, count,
                             obv__path_chars(made), (size_t)made->length + 1);
    }
    *path = made;
    return OBV_OK;
}

enum obv_status obv__path_share(struct obv_names *names,
                                const struct obv_path *path,
                                struct obv_path **shared,
                                struct obv_error *error)
{
    if (path->names == names) {
        *shared = obv__path_retain(path);
        return OBV_OK;
    }
    return obv_path_make(names, path->elements, path->count, shared, error);
}

size_t obv__path_print(const struct obv_path *path, char *buffer, size_t size)
{
    if (path->is_open) {
        return obv_path_print(path->names, path->elements, path->count, buffer,
                              size);
    }
    if (size != 0) {
        size_t fits = path->length < size ? path->length : size - 1;
        memcpy(buffer, obv__path_chars(path), fits);
        buffer[fits] = '\0';
    }
    return path->length;
}

size_t obv_path_count(const struct obv_path *path)
{
    return path->count;
}

const struct obv_element *obv_path_elements(const struct obv_path *path)
{
    return path->elements;
}

bool obv_path_equal(const struct obv_path *a, const struct obv_path *b)
{
    size_t i = 0;
    while (i < a->count && i < b->count &&
           obv_element_equal(&a->elements[i], &b->elements[i])) {
        i++;
    }
    return i == a->count && i == b->count;
}
