/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Late properties: their lines in a class, and their slots in a node.
 */
#include "model/class.h"
#include "model/value.h"

#include <observable/computed.h>

#include <string.h>

/* A block of memory at a place that any thread may fill, zeroed; false: no
   memory. Two threads that race keep the first. */
static bool fill_place(struct obv_context *context, void **place, size_t size)
{
    void *none = NULL;
    if (obv__load_acquire(place)) {
        return true;
    }
    void *made = obv__context_allocate_zeroed(context, size);
    /* Release publishes it. */
    if (made && !obv__cas_acq_rel(place, &none, made)) {
        obv__context_free(context, made, size);
    }
    return obv__load_acquire(place) != NULL;
}

/* Lines -------------------------------------------------------------------- */

void obv_class_allow_late(struct obv_class *cls)
{
    cls->allows_late = true;
    /* Reading a value of a late property runs code of the binding. */
    cls->runs_code = true;
    cls->is_plain = false;
}

int32_t obv__late_find(const struct obv__late *late, uint32_t name)
{
    uint32_t count = name == OBV_NAME_NONE ? 0 : obv__late_count(late);
    for (uint32_t i = 0; i < count; i++) {
        if (obv__load_acquire(&obv__late_line(late, i)->name) == name) {
            return (int32_t)i;
        }
    }
    return -1;
}

static bool keys_are_same(const struct obv_late_key *a,
                          const struct obv_late_key *b)
{
    return a->number == b->number &&
           (a->text == b->text || strcmp(a->text, b->text) == 0) &&
           (a->detail == b->detail ||
            (a->detail && b->detail && strcmp(a->detail, b->detail) == 0));
}

bool obv_class_find_late(const struct obv_class *cls,
                         const struct obv_late_key *key, uint32_t *index)
{
    const struct obv__late *late = obv__late_of(cls);
    uint32_t count = obv__late_count(late);
    for (uint32_t i = 0; i < count; i++) {
        if (keys_are_same(&obv__late_line(late, i)->key, key)) {
            *index = cls->property_count + i;
            return true;
        }
    }
    return false;
}

static bool is_of_a_binding(const struct obv_property *line)
{
    return line->name && line->kind == OBV_KIND_custom && line->custom &&
           line->custom->size == sizeof *line->custom && line->computed &&
           line->computed->size == sizeof *line->computed &&
           line->computed->evaluate && line->computed->kept &&
           !line->computed->declare && line->computed->dependency_count == 0;
}

/* `line` is given away if it is added. The lock of the context's lists is
   held. */
static enum obv_status add_line_locked(struct obv_class *cls,
                                       struct obv__late_line **line,
                                       uint32_t *index)
{
    struct obv__late *late = cls->late;
    if (obv_class_find_late(cls, &(*line)->key, index)) {
        return OBV_OK;
    }
    if (late->count == OBV_LATE_MAX) {
        return OBV_E_LIMIT;
    }
    *index = cls->property_count + late->count;
    (*line)->property.offset = OBV_LATE_OFFSET + *index;
    late->lines[late->count] = *line;
    *line = NULL;
    /* Release: the line is whole. */
    obv__store_release(&late->count, late->count + 1);
    return OBV_OK;
}

enum obv_status obv_class_add_late(struct obv_class *cls,
                                   const struct obv_late_key *key,
                                   const struct obv_property *line,
                                   bool is_named, uint32_t *index)
{
    if (!cls || !key || !line || !index || !cls->allows_late ||
        !is_of_a_binding(line)) {
        return OBV_E_ARGUMENT;
    }
    struct obv_context *context = cls->context;
    struct obv__late_line fresh = {
        .property = *line, .key = *key, .name = OBV_NAME_NONE};
    fresh.property.size =
        obv__keeps_word(line) ? sizeof(uint64_t) : sizeof(struct obv_boxed *);
    enum obv_status status =
        is_named ? obv_names_intern(context->names, line->name,
                                    strlen(line->name), &fresh.name)
                 : OBV_OK;
    if (status != OBV_OK || obv_class_find_late(cls, key, index)) {
        return status;
    }
    struct obv__late_line *made =
        fill_place(context, &cls->late, sizeof(struct obv__late))
            ? obv__context_allocate(context, sizeof *made)
            : NULL;
    if (!made) {
        return OBV_E_MEMORY;
    }
    *made = fresh;
    obv__lock_enter(&context->lists);
    status = add_line_locked(cls, &made, index);
    obv__lock_leave(&context->lists);
    obv__context_free(context, made, sizeof *made);
    return status;
}

/* The lock of the context's lists is held. */
static enum obv_status name_line_locked(struct obv_class *cls, uint32_t number,
                                        const char *text, uint32_t name)
{
    const struct obv__late *late = obv__late_of(cls);
    struct obv__late_line *line =
        number < obv__late_count(late) ? obv__late_line(late, number) : NULL;
    if (!line || line->name != OBV_NAME_NONE ||
        obv__late_find(late, name) >= 0) {
        return OBV_E_ARGUMENT;
    }
    obv__store_release(&line->property.name, text);
    /* Release: a reader that finds the line by its name sees the text. */
    obv__store_release(&line->name, name);
    return OBV_OK;
}

enum obv_status obv_class_name_late(struct obv_class *cls, uint32_t index,
                                    const char *name)
{
    uint32_t interned;
    if (!cls || !name || index < cls->property_count) {
        return OBV_E_ARGUMENT;
    }
    enum obv_status status =
        obv_names_intern(cls->context->names, name, strlen(name), &interned);
    if (status == OBV_OK) {
        obv__lock_enter(&cls->context->lists);
        status =
            name_line_locked(cls, index - cls->property_count, name, interned);
        obv__lock_leave(&cls->context->lists);
    }
    return status;
}

const struct obv_property *obv_class_line(const struct obv_class *cls,
                                          uint32_t index)
{
    return cls ? obv__property_in(cls, index) : NULL;
}

void obv__late_free(struct obv_context *context, struct obv__late *late)
{
    for (uint32_t i = 0; late && i < late->count; i++) {
        obv__context_free(context, late->lines[i], sizeof *late->lines[i]);
    }
    obv__context_free(context, late, sizeof *late);
}

/* Slots -------------------------------------------------------------------- */

static size_t slots_size(uint32_t page)
{
    return obv__late_page_size(page) * sizeof(struct obv_detail_slot);
}

bool obv__late_slot_prepare(struct obv_context *context, void **place,
                            uint32_t number)
{
    struct obv__late_place page = obv__late_place_of(number);
    if (!fill_place(context, place, sizeof(struct obv__late_slots))) {
        return false;
    }
    struct obv__late_slots *slots = obv__load_acquire(place);
    return fill_place(context, &slots->pages[page.page], slots_size(page.page));
}

void obv__late_slots_each(const struct obv__late_slots *slots, uint32_t first,
                          void (*visit)(void *context, uint32_t slot,
                                        uintptr_t *head),
                          void *context)
{
    for (uint32_t page = 0; slots && page < OBV__SLOT_PAGES; page++) {
        struct obv_detail_slot *at = obv__load_acquire(&slots->pages[page]);
        for (uint32_t i = 0; at && i < obv__late_page_size(page); i++) {
            visit(context, first + i, &at[i].head);
        }
        first += obv__late_page_size(page);
    }
}

void obv__late_slots_free(struct obv_context *context,
                          struct obv__late_slots *slots)
{
    for (uint32_t i = 0; slots && i < OBV__SLOT_PAGES; i++) {
        obv__context_free(context, slots->pages[i], slots_size(i));
    }
    obv__context_free(context, slots, sizeof *slots);
}
