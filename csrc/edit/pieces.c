/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces: what edits make of them, and what is read off them.
 */
#include "edit/pieces.h"

#include "edit/told_edits.h"
#include "model/copy.h"
#include "model/positions.h"
#include "model/value.h"

#include <stdlib.h>
#include <string.h>

struct obv__piece {
    struct obv__index_entry entry; /* must stand first */
    size_t before; /* where it began; OBV_NOWHERE: it has come since */
};

static struct obv__piece *piece_of(struct obv__index_entry *entry)
{
    return (struct obv__piece *)(void *)entry;
}

/* Memory ------------------------------------------------------------------- */

static struct obv__piece *make_piece(struct obv_context *context,
                                     struct obv__pieces *pieces, size_t before)
{
    struct obv__piece *piece = pieces->spare;
    pieces->spare = NULL;
    if (!piece) {
        piece = obv__context_allocate(context, sizeof *piece);
    }
    if (piece) {
        piece->before = before;
    }
    return piece;
}

static void free_pieces(struct obv_context *context, struct obv__pieces *pieces,
                        struct obv__index_map *map)
{
    struct obv__index_entry *first;
    while ((first = obv__index_map_from(map, 0)) != NULL) {
        obv__index_map_take(map, first);
        if (pieces->spare) {
            obv__context_free(context, piece_of(first),
                              sizeof(struct obv__piece));
        } else {
            pieces->spare = piece_of(first);
        }
    }
}

static void free_gone(struct obv_context *context, struct obv__gone *gone,
                      size_t count, size_t room)
{
    for (size_t i = 0; i < count; i++) {
        obv__value_drop(context, &gone[i].value);
    }
    obv__context_free(context, gone, room * sizeof *gone);
}

/* The first piece needs no memory: some piece is kept all the time. */
static void begin_pieces(struct obv_context *context,
                         struct obv__pieces *pieces, size_t count)
{
    pieces->before = pieces->now = count;
    if (count != 0) {
        struct obv__piece *first = make_piece(context, pieces, 0);
        (void)obv__index_map_add(&pieces->map, &first->entry, 0);
    }
}

bool obv__pieces_init(struct obv_context *context, struct obv__pieces *pieces)
{
    *pieces = (struct obv__pieces){.spare = NULL};
    obv__index_map_init(&pieces->map);
    pieces->spare = make_piece(context, pieces, 0);
    return pieces->spare != NULL;
}

void obv__pieces_begin(struct obv_context *context, struct obv__pieces *pieces,
                       size_t count)
{
    struct obv__gone *gone = pieces->gone;
    size_t gone_count = pieces->gone_count, gone_room = pieces->gone_room;
    pieces->gone = NULL;
    pieces->gone_count = pieces->gone_room = 0;
    free_pieces(context, pieces, &pieces->map);
    begin_pieces(context, pieces, count);
    /* The program's code: it may edit. */
    free_gone(context, gone, gone_count, gone_room);
}

void obv__pieces_deinit(struct obv_context *context, struct obv__pieces *pieces)
{
    free_pieces(context, pieces, &pieces->map);
    free_gone(context, pieces->gone, pieces->gone_count, pieces->gone_room);
    obv__context_free(context, pieces->spare, sizeof *pieces->spare);
}

/* Recording ---------------------------------------------------------------- */

/* Has a piece begin at a position. False: no memory. */
static bool cut_piece(struct obv_context *context, struct obv__pieces *pieces,
                      size_t position)
{
    if (position >= pieces->now) {
        return true;
    }
    struct obv__index_entry *entry =
        obv__index_map_before(&pieces->map, position + 1);
    size_t into = position - obv__index_map_position(entry);
    if (into == 0) {
        return true;
    }
    size_t before = piece_of(entry)->before;
    struct obv__piece *rest = make_piece(
        context, pieces, before == OBV_NOWHERE ? OBV_NOWHERE : before + into);
    if (rest) {
        (void)obv__index_map_add(&pieces->map, &rest->entry, position);
    }
    return rest != NULL;
}

static bool cut_range(struct obv_context *context, struct obv__pieces *pieces,
                      size_t position, size_t count)
{
    return cut_piece(context, pieces, position) &&
           cut_piece(context, pieces, position + count);
}

static bool has_come(const struct obv__index_entry *entry)
{
    return entry && ((const struct obv__piece *)(const void *)entry)->before ==
                        OBV_NOWHERE;
}

