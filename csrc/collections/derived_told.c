/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a derived array becomes what it will be, once that is known, and is told
 * of it: in the fewest edits. What goes and what comes is one where as many
 * stay in front of it. Where some move as well it is told what goes, what
 * moves, and what comes.
 */
#include "collections/derived.h"

#include <string.h>

/* Moves -------------------------------------------------------------------- */

/* The entries that are shown from a place of the array on, in its order. */
static struct obv__order_node *
next_shown(const struct obv_derivation *derivation,
           struct obv__order_node *node)
{
    while (!obv__derived_is_sorted(derivation) && node && !node->counts) {
        node = obv__order_next(node);
    }
    return node;
}

/* From a node of the array's order on: `count` entries that are shown. */
void obv__derived_mark_places(const struct obv_derivation *derivation,
                              struct obv__order_node *node, size_t place,
                              size_t count)
{
    for (; count != 0; count--) {
        node = next_shown(derivation, node);
        if (obv__derived_is_sorted(derivation)) {
            obv__derived_entry_of_rank(node)->place = place++;
        } else {
            obv__derived_entry_of(node)->place = place++;
        }
        node = obv__order_next(node);
    }
}

/* An order is told of the part where something moves. */
static void leave_out_what_stays(struct obv__derived_edit *edit)
{
    size_t front = 0;
    while (edit->moves != 0 &&
           edit->order[edit->moves - 1] == edit->moves - 1) {
        edit->moves--;
    }
    while (front < edit->moves && edit->order[front] == front) {
        front++;
    }
    edit->from += front;
    edit->moves -= front;
    edit->order += front;
    for (size_t i = 0; i < edit->moves; i++) {
        edit->order[i] -= front;
    }
}

/* Where those that were marked stand now: the order of `edit->moves` from
   `edit->from` on. */
void obv__derived_write_order(struct obv__derived_edit *edit,
                              struct obv__order_node *node)
{
    const struct obv_derivation *derivation = edit->derivation;
    edit->is_by_order = true;
    for (size_t now = 0; now < edit->moves; now++) {
        node = next_shown(derivation, node);
        const struct obv__derived_entry *entry =
            obv__derived_is_sorted(derivation)
                ? obv__derived_entry_of_rank(node)
                : obv__derived_entry_of(node);
        edit->order[entry->place - edit->from] = now;
        node = obv__order_next(node);
    }
    leave_out_what_stays(edit);
}

/* What goes and comes ------------------------------------------------------ */

/* Tells of what goes and what comes, the first `gone` and `come` of them, and
   answers how many edits that is. */
static size_t write_splices(struct obv__derived_edit *edit, size_t gone,
                            size_t come)
{
    size_t before = edit->told_count;
    size_t g = 0, c = 0;
    while (g < gone || c < come) {
        /* In front of which of those that stay. */
        size_t goes = g < gone ? edit->gone[g].place - g : SIZE_MAX;
        size_t comes = c < come ? edit->come[c]->place - c : SIZE_MAX;
        size_t stay = goes < comes ? goes : comes;
        struct obv_container_edit told = {.position = stay + c,
                                          .old = &edit->old[g]};
        while (g < gone && edit->gone[g].place - g == stay) {
            edit->old[g] = edit->gone[g].element;
            told.removed++;
            g++;
        }
        while (c < come && edit->come[c]->place - c == stay) {
            told.inserted++;
            c++;
        }
        edit->told[edit->told_count++] = told;
    }
    return edit->told_count - before;
}

/* How far those behind some splices move, counted round 2^N. */
static size_t shift_behind(const struct obv_container_edit *splices,
                           size_t count)
{
    size_t shift = 0;
    for (size_t i = 0; i < count; i++) {
        shift += splices[i].inserted - splices[i].removed;
    }
    return shift;
}

/* Those that stay behind a splice, up to the next one, of which `before` have
   moved in front of it. */
static void shift_stretch(struct obv_array *array,
                          const struct obv_container_edit *splice, bool is_last,
                          size_t before)
{
    size_t from = splice->position - before + splice->removed;
    size_t shift = before + splice->inserted - splice->removed;
    size_t end = is_last ? array->count : splice[1].position - shift;
    if (from != end && shift != 0) {
        memmove(array->elements + from + shift, array->elements + from,
                (end - from) * sizeof *array->elements);
    }
}

static bool is_to_the_front(size_t shift)
{
    return shift > SIZE_MAX / 2;
}

/* Those that move to the front do so from the first on, the others from the
   last on: so none is written over, and each is moved once. */
static void make_splices(struct obv_array *array,
                         const struct obv_container_edit *splices, size_t count)
{
    size_t shift = 0;
    for (size_t i = 0; i < count; i++) {
        size_t before = shift;
        shift += splices[i].inserted - splices[i].removed;
        if (is_to_the_front(shift)) {
            shift_stretch(array, &splices[i], i + 1 == count, before);
        }
    }
    for (size_t i = count; i-- > 0;) {
        size_t behind = shift;
        shift -= splices[i].inserted - splices[i].removed;
        if (!is_to_the_front(behind)) {
            shift_stretch(array, &splices[i], i + 1 == count, shift);
        }
    }
    array->count += shift_behind(splices, count);
}

static void splice_array(struct obv__derived_edit *edit, size_t gone,
                         size_t come)
{
    struct obv_array *array = edit->array;
    const struct obv_container_edit *first = edit->told + edit->told_count;
    make_splices(array, first, write_splices(edit, gone, come));
    for (size_t i = 0; i < come; i++) {
        array->elements[edit->come[i]->place] = edit->come[i]->entry->element;
    }
}

static void put_elements_in_order(struct obv__derived_edit *edit)
{
    void **elements = edit->array->elements + edit->from;
    memcpy(edit->elements, elements, edit->moves * sizeof *elements);
    for (size_t i = 0; i < edit->moves; i++) {
        elements[edit->order[i]] = edit->elements[i];
    }
}

static void move_in_array(struct obv__derived_edit *edit)
{
    struct obv_array *array = edit->array;
    struct obv_container_edit told = {.position = edit->from,
                                      .moved = edit->moves};
    if (edit->is_by_order) {
        told.order = edit->order;
        put_elements_in_order(edit);
    } else {
        told.to = edit->to;
        obv__array_rotate(array, edit->from, edit->moves, edit->to);
    }
    edit->told[edit->told_count++] = told;
}

/* All of it is known: the array becomes what it will be, and is told of. */
void obv__derived_make(struct obv__derived_edit *edit)
{
    struct obv_array *array = edit->array;
    if (edit->moves == 0) {
        splice_array(edit, edit->gone_count, edit->come_count);
    } else {
        splice_array(edit, edit->gone_count, 0);
        move_in_array(edit);
        splice_array(edit, 0, edit->come_count);
    }
    obv__array_trim(array);
    if (edit->told_count != 0) {
        obv__collection_tell(&array->collection, edit->told, edit->told_count);
    }
}
