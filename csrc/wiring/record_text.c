/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of change records: the path as it was written, and the way that was
 * taken.
 */
#include "wiring/record_text.h"

#include "model/context.h"
#include "path/path.h"
#include "wiring/matcher.h"
#include "wiring/path_instance.h"

#include <observable/component.h>

/* The text to print: of elements, or if there are none of a path that has a
   text. */
struct written {
    size_t count;
    struct obv_element elements[OBV_PATH_COUNT_MAX];
};

/* By the property's name, as soon as it is known. */
static void write_by_name(struct obv_context *context,
                          struct obv_element *element, uint32_t name)
{
    if (name != OBV_NAME_NONE) {
        obv__element_by_name(context, element, name);
    }
}

/* Writes the element of a language binding as text. */
static void write_component(struct obv_context *context,
                            struct obv_element *element)
{
    if (element->kind == OBV_ELEMENT_COMPONENT) {
        write_by_name(context, element, obv__matcher_name_of(element));
    }
}

/* The way that was taken, with a name or a key in the place of each `*`; none if the
   pair has been stopped. */
static void write_way(struct obv_context *context,
                      const struct obv__change_record *record,
                      struct written *way)
{
    uintptr_t place = obv__load_acquire(&record->via->place);
    size_t name = 0;
    way->count =
        record->name_count != 0 && (place & OBV__PATH_NODE_TAG)
            ? obv__path_node_elements(obv__path_node_of(place), way->elements)
            : 0;
    for (size_t i = 0; i < way->count; i++) {
        struct obv_element *element = &way->elements[i];
        if (element->kind == OBV_ELEMENT_MEMBER) {
            name++; /* which of several it is has no text */
        } else if (element->kind != OBV_ELEMENT_ANY) {
            write_component(context, element);
        } else if (name < record->name_count) {
            const struct obv_record_element *by = &record->elements[name];
            if (by->key) {
                *element = obv_key_element(by->key);
            } else if (by->name) {
                write_by_name(context, element, (uint32_t)record->names[name]);
            }
            name++; /* where an object stands it stays `*` */
        }
    }
}

/* A path that has no text, by the names that are known now: so that it is as long
   when it is printed as when it was measured. */
static void write_path(struct obv_context *context, const struct obv_path *path,
                       struct written *written)
{
    size_t length;
    written->count =
        path && !obv__path_text(path, &length) ? obv_path_count(path) : 0;
    for (size_t i = 0; i < written->count; i++) {
        written->elements[i] = obv_path_elements(path)[i];
        write_component(context, &written->elements[i]);
    }
}

static size_t print(struct obv_context *context, const struct written *written,
                    const struct obv_path *path, char *buffer, size_t size)
{
    return written->count != 0 || !path
               ? obv_path_print(context->names, written->elements,
                                written->count, buffer, size)
               : obv__path_print(path, buffer, size);
}

bool obv__change_record_write_texts(struct obv_context *context,
                                    struct obv__change_record *record)
{
    struct written both[2];
    const struct obv_path *path =
        ((const struct obv__recording_member *)(const void *)record->via)->path;
    write_path(context, path, &both[0]);
    write_way(context, record, &both[1]);
    const struct written *way = both[1].count != 0 ? &both[1] : &both[0];
    size_t first = print(context, &both[0], path, NULL, 0) + 1;
    size_t second = print(context, way, path, NULL, 0) + 1;
    char *text = obv__context_allocate(context, first + second);
    if (text) {
        (void)print(context, &both[0], path, text, first);
        (void)print(context, way, path, text + first, second);
        record->text = text;
        record->text_size = first + second;
    }
    return text != NULL;
}