/* What comes beside what has come makes that longer. */
static bool record_insertion(struct obv_context *context,
                             struct obv__pieces *pieces, size_t position,
                             size_t count)
{
    bool stands_there = has_come(obv__index_map_find(&pieces->map, position));
    struct obv__piece *come = NULL;
    if (!stands_there &&
        !has_come(obv__index_map_before(&pieces->map, position))) {
        if (!cut_piece(context, pieces, position)) {
            return false;
        }
        come = make_piece(context, pieces, OBV_NOWHERE);
        if (!come) {
            return false;
        }
    }
    /* Where it stands at `position`, what has come goes on standing there. */
    (void)obv__index_map_insert(&pieces->map, position + stands_there, count);
    if (come) {
        (void)obv__index_map_add(&pieces->map, &come->entry, position);
    }
    pieces->now += count;
    return true;
}

static bool make_gone_room(struct obv_context *context,
                           struct obv__pieces *pieces, size_t count)
{
    size_t needed = pieces->gone_count + count;
    if (needed <= pieces->gone_room) {
        return true;
    }
    size_t room = 2 * pieces->gone_room + 8;
    room = room > needed ? room : needed;
    struct obv__gone *gone =
        room <= SIZE_MAX / sizeof *gone
            ? obv__context_allocate(context, room * sizeof *gone)
            : NULL;
    if (!gone) {
        return false;
    }
    if (pieces->gone_count != 0) {
        memcpy(gone, pieces->gone, pieces->gone_count * sizeof *gone);
    }
    obv__context_free(context, pieces->gone, pieces->gone_room * sizeof *gone);
    pieces->gone = gone;
    pieces->gone_room = room;
    return true;
}

/* Copies `count` elements, those from `i` on of what an edit has removed. */
static bool keep_gone(struct obv__pieces *pieces,
                      const struct obv__container_edits *edits,
                      const struct obv_container_edit *edit, size_t i,
                      size_t before, size_t count)
{
    struct obv_context *context = obv__container_context(edits->container);
    if (!make_gone_room(context, pieces, count)) {
        return false;
    }
    for (size_t end = i + count; i < end; i++, before++) {
        const void *element = obv__removed_element(edits, edit, i);
        struct obv__gone *gone = &pieces->gone[pieces->gone_count];
        gone->before = before;
        if (!obv__value_copy(context, &edits->container->object, edits->element,
                             element ? element : &obv__missing, &gone->value)) {
            return false;
        }
        pieces->gone_count++;
    }
    return true;
}

static bool record_removal(struct obv__pieces *pieces,
                           const struct obv__container_edits *edits,
                           const struct obv_container_edit *edit)
{
    struct obv_context *context = obv__container_context(edits->container);
    size_t end = edit->position + edit->removed;
    if (!cut_range(context, pieces, edit->position, edit->removed)) {
        return false;
    }
    bool good = true;
    size_t at = edit->position;
    struct obv__index_entry *entry = obv__index_map_find(&pieces->map, at);
    while (good && at < end) {
        struct obv__index_entry *next = obv__index_map_next(entry);
        size_t behind = next ? obv__index_map_position(next) : pieces->now;
        good = has_come(entry) ||
               keep_gone(pieces, edits, edit, at - edit->position,
                         piece_of(entry)->before, behind - at);
        at = behind;
        entry = next;
    }
    struct obv__index_map removed;
    obv__index_map_remove(&pieces->map, edit->position, edit->removed,
                          &removed);
    free_pieces(context, pieces, &removed);
    pieces->now -= edit->removed;
    return good;
}

static size_t to_place(void *context, size_t position)
{
    const struct obv_container_edit *edit = context;
    return position >= edit->position && position - edit->position < edit->moved
               ? edit->position + edit->order[position - edit->position]
               : position;
}

static bool record_move(struct obv_context *context, struct obv__pieces *pieces,
                        struct obv_container_edit edit)
{
    if (edit.order) {
        bool good = true;
        for (size_t i = 0; good && i <= edit.moved; i++) {
            good = cut_piece(context, pieces, edit.position + i);
        }
        if (good) {
            obv__index_map_permute(&pieces->map, to_place, &edit);
        }
        return good;
    }
    /* As it is counted while they still stand where they are. */
    size_t to = edit.to > edit.position ? edit.to + edit.moved : edit.to;
    bool good = cut_range(context, pieces, edit.position, edit.moved) &&
                cut_piece(context, pieces, to);
    if (good) {
        obv__index_map_move(&pieces->map, edit.position, edit.moved, edit.to);
    }
    return good;
}

