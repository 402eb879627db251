/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of change records: the path as it was written, and the way that was
 * taken.
 */
#include "wiring/record_text.h"

#include "model/context.h"
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

/* The elements of the way that was taken; 0: the pair has been stopped. Without
   names: of the path as it was written. */
static size_t way_elements(struct obv_context *context,
                           const struct obv__note *note, size_t name_count,
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
        } else if (name < name_count) {
            write_by_name(context, &elements[i], note->names[name++]);
        }
    }
    return count;
}

/* Prints into a buffer that has room for `length`, or answers the length. */
static size_t print(struct obv_context *context,
                    const struct obv_element *elements, size_t count,
                    const struct obv__noting_member *member, char *buffer,
                    size_t size)
{
    if (count != 0) {
        return obv_path_print(context->names, elements, count, buffer, size);
    }
    if (buffer) {
        memcpy(buffer, member->text, (size_t)member->length + 1);
    }
    return member->length;
}

bool obv__note_write_texts(struct obv_context *context, struct obv__note *note)
{
    struct obv_element elements[2][OBV_PATH_COUNT_MAX];
    const struct obv__noting_member *member =
        (const struct obv__noting_member *)(const void *)note->via;
    size_t path_count =
        member->is_compiled ? way_elements(context, note, 0, elements[0]) : 0;
    size_t way_count =
        note->name_count != 0
            ? way_elements(context, note, note->name_count, elements[1])
            : 0;
    bool same = way_count == 0;
    size_t path = print(context, elements[0], path_count, member, NULL, 0);
    size_t way =
        same ? path : print(context, elements[1], way_count, member, NULL, 0);
    size_t size = path + 1 + way + 1;
    char *text = obv__context_allocate(context, size);
    if (!text) {
        return false;
    }
    (void)print(context, elements[0], path_count, member, text, path + 1);
    if (same) {
        memcpy(text + path + 1, text, path + 1);
    } else {
        (void)print(context, elements[1], way_count, member, text + path + 1,
                    way + 1);
    }
    note->text = text;
    note->text_size = size;
    return true;
}
