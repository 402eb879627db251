/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of change records: the path as it was written, and the way that was
 * taken.
 */
#include "wiring/record_text.h"

#include "model/context.h"
#include "path/path.h"
#include "wiring/matcher.h"
#include "wiring/way.h"

#include <observable/component.h>

#include <string.h>

/* An element as it is written: by the property's name, as soon as it is known. */
static void write_by_name(struct obv_context *context,
                          struct obv_element *element, uint32_t name)
{
    if (name != OBV_NAME_NONE) {
        bool is_count = name == obv_names_find(context->names, "count", 5);
        element->kind = is_count ? OBV_ELEMENT_COUNT : OBV_ELEMENT_NAME;
        element->name = name;
        element->number = 0;
    }
}

/* The elements of the way that was taken, with a name in the place of each `*`; 0:
   the pair has been stopped. */
static size_t way_elements(struct obv_context *context,
                           const struct obv__note *note,
                           struct obv_element elements[OBV_PATH_COUNT_MAX])
{
    uintptr_t place = obv__load_acquire(&note->via->place);
    if (!(place & OBV__STEP_TAG)) {
        return 0;
    }
    size_t count = obv__step_elements(obv__step_of(place), elements);
    size_t name = 0;
    for (size_t i = 0; i < count; i++) {
        if (elements[i].kind != OBV_ELEMENT_ANY) {
            write_by_name(context, &elements[i],
                          obv__matcher_name_of(&elements[i]));
        } else if (name < note->name_count) {
            write_by_name(context, &elements[i], note->names[name++]);
        }
    }
    return count;
}

/* The elements of a path that has no text, by the names that are known now: so
   that it is as long when it is printed as when it was measured. 0: it has one. */
static size_t open_elements(struct obv_context *context,
                            const struct obv_path *path,
                            struct obv_element elements[OBV_PATH_COUNT_MAX])
{
    size_t length;
    if (!path || obv__path_text(path, &length)) {
        return 0;
    }
    size_t count = obv_path_count(path);
    for (size_t i = 0; i < count; i++) {
        elements[i] = obv_path_elements(path)[i];
        write_by_name(context, &elements[i],
                      obv__matcher_name_of(&elements[i]));
    }
    return count;
}

/* Prints elements, or where there are none the path, if there is one. */
static size_t print(struct obv_context *context,
                    const struct obv_element *elements, size_t count,
                    const struct obv_path *path, char *buffer, size_t size)
{
    return count != 0 || !path
               ? obv_path_print(context->names, elements, count, buffer, size)
               : obv__path_print(path, buffer, size);
}

bool obv__note_write_texts(struct obv_context *context, struct obv__note *note)
{
    struct obv_element elements[2][OBV_PATH_COUNT_MAX];
    const struct obv_path *written =
        ((const struct obv__noting_member *)(const void *)note->via)->path;
    size_t path_count = open_elements(context, written, elements[0]);
    size_t way_count =
        note->name_count != 0 ? way_elements(context, note, elements[1]) : 0;
    bool same = way_count == 0;
    size_t path = print(context, elements[0], path_count, written, NULL, 0);
    size_t way =
        same ? path : print(context, elements[1], way_count, written, NULL, 0);
    size_t size = path + 1 + way + 1;
    char *text = obv__context_allocate(context, size);
    if (!text) {
        return false;
    }
    (void)print(context, elements[0], path_count, written, text, path + 1);
    if (same) {
        memcpy(text + path + 1, text, path + 1);
    } else {
        (void)print(context, elements[1], way_count, written, text + path + 1,
                    way + 1);
    }
    note->text = text;
    note->text_size = size;
    return true;
}