static bool record_edit(struct obv__pieces *pieces,
                        const struct obv__container_edits *edits,
                        const struct obv_container_edit *edit)
{
    struct obv_context *context = obv__container_context(edits->container);
    if (edit->moved != 0) {
        return record_move(context, pieces, *edit);
    }
    return (edit->removed == 0 || record_removal(pieces, edits, edit)) &&
           (edit->inserted == 0 ||
            record_insertion(context, pieces, edit->position, edit->inserted));
}

bool obv__pieces_record(struct obv__pieces *pieces,
                        const struct obv__container_edits *edits)
{
    bool good = true;
    for (size_t i = 0; good && i < edits->count; i++) {
        good = record_edit(pieces, edits, &edits->edits[i]);
    }
    return good;
}

/* Who has stayed ----------------------------------------------------------- */

/* Up to as many are listed on the stack. */
enum { FEW_PARTS = 8 };

/* A piece, or several that are one in both contents. */
struct part {
    size_t before, now, count;
    bool has_stayed;
    /* Of the heaviest run of pieces in their old order that ends with it. */
    size_t rank, weight;
    struct part *previous;
};

/* Fills in the parts in the order of the content; answers how many. */
static size_t list_parts(const struct obv__pieces *pieces, struct part *parts)
{
    struct part *last = NULL;
    struct obv__index_entry *entry = obv__index_map_from(&pieces->map, 0);
    for (size_t now = 0; entry; entry = obv__index_map_next(entry)) {
        struct obv__index_entry *next = obv__index_map_next(entry);
        size_t before = piece_of(entry)->before;
        size_t end = next ? obv__index_map_position(next) : pieces->now;
        bool is_new = before == OBV_NOWHERE;
        if (last && is_new == (last->before == OBV_NOWHERE) &&
            (is_new || before == last->before + last->count)) {
            last->count += end - now;
        } else {
            last = last ? last + 1 : parts;
            *last =
                (struct part){.before = before, .now = now, .count = end - now};
        }
        now = end;
    }
    return last ? (size_t)(last - parts) + 1 : 0;
}

static int by_before(const void *a, const void *b)
{
    const struct part *const *left = a, *const *right = b;
    return ((*left)->before > (*right)->before) -
           ((*left)->before < (*right)->before);
}

/* The heaviest run among the first `rank` parts in the old order. */
static struct part *heaviest(struct part *const *tree, size_t rank)
{
    struct part *found = NULL;
    for (; rank != 0; rank &= rank - 1) {
        if (tree[rank] && (!found || tree[rank]->weight > found->weight)) {
            found = tree[rank];
        }
    }
    return found;
}

static void enter_heaviest(struct part **tree, size_t count, struct part *part)
{
    for (size_t at = part->rank; at <= count; at += at & (0 - at)) {
        if (!tree[at] || part->weight > tree[at]->weight) {
            tree[at] = part;
        }
    }
}

/* Of parts that have moved past each other; `tree` has room for as many as they
   are, and one more, and so has `order`. */
static void find_stayed_run(struct part *parts, size_t count,
                            struct part **order, struct part **tree)
{
    size_t were = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].before != OBV_NOWHERE) {
            order[were++] = &parts[i];
        }
        tree[i + 1] = NULL;
    }
    qsort(order, were, sizeof(struct part *), by_before);
    for (size_t i = 0; i < were; i++) {
        order[i]->rank = i + 1;
    }
    for (struct part *part = parts; part < parts + count; part++) {
        if (part->before != OBV_NOWHERE) {
            part->previous = heaviest(tree, part->rank - 1);
            part->weight =
                part->count + (part->previous ? part->previous->weight : 0);
            enter_heaviest(tree, were, part);
        }
    }
    struct part *last = heaviest(tree, were);
    for (; last; last = last->previous) {
        last->has_stayed = true;
    }
}

/* False: no memory. */
static bool find_stayed(struct obv_context *context, struct part *parts,
                        size_t count)
{
    bool are_in_order = true;
    size_t end = 0;
    for (size_t i = 0; i < count; i++) {
        bool was_there = parts[i].before != OBV_NOWHERE;
        are_in_order = are_in_order && (!was_there || parts[i].before >= end);
        parts[i].has_stayed = was_there;
        end = was_there ? parts[i].before + parts[i].count : end;
    }
    if (are_in_order) {
        return true;
    }
    size_t size = (2 * count + 1) * sizeof(struct part *);
    struct part **scratch = obv__context_allocate(context, size);
    if (scratch) {
        for (size_t i = 0; i < count; i++) {
            parts[i].has_stayed = false;
        }
        find_stayed_run(parts, count, scratch, scratch + count);
        obv__context_free(context, scratch, size);
    }
    return scratch != NULL;
}

