/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of change records: the path as it was written, and the way that was
 * taken.
 */
#include "dispatch/change_records.h"
#include "model/context.h"
#include "model/path_node.h"
#include "path/path.h"

/* Gives the element of a language binding the name of its property, as soon as
   that is known. */
static void name_component(const struct obv_context *context,
                           struct obv_element *element)
{
    if (element->kind == OBV_ELEMENT_COMPONENT) {
        obv__element_by_name(context->names, element,
                             obv__element_name(element));
    }
}

/* Writes the way that was taken, with a name or a key in the place of each `*`;
   nothing if the pair has been stopped. */
static void write_way(struct obv_context *context,
                      const struct obv__change_record *record,
                      struct obv__printable *way)
{
    uintptr_t place = obv__load_acquire(&record->via->place);
    size_t name = 0;
    way->path = NULL;
    way->count =
        record->name_count != 0 && (place & OBV__PATH_NODE_TAG)
            ? obv__path_node_elements(obv__path_node_of(place), way->elements)
            : 0;
    for (size_t i = 0; i < way->count; i++) {
        struct obv_element *element = &way->elements[i];
        if (element->kind == OBV_ELEMENT_MEMBER) {
            name++; /* which of several it is has no text */
        } else if (element->kind != OBV_ELEMENT_ANY) {
            name_component(context, element);
        } else if (name < record->name_count) {
            const struct obv_record_element *by = &record->elements[name];
            if (by->key) {
                *element = obv_key_element(by->key);
            } else if (by->name) {
                obv__element_by_name(context->names, element,
                                     (uint32_t)record->names[name]);
            }
            name++; /* where an object stands it stays `*` */
        }
    }
}

/* Writes the path as it was written; a path without a text by the names that
   are known now, so that it is as long when it is printed as when it was
   measured. */
static void write_path(const struct obv_context *context,
                       const struct obv_path *path,
                       struct obv__printable *written)
{
    size_t length;
    bool has_text = path && obv__path_text(path, &length);
    written->path = has_text ? path : NULL;
    written->count = path && !has_text ? obv_path_count(path) : 0;
    for (size_t i = 0; i < written->count; i++) {
        written->elements[i] = obv_path_elements(path)[i];
        name_component(context, &written->elements[i]);
    }
}

void obv__change_record_write_texts(struct obv_context *context,
                                    struct obv__change_record *record)
{
    struct obv__printable path, way;
    write_path(
        context,
        ((const struct obv__recording_member *)(const void *)record->via)->path,
        &path);
    write_way(context, record, &way);
    const struct obv__printable *taken = way.count != 0 ? &way : &path;
    size_t first = obv__printable_print(context->names, &path, NULL, 0) + 1;
    size_t second = obv__printable_print(context->names, taken, NULL, 0) + 1;
    char *text = obv__context_allocate(context, first + second);
    if (text) {
        (void)obv__printable_print(context->names, &path, text, first);
        (void)obv__printable_print(context->names, taken, text + first, second);
        record->text = text;
        record->text_size = first + second;
    }
}
