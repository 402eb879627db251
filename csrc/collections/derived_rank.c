/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sorted order of a derived array. Its comparison is the program's, which
 * may edit the source, or change what it compares by: nothing of that is
 * followed here, and whatever it answers, the order is one of the same entries.
 */
#include "collections/derived.h"
#include "platform/exception.h"

#include <string.h>

static bool stands_before(const struct obv_derivation *derivation,
                          const struct obv__derived_entry *a,
                          const struct obv__derived_entry *b)
{
    if (!derivation->kind->compare) { /* a group: as in the source */
        return obv__order_place(&a->node) < obv__order_place(&b->node);
    }
    OBV__NO_EXCEPTION_LEAVES();
    int order = derivation->kind->compare(&a->element, &b->element,
                                          derivation->argument);
    return order < 0 || (order == 0 && a->serial < b->serial);
}

/* Takes an entry out of the sorted order. Those beside it are in order then;
   but where a path has changed of which the array has not been told yet, what
   came meanwhile may stand on the wrong side of it. Those that are marked go
   out as well. */
void obv__derived_take_rank_out(const struct obv__derived_edit *edit,
                                struct obv__derived_entry *entry)
{
    struct obv_derivation *derivation = edit->derivation;
    struct obv__order_node *before = obv__order_previous(&entry->rank);
    struct obv__order_node *behind = obv__order_next(&entry->rank);
    obv__order_remove(edit->ranks, &entry->rank);
    if (derivation->kind->path_count != 0 && derivation->kind->compare &&
        before && behind && !before->mark && !behind->mark &&
        stands_before(derivation, obv__derived_entry_of_rank(behind),
                      obv__derived_entry_of_rank(before))) {
        derivation->is_to_refresh = true;
    }
}

struct newcomer {
    const struct obv_derivation *derivation;
    const struct obv__derived_entry *entry;
};

static bool is_before_newcomer(const struct obv__order_node *rank,
                               void *argument)
{
    const struct newcomer *newcomer = argument;
    return stands_before(newcomer->derivation, obv__derived_entry_of_rank(rank),
                         newcomer->entry);
}

static void merge_halves(const struct obv_derivation *derivation,
                         struct obv__derived_change **from, size_t left,
                         size_t count, struct obv__derived_change **to)
{
    size_t a = 0, b = left;
    for (size_t i = 0; i < count; i++) {
        bool is_left = b == count ||
                       (a < left && !stands_before(derivation, from[b]->entry,
                                                   from[a]->entry));
        to[i] = is_left ? from[a++] : from[b++];
    }
}

/* Merge sort. Recursion: as deep as log n. */
static void sort_changes(const struct obv_derivation *derivation,
                         struct obv__derived_change **changes, size_t count,
                         struct obv__derived_change **scratch)
{
    if (count > 1) {
        size_t left = count / 2;
        sort_changes(derivation, changes, left, scratch);
        sort_changes(derivation, changes + left, count - left, scratch);
        memcpy(scratch, changes, count * sizeof *changes);
        merge_halves(derivation, scratch, left, count, changes);
    }
}

/* Enters those that are in no sorted order, each behind the one before it: so
   the places ascend, whatever the comparison says. */
void obv__derived_merge_in(struct obv__derived_edit *edit,
                           struct obv__derived_change **changes, size_t count)
{
    struct obv__order_tree *ranks = edit->ranks;
    struct obv__order_tree rest = *ranks;
    sort_changes(edit->derivation, changes, count, edit->scratch);
    ranks->root = NULL;
    for (size_t i = 0; i < count; i++) {
        struct newcomer newcomer = {edit->derivation, changes[i]->entry};
        size_t before = obv__order_search(&rest, is_before_newcomer, &newcomer);
        obv__order_paste(ranks, obv__order_cut(&rest, 0, before),
                         obv__order_count(ranks->root));
        changes[i]->place = obv__order_count(ranks->root);
        obv__order_append(ranks, &changes[i]->entry->rank, true);
    }
    obv__order_paste(ranks, rest.root, obv__order_count(ranks->root));
}

/* Moves -------------------------------------------------------------------- */

static void move_one(struct obv__derived_edit *edit)
{
    struct obv__derived_entry *entry = edit->moved[0]->entry;
    edit->from = obv__order_place(&entry->rank);
    obv__derived_take_rank_out(edit, entry);
    obv__derived_merge_in(edit, edit->moved, 1);
    edit->to = edit->moved[0]->place;
    edit->moves = edit->from != edit->to;
}

static void take_moved_out(struct obv__derived_edit *edit)
{
    struct obv__order_tree *ranks = edit->ranks;
    if (edit->moved_count == obv__order_count(ranks->root)) {
        ranks->root = NULL;
        return;
    }
    for (size_t i = 0; i < edit->moved_count; i++) {
        obv__derived_take_rank_out(edit, edit->moved[i]->entry);
    }
}

/* Those that are wrong all at once are taken out before any is looked for. */
void obv__derived_move_in_sorted_order(struct obv__derived_edit *edit)
{
    struct obv__order_tree *ranks = edit->ranks;
    if (edit->moved_count == 1) {
        move_one(edit);
    } else if (edit->moved_count > 1) {
        edit->moves = obv__order_count(ranks->root);
        obv__derived_mark_places(edit->derivation, obv__order_at(ranks, 0), 0,
                                 edit->moves);
        take_moved_out(edit);
        obv__derived_merge_in(edit, edit->moved, edit->moved_count);
        obv__derived_write_order(edit, obv__order_at(ranks, 0));
    }
}