/* Telling ------------------------------------------------------------------ */

static int by_place_before(const void *a, const void *b)
{
    const struct obv__gone *left = a, *right = b;
    return (left->before > right->before) - (left->before < right->before);
}

/* Writes the runs of those that have gone; the values are given away. */
static size_t tell_gone(struct obv__pieces *pieces, struct obv_value *values,
                        struct obv_edit_run *runs)
{
    size_t count = 0;
    if (pieces->gone_count != 0) {
        qsort(pieces->gone, pieces->gone_count, sizeof *pieces->gone,
              by_place_before);
    }
    for (size_t i = 0; i < pieces->gone_count; i++) {
        const struct obv__gone *gone = &pieces->gone[i];
        values[i] = gone->value;
        if (i != 0 && gone->before == gone[-1].before + 1) {
            runs[count - 1].count++;
        } else {
            runs[count++] =
                (struct obv_edit_run){gone->before, OBV_NOWHERE, 1, &values[i]};
        }
    }
    pieces->gone_count = 0;
    return count;
}

static size_t tell_others(const struct part *parts, size_t count,
                          struct obv_edit_run *runs)
{
    size_t told = 0;
    for (size_t i = 0; i < count; i++) {
        if (!parts[i].has_stayed) {
            runs[told++] = (struct obv_edit_run){parts[i].before, parts[i].now,
                                                 parts[i].count, NULL};
        }
    }
    return told;
}

static size_t tell_splices(const struct obv__pieces *pieces,
                           const struct part *parts, size_t count,
                           struct obv_splice *splices)
{
    size_t told = 0;
    size_t before = 0, now = 0; /* behind what has stayed */
    for (size_t i = 0; i <= count; i++) {
        if (i < count && !parts[i].has_stayed) {
            continue;
        }
        size_t old_end = i < count ? parts[i].before : pieces->before;
        size_t end = i < count ? parts[i].now : pieces->now;
        if (old_end != before || end != now) {
            splices[told++] =
                (struct obv_splice){before, now, old_end - before, end - now};
        }
        if (i < count) {
            before = old_end + parts[i].count;
            now = end + parts[i].count;
        }
    }
    return told;
}

static bool tell_parts(struct obv_context *context, struct obv__pieces *pieces,
                       struct part *parts, size_t count,
                       struct obv_edits *edits)
{
    size_t gone = pieces->gone_count, most_runs = gone + count;
    if (!find_stayed(context, parts, count)) {
        return false;
    }
    struct obv__told_edits *told = obv__told_edits_create(
        context, gone * sizeof(struct obv_value) +
                     most_runs * sizeof(struct obv_edit_run) +
                     (count + 1) * sizeof(struct obv_splice));
    if (!told) {
        return false;
    }
    told->values = (void *)(told + 1);
    told->value_count = gone;
    struct obv_edit_run *runs = (void *)(told->values + gone);
    struct obv_splice *splices = (void *)(runs + most_runs);
    edits->reserved = told;
    edits->splices = splices;
    edits->splice_count = tell_splices(pieces, parts, count, splices);
    edits->runs = runs;
    edits->run_count = tell_gone(pieces, told->values, runs);
    edits->run_count += tell_others(parts, count, runs + edits->run_count);
    return true;
}

/* Whether the content is the one before. */
static bool is_untouched(const struct obv__pieces *pieces,
                         const struct part *parts, size_t count)
{
    return pieces->gone_count == 0 &&
           (count == 0 || (count == 1 && parts->before != OBV_NOWHERE));
}

bool obv__pieces_tell(struct obv_context *context, struct obv__pieces *pieces,
                      struct obv_edits *edits)
{
    struct part few[FEW_PARTS], *parts = few;
    size_t most = 0;
    struct obv__index_entry *entry = obv__index_map_from(&pieces->map, 0);
    for (; entry; entry = obv__index_map_next(entry)) {
        most++;
    }
    if (most > FEW_PARTS) {
        parts = obv__context_allocate(context, most * sizeof *parts);
        if (!parts) {
            return false;
        }
    }
    size_t count = list_parts(pieces, parts);
    bool good = is_untouched(pieces, parts, count) ||
                tell_parts(context, pieces, parts, count, edits);
    if (parts != few) {
        obv__context_free(context, parts, most * sizeof *parts);
    }
    return good;
}
